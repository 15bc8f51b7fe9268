"""A third of a round of the fuzzers for functions and types, with LANEWISE_TEST_ALL all of it, and a run that must find a wrong answer."""

import os

import all_types
import functions
import pytest
import typed


@pytest.mark.parametrize("queries, least", [(functions.queries, 2000), (typed.queries, 5000)])
def test_same_answers_as_duckdb(queries, least):
    every = 1 if "LANEWISE_TEST_ALL" in os.environ else 3
    table, answered, _ = all_types.asked(lambda chooser: list(queries(chooser))[::every], seed=11, rounds=1)
    found = [text for part in range(3) for text in all_types.failures(table, answered[part::3], part)]
    assert not found, "\n".join(found)
    # DuckDB refuses some of the queries, as random arguments are not all valid.
    assert len(answered) > least // every


def test_a_wrong_answer_is_found():
    table, answered, _ = all_types.asked(lambda _: [["SELECT upper(c33) AS x FROM t ORDER BY rid"]], seed=11, rounds=1)
    (block, rows), = answered
    assert all_types.failures(table, answered, 0) == []
    wrong = all_types.corpus.Answer([("no",)] * len(rows.rows), rows.types)
    assert len(all_types.failures(table, [(block, wrong)], 0)) == 1
