"""The ordered index on one core compared with absl::btree, std::lower_bound and a sorted array in Eytzinger's order: medians, one table.

Drives lanewise_index_bench, which checks its answers. One process for 32-bit keys and one for 64-bit keys, about 9 GB and 4
minutes each with 100 million keys.

    ./dev bench index                     100 million keys, 3 runs of each
    ./dev bench index --keys 10000000 --repeat 5
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("LANEWISE_BUILD", ROOT / "build"))
PROGRAM = BUILD / "engine" / "index" / "lanewise_index_bench"
RIVALS = ["absl::btree", "std::lower_bound", "Eytzinger"]
# title, our benchmark, the rivals' task, goals (times absl::btree), goal (times std::lower_bound)
ROWS = [
    ("find, a batch", "find/lanewise {default}", "find", (4, 6), (6, 10)),
    ("find, one call for each key", "find/lanewise single", "find", None, None),
    ("33 neighbouring pairs, copied", "range of 33/lanewise", "range of 33", (1.5, 3), None),
    ("scan of neighbouring pairs", "scan/lanewise", "scan", (1.5, 3), None),
    ("insert a tenth, one batch", "insert/lanewise batch", "insert", (2, 3), None),
    ("insert a tenth, batches of 10,000", "insert/lanewise batches of 10,000", "insert", (2, 3), None),
    ("insert a tenth, one call for each key", "insert/lanewise single", "insert", (1, 1.2), None),
    ("erase 1 M, one batch", "erase/lanewise batch", "erase", None, None),
    ("load, in order", "load/sorted", "load", None, None),
    ("load, shuffled", "load/shuffled", "load", None, None),
]
STRATEGIES = ["binary", "interleaved", "avx2", "avx512"]
OPEN_MUST_MS, OPEN_AIM_MS = 20, 5


def medians(kind, keys, repeat):
    """Nanoseconds per item by benchmark, milliseconds for those without items; the program's context."""
    names = "find|range of 33|scan|insert|erase|load|open and find"
    command = [PROGRAM, f"--benchmark_filter=^({names}).*/{kind}$", f"--benchmark_repetitions={repeat}", "--benchmark_min_time=0.01",
               "--benchmark_format=json"]
    done = subprocess.run(command, env=dict(os.environ, LANEWISE_INDEX_KEYS=str(keys)), stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{PROGRAM} failed with status {done.returncode}")
    report = json.loads(done.stdout)
    runs = {}
    for run in report["benchmarks"]:
        if run["run_type"] == "iteration":
            time = 1e9 / run["items_per_second"] if "items_per_second" in run else run["cpu_time"]
            runs.setdefault(run["run_name"].removesuffix(f"/{kind}"), []).append(time)
    return {name: statistics.median(times) for name, times in runs.items()}, report["context"]


def verdict(ratio, goals):
    if ratio is None or goals is None:
        return ""
    return "aim" if ratio >= goals[1] else "must" if ratio >= goals[0] else "**missed**"


def cells(row):
    return "| " + " | ".join(row) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=100_000_000)
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the median counts")
    arguments = parser.parse_args()
    header = [f"work, {arguments.keys:,} keys", "lanewise", *RIVALS, "to absl", "must", "aim", "", "to lower_bound", "must", "aim", ""]
    missed = 0
    for kind in ["u32", "u64"]:
        found, context = medians(kind, arguments.keys, arguments.repeat)
        if kind == "u32":
            print(f"{context['num_cpus']} processors, load {context['load_avg']}; CPU time of one, medians of {arguments.repeat}\n")
            print(cells(header))
            print(cells(["---"] + ["---:"] * (len(header) - 1)))
        default = [s for s in STRATEGIES if f"find/lanewise {s}" in found][-1]  # the last one that this machine supports
        for title, ours, work, to_absl, to_bound in ROWS:
            mine = found[ours.format(default=default)]
            theirs = [found.get(f"{work}/{rival}") for rival in RIVALS]
            row = [f"{title}, {kind}", f"{mine:.3g} ns", *(f"{ns:.3g} ns" if ns else "" for ns in theirs)]
            for ns, goals in zip(theirs[:2], (to_absl, to_bound)):
                ratio = ns / mine if ns else None
                said = verdict(ratio, goals)
                missed += "missed" in said
                row += [f"{ratio:.2g} ×" if ratio else "", *(f"{goal} ×" for goal in goals or ("", "")), said] if goals else [
                    f"{ratio:.2g} ×" if ratio else "", "", "", ""]
            print(cells(row), flush=True)
        opened = found["open and find"]
        missed += opened > OPEN_MUST_MS
        print(cells([f"open the file and find one key, {kind}", f"{opened:.2g} ms", "", "", "", "", f"{OPEN_MUST_MS} ms", f"{OPEN_AIM_MS} ms",
                     "aim" if opened <= OPEN_AIM_MS else "must" if opened <= OPEN_MUST_MS else "**missed**", "", "", "", ""]))
        strategies = ", ".join(f"{s} {found[f'find/lanewise {s}']:.3g} ns" for s in STRATEGIES if f"find/lanewise {s}" in found)
        print(cells([f"strategies of find, {kind}: {strategies}", *[""] * (len(header) - 1)]), flush=True)
    sys.exit(f"{missed} missed" if missed else 0)


if __name__ == "__main__":
    main()
