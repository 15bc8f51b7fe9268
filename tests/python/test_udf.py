"""Functions in Python that SQL calls."""

import datetime
import decimal
import os
import signal
import threading
import time

import lanewise as lw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

ROWS = pa.table({"i": pa.array(range(100_000)), "s": pa.array([None if i % 7 == 0 else f"s{i % 10}" for i in range(100_000)])})


@lw.udf
def plus(a: pa.Int64Array, b: pa.Int64Array) -> pa.Int64Array:
    return pc.add(a, b)


@lw.udf
def shout(text: str) -> str:
    return pc.utf8_upper(text)


def test_by_the_name_of_a_variable():
    @lw.udf
    def half(x: float) -> float:
        return pc.divide(x, 2.0)

    assert lw.sql("SELECT half(i), plus(i, 1) FROM ROWS WHERE i = 5").fetchall() == [(2.5, 6)]
    assert lw.sql("SELECT half(3), \"plus\" (1, 2)").fetchall() == [(1.5, 3)]
    with lw.connect(threads=2) as connection:
        assert connection.execute("SELECT sum(plus(i, i)) FROM ROWS WHERE plus(i, 0) >= 10").fetchone() == (sum(range(10, 100_000)) * 2,)
        assert "plus" in connection.explain("SELECT plus(i, i) FROM ROWS")
    assert lw.sql("SELECT half(x) FROM (VALUES (1)) AS v(x)").engine == "lanewise"
    with pytest.raises(lw.SqlError, match="half"):
        nothing = half
        del half
        lw.sql("SELECT half(1)")
    assert nothing(pa.array([1.0])).to_pylist() == [0.5]


def test_registered():
    with lw.connect() as connection:
        connection.register_function(plus, "add_up")
        assert connection.execute("SELECT Add_Up(1, 2)").fetchone() == (3,)
        connection.execute("CREATE TABLE t AS SELECT add_up(i, 1) AS j FROM range(5) AS r(i)")
        assert connection.sql("SELECT j FROM t").fetchall() == [(i + 1,) for i in range(5)]
        connection.register_function(lw.udf(pc.subtract, arguments=[int, int], result=int), "add_up")
        assert connection.execute("SELECT add_up(1, 2)").fetchone() == (-1,)
        connection.begin()
        connection.register_function(shout)
        assert connection.execute("SELECT shout('a')").fetchone() == ("A",)
        connection.rollback()
        connection.register_function(shout)
        assert connection.execute("SELECT shout('a')").fetchone() == ("A",)
        connection.unregister_function("ADD_UP")
        with pytest.raises(lw.SqlError, match="add_up"):
            connection.execute("SELECT add_up(1, 2)")
        with pytest.raises(lw.OperationalError, match="add_up"):
            connection.unregister_function("add_up")
        for name, message in [("lower", "already"), ("sum", "already"), ("split_part", "already"), ("+", "not a name"), ("IS NULL", "not a name")]:
            with pytest.raises(lw.OperationalError, match=message):
                connection.register_function(shout, name)
        assert connection.execute("SELECT lower('A')").fetchone() == ("a",)


def test_nulls():
    seen = []

    @lw.udf(arguments=[str], result=bool, nulls=True)
    def absent(text):
        seen.append(text.null_count)
        return text.is_null()

    @lw.udf(arguments=[int], result=int)
    def none_of_odd(x):
        assert x.null_count == 0
        return pa.array([None if v % 2 else v for v in x.to_pylist()])

    assert lw.sql("SELECT count(*) FROM ROWS WHERE absent(s)").fetchall() == [(ROWS["s"].null_count,)]
    assert sum(seen) >= ROWS["s"].null_count
    assert lw.sql("SELECT none_of_odd(x) FROM (VALUES (1), (NULL), (2)) AS v(x)").fetchall() == [(None,), (None,), (2,)]
    assert lw.sql("SELECT absent(NULL), none_of_odd(NULL), shout(NULL)").fetchall() == [(True, None, None)]


