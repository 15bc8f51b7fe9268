"""Functions on arrays."""

import duckdb
import lanewise as lw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from lanewise import compute

PATHS = pa.array(["/api/v1", None, "/home", "/API/v22"])


def test_patterns():
    assert compute.like(PATHS, "/api/%").to_pylist() == [True, None, False, False]
    assert compute.like(PATHS, "/api/%", ignore_case=True).to_pylist() == [True, None, False, True]
    assert compute.like(pa.array(["50%", "500"]), "50!%", escape="!").to_pylist() == [True, False]
    assert compute.matches(PATHS, "v[0-9]+$").to_pylist() == [True, None, False, True]
    assert compute.matches(PATHS, "api", "i").to_pylist() == [True, None, False, True]
    assert compute.extract(PATHS, "v([0-9]+)", 1).to_pylist() == ["1", None, "", "22"]
    assert compute.replace(PATHS, "[0-9]", "#", "g").to_pylist() == ["/api/v#", None, "/home", "/API/v##"]


def test_casts():
    assert compute.cast(pa.array(["1", None]), "INTEGER").equals(pa.array([1, None], pa.int32()))
    with pytest.raises(lw.DataError, match="x"):
        compute.cast(pa.array(["1", "x"]), "INTEGER")


@pytest.mark.parametrize("array", [PATHS, pl.Series(PATHS), PATHS.dictionary_encode()], ids=["pyarrow", "polars", "dictionary"])
def test_kinds_of_arrays(array):
    assert compute.call("lower", array).to_pylist() == ["/api/v1", None, "/home", "/api/v22"]


def test_several_arrays_and_constants():
    assert compute.expression("$0 * 2 + $1 - $2", np.arange(3), 10, pa.array([1, 2, 3])).to_pylist() == [9, 10, 11]
    assert compute.call("+", pa.array([1, 2]), 1).to_pylist() == [2, 3]
    assert isinstance(compute.call("length", pa.chunked_array([["a"], ["bc"]])), pa.ChunkedArray)
    assert compute.call("length", pa.chunked_array([["a"], ["bc"]])).to_pylist() == [1, 2]


def test_order_and_size():
    numbers = pa.array(range(300_000))
    assert compute.call("-", numbers, 1).equals(pa.array(range(-1, 299_999)))


def test_wrong_calls():
    with pytest.raises(lw.InterfaceError, match="one argument at least is an array"):
        compute.call("lower", "x")
    with pytest.raises(lw.InterfaceError, match="several lengths"):
        compute.call("+", pa.array([1]), pa.array([1, 2]))
    with pytest.raises(lw.SqlError, match="no_such"):
        compute.call("no_such", PATHS)
    with pytest.raises(lw.PatternError, match="missing closing"):
        compute.matches(PATHS, "(")


TEXTS = pa.array(["", "a", "Häß", "a,b,,c", "  x ", None, "/api/v1/users?id=17", "ÀÉ" * 40])
NUMBERS = pa.array([0, 1, -7, None, 2**40, -1, 12, 99], pa.int64())


@pytest.mark.parametrize("sql", [
    "lower($0)", "upper($0)", "length($0)", "reverse($0)", "trim($0)", "left($0, 2)", "right($0, 2)", "substring($0, 2, 3)", "replace($0, 'a', 'bb')",
    "split_part($0, ',', 2)", "contains($0, 'a')", "starts_with($0, 'a')", "strpos($0, ',')", "lpad($0, 6, '*')", "concat($0, '-', $1)",
    "$0 LIKE '%a_%'", "$0 ILIKE 'h%'", "regexp_matches($0, '[a-c],')", "regexp_extract($0, 'id=([0-9]+)', 1)", "regexp_replace($0, '[aeiou]', '<\\0>', 'g')",
    "abs($1)", "sign($1)", "$1 % 5", "$1 / 4", "$1 & 6", "coalesce($1, 5)", "greatest($1, 3)", "nullif($1, 1)", "CAST($1 AS VARCHAR)", "CAST($1 AS DOUBLE)",
    "CASE WHEN $1 > 0 THEN $0 ELSE 'n' END", "$1 BETWEEN -5 AND 20", "$1 IN (1, 12)", "round($1 / 3, 2)", "$1 IS NULL", "$0 || $0", "sqrt(abs($1))",
])
def test_expressions_are_those_of_duckdb(sql):
    table = pa.table({"a": TEXTS, "b": NUMBERS})
    connection = duckdb.connect()
    connection.register("arguments", table)
    expected = connection.execute(f"SELECT {sql.replace('$0', 'a').replace('$1', 'b')} AS x FROM arguments").to_arrow_table().column("x").to_pylist()
    assert compute.expression(sql, TEXTS, NUMBERS).to_pylist() == expected


def test_every_function_is_listed():
    table = compute.functions()
    assert table.column_names == ["name", "documentation", "example"] and {"lower", "~~", "regexp_matches"} <= set(table.column("name").to_pylist())
