"""Each lookup of joins' keys on cores, against DuckDB. engine/exec/join_test.cc asserts that the forced one runs where keys allow it."""

import engine
import pytest
from test_corpus import expected


@pytest.mark.parametrize("file", ["join", "join_pairs"])
@pytest.mark.parametrize("lookup", ["hash", "bytes", "direct", "bitmap"])
def test_same_answers_as_duckdb(file, lookup):
    assert engine.failures(*expected(file), with_errors=False, threads=2, join_lookup=lookup) == []


def test_unknown_lookup():
    error = engine.run("SELECT 1;", join_lookup="tree").stderr
    assert "unknown lookup of joins 'tree'; known are hash, bytes, direct, bitmap" in error
