"""lw.sql: tables from the caller's variables, parameters, results in every form, errors."""

import datetime
import decimal

import duckdb
import lanewise as lw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest


def test_one_value():
    assert lw.sql("SELECT 42 AS x").fetchall() == [(42,)]


ROWS = {"i": [1, 2, 3], "s": ["a", None, "ü"]}


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame, pa.record_batch, lambda rows: pa.table(rows).to_reader(),
                                  lambda rows: {name: pa.array(values) for name, values in rows.items()},
                                  lambda rows: duckdb.sql("SELECT * FROM (VALUES (1, 'a'), (2, NULL), (3, 'ü')) AS v(i, s)"),
                                  lambda rows: lw.sql("SELECT * FROM (VALUES (1, 'a'), (2, NULL), (3, 'ü')) AS v(i, s)")],
                         ids=["pyarrow", "pandas", "polars", "batch", "reader", "dict", "duckdb", "result"])
def test_objects_by_name(make):
    rows = make(ROWS)
    assert lw.sql("SELECT i, s FROM rows ORDER BY i DESC").fetchall() == [(3, "ü"), (2, None), (1, "a")]


def test_numpy_arrays():
    points = {"x": np.arange(5), "y": np.arange(5) / 2}
    assert lw.sql("SELECT sum(x), max(y) FROM points").fetchall() == [(10, 2.0)]


def test_names_are_found_where_the_caller_is():
    numbers = pa.table({"x": [1]})

    def inner():
        numbers = pa.table({"x": [2]})
        return lw.sql("SELECT x FROM numbers").fetchall()

    assert inner() == [(2,)] and lw.sql("SELECT x FROM numbers").fetchall() == [(1,)]
    assert lw.sql('SELECT a.x, b.x FROM numbers AS a, "numbers" AS b').fetchall() == [(1, 1)]
    assert lw.sql("WITH other AS (SELECT x FROM numbers) SELECT * FROM other").fetchall() == [(1,)]


def test_a_variable_that_no_table_name_means_is_not_read():
    x = pa.table({"x": [1, 2]}).to_reader()
    assert lw.sql("SELECT 1 AS x").fetchall() == [(1,)]
    assert x.read_all().num_rows == 2


def test_a_table_of_the_database_goes_first():
    with lw.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
        t = pa.table({"x": [2]})
        assert connection.sql("SELECT x FROM t").fetchall() == [(1,)] and t.num_rows == 1


def test_a_registered_table_goes_first_and_stays():
    with lw.connect() as connection:
        connection.register("Given", pa.table({"x": [1, 2]}))
        given = pa.table({"x": [10]})
        for _ in range(2):
            assert connection.sql("SELECT sum(x) FROM given").fetchall() == [(3,)]
        connection.unregister("given")
        assert connection.sql("SELECT sum(x) FROM given").fetchall() == [(given["x"][0].as_py(),)]


def test_nothing_stays_registered():
    rows = pa.table(ROWS)
    lw.sql("SELECT count(*) FROM rows")
    del rows
    with pytest.raises(lw.SqlError, match="rows"):
        lw.sql("SELECT count(*) FROM rows")


VALUES = [True, 7, 2.5, "häß", b"\x00\xff", decimal.Decimal("12.50"), datetime.date(2020, 2, 29),
          datetime.datetime(2020, 2, 29, 1, 2, 3, 4), datetime.time(1, 2, 3), None]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_parameters(value):
    assert lw.sql("SELECT ? AS x", [value]).fetchall() == [(value,)]
    assert lw.sql("SELECT $x AS x", {"x": value}).fetchall() == [(value,)]
    rows = {"x": pa.array([value, None])}
    if value is not None:
        assert lw.sql("SELECT count(*) FROM rows WHERE x = $1", [value]).fetchall() == [(1,)]


def test_parameters_of_statements_that_write():
    with lw.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT ?::INT AS x", [1])
        connection.execute("INSERT INTO t SELECT $x", {"x": 2})
        connection.executemany("INSERT INTO t VALUES (?)", [[3], [4]])
        connection.execute("UPDATE t SET x = x + ? WHERE x = ?", [10, 4])
        assert connection.execute("SELECT x FROM t ORDER BY x").fetchall() == [(1,), (2,), (3,), (14,)]


