"""Arrow tables come out of Lanewise as they went in: all types, chunks, slices and NULLs."""

import ctypes
import datetime
import decimal
import os
import pathlib
import random
import struct
import uuid

import duckdb
import pyarrow as pa
import pytest
from pyarrow.cffi import ffi

BUILD = pathlib.Path(os.environ.get("LANEWISE_BUILD", pathlib.Path(__file__).parents[2] / "build"))
BRIDGE = BUILD / "tests" / "liblanewise_arrow_bridge.so"
library = ctypes.CDLL(str(BRIDGE))
library.lanewise_arrow_roundtrip.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
library.lanewise_arrow_query.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]


def query(text: str) -> pa.Table:
    """The rows of a query, as exported by Lanewise."""
    target = ffi.new("struct ArrowArrayStream*")
    address = int(ffi.cast("uintptr_t", target))
    error = ctypes.create_string_buffer(1000)
    if library.lanewise_arrow_query(text.encode(), address, error, len(error)):
        raise ValueError(error.value.decode())
    return pa.RecordBatchReader._import_from_c(address).read_all()


def roundtrip(table: pa.Table) -> pa.Table:
    source, target = ffi.new("struct ArrowArrayStream*"), ffi.new("struct ArrowArrayStream*")
    address = lambda pointer: int(ffi.cast("uintptr_t", pointer))
    table.to_reader()._export_to_c(address(source))
    error = ctypes.create_string_buffer(1000)
    if library.lanewise_arrow_roundtrip(address(source), address(target), error, len(error)):
        raise ValueError(error.value.decode())
    return pa.RecordBatchReader._import_from_c(address(target)).read_all()


def day(i: int) -> datetime.datetime:
    return datetime.datetime(1969, 1, 1) + datetime.timedelta(days=i, microseconds=i * 1001)


# type: value of the i-th row
TYPES = {
    pa.bool_(): lambda i: i % 3 == 0,
    pa.int8(): lambda i: i % 256 - 128,
    pa.int16(): lambda i: i - 700,
    pa.int32(): lambda i: i * 1000003 % 2**31,
    pa.int64(): lambda i: -i * 10**15,
    pa.uint8(): lambda i: i % 256,
    pa.uint16(): lambda i: i,
    pa.uint32(): lambda i: 2**32 - 1 - i,
    pa.uint64(): lambda i: 2**64 - 1 - i,
    pa.float32(): lambda i: i / 4,
    pa.float64(): lambda i: i / 3,
    pa.decimal128(9, 2): lambda i: decimal.Decimal(i - 500) / 100,
    pa.decimal128(18, 0): lambda i: decimal.Decimal(10**17 + i),
    pa.decimal128(38, 10): lambda i: decimal.Decimal(10**27 + i) / 10**10,
    pa.date32(): lambda i: day(i).date(),
    pa.time64("ns"): lambda i: datetime.time(i % 24, i % 60, 1, i),
    pa.uuid(): lambda i: uuid.UUID(int=(i * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128),
    pa.time64("us"): lambda i: datetime.time(i % 24, i % 60, 1, i),
    pa.timestamp("s"): lambda i: day(i).replace(microsecond=0),
    pa.timestamp("ms"): lambda i: day(i).replace(microsecond=i * 1000 % 10**6),
    pa.timestamp("us"): day,
    pa.timestamp("ns"): day,
    pa.timestamp("us", "UTC"): lambda i: day(i).replace(tzinfo=datetime.timezone.utc),
    pa.month_day_nano_interval(): lambda i: pa.MonthDayNano([i, -i, i * 10**6]),
    pa.string(): lambda i: "" if i % 5 == 0 else "häß\0" * (i % 40),
    pa.large_string(): lambda i: "x" * (i % 70),
    pa.binary(): lambda i: bytes([i % 256, 0, 255]) * (i % 9),
    pa.dictionary(pa.uint32(), pa.string()): lambda i: ["", "left", "right", "ü"][i % 4],
    pa.null(): lambda i: None,
}
SIZES = [0, 1, 31, 32, 33, 63, 64, 65, 127, 1000]


def array(kind: pa.DataType, rows: int, nulls: bool) -> pa.Array:
    values = [None if nulls and i % 7 in (2, 3) else TYPES[kind](i) for i in range(rows)]
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    return pa.array(values, kind)


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("nulls", [False, True])
def test_types_and_sizes(kind, nulls):
    for rows in SIZES:
        table = pa.table({"x": array(kind, rows, nulls)})
        result = roundtrip(table)
        assert result.column(0).to_pylist() == table.column(0).to_pylist(), rows
        if kind != pa.large_string() and rows:  # comes back as string if its offsets fit into 32 bits
            assert result.schema == table.schema


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_slices(kind):
    whole = array(kind, 500, True)
    for start, rows in [(0, 10), (1, 64), (63, 65), (64, 300), (65, 435), (499, 1), (500, 0)]:
        part = whole.slice(start, rows)
        assert roundtrip(pa.table({"x": part})).column(0).to_pylist() == part.to_pylist(), (start, rows)


def test_many_columns_and_chunks():
    chunks = [pa.table({str(kind): array(kind, rows, True) for kind in TYPES}) for rows in (3, 200, 65)]
    table = pa.concat_tables(chunks)
    assert roundtrip(table).to_pylist() == table.to_pylist()


def test_struct_slices():
    batch = pa.record_batch({"a": list(range(300)), "b": [str(i) for i in range(300)]}).slice(7, 250)
    assert roundtrip(pa.Table.from_batches([batch])).to_pylist() == batch.to_pylist()


def test_types_that_become_another():
    cases = [
        (pa.array([1.5, None], pa.float64()).cast(pa.float64()), [1.5, None]),
        (pa.array([b"abc", None, b"xyz"], pa.binary(3)), [b"abc", None, b"xyz"]),
        (pa.array(["long enough not to be inlined", "short", None], pa.string_view()), None),
        (pa.array([1, None, 3], pa.time32("s")), [datetime.time(0, 0, 1), None, datetime.time(0, 0, 3)]),
        (pa.array([1, 2], pa.timestamp("ms", "Europe/Berlin")), None),
    ]
    for values, expected in cases:
        result = roundtrip(pa.table({"x": values})).column(0).to_pylist()
        assert result == (values.to_pylist() if expected is None else expected)


NESTED = {
    "[i, NULL, -i]": pa.list_(pa.int64()),
    "{'a': i, 'b': [i::VARCHAR, 'é\"''']}": pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))]),
    "MAP {i::VARCHAR: [DATE '2026-11-25']}": pa.map_(pa.string(), pa.list_(pa.date32())),
    "[]::INTEGER[]": pa.list_(pa.int32()),
    "[i, i]::BIGINT[2]": pa.list_(pa.int64(), 2),
    "[{'u': '00000000-0000-0000-0000-00000000000a'::UUID::VARCHAR}]": pa.list_(pa.struct([("u", pa.string())])),
    "{'d': json_array(i), 'e': [i % 3]::VARCHAR[]::ENUM('0', '1', '2')[]}": pa.struct([("d", pa.string()), ("e", pa.list_(pa.string()))]),
    "CASE WHEN i % 2 = 0 THEN i::UNION(n BIGINT, s VARCHAR) ELSE 'odd'::UNION(n BIGINT, s VARCHAR) END":
        pa.sparse_union([pa.field("n", pa.int64()), pa.field("s", pa.string())]),
}


