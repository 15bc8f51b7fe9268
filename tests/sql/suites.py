"""Published sets of queries over Parquet files in .cache/data, with DuckDB's answers."""

import subprocess
from pathlib import Path

import corpus
import duckdb

ROOT = Path(__file__).resolve().parents[2]


def blocks(name, folder, queries):
    """Views of the folder's files and the queries, and DuckDB's answers; `name` is that of tools/data.sh."""
    subprocess.run(["bash", "tools/data.sh", name], cwd=ROOT, check=True)
    return blocks_over(ROOT / ".cache/data" / folder, queries)


def blocks_over(folder, queries):
    tables = sorted(folder.glob("*.parquet"))
    views = [corpus.Block("statement", False, "", f"CREATE VIEW {path.stem} AS FROM '{path}'", 0) for path in tables]
    asked = [corpus.Block("query", True, "", path.read_text().strip().rstrip(";"), int(path.stem[1:])) for path in sorted(queries)]
    with duckdb.connect() as connection:
        return [*views, *asked], corpus.duckdb_answers(connection, [*views, *asked])