def test_hugeints_are_integers():
    result = lw.sql("SELECT sum(i) AS s, (2::HUGEINT ** 100)::HUGEINT AS h, NULL::HUGEINT AS n, sum(i::DECIMAL(9, 1)) AS d FROM range(5) AS r(i)")
    assert result.fetchall() == [(10, 2**100, None, decimal.Decimal("10.0"))]
    assert [type(value) for value in result.fetchall()[0]] == [int, int, type(None), decimal.Decimal]
    assert result.df()[["s", "h"]].dtypes.tolist() == [float, float] and result.df()["s"].tolist() == [10.0]


@pytest.mark.parametrize("query, params, message", [
    ("SELECT ?", None, "has parameters"), ("SELECT ?", [1, 2], r"has no parameter \$2"), ("SELECT ?, ?", [1], r"parameter \$2 has no value"),
    ("SELECT $x", {"y": 1}, r"no parameter \$y"), ("SELECT 1", [1], r"no parameter \$1"), ("SELECT ?", [object()], r"parameter \$1 has no SQL type"),
    ("SELECT 1; SELECT ?", [1], "single statement"), ("SELECT ?", "ab", "sequence or a mapping"),
    ("SELECT 1", "", "sequence or a mapping"), ("SELECT ?", np.array([1, 2]), "not ndarray"), ("SELECT '\ud800'", None, "half of a surrogate pair at position 8"),
])
def test_wrong_parameters(query, params, message):
    with pytest.raises(lw.Error, match=message):
        lw.sql(query, params)


def test_results():
    result = lw.sql("SELECT i, CASE WHEN i > 0 THEN i END AS n, 's' || i AS s FROM range(3) AS r(i)")
    assert len(result) == 3 and result.engine == "lanewise"
    assert result.arrow().to_pydict() == {"i": [0, 1, 2], "n": [None, 1, 2], "s": ["s0", "s1", "s2"]}
    assert list(result.df()["s"]) == ["s0", "s1", "s2"]
    assert result.pl()["n"].to_list() == [None, 1, 2]
    columns = result.numpy()
    assert columns["i"].tolist() == [0, 1, 2] and columns["n"].tolist() == [None, 1, 2] and columns["n"].mask.tolist() == [True, False, False]
    assert sum(batch.num_rows for batch in result.batches()) == 3
    assert result.fetchall() == [(0, None, "s0"), (1, 1, "s1"), (2, 2, "s2")]
    assert pa.table(result).num_rows == 3 and pl.DataFrame(result).height == 3


@pytest.mark.parametrize("query, rows", [("SELECT i, 's' || i AS s FROM range(3) AS r(i)", 3), ("SELECT i FROM range(300000) AS r(i) WHERE i % 3 > 0", 200_000),
                                         ("SELECT 1 AS x WHERE false", 0)])
def test_results_as_one_array(query, rows):
    result = lw.sql(query)
    assert pa.record_batch(result).num_rows == rows and pa.record_batch(result).to_pydict() == result.arrow().to_pydict()
    assert result.schema == result.arrow().schema


def test_rich_display():
    result = lw.sql("SELECT i, '<b>' AS s, NULL AS n FROM range(30) AS r(i)")
    assert repr(result).splitlines()[0].split() == ["i", "s", "n"] and repr(result).endswith("30 rows, the first 20 are shown")
    assert "&lt;b&gt;" in result._repr_html_() and "<b>" not in result._repr_html_() and result._repr_html_().count("<tr>") == 21


def test_plan_and_profile():
    rows = pa.table(ROWS)
    assert "Scan: rows [i, s] (i > 1)" in lw.explain("SELECT * FROM rows WHERE i > ?", [1])
    profile = lw.sql("SELECT * FROM rows WHERE i > 1").profile()
    assert "3 rows in, 2 rows out" in profile, profile
    assert rows.num_rows == 3


