"""Tables in the memory of a GPU, for test_device.py, which runs this file with the emulated GPU: its memory is the host's, so NumPy reads it."""

import ctypes
import gc
import threading
import weakref
from types import SimpleNamespace

import lanewise as lw
import numpy as np
import pyarrow as pa
import pytest

GPU = lw.connect(device="cuda")
ROWS = "SELECT i::INTEGER AS i, i * 0.5::DOUBLE AS x, CASE WHEN i % 3 > 0 THEN i END AS n, 't' || i AS t, i % 2 = 0 AS b, DATE '2024-01-01' + i::INTEGER AS d, TIMESTAMP '2024-01-01' + INTERVAL (i) DAY AS s FROM range(100) AS r(i)"


class Array:
    """What CuPy does: an array in the memory of a GPU with __cuda_array_interface__ alone."""

    def __init__(self, values, **changes):
        values = np.asarray(values)
        table = GPU._run_over({"v": {"v": values.view(np.uint8) if values.dtype == bool else values}}, "FROM v").to_device()
        self.interface = {**table["v"].__cuda_array_interface__, "typestr": values.dtype.str, "shape": values.shape, **changes}
        self.owner = table

    @property
    def __cuda_array_interface__(self):
        return self.interface


class Tensor:
    """What PyTorch does: an array with DLPack that is on the GPU or not."""

    def __init__(self, values, device=(2, 0)):
        self.column, self.device, self.streams = Array(values).owner["v"], device, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.column.__dlpack__()


def lives(reference):
    """A function, since pytest keeps the parts of an assertion."""
    gc.collect()
    return reference() is not None


def in_host_memory(interface):
    """What a kernel would read."""
    rows, kind = interface["shape"][0], np.dtype(interface["typestr"])
    return np.frombuffer((ctypes.c_char * (rows * kind.itemsize)).from_address(interface["data"][0]), kind)


def tensor_of(capsule):
    """A consumer of DLPack: values, and a function that frees them."""
    tensor = lw._library.in_capsule(capsule, b"dltensor", "struct DLManagedTensor")
    name = ctypes.pythonapi.PyCapsule_SetName
    name.argtypes = [ctypes.py_object, ctypes.c_char_p]
    name(capsule, b"used_dltensor")
    kind = np.dtype(f"{'iuf'[tensor.tensor.code]}{tensor.tensor.bits // 8}")
    address = int(lw._library.ffi.cast("uintptr_t", tensor.tensor.data))
    values = np.frombuffer((ctypes.c_char * (tensor.tensor.shape[0] * kind.itemsize)).from_address(address), kind)
    return values, lambda: tensor.deleter(tensor)


def test_arrays_are_tables():
    points = {"a": Array(np.arange(1000, dtype=np.int32)), "b": Array(np.arange(1000) / 4)}
    assert GPU.sql("SELECT sum(a), sum(b) FROM points WHERE a >= 10").fetchall() == [(sum(range(10, 1000)), sum(range(10, 1000)) / 4)]
    assert lw.sql("SELECT sum(a) FROM points", device="cuda").fetchall() == [(499500,)]
    assert lw.sql("SELECT sum(a) FROM points").fetchall() == [(499500,)], "cores read a copy"


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "M8[us]"])
def test_types_there_and_back(kind):
    values = np.arange(100).astype(kind)
    given = {"v": Array(values)}
    result = GPU.sql("FROM given").to_device()["v"]
    assert in_host_memory(result.__cuda_array_interface__).tolist() == values.tolist() and result.__cuda_array_interface__["typestr"][1:] == kind


def test_no_copy_is_made_on_the_way_in():
    given = {"v": Array(np.arange(1000, dtype=np.int32))}
    with lw.connect(device="cuda") as gpu:
        gpu.register("given", given)
        assert gpu.sql("SELECT sum(v) FROM given").fetchall() == [(499500,)]
        in_host_memory({**given["v"].interface})  # read-only for NumPy
        ctypes.cast(given["v"].interface["data"][0], ctypes.POINTER(ctypes.c_int32))[0] = 7
        assert gpu.sql("SELECT sum(v) FROM given").fetchall() == [(499507,)], "the table is the array"


