"""Each form in which the lanes of a core write pairs, against DuckDB."""

import engine
import pytest
from test_corpus import expected

FORMS = ["naive", "refill", "balanced", "whole", "mixed"]


@pytest.mark.parametrize("file", ["join", "join_pairs"])
@pytest.mark.parametrize("lanes, vector_size, threads", [("simd", None, 2), ("emulated", 7, 1)])
@pytest.mark.parametrize("form", FORMS)
def test_same_answers_as_duckdb(file, form, lanes, vector_size, threads):
    assert engine.failures(*expected(file), with_errors=False, lanes=lanes, vector_size=vector_size, threads=threads, join_pairs=form) == []


def test_unknown_form():
    error = engine.run("SELECT 1;", join_pairs="queue").stderr
    assert "unknown form of pairs 'queue'; known are auto, naive, refill, balanced, whole, mixed" in error
