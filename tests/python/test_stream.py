"""`stream`: rows that are read while the query runs."""

import gc
import os
import signal
import threading
import time

import lanewise as lw
import pyarrow as pa
import pytest

SERIES = "SELECT i, 'number ' || i AS s FROM range({}) AS r(i)"


def test_more_rows_than_the_memory_holds():
    connection = lw.connect(memory_limit="200MB", temp_directory="none", threads=2)
    with pytest.raises(lw.OutOfMemory):
        connection.sql(SERIES.format(30_000_000))
    seen = 0
    for batch in connection.stream(SERIES.format(30_000_000)):
        assert batch.column("i")[0].as_py() == seen and batch.column("s")[-1].as_py() == f"number {seen + batch.num_rows - 1}"
        seen += batch.num_rows
    assert seen == 30_000_000
    assert connection.sql("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize("query", ["SELECT 1 AS a", "SELECT i FROM range(0) AS r(i)", "SELECT [i, NULL] AS l, {'a': i} AS s FROM range(9) AS r(i)",
                                   "SELECT i % 7 AS k, count(*) AS n FROM range(100000) AS r(i) GROUP BY k ORDER BY k", "SHOW TABLES", "EXPLAIN SELECT 1"])  # fmt: skip
def test_the_same_rows_as_at_once(query):
    stream = lw.stream(query)
    assert pa.Table.from_batches(list(stream), stream.schema).combine_chunks() == lw.sql(query).arrow().combine_chunks()


def test_variables_functions_and_parameters():
    numbers = {"n": pa.array(range(1000))}

    @lw.udf
    def doubled(n: pa.Int64Array) -> pa.Int64Array:
        return pa.array([2 * number.as_py() for number in n])

    stream = lw.connect().stream("SELECT doubled(n) AS d FROM numbers WHERE n >= ?", [990])
    table = pa.RecordBatchReader.from_stream(stream).read_all()
    assert table["d"].to_pylist() == list(range(1980, 2000, 2))


def test_errors_come_with_their_kind():
    connection = lw.connect()
    with pytest.raises(lw.SqlError):
        connection.stream("SELECT nothing")
    stream = connection.stream("SELECT CASE WHEN i = 1999999 THEN 'x' ELSE '1' END::INTEGER AS n FROM range(2000000) AS r(i)")
    with pytest.raises(lw.DataError, match="Could not convert"):
        for _ in stream:
            pass
    assert list(stream) == []
    assert connection.sql("SELECT 1").fetchall() == [(1,)]


def test_one_thing_at_a_time_until_it_is_closed():
    connection = lw.connect()
    stream = connection.stream(SERIES.format(10_000_000))
    next(stream)
    with pytest.raises(lw.OperationalError, match="still being read"):
        connection.sql("SELECT 1")
    stream.close()
    assert connection.sql("SELECT 1").fetchall() == [(1,)]
    for batch in connection.stream(SERIES.format(10_000_000)):
        break
    del batch
    gc.collect()
    assert connection.sql("SELECT 1").fetchall() == [(1,)]


def test_it_outlives_its_connection():
    connection = lw.connect()
    stream = connection.stream(SERIES.format(3_000_000))
    connection.close()
    assert sum(batch.num_rows for batch in stream) == 3_000_000


SLOW = "SELECT count(*) AS n FROM range(100000) AS a(i), range(1000000) AS b(j) WHERE i * j = 7 AND i < j"


@pytest.mark.parametrize("use", [
    lambda connection: list(connection.stream(SLOW)),
    lambda connection: connection.stream(f"CREATE TABLE z AS {SLOW}"),
    lambda connection: (stream := connection.stream(SLOW), connection.close(), list(stream)),
])  # fmt: skip
def test_interrupts_end_it(use):
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        use(lw.connect())
    assert 0.4 < time.monotonic() - start < 5
    timer.join()


def test_other_threads_cancel_it():
    connection = lw.connect()
    stream = connection.stream(SERIES.format(100_000_000))
    next(stream)
    connection.cancel()
    with pytest.raises(lw.Cancelled):
        list(stream)
    assert connection.sql("SELECT 1").fetchall() == [(1,)]
