"""A query on a GPU to arrays there (`__cuda_array_interface__`, DLPack): rows that stay, compared with rows that pass through the host.

    ./dev bench python_device                   10^7 rows, three quarters of which stay
    ./dev bench python_device --rows 1000000

The table is in the GPU's memory. The median of several runs counts; both ways take turns, and their rows are compared. Without a GPU it does nothing.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "build/python"))

import lanewise as lw  # noqa: E402
import numpy as np  # noqa: E402
from lanewise._device import DeviceTable  # noqa: E402

QUERIES = {
    "filter": "SELECT i, x * 2 AS x FROM t WHERE i % 4 > 0",
    "order": "SELECT i, x FROM t WHERE i % 4 > 0 ORDER BY x DESC, i",
    "group": "SELECT i // 2 AS k, sum(x) AS x FROM t WHERE i % 4 > 0 GROUP BY 1",
}

parser = argparse.ArgumentParser(prog="./dev bench python_device", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--rows", type=int, default=10_000_000)
parser.add_argument("--runs", type=int, default=5)
given = parser.parse_args()

try:
    gpu = lw.connect(device="cuda")
except lw.OperationalError as error:
    sys.exit(print(f"not measured: {error}"))
table = gpu._run_over({"v": {"i": np.arange(given.rows), "x": np.random.default_rng(1).random(given.rows)}}, "FROM v").to_device()
gpu.register("t", table)


def through_the_host(query):
    result = gpu.sql(query)
    return DeviceTable._copy(gpu, result.arrow())


ways = {"stay": lambda query: gpu.sql(query).to_device(), "through the host": through_the_host}
for name, query in QUERIES.items():
    rows = [gpu._run_over({"kept": way(query)}, f"FROM kept{' ORDER BY 1' if name == 'group' else ''}").arrow().combine_chunks() for way in ways.values()]
    assert rows[0].equals(rows[1]) and len(rows[0]) > 0, name
    count, seconds = len(rows[0]), {way: [] for way in ways}
    del rows
    for _ in range(given.runs):
        for way, run in ways.items():
            start = time.perf_counter()
            kept = run(query)
            kept[kept.columns[0]].__cuda_array_interface__, kept["x"].__dlpack__()
            seconds[way].append(time.perf_counter() - start)
            del kept
    stay, through = (statistics.median(seconds[way]) for way in ways)
    print(f"{name:6}  {count:,} rows; stay {stay * 1e3:.2f} ms, through the host {through * 1e3:.2f} ms: {through / stay:.1f} x")