VALUES = {
    "bool": [True, False], "int8": [1, -2], "int16": [1, -300], "int32": [1, -70000], "int64": [1, -(2**40)], "uint8": [1, 255], "uint16": [1, 65535],
    "uint32": [1, 2**32 - 1], "uint64": [1, 2**64 - 1], "float": [0.5, -1.0], "double": [0.1, -1e300], "string": ["", "Ä" * 50], "large_string": ["a", "b"],
    "binary": [b"", b"\0x"], "date32": [datetime.date(2026, 1, 2), datetime.date(1969, 1, 2)],
    **{pa.decimal128(digits, 2): [decimal.Decimal("1.25"), decimal.Decimal("-3.50")] for digits in (4, 9, 18, 30)},
    **{pa.timestamp(unit): [datetime.datetime(2026, 1, 2, 3, 4, 5), datetime.datetime(1960, 1, 1)] for unit in ("s", "ms", "us")},
    pa.timestamp("us", "UTC"): [datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)] * 2,
    pa.time64("us"): [datetime.time(1, 2, 3), datetime.time(0)], pa.month_day_nano_interval(): [pa.MonthDayNano([1, 2, 3000])] * 2,
    pa.uuid(): [b"0123456789abcdef", b"\0" * 16],
}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES, ids=str)
def test_types(kind):
    """Values arrive and return unchanged, even if DuckDB calls the function: for constants, and as the fallback."""
    arrow = pa.type_for_alias(kind) if isinstance(kind, str) else kind
    values = VALUES[kind]
    rows = pa.table({"x": pa.array([values[0], None, values[1]], arrow)})
    same = lw.udf(lambda x: x, arguments=[kind], result=kind, nulls=True)
    expected = rows.column("x").to_pylist()
    assert same.result == arrow
    assert [row[0] for row in lw.sql("SELECT same(x) FROM rows").fetchall()] == expected
    assert [row[0] for row in lw.sql("SELECT same(x) FROM rows WHERE x IS NOT NULL").fetchall()] == [expected[0], expected[2]]
    with lw.connect(fallback="duckdb") as connection:
        connection.register("rows", rows)
        connection.sql("CREATE TABLE stored AS SELECT x FROM rows")
        answer = connection.sql("SELECT same(x), 'POINT(1 2)'::GEOMETRY FROM stored")
        assert answer.engine == "duckdb" and sorted(str(x) for x, _ in answer.fetchall()) == sorted(map(str, expected))


@pytest.mark.parametrize("make", [lambda x: x.to_numpy(), lambda x: pl.Series(x.to_pylist()), lambda x: x.to_pandas(), lambda x: x.to_pylist(),
                                  lambda x: pa.chunked_array([x.slice(0, 1), x.slice(1)]), lambda x: x.cast(pa.int16()), lambda x: x.dictionary_encode()],
                         ids=["numpy", "polars", "pandas", "list", "chunked", "cast", "dictionary"])  # fmt: skip
def test_results_of_other_kinds(make):
    same = lw.udf(make, arguments=[int], result=int)
    assert lw.sql("SELECT same(i) FROM range(5000) AS r(i) WHERE i % 3 = 0").fetchall() == [(i,) for i in range(0, 5000, 3)]
    assert same.arguments == [pa.int64()]


def test_only_active_rows_are_passed():
    seen = set()

    @lw.udf
    def checked(x: int) -> int:
        seen.update(x.to_pylist())
        return x

    query = "SELECT sum(CASE WHEN i % 2 = 0 THEN checked(i) ELSE -1 END) FROM ROWS WHERE i < 1000 AND i <> 4"
    assert lw.sql(query).fetchall() == [(sum(range(0, 1000, 2)) - 4 - 500,)]
    assert seen == set(range(0, 1000, 2)) - {4}


def test_errors_have_the_exception_as_cause():
    @lw.udf
    def fails(x: int) -> int:
        if 77 in x.to_pylist():
            raise ValueError("no 77")
        return x

    for query in ("SELECT fails(i) FROM ROWS", "SELECT fails(77)", "SELECT count(*) FROM ROWS WHERE fails(i) > 3"):
        with pytest.raises(lw.FunctionError, match="fails failed: ValueError: no 77") as raised:
            lw.sql(query)
        assert isinstance(raised.value.__cause__, ValueError)
    assert lw.sql("SELECT fails(1)").fetchall() == [(1,)]
    with lw.connect(fallback="duckdb") as connection, pytest.raises(lw.Error, match="no 77"):
        connection.sql("SELECT fails(i), 'POINT(1 2)'::GEOMETRY FROM range(100) AS r(i)")


