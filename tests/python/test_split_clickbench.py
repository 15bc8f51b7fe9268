"""ClickBench's 43 queries in parts over generated rows."""

import sys
from pathlib import Path

import duckdb
import pytest
from test_split import in_parts_of, same

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sql"))
import clickbench  # noqa: E402

ROWS = 20_000
INPUT = duckdb.connect().execute(clickbench.rows(ROWS)).to_arrow_table()
QUERIES = [query.replace("FROM hits", "FROM input") for query in clickbench.queries(ROWS).values()]


def test_there_are_43():
    assert len(QUERIES) == 43


@pytest.mark.parametrize("number", range(1, 44))
def test_clickbench(number):
    query = QUERIES[number - 1]
    got = [tuple(row) for row in zip(*(part.to_pylist() for part in in_parts_of(INPUT, query, [INPUT.slice(first, 7000) for first in range(0, ROWS, 7000)], 3).columns))]
    expected = duckdb.connect().register("input", INPUT).execute(query).fetchall()
    if "ORDER BY" not in query:
        got, expected = sorted(got), sorted(expected)
    assert len(got) == len(expected) and expected
    for a, b in zip(got, expected):
        assert all(map(same, a, b)), (a, b)
