"""The join order benchmark's 113 queries, equal to DuckDB's answers."""

import engine
import job
import pytest


@pytest.fixture(scope="module")
def blocks():
    made, queries, answers = job.blocks()
    return [*made, *queries], answers


def test_there_are_all(blocks):
    assert len(job.QUERIES) == 113 and len(job.TABLES) == 21
    with_rows = sum(any(value is not None for value in answer.rows[0]) for answer in blocks[1])
    assert with_rows >= 60


@pytest.mark.parametrize("memory, join_parts", [(None, None), (1_000_000, None), (None, 5)])
def test_answers_are_duckdbs(blocks, memory, join_parts):
    assert engine.failures(*blocks, threads=2, memory=memory, join_parts=join_parts) == []