def test_nulls():
    bits = Array(np.array([0b10101101, 1], np.uint8))
    mask = SimpleNamespace(__cuda_array_interface__={**bits.interface, "typestr": "|t1", "shape": (9,)})
    given = {"v": Array(np.arange(9), mask=mask)}
    assert GPU.sql("SELECT v FROM given").fetchall() == [(0,), (None,), (2,), (3,), (None,), (5,), (None,), (7,), (8,)]
    column = GPU.sql("SELECT v FROM given").to_device()["v"]
    found = column.__cuda_array_interface__["mask"].__cuda_array_interface__
    assert column.null_count == 3 and found["typestr"] == "|t1" and in_host_memory({**found, "typestr": "u1", "shape": (2,)}).tolist() == [0b10101101, 1]
    with pytest.raises(BufferError, match="3 NULLs.*coalesce"):
        column.__dlpack__()


def test_dlpack():
    tensor = Tensor(np.arange(50, dtype=np.int16))
    given = {"v": tensor}
    assert GPU.sql("SELECT sum(v) FROM given").fetchall() == [(1225,)] and tensor.streams == [1], "the default stream waits for the producer"
    table = GPU.sql("SELECT v * 2 AS w, 0.5::FLOAT AS f FROM given").to_device()
    assert table["w"].__dlpack_device__() == (2, 0)
    values, free = tensor_of(table["w"].__dlpack__(stream=2, max_version=(1, 0)))
    alive = weakref.ref(table)
    del table
    assert lives(alive) and values.tolist() == [2 * v for v in range(50)], "the tensor keeps the memory"
    thread = threading.Thread(target=free)
    thread.start()
    thread.join()
    assert not lives(alive)
    given["v"].column.__dlpack__()  # nobody takes it
    for wish in ({"copy": True}, {"dl_device": (1, 0)}, {"dl_device": (2, 1)}):
        with pytest.raises(lw.ExportError, match="no copies"):
            tensor.column.__dlpack__(**wish)


def test_the_host_s_tensors_are_read_as_arrays():
    class Host(Tensor):
        def __array__(self, *given, **more):
            return np.arange(3)

    given = {"v": Host([1], device=(1, 0))}
    assert GPU.sql("SELECT sum(v) FROM given").fetchall() == [(3,)]


def test_tables_of_arrow():
    table = GPU.sql(ROWS).to_device()
    expected = lw.sql(ROWS).fetchall()
    assert len(table) == 100 and table.columns == ["i", "x", "n", "t", "b", "d", "s"] and table.schema.field("t").type == pa.string()
    assert GPU._run_over({"r": table}, "FROM r").fetchall() == expected
    assert lw.connection()._run_over({"r": table}, "FROM r").fetchall() == expected

    class Batch:
        def __arrow_c_device_array__(self, requested_schema=None, **more):
            return table.__arrow_c_device_array__()

    batch = Batch()
    for _ in range(2):
        assert GPU.sql("SELECT count(t), sum(n), max(d) FROM batch WHERE b").fetchall() == lw.connection()._run_over({"batch": table}, "SELECT count(t), sum(n), max(d) FROM batch WHERE b").fetchall()
    table.__arrow_c_device_array__(), table.__arrow_c_device_stream__()  # nobody takes them


def test_lists_structs_and_maps():
    values = "[CASE WHEN i % 2 = 0 THEN i END, 5]", "CASE WHEN i % 3 > 0 THEN {'a': i, 't': 'x' || i} END", "MAP {i: 'v' || i}", "[i, 7]::INTEGER[2]"
    query = f"SELECT {', '.join(f'{value} AS c{place}' for place, value in enumerate(values))} FROM range(20) AS r(i)"
    auto = lw.connect(device="auto", fallback="duckdb")
    table = auto.sql(query).to_device()
    assert auto._run_over({"r": table}, "FROM r").fetchall() == lw.connect(fallback="duckdb").sql(query).fetchall()
    with pytest.raises(lw.ExportError, match="'c0' is list"):
        table["c0"].__dlpack__()


def test_results_of_several_batches_are_one_array():
    table = lw.connect(device="cuda").sql("SELECT i, i::VARCHAR AS t FROM range(500000) AS r(i)").to_device()
    assert in_host_memory(table["i"].__cuda_array_interface__)[[0, 499999]].tolist() == [0, 499999] and len(table) == 500000
    assert len(GPU.sql("SELECT 1 AS x WHERE 1 = 0").to_device()["x"]) == 0
    assert "500000 rows, i: int64, t: string" in repr(table) and "'i' of 500000 rows" in repr(table["i"])


MANY = lw.sql("""SELECT i, i * 0.5::DOUBLE AS x, CASE WHEN i % 3 > 0 THEN i END AS n, CASE WHEN i % 5 > 0 THEN 'wört ' || i END AS t, i % 2 = 0 AS b,
    DATE '2024-01-01' + (i % 1000)::INTEGER AS d, TIMESTAMP '2024-01-01' + INTERVAL (i) SECOND AS s, (i % 1000)::DECIMAL(9, 2) / 4::DECIMAL(3, 1) AS q,
    i::DECIMAL(30, 3) AS w, CASE WHEN i % 7 > 0 THEN -i::HUGEINT END AS h, ('x' || i)::BLOB AS y, '00000000-0000-0000-0000-000000000001'::UUID AS u
    FROM range(70_000) AS r(i)""").arrow()