@pytest.mark.parametrize("query, kind, message", [
    ("SELEC 1", lw.SqlError, "syntax error"), ("SELECT * FROM nothing_of_that_name", lw.SqlError, "nothing_of_that_name"),
    ("SELECT regexp_matches(s, '(') FROM (VALUES ('a')) AS v(s)", lw.PatternError, r"missing closing"),
    ("SELECT 'x'::INT", lw.DataError, "x"), ("SELECT s::INT FROM (SELECT 'x' || i AS s FROM range(3) AS r(i))", lw.DataError, "x0"),
    ("SELECT 'POINT(1 2)'::GEOMETRY AS b", lw.NotSupportedError, 'fallback="duckdb" lets'), ("SELECT 1 FROM 'no/such.parquet'", lw.Error, "no/such.parquet"),
    ("", lw.Error, "no statement"), ("SELECT 1 \0", lw.InterfaceError, "NUL"), (7, lw.InterfaceError, "is a str"),
])
def test_errors(query, kind, message):
    with pytest.raises(kind, match=message) as caught:
        lw.sql(query)
    assert isinstance(caught.value, lw.Error)


def test_errors_have_a_position_and_a_caret():
    with pytest.raises(lw.SqlError) as caught:
        lw.sql("SELECT 'ü' AS u, nix FROM range(3)")
    assert caught.value.position == 17
    line, caret = str(caught.value).splitlines()[-2:]
    assert caret.index("^") == line.index("nix")


def test_memory_limit():
    with lw.connect(memory_limit="20MB", temp_directory="none", threads=1) as connection, pytest.raises(lw.OutOfMemory, match="limit") as caught:
        connection.sql("SELECT i, count(*) FROM range(10000000) AS r(i) GROUP BY i")
    assert isinstance(caught.value, MemoryError)


def test_what_exceeds_the_memory_limit_is_in_temporary_files(tmp_path):
    query = "SELECT i, count(*) AS n FROM range(1000000) AS r(i) GROUP BY i ORDER BY i DESC"
    with lw.connect(memory_limit="20MB", temp_directory=tmp_path, threads=1) as connection:
        result = connection.sql(query).arrow()
    assert result.column("i").to_pylist() == list(range(999_999, -1, -1)) and set(result.column("n").to_pylist()) == {1}
    assert not list(tmp_path.iterdir())
    with pytest.raises(lw.OperationalError, match="/no/such/folder"):
        lw.connect(temp_directory="/no/such/folder")


@pytest.mark.parametrize("options, message", [
    ({"threads": -1}, "'threads'"), ({"memory_limit": "much"}, "'memory_limit'"), ({"device": "abacus"}, "abacus"),
    ({"fallback": "sqlite"}, "'fallback'"), ({"lanes": "bowling"}, "bowling"), ({"path": "/no/such/folder/x.duckdb"}, "/no/such/folder"),
])
def test_wrong_options(options, message):
    with pytest.raises(lw.OperationalError, match=message):
        lw.connect(**options)


def test_fallback():
    with lw.connect(fallback="duckdb") as connection:
        result = connection.sql("SELECT i, 'POINT(1 2)'::GEOMETRY AS b FROM range(3) AS r(i)")
        assert result.engine == "duckdb" and "supported" in result.fallback_reason
        assert sorted(result.arrow().to_pydict()["i"]) == [0, 1, 2]


def test_database_file(tmp_path):
    path = tmp_path / "x.duckdb"
    with lw.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT 7 AS x")
    with lw.connect(path, read_only=True) as connection:
        result = connection.sql("SELECT x FROM t")
        with pytest.raises(lw.Error, match="read-only"):
            connection.execute("CREATE TABLE u AS SELECT 1 AS x")
    assert result.fetchall() == [(7,)]
    with pytest.raises(lw.InterfaceError, match="closed"):
        connection.sql("SELECT 1")


def test_a_process_opens_a_file_once(tmp_path, monkeypatch):
    """A second writer would overwrite what the first has written."""
    path = tmp_path / "x.duckdb"
    monkeypatch.chdir(tmp_path)
    with lw.connect(path) as connection, lw.connect() as other:
        connection.execute("CREATE TABLE t AS SELECT 7 AS x")
        for second in (path, "x.duckdb"):
            for read_only in (False, True):
                with pytest.raises(lw.Error, match="'[^']*x.duckdb' is open in this process.*cursor"):
                    lw.connect(second, read_only=read_only)
        with pytest.raises(lw.Error, match="already attached"):
            other.execute("ATTACH 'x.duckdb' AS y")
    with lw.connect(path, read_only=True) as one, lw.connect(path, read_only=True) as two:
        assert one.sql("FROM t").fetchall() == two.sql("FROM t").fetchall() == [(7,)]
        with pytest.raises(lw.Error, match="is open in this process"):
            lw.connect(path)
