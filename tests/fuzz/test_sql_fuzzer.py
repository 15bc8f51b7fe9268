"""The fuzzer finds a program that answers wrongly, and says so in few words; it passes one that does not."""

import os
import subprocess
import sys
from pathlib import Path

import sql
from expressions import AGGREGATES, FUNCTIONS, Node
from queries import Query, Table

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
    result = fuzz(sql.engine.PROGRAM.parent, "--count", "40")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.endswith("40 passed, 0 failed\n") and "DECIMAL(38,0)" in result.stdout


def test_a_difference_becomes_small(tmp_path):
    wrong = program(tmp_path, f"set -o pipefail; {sql.engine.PROGRAM} \"$@\" | sed 's/:true/:false/g'")
    result = fuzz(wrong, "--count", "20", "--show", "1")
    assert result.returncode == 1 and "repeat with: ./dev fuzz sql --seed 1 --count 20" in result.stdout, result.stdout
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


def test_what_is_hit_too_seldom_is_named(tmp_path, capsys):
    run = sql.Run(1, tmp_path)
    assert set(sql.report(run)) >= {f[0] for f in FUNCTIONS + AGGREGATES} | {"having", "type BLOB", "lower with NULL"}
    for name in (*sql.OPERATORS, *(f"type {t}" for t in sql.TYPES), *(f[0] for f in FUNCTIONS + AGGREGATES)):
        run.hits[name] = run.hits[sql.null(name)] = sql.ENOUGH
    assert sql.report(run) == []
    run.hits[sql.null("lower")] -= 1
    assert sql.report(run) == ["lower with NULL"]
    assert "lower" in capsys.readouterr().out
