"""Index.find of the Python package compared with numpy.searchsorted: NumPy keys in, NumPy row numbers out, transfers to a GPU included.

    ./dev bench python_index                    10^7 int64 keys, each found once, on one core
    ./dev bench python_index --device cuda      on a GPU

The median of several runs counts; the rivals take turns. All answers are compared.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "build/python"))

import lanewise as lw  # noqa: E402
import numpy as np  # noqa: E402

MUST = 20  # times numpy.searchsorted, on a GPU

parser = argparse.ArgumentParser(prog="./dev bench python_index", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--keys", type=int, default=10_000_000)
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
given = parser.parse_args()

random = np.random.default_rng(1)
keys = np.unique(random.integers(0, 2**62, given.keys))
wanted = random.permutation(keys)
index = lw.Index(keys, device=given.device)
ways = {"lanewise": lambda: np.asarray(index.find(wanted)), "numpy": lambda: np.searchsorted(keys, wanted)}
assert np.array_equal(ways["lanewise"](), ways["numpy"]())

seconds = {name: [] for name in ways}
for _ in range(given.runs):
    for name, way in ways.items():
        start = time.perf_counter()
        way()
        seconds[name].append(time.perf_counter() - start)
own, rival = (statistics.median(seconds[name]) for name in ways)
print(f"{len(keys):,} keys, {given.device}; lanewise {own * 1e3:.1f} ms, numpy {rival * 1e3:.1f} ms: {rival / own:.1f} x (must on a GPU {MUST} x)")
sys.exit(1 if given.device != "cpu" and rival < MUST * own else 0)