def answers(query, device="cuda", **options):
    """What the CPU answers, the GPU's result, and the rows that it kept on the GPU."""
    cpu, gpu = lw.connect(), lw.connect(device=device, **options)
    for connection in (cpu, gpu):
        connection.register("many", MANY)
    expected = cpu.sql(query).arrow()
    result = gpu.sql(query)
    return expected, result, lw._device.DeviceTable._kept(result._handle)


@pytest.mark.parametrize("query", [
    "SELECT i, x, n, t, b FROM many WHERE i % 10 <> 3", "SELECT d, s, q, w, h, y, n + 1 AS n1 FROM many WHERE b OR t LIKE '%7%'",
    "SELECT t, upper(t) AS upper, t || '!' AS longer, i FROM many WHERE i > 100", "SELECT i, t, n FROM many LIMIT 50000 OFFSET 1234",
    "SELECT t, i, n, h FROM many ORDER BY i % 1000 DESC, i", "SELECT t, t AS again, i FROM many ORDER BY x, u", "SELECT i, w, q, s, d, y, n FROM many ORDER BY n DESC, i", "SELECT i, t, x FROM many ORDER BY x DESC LIMIT 40000 OFFSET 2000",
    "SELECT i, x FROM many WHERE i < 35000 UNION ALL SELECT n, -x FROM many WHERE i >= 35000",
])  # fmt: skip
@pytest.mark.parametrize("read", ["device first", "host first"])
def test_many_rows_stay_on_the_gpu(query, read):
    expected, result, kept = answers(query)
    assert len(result) == len(expected) and result.schema == expected.schema
    if read == "device first":
        assert kept is not None and kept.schema == expected.schema and len(kept) == len(expected)
        assert lw.connection()._run_over({"kept": kept}, "FROM kept").arrow().equals(expected.combine_chunks())
    assert result.arrow().combine_chunks().equals(expected.combine_chunks())
    table = result.to_device()
    assert [table[name].null_count for name in table.columns] == [column.null_count for column in expected.columns]
    assert GPU._run_over({"table": table}, "FROM \"table\"").arrow().combine_chunks().equals(expected.combine_chunks())


@pytest.mark.parametrize("query", [
    "SELECT max(b) AS b, i % 60000 AS k, sum(x) AS x, count(n) AS n, max(t) AS t, sum(h) AS h, min(s) AS s FROM many GROUP BY 2", "SELECT DISTINCT i // 2 AS k, t, b FROM many",
])  # fmt: skip
def test_many_groups_stay_on_the_gpu(query):
    expected, _, kept = answers(query)
    keys = [(name, "ascending") for name in expected.column_names]
    found = lw.connection()._run_over({"kept": kept}, "FROM kept").arrow()
    assert found.schema == expected.schema and found.sort_by(keys).combine_chunks().equals(expected.sort_by(keys).combine_chunks())


@pytest.mark.parametrize("query", [
    "SELECT i FROM many WHERE i < 10", "SELECT i FROM many WHERE i < 0", "SELECT i, x FROM many LIMIT 0", "SELECT i, u FROM many", "SELECT i, [i, 2] AS l FROM many",
    "SELECT i, INTERVAL (i) DAY AS v FROM many", "SELECT i, max(INTERVAL (i) DAY) AS a FROM many GROUP BY i", "SELECT i, row_number() OVER (ORDER BY i) AS r FROM many",
])  # fmt: skip
def test_other_rows_come_to_the_host(query):
    expected, result, kept = answers(query, "auto" if "[" in query or "OVER" in query else "cuda")
    keys = [(name, "ascending") for name in expected.column_names if name == "i"]
    assert kept is None and result.arrow().sort_by(keys).combine_chunks().equals(expected.sort_by(keys).combine_chunks())
    assert len(result.to_device()) == len(expected)


def test_several_batches_become_one_array():
    """Rows that do not fit the memory together stream through it."""
    query = "SELECT i, n, t, b, q, w, h FROM many WHERE i % 3 = 2"
    expected, result, kept = answers(query, device_memory=5_000_000)
    assert kept is not None and " batches" in result.profile() and len(kept._arrays) == 1
    assert lw.connection()._run_over({"kept": kept}, "FROM kept").arrow().combine_chunks().equals(expected.combine_chunks())
    assert result.arrow().combine_chunks().equals(expected.combine_chunks())


