"""PEP 249."""

import lanewise as lw
import pytest


@pytest.fixture
def connection():
    with lw.connect() as opened:
        opened.execute("CREATE TABLE t AS SELECT i, 's' || i AS s FROM range(5) AS r(i)")
        yield opened


def test_module():
    assert (lw.apilevel, lw.threadsafety, lw.paramstyle) == ("2.0", 2, "qmark")


def test_exceptions():
    assert issubclass(lw.Warning, Exception) and issubclass(lw.InterfaceError, lw.Error) and issubclass(lw.DatabaseError, lw.Error)
    for kind in (lw.DataError, lw.OperationalError, lw.IntegrityError, lw.InternalError, lw.ProgrammingError, lw.NotSupportedError):
        assert issubclass(kind, lw.DatabaseError)


def test_a_connection_has_the_exceptions():
    for name in ("Warning", "Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError", "IntegrityError", "InternalError", "ProgrammingError",
                 "NotSupportedError"):
        assert getattr(lw.Connection, name) is getattr(lw, name)


def test_optional_methods(connection):
    cursor = connection.cursor()
    cursor.setinputsizes([10])
    cursor.setoutputsize(100, 1)
    cursor.arraysize = 3
    assert cursor.connection is connection and len(cursor.execute("SELECT i FROM t ORDER BY i").fetchmany()) == 3
    assert next(cursor) == (3,) and list(cursor) == [(4,)]
    with pytest.raises(StopIteration):
        next(cursor)
    assert cursor.executemany("INSERT INTO t VALUES (?, ?)", [(5, "a"), (6, "b")]) is cursor
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (7,)


def test_fetching(connection):
    cursor = connection.cursor()
    assert cursor.description is None and cursor.rowcount == -1 and cursor.arraysize == 1
    assert cursor.execute("SELECT i, s FROM t ORDER BY i") is cursor
    assert [column[:2] for column in cursor.description] == [("i", "int64"), ("s", "string")] and all(len(column) == 7 for column in cursor.description)
    assert cursor.description[0][1] == lw.NUMBER and cursor.description[1][1] == lw.STRING and cursor.description[1][1] != lw.NUMBER
    assert cursor.rowcount == 5 and cursor.fetchone() == (0, "s0")
    assert cursor.fetchmany() == [(1, "s1")] and cursor.fetchmany(2) == [(2, "s2"), (3, "s3")]
    assert cursor.fetchall() == [(4, "s4")] and cursor.fetchone() is None and cursor.fetchall() == [] and cursor.fetchmany(3) == []


def test_iteration(connection):
    assert [i for i, in connection.execute("SELECT i FROM t ORDER BY i DESC")] == [4, 3, 2, 1, 0]


def test_statements_without_rows(connection):
    cursor = connection.execute("CREATE TABLE u (x INT)")
    assert cursor.description is None and cursor.rowcount == -1
    for fetch in (cursor.fetchone, cursor.fetchmany, cursor.fetchall):
        with pytest.raises(lw.Error, match="no rows"):
            fetch()


def test_transactions(connection):
    connection.commit()
    connection.rollback()
    connection.begin()
    connection.execute("DELETE FROM t")
    connection.rollback()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (5,)
    connection.begin()
    connection.execute("DELETE FROM t WHERE i > 0")
    connection.commit()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)


@pytest.mark.parametrize("wrong", ["SELECT CAST('x' || i AS INTEGER) FROM t", "INSERT INTO t SELECT CAST('x' || i AS INTEGER) FROM t"])
def test_errors_abort_transactions(connection, wrong):
    connection.begin()
    connection.execute("DELETE FROM t WHERE i > 0")
    with pytest.raises(lw.Error, match="x0|x1"):
        connection.execute(wrong).fetchall()
    with pytest.raises(lw.Error, match="aborted"):
        connection.execute("SELECT 1")
    connection.rollback()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (5,)
    connection.begin()
    with pytest.raises(lw.Error, match="no_such"):  # names are looked up before anything runs
        connection.execute("SELECT no_such FROM t")
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (5,)
    connection.rollback()


def test_streams_abort_transactions_where_they_fail(connection):
    connection.execute("CREATE TABLE many AS SELECT i FROM range(300000) r(i)")
    connection.begin()
    connection.execute("DELETE FROM t WHERE i > 0")
    with connection.stream("SELECT i FROM many") as batches:
        next(iter(batches))  # closed before its end, which is no failure
    connection.commit()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)
    connection.begin()
    connection.execute("DELETE FROM t")
    with pytest.raises(lw.Error, match="late"):
        with connection.stream("SELECT CASE WHEN i = 299999 THEN error('late') ELSE i END AS x FROM many") as batches:
            list(batches)
    with pytest.raises(lw.Error, match="aborted"):
        connection.execute("SELECT 1")
    connection.rollback()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)


def test_closed(connection):
    cursor = connection.execute("SELECT 1")
    cursor.close()
    for use in (cursor.fetchone, cursor.fetchall, lambda: cursor.execute("SELECT 1")):
        with pytest.raises(lw.Error, match="the cursor is closed"):
            use()
    connection.close()
    connection.close()
    for use in (connection.cursor, connection.commit, connection.cancel, lambda: connection.execute("SELECT 1"), lambda: connection.explain("SELECT 1")):
        with pytest.raises(lw.Error, match="the connection is closed"):
            use()


def test_constructors():
    assert lw.Date(2020, 2, 29).isoformat() == "2020-02-29" and lw.Time(1, 2, 3).minute == 2 and lw.Timestamp(2020, 1, 1, 5).hour == 5
    assert lw.TimestampFromTicks(0).year in (1969, 1970) and lw.DateFromTicks(86400 * 365).year in (1970, 1971) and lw.Binary(b"x") == b"x"
