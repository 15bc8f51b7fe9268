"""UPDATE, DELETE, MERGE and INSERT whose rows a query finds: after each statement, all tables are as after DuckDB's, and so is what it returned."""

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


def test_many_rows():
    with lw.connect() as ours, duckdb.connect() as theirs:
        for each in statements(changes.LARGE):
            assert problem(ours, theirs, each) is None
            for connection in ours, theirs:
                connection.execute("SET threads = 2")
            if "big" in each:
                sums = "SELECT count(*) AS n, sum(i) AS i, sum(k) AS k, bit_xor(hash(i, k, s)) AS h FROM big"
                assert ours.execute(sums).fetchall() == theirs.execute(sums).fetchall(), each
