"""The fuzzer's odd plans: planted faults are found and reduced, outcomes are classified, runs are reproducible."""

import sys
from collections import Counter
from dataclasses import replace
from random import Random

import oracle
import pytest
import sql
from expressions import Node
from odd_values import odd_table
from optimizers import disagrees
from optimizers import minimal as minimal_disagreement
from oracle import engine
from outcomes import ANSWERED, CRASH, DIFFERENT, INTERNAL, REFUSED, missing, outcome, without_literals
from plans import FEATURES, Plan, is_collated, random_plan
from queries import Query, Table
from shapes import clause, item, select, values
from test_sql_fuzzer import fuzz, program

TABLE = Table(3, (("c0", "INTEGER", "i", 0), ("c1", "VARCHAR", "'a'", 0)))


def numbers(count):
    return Plan(select([item(i, Node("int", str(i))) for i in range(count)], clause(" FROM t")))


def plans(seed, count):
    """From tables with 20 queries each, as in the fuzzer."""
    for number in range(count // 20):
        random = Random(f"{seed} {number}")
        table = odd_table(random, Counter())
        for _ in range(20):
            yield table, random_plan(random, table.kinds(set()), Counter(), Counter(), is_collated(table))


def use(monkeypatch, folder):
    monkeypatch.setattr(engine, "PROGRAM", folder / "lanewise")


@pytest.mark.parametrize("reason, kind", [
    ("exit code -11: ", CRASH), ("exit code 139, not 2; ''", CRASH), ("exit code 70: This is a bug", INTERNAL), ("exit code 70, not 2; ''", INTERNAL),
    ("exit code 2: error: joins (CROSS PRODUCT) are not supported yet; --fallback", REFUSED), ("exit code 2: error: out of range", DIFFERENT),
    ("3 rows, DuckDB has 2", DIFFERENT), ("exit code 0, not 2; '[]'", ANSWERED)])
def test_outcomes_are_told_apart(reason, kind):
    assert outcome(f"line 1: {reason}") == kind


@pytest.mark.parametrize("message, name", [
    ("joins (MARK JOIN on 1 = #0) are", "MARK JOIN"), ("window functions (sum(1) OVER ()) are", "window functions"),
    ("the expression [1, 2] is of type INTEGER[3], which is", "the type INTEGER[N]"), ("the function lpad(VARCHAR, INTEGER) is", "the function lpad"),
    ("WITH RECURSIVE is", "WITH RECURSIVE")])
def test_what_is_missing_is_named(message, name):
    assert missing(f"line 1: exit code 2: error: {message} not supported yet; --fallback duckdb lets DuckDB answer") == name


def test_statements_that_differ_in_literals_only_are_printed_once():
    one, two, other = "VALUES ((SELECT 0.5 AS x0))", "VALUES ((SELECT DATE '2000-02-29' AS x0))", "VALUES (abs((SELECT 1 AS x0)))"
    assert without_literals(one) == without_literals(two).replace("( ?", "(?") != without_literals(other)


def test_plans_have_every_feature_and_repeat():
    found = list(plans(1, 2000))
    assert [query.text() for _, query in found] == [query.text() for _, query in plans(1, 2000)]
    hits = Counter(name for _, query in found for name in query.features)
    assert not [name for name in FEATURES if hits[name] < 5], hits
    texts = [query.text() for _, query in found]
    for needed in ("median(NULL", "ORDER BY c0 DESC, ", "COLLATE NOACCENT", "chr(0)", "GROUPING SETS", "'nan'", "<> ALL (", "ESCAPE '%'", "(?:)"):
        assert any(needed in text for text in texts), needed
    settings = {setting.split()[1] for table, _ in found for setting in table.settings}
    assert {"ieee_floating_point_ops", "default_collation", "default_null_order", "integer_division"} <= settings


def test_duckdb_answers_most_plans():
    answered = 0
    for table, query in plans(2, 200):
        with oracle.connect(table) as connection:
            answered += oracle.answer_of(connection, query) is not None
    assert answered > 150


def test_a_crash_is_of_its_statement_alone(tmp_path, monkeypatch):
    """A process that crashes may not have printed its earlier answers."""
    use(monkeypatch, program(tmp_path, f'text=$(cat); [[ $text != *"AS x2"* ]] || kill -SEGV $$; {engine.PROGRAM} "$@" <<<"$text"'))
    queries = [numbers(1), numbers(2), numbers(3), numbers(2)]
    with oracle.connect(TABLE) as connection:
        answers = [oracle.answer_of(connection, query) for query in queries]
    found = oracle.failures(TABLE, queries, answers, {})
    assert len(found) == 1 and found[0].startswith("line 3: ") and outcome(found[0]) == CRASH, found


def test_a_refusal_by_name_fails_only_what_the_engine_covers(tmp_path, monkeypatch):
    use(monkeypatch, program(tmp_path, "echo 'error: joins (CROSS PRODUCT) are not supported yet; --fallback' >&2; exit 2"))
    query = Query((Node("int", "c0"),))
    with oracle.connect(TABLE) as connection:
        queries = [numbers(1), query]
        answers = [oracle.answer_of(connection, q) for q in queries]
    counts, wrong, other, lacking = sql.Run(1, tmp_path, 4).compare(TABLE, queries, answers, {"memory": None})
    assert [failure[1] for failure in wrong] == [query] and lacking == {"CROSS PRODUCT": 1} and not other and not counts


def test_a_planted_crash_becomes_small(tmp_path):
    wrong = program(tmp_path, '[[ $(cat) != *"GROUPING SETS"* ]] || kill -SEGV $$; echo "error: all is not supported yet" >&2; exit 2')
    result = fuzz(wrong, "--count", "60", "--show", "1", "--plans", "10")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "not supported yet:" in result.stdout.partition("A difference")[0]
    query = result.stdout.partition("A difference (crash")[2].split(";\n")[1]
    assert "GROUPING SETS" in query and len(query) < 100, result.stdout


def test_an_internal_error_keeps_its_message_while_it_becomes_smaller(tmp_path, monkeypatch):
    use(monkeypatch, program(tmp_path, 'text=$(cat); [[ $text != *"AS x4"* ]] && echo other >&2 || echo "this one" >&2; exit 70'))
    _, query, reason = oracle.minimal(TABLE, numbers(6), {})
    assert "this one" in reason and "AS x4" in query.text() and "AS x0" not in query.text()


def test_every_part_of_a_plan_can_go():
    rows = values([[Node("int", "1"), Node("text", "'a'")], [Node("int", "2"), Node("text", "'b'")]])
    union = Node("query", "({0}) UNION ({1})", (rows, rows), "union")
    texts = {less.text() for less in Plan(union).smaller()}
    assert {"VALUES (1, 'a'), (2, 'b')", "(VALUES (1), (2)) UNION (VALUES (1), (2))", "(VALUES (1, 'a')) UNION (VALUES (1, 'a'))"} <= texts
    # An expression that occurs twice, as a key and as a result, changes in both places.
    key = Node("int", "abs({0})", (Node("int", "c0"),))
    grouped = Plan(select([item(0, key)], clause(" FROM t"), group=clause(" GROUP BY {0}", key)))
    assert "SELECT c0 AS x0 FROM t GROUP BY c0" in {less.text() for less in grouped.smaller()}


def test_an_answer_that_depends_on_the_order_of_rows_is_one_of_two(tmp_path, monkeypatch):
    query = Plan(select([item(0, Node("int", "first(c0)"))], clause(" FROM t")))
    assert oracle.depends_on_order(TABLE, query) and not oracle.depends_on_order(TABLE, numbers(2))
    assert oracle.answered_in_two_ways(TABLE, query, {}, "row 0, column 0 (INTEGER): '2', DuckDB has '0'")


def test_a_zero_that_lost_its_sign_in_a_sort_is_known():
    table = Table(2, (("c0", "DOUBLE", "'-0.0'::DOUBLE", 0),))
    query = Plan(select([item(0, Node("text", "c0::VARCHAR"))], clause(" FROM (SELECT c0 FROM t ORDER BY c0)")))
    found = oracle.differs(table, query, {})
    assert "DuckDB has '0.0'" in found and oracle.duckdb_is_wrong(table, query, {}, found)
    assert not oracle.duckdb_is_wrong(table, numbers(1), {}, found)


def test_a_collation_that_except_drops_is_known():
    table = Table(2, (("c0", "VARCHAR", "CASE i WHEN 0 THEN 'A' ELSE 'b' END", 0),))
    collated = Node("text", "{0} COLLATE NOCASE", (Node("text", "c0"),), "collated item")
    left, right = select([item(0, collated)], clause(" FROM t")), select([item(0, Node("text", "'a'"))])
    query = Plan(Node("query", "({0}) EXCEPT ({1})", (left, right)))
    found = oracle.differs(table, query, {})
    assert found and oracle.duckdb_is_wrong(table, query, {}, found)
    assert not oracle.drops_collation(table, Plan(Node("query", "({0}) UNION ({1})", (left, right))), {})
    beside = select([item(0, Node("text", "max({0})", (collated,)))], clause(" FROM ({0}) u", Node("query", "({0}) EXCEPT ({0})", (right,))))
    assert oracle.without_collations(beside) == beside


def test_duckdb_is_not_asked_what_ends_it():
    table = replace(TABLE, settings=("SET default_collation = 'nfc'",))
    cuts = Plan(select([item(0, Node("text", r"regexp_replace(c0::VARCHAR, '\B', 'b')"))], clause(" FROM t")))
    assert oracle.ends_duckdb(table, cuts) and not oracle.ends_duckdb(TABLE, cuts) and not oracle.ends_duckdb(table, numbers(1))


def test_settings_reach_both_sides():
    table = Table(1, (("c0", "INTEGER", "7", 0),), settings=("SET integer_division = true",))
    query = Plan(select([item(0, Node("int", "c0 / 2"))], clause(" FROM t")))
    with oracle.connect(table) as connection:
        assert oracle.answer_of(connection, query).rows == [("3",)]
    assert oracle.differs(table, query, {}) is None


def test_duckdb_without_the_rewriting_of_patterns_is_the_law():
    table = Table(1, (("c0", "VARCHAR", "'ab'", 0),))
    pattern = Node("bool", "regexp_matches(c0, '(?:)b')")
    query = Plan(select([item(0, pattern)], clause(" FROM t")), features=("odd regex",))
    with oracle.connect(table) as connection:
        assert oracle.answer_of(connection, query).rows == [("false",)], "DuckDB has changed: is the law still needed?"
        assert oracle.law(connection, query).rows == [("true",)]
    assert "1 rows" not in disagrees(table, query, "expression_rewriter") and not disagrees(table, query, "join_order")
    wider = Plan(select([item(0, Node("int", "1")), item(1, pattern)], clause(" FROM t")), features=("odd regex",))
    assert minimal_disagreement(table, wider, "expression_rewriter")[1].text() == "SELECT regexp_matches(c0, '(?:)b') AS x1 FROM t"


def test_the_optimizers_are_compared_without_the_engine(monkeypatch, capsys):
    monkeypatch.setattr(engine, "PROGRAM", "none")
    monkeypatch.setattr(sys, "argv", ["sql", "--seed", "1", "--count", "20", "--optimizers"])
    with pytest.raises(SystemExit) as exit:
        sql.main()
    assert exit.value.code == 0 and "20 queries; DuckDB disagrees with itself" in capsys.readouterr().out


OUT_OF_RANGE = Node("decimal", "({0})::DECIMAL(18, 4)", (Node("exact", "c2"),), "cast decimal")
INFINITE = Table(2, (("c2", "DOUBLE", "'inf'", 0),))


def test_a_value_that_no_one_needs_may_fail(tmp_path, monkeypatch):
    """Ours is an answer, DuckDB's an error: right if the answer is the same whatever the value is."""
    needless = Plan(select([item(0, Node("int", "0"))], clause(" FROM t WHERE {0} IS NULL AND NULL", OUT_OF_RANGE)))
    assert oracle.needs_no_value_that_fails(INFINITE, needless, {})
    use(monkeypatch, program(tmp_path, """echo '[{"x0":null},{"x0":null}]'"""))
    needed = Plan(select([item(0, OUT_OF_RANGE)], clause(" FROM t")))
    assert outcome(oracle.differs(INFINITE, needed, {})) == ANSWERED
    assert not oracle.needs_no_value_that_fails(INFINITE, needed, {})


@pytest.mark.parametrize("frame, empty", [
    (" ROWS BETWEEN 0 PRECEDING AND 2 PRECEDING EXCLUDE TIES", True), (" GROUPS BETWEEN 2 FOLLOWING AND 0 FOLLOWING", True),
    (" ROWS BETWEEN 2 PRECEDING AND 0 PRECEDING", False), (" RANGE BETWEEN CURRENT ROW AND 0 FOLLOWING", False),
    (" ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING", False)])
def test_frames_that_end_before_they_begin(frame, empty):
    assert ("1000000000" in oracle.with_empty_frames(Node("frame", frame)).sql) == empty
    query = Plan(select([item(0, Node("int", "count(*) OVER (ORDER BY c0{0})", (Node("frame", frame),)))], clause(" FROM t")))
    assert oracle.counts_below_zero(TABLE, query, {}) == empty


def test_a_limit_takes_some_of_equal_rows(tmp_path, monkeypatch):
    query = Plan(select([item(0, Node("int", "c0"))], clause(" FROM t"), order=clause(" ORDER BY c1"), limit=clause(" LIMIT 1")), True)
    assert oracle.cuts_equal_rows(TABLE, query, {})
    use(monkeypatch, program(tmp_path, """echo '[{"x0":7}]'"""))
    assert not oracle.cuts_equal_rows(TABLE, query, {})


def test_rows_of_a_join_have_no_order():
    first = Plan(select([item(0, Node("text", "arg_max(b.c0, 0)"))], clause(" FROM t a LEFT JOIN t b ON a.c0 % 2 >= b.c0 % 2")))
    assert oracle.depends_on_order(replace(TABLE, rows=5), first)


def test_a_bad_escape_that_no_row_needs():
    bad = Node("bool", "({0} LIKE 'a' ESCAPE 'é')", (Node("text", "c1"),), "like escape odd")
    query = Plan(select([item(0, Node("int", "c0"))], clause(" FROM t WHERE c0 < 0 AND {0}", bad)))
    assert oracle.needs_no_bad_escape(TABLE, query)
    assert not oracle.needs_no_bad_escape(TABLE, replace(query, tree=oracle.without_bad_escapes(query.tree, oracle.PRESENT)))


def test_texts_that_a_collation_takes_for_equal_stand_for_each_other(tmp_path, monkeypatch):
    same = Plan(select([item(0, Node("text", "c1 COLLATE NOCASE"))], clause(" FROM t"), Node("clause", "DISTINCT ")))
    assert oracle.are_equal_by_collation(TABLE, same, {}, "")
    use(monkeypatch, program(tmp_path, """text=$(cat); [[ $text == *strip_accents* ]] && echo '[{"x0":"b"}]' || echo '[{"x0":"A"}]'"""))
    assert not oracle.are_equal_by_collation(TABLE, same, {}, "line 1: row 0, column 0 (VARCHAR): 'b', DuckDB has 'a'")