def test_rows_that_the_gpu_has_no_room_for():
    query = "SELECT i, x, t, n, s, d FROM many"
    expected, result, kept = answers(query, device_memory=3_000_000)
    assert kept is None and result.arrow().combine_chunks().equals(expected.combine_chunks())


def test_results_give_their_memory_to_later_queries():
    gpu = lw.connect(device="cuda", device_memory=12_000_000)
    gpu.register("many", MANY.select(["i", "x", "n"]))
    expected = MANY.select(["i", "x", "n"]).combine_chunks()
    results = [gpu.sql("SELECT i, x, n FROM many WHERE i >= 0") for _ in range(12)]
    kept = [lw._device.DeviceTable._kept(result._handle) for result in results]
    assert kept[-1] is not None and kept[0] is None, "the first ones went to the host"
    assert all(result.arrow().combine_chunks().equals(expected) for result in results)


def test_kept_results_outlive_their_connection():
    _, result, kept = answers("SELECT i, t FROM many WHERE i > 0")
    gpu = result._session
    table = result.to_device()
    gpu.close()
    gc.collect()
    assert result.arrow().num_rows == 69_999 and lw._device.DeviceTable._kept(result._handle) is None
    del result
    for held in (table, kept):
        assert in_host_memory(held["i"].__cuda_array_interface__).tolist() == list(range(1, 70_000))
    values, free = tensor_of(table["i"].__dlpack__())
    alive = weakref.ref(table)
    del table, held
    assert lives(alive) and values[-1] == 69_999
    free()
    assert not lives(alive)


def test_a_value_that_arrow_has_no_room_for():
    gpu = lw.connect(device="cuda")
    gpu.register("many", MANY)
    result = gpu.sql("SELECT i, CASE WHEN i = 5 THEN 170141183460469231731687303715884105727::HUGEINT ELSE i::HUGEINT END AS h FROM many")
    with pytest.raises(pa.ArrowInvalid, match="38 digits"):
        result.to_device()


def test_errors_of_rows_that_would_stay():
    gpu, cpu = lw.connect(device="cuda"), lw.connect()
    messages = []
    for connection in (gpu, cpu):
        connection.register("many", MANY)
        with pytest.raises(lw.DataError) as raised:
            connection.sql("SELECT i, (CASE WHEN i = 60000 THEN 'z' ELSE '1' END)::INTEGER AS v FROM many")
        messages.append(str(raised.value))
    assert messages[0] == messages[1] and "z" in messages[0]


def test_the_owner_lives_as_long_as_the_table():
    array = Array(np.arange(10))
    alive = weakref.ref(array)
    with lw.connect(device="cuda") as gpu:
        gpu.register("v", {"v": array})
        del array
        assert lives(alive) and gpu.sql("SELECT sum(v) FROM v").fetchall() == [(45,)]
        gpu.unregister("v")
        assert not lives(alive)
        array = Array(np.arange(10))
        alive = weakref.ref(array)
        gpu.register("v", {"v": array})
        del array
    assert not lives(alive), "the session has ended"


def test_results_outlive_their_connection():
    gpu = lw.connect(device="cuda")
    result = gpu.sql("SELECT 5 AS x")
    table = result.to_device()
    gpu.close()
    assert in_host_memory(table["x"].__cuda_array_interface__).tolist() == [5]
    with pytest.raises(lw.InterfaceError, match="closed"):
        result.to_device()


def test_memory_that_was_freed_raises():
    array = Array(np.arange(10))
    array.owner = None
    gc.collect()
    freed = {"v": array}
    with pytest.raises(lw.OperationalError, match="'v'.*not in memory that CUDA knows"):
        GPU.sql("FROM freed")


def wrong(values=(1, 2, 3), **changes):
    return {"v": Array(np.array(values), **changes)}


@pytest.mark.parametrize(("given", "message"), [
    (lambda: wrong(values=[True, False]), "'v' of 'given' has a byte for each bool.*uint8"),
    (lambda: wrong(strides=(16,), shape=(2,)), "not contiguous"), (lambda: wrong(shape=(3, 1)), "2 dimensions"), (lambda: wrong(typestr=">i8"), "byte order"),
    (lambda: wrong(typestr="<c16"), "a type that Arrow does not have: <c16"), (lambda: wrong() | {"w": Array([1])}, "'w' of 'given' has 1 rows, the first one 3"),
    (lambda: wrong() | {"w": np.array([1, 2, 3])}, "'w' of 'given' is in the host's memory"),
    (lambda: wrong(mask=Array(np.array([1, 0, 1], np.uint8))), "a mask of the type .u1"),
])  # fmt: skip
def test_arrays_that_are_no_columns(given, message):
    given = given()
    with pytest.raises(lw.DataError, match=message):
        GPU.sql("FROM given")


