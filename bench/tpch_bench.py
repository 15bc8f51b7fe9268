"""TPC-H's 22 queries against DuckDB: the same database file, the same number of threads, hot, equal answers.

Each engine runs every query RUNS times in one process; the median of the runs after the first one counts, planning included. The first run, in which
columns are read and kernels are built, is shown separately. DuckDB's answers are compared with ours, doubles up to the last digits.

    ./dev bench tpch                              scale factor 1, the CPU
    ./dev bench tpch --scale 10 --device cuda     a GPU; DuckDB on all cores
    ./dev bench tpch --memory-limit 100MB         both engines use temporary files for what exceeds it
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import suite


def make_database(folder, scale, generator):
    database = folder / f"tpch-sf{scale}.duckdb"
    if not database.exists():
        with tempfile.TemporaryDirectory(dir=folder) as parquet:
            subprocess.run([generator, "-s", str(scale), "--format=parquet", "--output-dir", parquet], check=True, capture_output=True)
            suite.make_database(database, suite.read_parquet(Path(parquet)))
    return database


if __name__ == "__main__":
    parser = suite.parser("tpch", __doc__)
    parser.add_argument("--queries", type=Path, default=suite.ROOT / ".cache" / "duckdb" / "tpch")
    parser.add_argument("--generator", default=Path(sys.executable).parent / "tpchgen-cli", help="tpchgen-cli")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    database = make_database(arguments.folder, arguments.scale, arguments.generator)
    sys.exit(suite.compare(database, suite.read_queries(arguments.queries.glob("q*.sql")), arguments) > 0)
