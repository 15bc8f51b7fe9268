"""The fuzzer reports a program with wrong answers, briefly, and passes one with right answers."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import sql
import pytest
from expressions import AGGREGATES, FUNCTIONS, Generator, Node
from oracle import answer_of
from queries import Query, Table, random_query

FUZZER = Path(sql.__file__)


def fuzz(build, *arguments):
    return subprocess.run([sys.executable, FUZZER, "--seed", "1", *arguments], env=os.environ | {"LANEWISE_BUILD": str(build)},
                          capture_output=True, text=True, timeout=500)


def program(folder, script):
    path = folder / "lanewise"
    path.write_text(f"#!/bin/bash\n{script}\n")
    path.chmod(0o755)
    return folder


def test_equal_answers_pass():
    result = fuzz(sql.engine.PROGRAM.parent, "--count", "40", "--plans", "0")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith("40 passed, 0 failed\n") and "DECIMAL(38,0)" in result.stdout


def test_a_difference_becomes_small(tmp_path):
    wrong = program(tmp_path, f"set -o pipefail; {sql.engine.PROGRAM} \"$@\" | sed 's/:true/:false/g'")
    result = fuzz(wrong, "--count", "20", "--show", "1", "--plans", "0")
    assert result.returncode == 1 and "repeat with: ./dev fuzz sql --seed 1 --count 20 --plans 0" in result.stdout, result.stdout
    table, query = result.stdout.partition("A difference")[2].split(";\n")[:2]
    assert query.startswith("SELECT") and len(query) < 200 and "DuckDB has 'true'" in result.stdout, result.stdout
    assert table.count(" AS c") < 4, table


def test_an_answer_to_what_duckdb_refuses_is_a_difference(tmp_path):
    table = Table(3, (("c0", "TINYINT", "100 + i", 0),))
    query = Query((Node("int", "c0 + c0"),))
    assert sql.differs(table, query, {}) is None
    lenient = program(tmp_path, f"{sql.engine.PROGRAM} \"$@\" 2>/dev/null || true")
    real, sql.engine.PROGRAM = sql.engine.PROGRAM, lenient / "lanewise"
    try:
        assert "exit code 0, not 2" in sql.differs(table, query, {})
    finally:
        sql.engine.PROGRAM = real


def test_wide_tables_need_temporary_files():
    table = Table(1, (("c0", "VARCHAR", "i % 300", 0),)).wide()
    query = Query((Node("text", "c0"),), ordered=True, directions=("DESC",)).with_wide(Random(1))
    with sql.connect(table) as connection:
        answer, spilled = answer_of(connection, query), []
    assert table.is_wide() and sql.failures(table, [query], [answer], sql.settings(Random(1), table), spilled) == []
    assert sum(spilled) > 0


def test_an_error_in_what_does_not_matter_is_another_way_of_duckdb():
    table = Table(3, (("c0", "TINYINT", "20 + 30 * i", 0),))
    parts = Node("bool", "(c0 > 60)"), Node("bool", "(c0 + c0 > 0)")
    found = sql.differs(table, Query((Node("bool", "({0} OR {1})", parts, "or"),)), {})
    assert "exit code 0, not 2" in found
    assert sql.answered_in_two_ways(table, Query((Node("bool", "({0} OR {1})", parts, "or"),)), {}, found)
    assert not sql.answered_in_two_ways(table, Query((Node("bool", "({0} OR {1})", parts),)), {}, found)


def test_a_cast_that_duckdb_lets_wrap_is_known():
    table = Table(3, (("c0", "DOUBLE", "32766.5 + i", 0),))
    query = Query((Node("int", "TRY_CAST({0} AS SMALLINT)", (Node("exact", "c0"),), "try_cast exact int"),))
    found = sql.differs(table, query, {})
    assert "DuckDB has '-32768'" in found
    assert sql.duckdb_is_wrong(table, query, {}, found) and not sql.answered_in_two_ways(table, query, {}, found)


def test_a_difference_that_duckdb_lets_wrap_is_known():
    table = Table(3, (("c0", "UHUGEINT", "i + 5", 0),))
    query = Query((Node("int", "c0 - (- c0)"),))
    wraps = sql.differs(table, query, {})
    assert "Overflow in subtraction of UINT128" in wraps and sql.duckdb_is_wrong(table, query, {}, wraps)
    assert not sql.duckdb_is_wrong(table, query, {}, wraps.replace("subtraction", "addition"))
    assert not sql.duckdb_is_wrong(table, query, {}, "Overflow in subtraction of UINT128 (5 - 7)")


def everything_hit(run):
    for name, nullable in (entry for listed in sql.COUNTED.values() for entry in listed):
        run.hits.update({name: sql.ENOUGH, sql.null(name): sql.ENOUGH})
    return run


def test_what_is_hit_too_seldom_is_named(tmp_path, capsys):
    run = sql.Run(1, tmp_path)
    assert set(sql.seldom(run)) >= {f[0] for f in FUNCTIONS + AGGREGATES} | {"having", "type BLOB", "lower with NULL"}
    assert sql.seldom(everything_hit(run)) == []
    run.hits[sql.null("lower")] -= 1
    assert sql.seldom(run) == ["lower with NULL"]
    sql.report(run)
    assert "lower " in capsys.readouterr().out


def test_a_run_goes_on_while_something_is_short(tmp_path):
    run = sql.Run(1, tmp_path)
    asked = {}
    for run.asked in (0, 20, 480, 500, 990, 1000):
        asked[run.asked] = sql.left(run, 500)
    assert asked == {0: 500, 20: 480, 480: 20, 500: 500, 990: 10, 1000: 0}
    run.asked = 40
    assert sql.left(run, 40) == 0  # A short run need not use everything.
    everything_hit(run).asked = 500
    assert sql.left(run, 500) == 0


@pytest.mark.parametrize("enough, asked", [(1000, 40), (0, 20)])
def test_the_program_asks_twice_as_many_before_it_fails(monkeypatch, capsys, enough, asked):
    monkeypatch.setattr(sql, "ENOUGH", enough)
    monkeypatch.setattr(sql, "ENOUGH_FROM", 20)
    monkeypatch.setattr(sys, "argv", ["sql", "--seed", "1", "--count", "20", "--plans", "0"])
    with pytest.raises(SystemExit):
        sql.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith(f"{asked} passed, ") and (f"hit less than {enough} times: having" in lines) == (enough > 0), lines


def test_a_refusal_counts_for_its_cause():
    column = Node("int", "c0")
    plus = Node("int", "({0} + {1})", (column, column), "+")
    query = Query((Node("int", "abs({0})", (plus,), "abs"), Node("int", "sign({0})", (column,), "sign")))
    run, table = sql.Run(1, Path()), Table(3, (("c0", "TINYINT", "100 + i", 0),))
    with sql.connect(table) as connection:
        run.count(connection, table, query, answer_of(connection, query))
    assert run.refused == 1 and run.refusals == {"+": 1}


def test_what_was_hit_least_comes_first():
    def queries_with(feature, *hit):
        """Counts of 150 queries, in which each entry of `hit` has enough uses, and nothing else has any."""
        random, hits = Random(1), Counter({name: sql.ENOUGH for n in hit for name in (n, sql.null(n))})
        generator = Generator(random, Table(1, (("c0", "INTEGER", "i", 0),)).kinds(set()), hits, Counter())
        return sum(feature in random_query(random, generator).features for _ in range(150))

    assert queries_with("having") > 2 * queries_with("having", *sql.OPERATORS)
    functions, aggregates = ([entry[0] for entry in table] for table in (FUNCTIONS, AGGREGATES))
    assert queries_with("aggregate", "aggregate", *functions) > 1.3 * queries_with("aggregate", "aggregate", *aggregates)


def test_a_condition_that_no_row_passes_is_turned_round(tmp_path):
    run, turned = sql.Run(1, tmp_path), 0
    for number in range(4):
        table, queries, *_ = run.batch(number, 20)
        with sql.connect(table) as connection:
            turned += sum(table.rows > 0 and bool(query.where) and query.where.sql == "({0} IS NOT TRUE)" and
                          sql.passing(connection, query) == table.rows for query in queries)
    assert turned