@pytest.mark.parametrize("value", NESTED)
@pytest.mark.parametrize("rows", [0, 1, 2047, 2049, 250_000])  # three batches of DuckDB's
def test_nested_values_are_nested(value, rows):
    values = f"SELECT i AS j, {value} AS x FROM range({rows}) t(i) WHERE i % 7 != 3"  # others are NULL
    text = f"SELECT i, x, 'text ' || i AS s FROM range({rows}) t(i) LEFT JOIN ({values}) ON i = j ORDER BY i"
    found, expected = query(text), duckdb.sql(text).to_arrow_table()
    assert found.schema.field("x").type == NESTED[value]
    assert found.to_pylist() == expected.to_pylist()


def test_unsupported_types_are_named():
    for values in [pa.array([[1.0]], pa.list_(pa.float16())), pa.array([1.0], pa.float16())]:
        with pytest.raises(ValueError, match="Arrow field '(x|item)'.*not supported"):
            roundtrip(pa.table({"x": values}))


def test_bad_codes_and_offsets_are_found():
    codes = pa.array([0, 5], pa.int32())
    broken = pa.DictionaryArray.from_arrays(codes, pa.array(["a"]), safe=False)
    with pytest.raises(ValueError, match="dictionary code is out of range"):
        roundtrip(pa.table({"x": broken}))
    offsets = pa.py_buffer(b"".join(i.to_bytes(4, "little") for i in (0, 3, 1)))
    falling = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abc")])
    with pytest.raises(ValueError, match="offsets must not fall"):
        roundtrip(pa.table({"x": falling}))
    for size, offset, number in ((20, 1, 0), (20, -1, 0), (13, 0, 1), (13, 0, -1)):
        view = struct.pack("<i4sii", size, b"abcd", number, offset)
        outside = pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(view), pa.py_buffer(b"a" * 20)])
        with pytest.raises(ValueError, match="a view points outside its buffers"):
            roundtrip(pa.table({"x": outside}))


def test_random_tables():
    random.seed(7)
    for _ in range(50):
        kinds = random.sample(list(TYPES), 5)
        rows = random.choice(SIZES)
        table = pa.table({str(k): array(k, rows, random.random() < 0.5) for k in kinds})
        start = random.randrange(rows + 1)
        part = table.slice(start, random.randrange(rows - start + 1))
        assert roundtrip(part).to_pylist() == part.to_pylist()
