"""Every output format keeps values: Python reads the JSON, Arrow the Parquet."""

import datetime
import decimal
import json
import math

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

NESTED = {
    "[1, NULL, 3]": [1, None, 3],
    "[]::INT[]": [],
    "[[1], [], NULL]": [[1], [], None],
    "array_value(1, 2)": [1, 2],
    "{'a': 'b', 'n': NULL}": {"a": "b", "n": None},
    "{'a': [1.5, 2.25], 's': {'t': 'say \"x\"'}}": {"a": [1.5, 2.25], "s": {"t": 'say "x"'}},
    "MAP {'k': 1, 'l': 2}": {"k": 1, "l": 2},
    "MAP {7: ['x']}": {"7": ["x"]},
    "'{\"a\": [1, null, \"x\"]}'::JSON": {"a": [1, None, "x"]},
    "'3'::JSON": 3,
    "'null'::JSON": None,
    "NULL::INT[]": None,
    "NULL::JSON": None,
    "[DATE '2026-11-25']": ["2026-11-25"],
    "[0.5::DECIMAL(9, 9)]": [0.5],
    "['nan'::FLOAT]": ["nan"],
    "[true]": [True],
}


@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_nested_values_are_nested_in_json(lanewise, form):
    columns = ", ".join(f"{value} AS c{i}" for i, value in enumerate(NESTED))
    code, out, error = lanewise("sql", "--fallback", "duckdb", "--format", form, "-c", f"SELECT {columns}")
    assert code == 0, error
    row = json.loads(out)[0] if form == "json" else json.loads(out)
    assert {value: row[f"c{i}"] for i, value in enumerate(NESTED)} == NESTED


ARROW = {
    "[1, NULL]": (pyarrow.list_(pyarrow.int32()), [1, None]),
    "{'a': 'b', 'n': 1}": (pyarrow.struct([("a", pyarrow.string()), ("n", pyarrow.int32())]), {"a": "b", "n": 1}),
    "MAP {'k': 1}": (pyarrow.map_(pyarrow.string(), pyarrow.int32()), [("k", 1)]),
    "[{'a': [1]}]": (pyarrow.list_(pyarrow.struct([("a", pyarrow.list_(pyarrow.int32()))])), [{"a": [1]}]),
    "uuid '00000000-0000-0000-0000-00000000000a'": (None, "00000000-0000-0000-0000-00000000000a"),
    "TIME '10:00:00.000001'": (pyarrow.time64("us"), datetime.time(10, 0, 0, 1)),
    "0.5::DECIMAL(9, 9)": (pyarrow.decimal128(9, 9), decimal.Decimal("0.500000000")),
    "'x'::BLOB": (pyarrow.binary(), b"x"),
}


@pytest.mark.parametrize("value", ARROW)
def test_parquet_keeps_types(lanewise, tmp_path, value):
    assert lanewise("sql", "--fallback", "duckdb", "-c", f"SELECT {value} AS x FROM range(3)", "-o", "x.parquet")[0] == 0
    kind, expected = ARROW[value]
    read = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    same = duckdb.sql(f"SELECT {value} AS x FROM range(3)")
    assert duckdb.sql(f"FROM '{tmp_path}/x.parquet'").types == same.types
    if kind is not None:
        assert read.schema.field("x").type.equals(kind) or str(read.schema.field("x").type) == str(kind)
        assert read.column("x").to_pylist() == [expected] * 3


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "table", "markdown", "parquet"])
def test_negative_zero(lanewise, tmp_path, form, kind):
    query = f"SELECT x FROM (VALUES (-0.0::{kind}), (0.0::{kind})) t(x)"
    code, _, error = lanewise("sql", "-c", query, "--format", form, "-o", "out")
    assert code == 0, error
    if form == "parquet":
        values = pyarrow.parquet.read_table(tmp_path / "out").column("x").to_pylist()
        assert [math.copysign(1, value) for value in values] == [-1, 1]
    else:
        text = (tmp_path / "out").read_text()
        assert text.count("-0.0") == 1 and text.count("0.0") == 2, text


@pytest.mark.parametrize("digits", [1, 9, 18, 19, 38])
def test_decimals_below_one(lanewise, digits):
    values = ["0.5", "-0.5", "0", f"-0.{'0' * (digits - 1)}1"]
    query = f"SELECT x FROM (VALUES {', '.join(f'({v}::DECIMAL({digits},{digits}))' for v in values)}) t(x)"
    for form in ("json", "ndjson"):
        code, out, error = lanewise("sql", "-c", query, "--format", form)
        assert code == 0, error
        lines = f"[{','.join(out.splitlines())}]" if form == "ndjson" else out
        assert [row["x"] for row in json.loads(lines, parse_float=decimal.Decimal)] == [decimal.Decimal(v) for v in values]


def test_floats_are_the_same_in_lists(lanewise):
    code, out, error = lanewise("sql", "--format", "ndjson", "-c", "SELECT x::FLOAT AS x, [x::FLOAT] AS l FROM (VALUES ('0.1'), ('-2.5e-8'), ('1e30'), (NULL), ('inf')) v(x)")
    assert code == 0, error
    rows = [json.loads(line) for line in out.splitlines()]
    assert [row["x"] for row in rows] == [0.10000000149011612, -2.5000000292152436e-08, 1.0000000150474662e30, None, "inf"]
    assert [row["l"] for row in rows] == [[row["x"]] for row in rows]
