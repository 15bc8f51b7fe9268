"""TPC-H's queries 1 and 6 at scale factor 1, equal to DuckDB's answers."""

import csv
import io
import subprocess
from pathlib import Path

import duckdb
import engine

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LINEITEM = ROOT / ".cache/data/tpch-sf1/lineitem.parquet"


def test_answers_are_duckdbs():
    subprocess.run(["bash", "tools/data.sh", "tpch"], cwd=ROOT, check=True)
    connection = duckdb.connect()
    view = f"CREATE VIEW lineitem AS FROM '{LINEITEM}'"
    connection.execute(view)
    for name in ("q1", "q6"):
        query = (HERE / "tpch" / f"{name}.sql").read_text()
        wanted = connection.execute(query).fetchall()
        assert len(wanted) == {"q1": 4, "q6": 1}[name]
        for lanes, threads in (("simd", 2), ("interleaved", 1), ("scalar", 2), ("auto", 1), ("branching", 2)):
            result = subprocess.run([engine.PROGRAM, "sql", "--format", "csv", "--lanes", lanes, "--threads", str(threads)],
                                    input=f"{view};{query}", capture_output=True, text=True, check=True)
            header, *rows = csv.reader(io.StringIO(result.stdout))
            assert header == [column[0] for column in connection.execute(query).description]
            # As values of DuckDB's types. Sums are exact, and averages are doubles of exact sums.
            got = [tuple(type(value)(cell) for cell, value in zip(row, values)) for row, values in zip(rows, wanted, strict=True)]
            assert got == wanted, (name, lanes)
