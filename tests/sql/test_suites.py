"""The star schema benchmark, db-benchmark and ClickBench on rows made with SQL, equal to DuckDB's answers."""

import clickbench
import corpus
import duckdb
import engine
import h2o
import pytest
import ssb

SUITES = {  # statements that make the tables, queries, how many of them have rows
    "ssb": (ssb.tables(0.02), ssb.QUERIES, 11),
    "h2o": (h2o.tables(2_000), h2o.QUERIES, 15),
    "h2o_summed_up": (h2o.tables(200_000), h2o.QUERIES, 15),
    "clickbench": (clickbench.tables(100_000), clickbench.queries(100_000), 43),
}


@pytest.fixture(scope="module", params=SUITES)
def blocks(request):
    """Statements, queries and DuckDB's answers."""
    statements, texts, with_rows = SUITES[request.param]
    made = [corpus.Block("statement", False, "", sql, 0) for sql in statements]
    with duckdb.connect() as connection:
        corpus.duckdb_answers(connection, made)
        queries = [h2o.summed_up(connection, sql) if request.param == "h2o_summed_up" else sql for sql in texts.values()]
        queries = [corpus.Block("query", "ORDER BY" in sql, "", sql, number) for number, sql in enumerate(queries, 1)]
        answers = corpus.duckdb_answers(connection, queries)
    assert sum(bool(answer.rows) for answer in answers) >= with_rows
    return [*made, *queries], answers


@pytest.mark.parametrize("settings", [
    {"threads": 2}, {"lanes": "interleaved", "threads": 1}, {"threads": 2, "memory": 5_000_000}, {"threads": 2, "join_parts": 5},
], ids=lambda settings: "-".join(settings))  # fmt: skip
def test_answers_are_duckdbs(blocks, settings):
    assert engine.failures(*blocks, **settings) == []
