"""A short run of the fuzzer for nested types, and a run that must find a wrong answer."""

import random

import nested


def test_same_answers_as_duckdb():
    choice, oracle = random.Random(11), nested.Oracle()
    queries = [oracle.answered(choice) for _ in range(40)]
    found = [(query, wrong) for number, (query, rows) in enumerate(queries) if (wrong := nested.difference(query, rows, (None, 1, 2, 7)[number % 4])[0])]
    assert not found, found


def test_a_wrong_answer_is_found():
    query = "SELECT n, (l)::VARCHAR AS a FROM t WHERE n = 2"
    assert nested.difference(query, [("2", "[2, NULL, 2, 2]")], None) == ("", "")
    assert "DuckDB has" in nested.difference(query, [("2", "[2, NULL, 2, 3]")], None)[0]
    assert "not supported" in nested.difference("SELECT n::GEOMETRY AS a FROM t", [], None)[1]
