"""TPC-H's 22 queries at scale factor 1, equal to DuckDB's answers, also in little memory and with joins in parts."""

import os
import subprocess
from pathlib import Path

import corpus
import duckdb
import engine
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / ".cache/data/tpch-sf1"
QUERIES = sorted((ROOT / ".cache/duckdb/tpch").glob("q*.sql"))  # DuckDB's distribution has them
TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]


def test_there_are_all():
    assert len(QUERIES) == 22


@pytest.fixture(scope="module")
def blocks():
    """The queries and DuckDB's answers, once for all tests."""
    subprocess.run(["bash", "tools/data.sh", "tpch"], cwd=ROOT, check=True)
    views = [corpus.Block("statement", False, "", f"CREATE VIEW {name} AS FROM '{DATA}/{name}.parquet'", 0) for name in TABLES]
    queries = [corpus.Block("query", True, "", path.read_text().strip().rstrip(";"), int(path.stem[1:])) for path in QUERIES]
    with duckdb.connect() as connection:
        return [*views, *queries], corpus.duckdb_answers(connection, [*views, *queries])


# The corpus knows all targets; here the others only with LANEWISE_TEST_ALL, as each takes 20 s.
TARGETS = [("simd", 2), ("interleaved", 1), *([("scalar", 2), ("auto", 1), ("branching", 2)] if "LANEWISE_TEST_ALL" in os.environ else [])]


@pytest.mark.parametrize("lanes, threads", TARGETS)
def test_answers_are_duckdbs(blocks, lanes, threads):
    assert engine.failures(*blocks, lanes=lanes, threads=threads) == []


@pytest.mark.parametrize("memory, join_parts", [(20_000_000, None), (None, 5)])
def test_answers_are_duckdbs_where_memory_is_little(blocks, memory, join_parts):
    assert engine.failures(*blocks, threads=2, memory=memory, join_parts=join_parts) == []