def test_columns_that_are_no_arrays():
    table = GPU.sql(ROWS).to_device()
    for name, message in {"t": "string.*Arrow's device interface", "b": "bool.*UTINYINT", "d": "date32"}.items():
        with pytest.raises(lw.ExportError, match=f"'{name}' is {message}"):
            table[name].__cuda_array_interface__
    with pytest.raises(BufferError, match="'s' is timestamp.*DLPack"):
        table["s"].__dlpack__()
    with pytest.raises(KeyError, match="0 columns are named 'z'; there are: i, x"):
        table["z"]
    with pytest.raises(lw.OperationalError, match="the session has no GPU"):
        lw.sql("SELECT 1").to_device()


def test_streams():
    given = {"v": Array([1, 2], stream=2)}
    assert GPU.sql("SELECT sum(v) FROM given").fetchall() == [(3,)]


def test_keys_of_indexes_and_edges_of_graphs():
    index = lw.Index(Array([30, 10, 20]))
    assert index.find(Array([10, 25])).to_pylist() == [1, None] and index.insert(Array([25]), Array([7])) == 1 and index.find(25).to_pylist() == [7]
    assert lw.Index({"a": Array([1, 2]), "b": Array([5, 6])}).find((2, 6)).to_pylist() == [1]
    lw.connection().register("edges", pa.table({"src": [0], "dst": [0]}))
    assert lw.graph.Graph({"src": Array([0, 2]), "dst": Array([1, 3])}).components().tolist() == [0, 0, 2, 2]
    assert lw.sql("SELECT count(*) FROM edges").fetchall() == [(1,)]
    lw.connection().unregister("edges")


def test_small_tables_of_actors_stay_on_the_gpu():
    from lanewise._split import Resident

    resident = Resident({"names": pa.table({"k": range(1000), "name": [f"n{k % 3}" for k in range(1000)]})}, device="cuda")
    for place in range(2):
        result = resident.answer("SELECT name, count(*) AS n FROM input JOIN names USING (k) GROUP BY name", pa.table({"k": list(range(500))}))
        assert sorted(result.fetchall()) == [("n0", 167), ("n1", 167), ("n2", 166)]
        (scan,) = (line for line in result.profile().splitlines() if "Scan names" in line)
        assert ("bytes" in scan) == (place == 0), "read for the first block alone"


@pytest.mark.parametrize("seed", range(3))
def test_graphs(seed):
    random = np.random.default_rng(seed)
    n, m = 200, 150 + 300 * seed
    edges = random.integers(0, n, m), random.integers(0, n, m), random.integers(1, 9, m).astype(float)
    gpu, cpu = (lw.graph.Graph(edges, vertices=n, device=device) for device in ("cuda", "cpu"))
    assert gpu.components().tolist() == cpu.components().tolist()
    assert gpu.spanning_forest().tolist() == cpu.spanning_forest().tolist(), "the first of equal edges counts"
    assert gpu.levels(5).tolist() == cpu.levels(5).tolist()
    assert (gpu.distances() == cpu.distances()).all()
    path = gpu.shortest_path(0, n - 1)
    assert (path is None) == (not np.isfinite(cpu.distances()[0, n - 1]))
    if path is not None:
        lengths = {}
        for a, b, w in zip(*edges):
            lengths[a, b] = min(w, lengths.get((a, b), np.inf))
        assert sum(lengths[step] for step in zip(path, path[1:])) == cpu.distances()[0, n - 1]
    pairs = {(a, b) for a, b in zip(*edges[:2])}
    matched = [(row, column) for row, column in enumerate(gpu.matching()) if column >= 0]
    assert set(matched) <= pairs and len({column for _, column in matched}) == len(matched) == (cpu.matching() >= 0).sum()


def test_pram_programs():
    numbers = list(range(100))
    for one_group in (False, True):
        ran = lw.pram.run("scan", A=numbers, executor="cuda", one_group=one_group)
        assert ran["S"].tolist() == lw.pram.run("scan", A=numbers)["S"].tolist()
        assert max(ran.lines["launches"].to_pylist()) > 0
    with pytest.raises(lw.OperationalError, match="one group runs on a GPU"):
        lw.pram.run("scan", A=numbers, executor="cpu", one_group=True)
