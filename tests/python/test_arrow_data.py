"""Arrow tables go through SQL and come out as pyarrow has them: types, NULLs, slices, chunks, dictionaries; without copies."""

import datetime
import decimal

import lanewise as lw
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DAY = datetime.date(1970, 1, 1)
VALUES = {
    pa.bool_(): st.booleans(),
    **{kind: st.integers(-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())},
    **{kind: st.integers(0, 2**kind.bit_width - 1) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.float64(): st.floats(allow_nan=False),
    pa.decimal128(12, 3): st.integers(-(10**12) + 1, 10**12 - 1).map(lambda i: decimal.Decimal(i).scaleb(-3)),
    pa.decimal128(38, 2): st.integers(-(10**30), 10**30).map(lambda i: decimal.Decimal(i).scaleb(-2, decimal.Context(prec=50))),
    pa.date32(): st.dates(),
    pa.time64("us"): st.times(),
    pa.timestamp("us"): st.datetimes(),
    pa.timestamp("us", "UTC"): st.datetimes(timezones=st.just(datetime.timezone.utc)),
    pa.string(): st.text(st.characters(codec="utf-8"), max_size=40),
    pa.large_string(): st.text(st.characters(codec="utf-8"), max_size=40),
    pa.binary(): st.binary(max_size=40),
    pa.dictionary(pa.int32(), pa.string()): st.sampled_from(["", "left", "right", "ü"]),
}


@st.composite
def columns(draw, rows):
    """A chunked array of this many rows, of any type, with NULLs, in slices of larger arrays."""
    kind = draw(st.sampled_from(list(VALUES)))
    value = VALUES[kind] if draw(st.booleans()) else st.none() | VALUES[kind]
    chunks, left = [], rows
    while left > 0:
        size = draw(st.integers(1, left))
        before, after = draw(st.integers(0, 70)), draw(st.integers(0, 3))
        sample = draw(st.lists(value, min_size=1, max_size=8))
        values = [sample[i * 7 % len(sample)] for i in range(before + size + after)]
        whole = pa.array(values, kind.value_type).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(values, kind)
        chunks.append(whole.slice(before, size))
        left -= size
    return pa.chunked_array(chunks, kind)


@st.composite
def tables(draw):
    rows = draw(st.sampled_from([0, 1, 31, 32, 33, 63, 64, 65, 200]))
    return pa.table({f"c{i}": draw(columns(rows)) for i in range(draw(st.integers(1, 4)))})


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables())
def test_tables_come_back(rows):
    assert lw.sql("SELECT * FROM rows").arrow().to_pydict() == rows.to_pydict()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables())
def test_filtered_rows_come_back(rows):
    expected = rows.filter(rows.column("c0").is_valid())
    assert lw.sql("SELECT * FROM rows WHERE c0 IS NOT NULL").arrow().to_pydict() == expected.to_pydict()


def buffers(column: pa.ChunkedArray) -> list[tuple[int, int]]:
    """Addresses and sizes of buffers of values and strings, without bitmaps."""
    return [(buffer.address, buffer.size) for chunk in column.chunks for buffer in chunk.buffers()[1:]]


def test_results_share_their_buffers():
    """Two streams of a result have the same addresses, and pyarrow copies none of them."""
    result = lw.sql("SELECT i, 's' || i AS s FROM range(100000) AS r(i)")
    first, second = result.arrow(), result.arrow()
    assert buffers(first.column("i")) == buffers(second.column("i")) and buffers(first.column("s")) == buffers(second.column("s"))
    assert sum(size for _, size in buffers(first.column("i"))) >= 800_000


def test_tables_are_read_where_they_lie():
    """A table of 400 MB is queried within 100 MB."""
    big = pa.table({"x": pa.Array.from_buffers(pa.int64(), 50_000_000, [None, pa.allocate_buffer(400_000_000)])})
    with lw.connect(memory_limit="100MB") as connection:
        connection.register("big", big)
        assert connection.sql("SELECT count(*) FROM big").fetchall() == [(50_000_000,)]


def test_a_stream_that_fails_names_its_error():
    def batches():
        yield pa.record_batch({"x": [1]})
        raise ValueError("the source broke")

    broken = pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64()}), batches())
    with pytest.raises(lw.Error, match="the source broke"):
        lw.sql("SELECT * FROM broken")


def test_nested_types():
    rows = pa.table({"l": [[1, 2], None, []], "s": [{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}], "i": [1, 2, 3]})
    assert lw.sql("SELECT l, s, i FROM rows").arrow().to_pydict() == rows.to_pydict()
    assert lw.sql("SELECT l[1] AS one, s.b AS b FROM rows").fetchall() == [(1, "x"), (None, None), (None, "y")]
    assert lw.sql("SELECT list(i) AS all FROM rows").fetchall() == [([1, 2, 3],)]


def test_unions():
    """Sparse and dense ones, with any type ids, slices, and NULL members, which become NULL."""
    ids, names = pa.array([5, 3, 5, 3, 3], pa.int8()), ["n", "s"]
    sparse = pa.UnionArray.from_sparse(ids, [pa.array([0, 10, 0, None, 30]), pa.array(["a", "", "b", "", ""])], names, [3, 5])
    offsets = pa.array([1, 0, 0, 1, 2], pa.int32())
    dense = pa.UnionArray.from_dense(ids, offsets, [pa.array([10, None, 30]), pa.array(["b", "a"])], names, [3, 5])
    rows = pa.table({"u": sparse, "v": dense, "l": pa.ListArray.from_arrays([0, 2, 2, 3, 4, 5], dense)})
    for part in (rows, rows.slice(1, 3)):
        found = lw.sql("SELECT * FROM part").arrow()
        assert found.to_pydict() == part.to_pydict()
        assert found.schema.field("u").type == pa.sparse_union([pa.field("n", pa.int64()), pa.field("s", pa.string())])
    assert lw.sql("SELECT union_tag(u) AS t, u.n AS n, v.s AS s, u = v AS same, len(l) AS len FROM rows").fetchall() == [
        ("s", None, "a", True, 2), ("n", 10, None, True, 0), ("s", None, "b", True, 1), (None, None, None, None, 1), ("n", 30, None, True, 1)]
    assert lw.sql("SELECT u FROM rows ORDER BY u").fetchall() == [(10,), (30,), ("a",), ("b",), (None,)]


def test_types_that_are_held_as_text_within_others():
    sql = "SELECT ['b'::ENUM('b', 'a')] AS e, {'j': '[1]'::JSON} AS j, [5::BIGNUM]::VARCHAR AS g, [TIMETZ '12:00:00+01'] AS t"
    assert lw.sql(sql).fetchall()[0][:3] == (["b"], {"j": "[1]"}, "[5]")
    assert lw.sql("SELECT 1::VARIANT AS a, {'x': ['y']}::VARIANT AS b, NULL::VARIANT AS c, [2::VARIANT] AS d").fetchall() == [("1", '{"x":["y"]}', None, "[2]")]


def test_capsules_that_nobody_takes_are_released():
    """Ten thousand of them do not keep memory."""
    import resource

    result = lw.sql("SELECT repeat('x', 1000) || i AS s FROM range(1000) AS r(i)")
    for _ in range(100):
        result.__arrow_c_stream__()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10_000):
        result.__arrow_c_stream__()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000