@pytest.mark.parametrize("make, message", [
    (lambda x: x.slice(1), "gave 4 values for 5 rows"), (lambda x: 7, "gave a int, not an array"), (lambda x: pa.array(["a"] * len(x)), "ArrowInvalid"),
    (lambda x: "abcde", "gave a str"), (lambda x: pa.array([2**40] * len(x)), "ArrowInvalid"), (lambda x, y: x, "TypeError"),
])  # fmt: skip
def test_wrong_results(make, message):
    wrong = lw.udf(make, arguments=["int32"], result="int32")
    with pytest.raises(lw.FunctionError, match=message):
        lw.sql("SELECT wrong(CAST(i AS INTEGER)) FROM range(5) AS r(i)")
    assert wrong.result == pa.int32()


def test_wrong_uses():
    with pytest.raises(lw.InterfaceError, match="the argument x has no type"):
        lw.udf(lambda x: x)
    with pytest.raises(lw.InterfaceError, match="the result has no type"):
        lw.udf(lambda x: x, arguments=[int])
    with pytest.raises(lw.InterfaceError, match="precision"):
        lw.udf(lambda x: x, arguments=[decimal.Decimal], result=int)
    with pytest.raises(lw.InterfaceError, match="cannot be read"):
        lw.udf(np.sin, result=float)
    with pytest.raises(lw.InterfaceError, match="no annotated arguments"):
        lw.udf(abs, result=float)
    for kind in (list, "nix", None):
        with pytest.raises(lw.InterfaceError, match="is not the type"):
            lw.udf(lambda x: x, arguments=[kind], result=int)
    lists = lw.udf(lambda x: x, arguments=[pa.list_(pa.int64())], result=int)
    with pytest.raises(lw.OperationalError, match="not supported"):
        lw.sql("SELECT lists([1])")
    assert lists.nulls is False
    with pytest.raises(lw.SqlError, match="plus"):
        lw.sql("SELECT plus(1)")
    with lw.connect() as connection:
        @lw.udf
        def again(x: int) -> int:
            return connection.sql("SELECT 1").arrow()["1"]

        with pytest.raises(lw.FunctionError, match="cannot use the connection"):
            connection.sql("SELECT again(i) FROM range(3) AS r(i)")
        for use in (lambda: connection.close(), lambda: connection.unregister("t"), lambda: connection.register("t", {"x": np.zeros(1)})):
            calling = lw.udf(lambda x, use=use: use(), arguments=[int], result=int)
            with pytest.raises(lw.FunctionError, match="cannot use the connection"):
                connection.sql("SELECT calling(i) FROM range(300000) AS r(i)")
            assert calling.nulls is False
        with pytest.raises(lw.InterfaceError, match="one of lanewise.udf"):
            connection.register_function(len)
        before = signal.getsignal(signal.SIGINT)
        other = lw.udf(lambda x: [lw.sql("SELECT 7").fetchall()[0][0]] * len(x), arguments=[int], result=int)
        assert connection.sql("SELECT other(i) FROM range(3) AS r(i)").fetchall() == [(7,)] * 3
        assert signal.getsignal(signal.SIGINT) is before
        assert other.result == pa.int64()


def test_without_arguments_and_of_numpy():
    seven = lw.udf(lambda: [7], arguments=[], result=int)
    sine = lw.udf(np.sin, arguments=[float], result=float)
    assert lw.sql("SELECT seven() + i FROM range(2) AS r(i)").fetchall() == [(7,), (8,)]
    assert lw.sql("SELECT sine(0.5)").fetchall() == [(np.sin(0.5),)]
    assert (seven.arguments, sine.arguments) == ([], [pa.float64()])


def test_control_c_in_a_function():
    @lw.udf
    def slow(x: int) -> int:
        time.sleep(0.05)
        return x

    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        lw.sql("SELECT sum(slow(i)) FROM range(10000000) AS r(i)")
    assert time.monotonic() - start < 3 and lw.sql("SELECT slow(1)").fetchall() == [(1,)]


def test_threads_call_functions():
    answers = []

    def work(number):
        own = lw.udf(lambda x: pc.add(x, number), arguments=[int], result=int)
        with lw.connect(threads=2) as connection:
            for _ in range(5):
                answers.append(connection.sql("SELECT sum(own(i)) FROM range(100000) AS r(i)").fetchall() == [(4999950000 + 100000 * number,)])
        assert own.result == pa.int64()

    threads = [threading.Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 20
