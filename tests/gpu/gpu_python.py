"""Tables and results of CuPy, PyTorch, Numba, JAX and pylibcudf, as far as they are installed, in the memory of a GPU: bash gpu.sh python.

Every check compares with NumPy. Arrays are written on a stream that is still busy, so a missing wait gives wrong numbers.
"""

import gc
import importlib
import sys

import lanewise as lw
import numpy as np

ROWS = 10_000_000
EXPECTED = np.arange(ROWS, dtype=np.int64) * 3
GPU = lw.connect(device="cuda")


class Interface:
    """An array with __cuda_array_interface__ alone, which names its stream."""

    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


def kept():
    """Rows that the GPU made stay there: equal to the CPU's, in either order of reading."""
    table = {"i": EXPECTED, "x": np.arange(ROWS) / 4}
    cpu = lw.connect()
    for query in ("SELECT i, x * 2 AS x FROM given WHERE i % 4 > 0", "SELECT i, x, 't' || i AS t FROM given WHERE i % 5 = 1 ORDER BY x DESC",
                  "SELECT i // 6 AS k, sum(x) AS x, count(*) AS n, min(i) AS i FROM given GROUP BY 1"):  # fmt: skip
        expected = cpu._run_over({"given": table}, query).arrow()
        result = GPU._run_over({"given": table}, query)
        there = result.to_device()
        order = " ORDER BY k" if "GROUP" in query else ""
        for rows in (there, result):
            found, wanted = (cpu._run_over({"r": each}, f"FROM r{order}").arrow().combine_chunks() for each in (rows, expected))
            assert found.equals(wanted), query
        assert len(there) == len(result) and lw._device.DeviceTable._kept(result._handle) is not None, query
    print("rows that stay: equal", flush=True)


def cupy(cp):
    busy = cp.cuda.Stream(non_blocking=True)
    with busy:
        for _ in range(20):  # work that goes before
            cp.random.rand(2000, 2000) @ cp.random.rand(2000, 2000)
        given = {"x": cp.arange(ROWS) * 3, "y": cp.ones(ROWS, cp.float32)}
        check_sums(given)
        check_sums({name: Interface(array) for name, array in given.items()})
    flags = cp.zeros(ROWS, bool)
    check_raises(lambda: GPU._run_over({"given": {"f": flags}}, "FROM given"), lw.DataError, "uint8")
    table = GPU._run_over({"given": given}, "SELECT x, x + 0.5::DOUBLE AS z FROM given").to_device()
    back = cp.asarray(table["x"]), cp.from_dlpack(table["z"])
    del table
    gc.collect()
    assert (cp.asnumpy(back[0]) == EXPECTED).all() and (cp.asnumpy(back[1]) == EXPECTED + 0.5).all()
    # The table is read where it is: a change is seen.
    GPU.register("given", {"x": back[0]})
    before = GPU.sql("SELECT sum(x) FROM given").fetchall()[0][0]
    back[0][0] += 1
    cp.cuda.Device().synchronize()
    assert GPU.sql("SELECT sum(x) FROM given").fetchall() == [(before + 1,)]
    GPU.unregister("given")
    index = lw.Index(cp.asarray([30, 10, 20]), device="cuda")
    assert index.find(cp.asarray([10, 25])).to_pylist() == [1, None]


def torch(torch):
    busy = torch.cuda.Stream()
    with torch.cuda.stream(busy):
        for _ in range(20):
            torch.rand(2000, 2000, device="cuda") @ torch.rand(2000, 2000, device="cuda")
        given = {"x": torch.arange(ROWS, device="cuda") * 3, "y": torch.ones(ROWS, device="cuda")}
        check_sums(given)
    mixed = {"x": torch.arange(3)}
    assert GPU._run_over({"mixed": mixed}, "SELECT sum(x) FROM mixed").fetchall() == [(3,)], "the host's tensors"
    table = GPU._run_over({"given": given}, "SELECT x FROM given").to_device()
    back = torch.from_dlpack(table["x"]), torch.as_tensor(table["x"], device="cuda")
    del table
    gc.collect()
    assert all((tensor.cpu().numpy() == EXPECTED).all() for tensor in back) and back[0].data_ptr() == back[1].data_ptr(), "no copy is made"
    nulls = GPU.sql("SELECT CASE WHEN i > 1 THEN i END AS n, 't' AS t FROM range(3) AS r(i)").to_device()
    check_raises(lambda: torch.from_dlpack(nulls["n"]), BufferError, "coalesce")
    check_raises(lambda: torch.from_dlpack(nulls["t"]), BufferError, "string")


def numba_cuda(cuda):
    check_sums({"x": cuda.to_device(EXPECTED), "y": cuda.to_device(np.ones(ROWS, np.float32))})
    table = GPU._run_over({"given": {"x": cuda.to_device(EXPECTED)}}, "FROM given").to_device()
    assert (cuda.as_cuda_array(table["x"]).copy_to_host() == EXPECTED).all()


def jax_numpy(jnp):
    check_sums({"x": jnp.arange(ROWS) * 3, "y": jnp.ones(ROWS, jnp.float32)}, "x::INTEGER")
    import jax

    table = GPU.sql("SELECT i::INTEGER AS i FROM range(1000) AS r(i)").to_device()
    assert int(jax.dlpack.from_dlpack(table["i"]).sum()) == 499500


def pylibcudf(plc):
    table = GPU.sql("SELECT i AS x, 't' || i AS t, CASE WHEN i > 1 THEN i END AS n FROM range(1000) AS r(i)").to_device()
    given = plc.Table.from_arrow(table)
    assert GPU._run_over({"given": given}, "SELECT count(*), max(COLUMNS(*)) FROM given").fetchall()[0][0] == 1000


def check_sums(given, key="x"):
    low = "y > 0.5" if key == "x" else "x >= 0"
    assert GPU._run_over({"given": given}, f"SELECT count(*), sum(y) FROM given WHERE {low}").fetchall() == [(ROWS, ROWS)]
    if key == "x":
        assert GPU._run_over({"given": given}, "SELECT sum(x) FROM given").fetchall() == [(int(EXPECTED.sum()),)]


def check_raises(call, kind, word):
    try:
        call()
    except kind as error:
        assert word in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")


def main():
    assert GPU.sql("SELECT sum(i) FROM range(1000) AS r(i)").fetchall() == [(499500,)]
    kept()
    checked = []
    for check, module in ((cupy, "cupy"), (torch, "torch"), (numba_cuda, "numba.cuda"), (jax_numpy, "jax.numpy"), (pylibcudf, "pylibcudf")):
        try:
            library = importlib.import_module(module)
        except ImportError as error:
            print(f"{module}: not checked, {error}", flush=True)
            continue
        check(library)
        checked.append(module)
        print(f"{module}: equal", flush=True)
    sys.exit(not checked and "no library with arrays in a GPU's memory is installed")


if __name__ == "__main__":
    main()
