"""TPC-DS's 99 queries at scale factor 0.1, equal to DuckDB's answers."""

import engine
import pytest
import suites


@pytest.fixture(scope="module")
def blocks():
    folder = suites.ROOT / ".cache/data/tpcds-sf0.1"
    made = suites.blocks("tpcds", folder.name, [folder / f"q{number:02}.sql" for number in range(1, 100)])
    assert sum(len(answer.rows) > 0 for answer in made[1]) > 75, "most have rows"
    return made


@pytest.mark.parametrize("settings", [
    {"threads": 2}, {"lanes": "interleaved", "threads": 1, "semi_joins_first": True},
    {"threads": 2, "memory": 5_000_000}, {"threads": 2, "join_parts": 5},
], ids=lambda settings: "-".join(settings))  # fmt: skip
def test_answers_are_duckdbs(blocks, settings):
    assert engine.failures(*blocks, **settings) == []
