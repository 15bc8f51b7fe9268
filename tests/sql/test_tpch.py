"""TPC-H's 22 queries at scale factor 1, equal to DuckDB's answers, also in little memory and with joins in parts."""

import os

import engine
import pytest
import suites

QUERIES = sorted((suites.ROOT / ".cache/duckdb/tpch").glob("q*.sql"))  # DuckDB's distribution has them


def test_there_are_all():
    assert len(QUERIES) == 22


@pytest.fixture(scope="module")
def blocks():
    return suites.blocks("tpch", "tpch-sf1", QUERIES)


# The corpus knows all targets; here the others only with LANEWISE_TEST_ALL, as each takes 20 s.
TARGETS = [("simd", 2), ("interleaved", 1), *([("scalar", 2), ("auto", 1), ("branching", 2)] if "LANEWISE_TEST_ALL" in os.environ else [])]


@pytest.mark.parametrize("lanes, threads", TARGETS)
def test_answers_are_duckdbs(blocks, lanes, threads):
    assert engine.failures(*blocks, lanes=lanes, threads=threads) == []


@pytest.mark.parametrize("memory, join_parts", [(20_000_000, None), (None, 5)])
def test_answers_are_duckdbs_where_memory_is_little(blocks, memory, join_parts):
    assert engine.failures(*blocks, threads=2, memory=memory, join_parts=join_parts) == []
