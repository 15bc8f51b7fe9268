"""A round of the fuzzer for dates, times and intervals, and a run that must find a wrong answer and an error that is missing."""

import dates


def test_same_answers_as_duckdb():
    found, answered, raising = dates.failures(seed=11, count=900)
    assert not found, "\n".join(found)
    # DuckDB refuses some of the calls, as not all functions take all types.
    assert answered > 500 and raising > 500


def test_what_is_wrong_is_found():
    table, answered, _ = dates.asked(seed=11, count=20)
    block, rows = answered[0]
    wrong = dates.corpus.Answer([("no", "no")] * len(rows.rows), rows.types)
    assert len(dates.all_types.failures(table, [(block, wrong)], 0)) == 1
    assert len(dates.not_raised(table, ["SELECT 'x' AS call, 1 AS rid, 2 AS x", "SELECT error('raised') AS x"])) == 1
