"""UPDATE, DELETE, MERGE and INSERT whose rows a query finds: after each statement, all tables are as after DuckDB's, and so is what it returned."""

import json
import re
import sys

import changes
import duckdb
import engine
import pytest

sys.path.insert(0, str(engine.PROGRAM.parent / "python"))
import lanewise as lw  # noqa: E402

GROUPS = {"update": changes.UPDATES, "delete": changes.DELETES, "merge": changes.MERGES, "insert": changes.INSERTS, "transaction": changes.TRANSACTIONS}
CASES = [(f"{group}: {name}", sql) for group, cases in GROUPS.items() for name, sql in cases.items()]
FINDS_ROWS = re.compile(r"(WITH|UPDATE|MERGE|INSERT)\b.*\b(FROM|USING|SELECT)\b|DELETE .*\b(USING|SELECT)\b|EXECUTE", re.DOTALL)


def statements(sql):
    return [s.strip() for s in sql.split(";\n") if s.strip()]


def outcome(connection, sql):
    """The sorted rows that a statement returns; of an error its kind, where DuckDB raises it in both."""
    try:
        if isinstance(connection, lw.Connection) and FINDS_ROWS.match(sql):
            answer = connection.sql(sql)
            assert answer.engine == "lanewise", f"{sql}: {answer.fallback_reason}"
        else:
            answer = connection.execute(sql)
        rows = answer.fetchall() if "RETURNING" in sql and not sql.startswith("PREPARE") else []
    except (duckdb.Error, lw.Error) as error:
        found = re.search(r"(Constraint|Binder|Catalog|TransactionContext) Error", str(error))
        return f"fails: {found[0] if found else ''}"
    return sorted(map(str, rows))


def contents(connection):
    """All rows of all tables, as text."""
    tables = connection.execute("SELECT database_name || '.' || schema_name || '.' || table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
    return {name: connection.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM {name} ORDER BY ALL").fetchall() for name, in tables}


def problem(ours, theirs, sql):
    mine, other = outcome(ours, sql), outcome(theirs, sql)
    if mine != other and not (mine[:5] == other[:5] == "fails" and "Error" not in mine + other):
        return f"{sql}\n  ours   {mine}\n  DuckDB {other}"
    return None


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sql", [pytest.param(sql, id=name) for name, sql in CASES])
def test_same_tables_as_duckdb(sql, threads):
    with lw.connect(threads=threads) as ours, duckdb.connect() as theirs:
        for connection in ours, theirs:
            for each in statements(changes.TABLES) + ["SET TimeZone = 'UTC'"]:
                connection.execute(each)
        for each in statements(sql):
            assert problem(ours, theirs, each) is None
            try:
                expected = contents(theirs)
            except duckdb.Error:  # of an aborted transaction
                continue
            assert contents(ours) == expected, each


def test_rows_that_duckdb_returns_wrongly_are_an_error():
    """It reads memory that nothing has written for columns that the UPDATE does not set."""
    merge = "MERGE INTO t USING u ON u.i = t.i WHEN NOT MATCHED BY SOURCE THEN UPDATE SET {} RETURNING *"
    with lw.connect() as ours:
        for each in statements(changes.TABLES):
            ours.execute(each)
        with pytest.raises(lw.Error, match="must set all columns"):
            ours.execute(merge.format("s = 'x'"))
        assert len(ours.execute(merge.format("i = -t.i, s = 'x', d = 1, l = []")).fetchall()) == 5


@pytest.mark.parametrize("form", ["text", "json", "yaml", "mermaid", "graphviz", "html"])
@pytest.mark.parametrize("analyze", ["", "ANALYZE, "])
@pytest.mark.parametrize("statement, name", [("UPDATE t SET s = u.s FROM u WHERE u.i = t.i", "UPDATE"), ("INSERT INTO u SELECT i, s, 1 FROM t", "INSERT"),
                                             ("MERGE INTO t USING u ON u.i = t.i WHEN MATCHED THEN DELETE", "MERGE_INTO")])
def test_explain_names_the_statement(form, analyze, statement, name):
    with lw.connect() as ours:
        for each in statements(changes.TABLES):
            ours.execute(each)
        plan = "\n".join(str(row[0]) for row in ours.execute(f"EXPLAIN ({analyze}FORMAT {form}) {statement}").fetchall())
    assert name in plan and "Scan" in plan, plan
    if form == "json":
        assert json.loads(plan)["node"] == name and json.loads(plan)["children"], plan


def test_who_ran_each_part_is_said():
    with lw.connect() as ours:
        for each in statements(changes.TABLES):
            ours.execute(each)
        changed = ours.sql("UPDATE t SET s = u.s FROM u WHERE u.i = t.i")
        assert changed.engine == "lanewise" and "duckdb" in changed.profile() and "Join" in changed.profile(), changed.profile()
        ours.execute("CREATE TABLE g (p GEOMETRY, i INTEGER)")
        ours.execute("INSERT INTO g VALUES ('POINT(1 2)', 3)")
        by_duckdb = ours.sql("UPDATE g SET p = NULL FROM t WHERE t.i = g.i AND g.p IS NOT NULL")
        assert by_duckdb.engine == "duckdb" and "GEOMETRY" in by_duckdb.fallback_reason
        assert ours.execute("SELECT count(*) FROM g WHERE i = 3").fetchone() == (1,)
        assert ours.sql("UPDATE t SET s = 'x' WHERE i = 2").engine == "duckdb"


def test_many_rows():
    with lw.connect() as ours, duckdb.connect() as theirs:
        for each in statements(changes.LARGE):
            assert problem(ours, theirs, each) is None
            for connection in ours, theirs:
                connection.execute("SET threads = 2")
            if "big" in each:
                sums = "SELECT count(*) AS n, sum(i) AS i, sum(k) AS k, bit_xor(hash(i, k, s)) AS h FROM big"
                assert ours.execute(sums).fetchall() == theirs.execute(sums).fetchall(), each
