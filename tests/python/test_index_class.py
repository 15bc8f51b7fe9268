"""lw.Index against numpy.searchsorted and plain Python."""

import datetime

import lanewise as lw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

RANDOM = np.random.default_rng(1)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("size", [0, 1, 31, 64, 65, 5000])
def test_find_gives_what_searchsorted_gives(kind, size):
    keys = RANDOM.integers(0, 100, size).astype(kind)
    wanted = np.arange(0, 110, dtype=kind)
    order = np.argsort(keys, kind="stable")
    at = np.searchsorted(keys, wanted, sorter=order)
    expected = np.array([order[i] if i < size and keys[order[i]] == key else -1 for i, key in zip(at, wanted)])
    index = lw.Index(keys)
    assert len(index) == size
    found = index.find(wanted)
    assert isinstance(found, np.ndarray) and found.dtype == np.int64 and found.tolist() == expected.tolist()


def test_ranges_are_those_of_the_sorted_keys():
    keys = RANDOM.integers(-1000, 1000, 3000)
    entries = sorted((int(key), row) for row, key in enumerate(keys))
    lows = RANDOM.integers(-1100, 1100, 200)
    highs = lows + RANDOM.integers(0, 50, 200)
    expected = [(position, key, row) for position, (low, high) in enumerate(zip(lows, highs)) for key, row in entries if low <= key < high]
    index = lw.Index(keys)
    assert [tuple(row.values()) for row in index.range(lows, highs).to_pylist()] == expected
    assert index.range(lows, highs, limit=0).num_rows == 0
    assert index.range(-1000, 1000, limit=7).column("row").to_pylist() == [row for _, row in entries[:7]]
    assert index.equal([entries[0][0]]).column("row").to_pylist() == [row for key, row in entries if key == entries[0][0]]


@pytest.mark.parametrize("make", [list, pa.array, pl.Series, lambda keys: pa.chunked_array([keys[:1], keys[1:]]), lambda keys: pa.array(keys).dictionary_encode()],
                         ids=["list", "pyarrow", "polars", "chunked", "dictionary"])
def test_texts(make):
    keys = make(["pear", "apple", "ü" * 300, ""])
    index = lw.Index(keys)
    assert index.find(keys).to_pylist() == [0, 1, 2, 3] and index.find(pa.array(["nix", "apple"])).to_pylist() == [None, 1]
    assert index.range("a", "q").column("key").to_pylist() == ["apple", "pear"]


def test_several_columns():
    table = pa.table({"day": [datetime.date(2024, 1, 2), datetime.date(2024, 1, 1), datetime.date(2024, 1, 1)], "name": ["a", "b", "a"]})
    index = lw.Index(table, rows=[10, 20, 30])
    assert index.key == pa.schema({"day": pa.date32(), "name": pa.string()})
    assert index.find(table).to_pylist() == [10, 20, 30]
    assert index.find((datetime.date(2024, 1, 1), "b")).to_pylist() == [20]
    assert index.range((datetime.date(2024, 1, 1), "a"), (datetime.date(2024, 1, 2), "a")).column("row").to_pylist() == [30, 20]


def test_changes_follow_a_dict():
    expected, index = {}, lw.Index(np.empty(0, np.int32), unique=True)
    for step in range(30):
        keys = RANDOM.permutation(200)[:40]
        rows = RANDOM.integers(0, 10**12, 40)
        if step % 3 == 0:
            assert index.insert(keys, rows) == sum(int(key) not in expected for key in keys)
            expected = {**dict(zip(keys.tolist(), rows.tolist())), **expected}
        elif step % 3 == 1:
            assert index.upsert(keys, rows) == sum(int(key) not in expected for key in keys)
            expected |= dict(zip(keys.tolist(), rows.tolist()))
        else:
            assert index.erase(keys) == sum(int(key) in expected for key in keys)
            expected = {key: row for key, row in expected.items() if key not in keys}
        assert len(index) == len(expected)
    assert index.find(np.arange(200)).tolist() == [expected.get(key, -1) for key in range(200)]
    index.verify()


def test_files(tmp_path):
    path = tmp_path / "x.index"
    with lw.Index(pa.array(["a", "b"])) as index:
        index.save(path)
        index.insert(["c"], [7])
        index.commit()
        index.insert(["d"], [8])
        with pytest.raises(lw.OperationalError, match="in use"):
            lw.Index.open(path)
    with lw.Index.open(path, read_only=True) as index:
        assert index.find(["a", "b", "c", "d"]).to_pylist() == [0, 1, 7, None]
        with pytest.raises(lw.OperationalError, match="reading"):
            index.insert(["e"], [9])
    with pytest.raises(lw.InterfaceError, match="closed"):
        index.find(["a"])
    with pytest.raises(lw.OperationalError, match="nothing.index"):
        lw.Index.open(tmp_path / "nothing.index")


def test_nulls():
    assert lw.Index(pa.array([2, None, 1]), nulls=True).find(pa.array([None, 1])).to_pylist() == [1, 2]
    with pytest.raises(lw.Error, match="key 1 is NULL"):
        lw.Index(pa.array([2, None]))
    with pytest.raises(lw.DataError, match="key 0 is NULL"):
        lw.Index([1]).find(pa.array([None], pa.int64()))


@pytest.mark.parametrize("use, kind, message", [
    (lambda: lw.Index([1, 1], unique=True), lw.OperationalError, "are equal"), (lambda: lw.Index([[1]]), lw.Error, "."),
    (lambda: lw.Index([1], device="abacus"), lw.OperationalError, "abacus"), (lambda: lw.Index([1], device="auto"), lw.OperationalError, "auto"),
    (lambda: lw.Index([1]).find(["x"]), lw.DataError, "x"), (lambda: lw.Index(pa.array([1], pa.int8())).find([300]), lw.DataError, "300"),
    (lambda: lw.Index([1]).find((1, 2)), lw.InterfaceError, "1 columns, and 2 are given"), (lambda: lw.Index([1]).insert([1, 2], [1]), lw.InterfaceError, "2 keys"),
    (lambda: lw.Index([1]).insert([1], ["x"]), lw.DataError, "row numbers"), (lambda: lw.Index([1]).range([1, 2], [3]), lw.OperationalError, "bounds differ: 2 and 1"),
    (lambda: lw.Index({f"c{i}": [1] for i in range(5)}), lw.Error, "."), (lambda: lw.Index(object()), lw.DataError, "."),
])
def test_wrong_use(use, kind, message):
    with pytest.raises(kind, match=message):
        use()


def test_large_batches_are_read_where_they_lie():
    keys = RANDOM.permutation(300_000)
    index = lw.Index(keys)
    assert np.array_equal(index.find(np.arange(300_000)), np.argsort(keys)) and np.array_equal(index.find(pa.array(keys)[5:]).to_numpy(), np.arange(5, 300_000))
