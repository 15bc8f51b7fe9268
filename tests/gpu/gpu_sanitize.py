"""On a machine with a GPU: NVIDIA's compute-sanitizer over the smoke test's queries, in shards, and over the device's unit tests.

  python3 tests/gpu/gpu_sanitize.py [--program build/lanewise] [--tool memcheck] [--shards 8] [--jobs 8] [--seconds 540] [--ledger FILE]

A shard is a tool with a part of the queries, or with the unit tests of a layer, next to the program. Unit tests run first, since they take
longest. Shards of this program that the ledger already has are skipped, so an interrupted run continues where it ended. A line of the ledger has
the commit (or, if the bundle does not name it, the program's checksum), tool, shard, verdict and seconds. The last line is `N passed, M failed, K left`.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from gpu_smoke import JOINS, QUERIES, TABLE  # noqa: E402

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
# The last line of each tool that ran to its end.
SUMMARIES = {tool: re.compile(r"RACECHECK SUMMARY: 0 hazards" if tool == "racecheck" else r"ERROR SUMMARY: 0 errors") for tool in TOOLS}
SIZES = [33, 1000]
# Without tests that fail on purpose (faults, out of memory, too large requests), and without those of timing.
TESTS = {
    "api": "AddTableOnGpu.*",
    "data": "ArrowDeviceOnGpu.*-*WhicheverCall*",
    "gpu": "GpuTest.*:SortOnGpu.*-*Fault*:*WhicheverCall*:*FullDevice*:*TooLittle*:*Independently*:*Cancelled*:*Cooperative*",
    "ops": "*OnGpu.*",
    "graph": "*/Gpu-*LargeOnes*",
    "pram": "*/OnDevice.*/Cuda-*HasLimits*",
    "primitives": "DeviceArraysOnGpu.*:DeviceMatrixOnGpu.*",
}
# racecheck only checks shared memory, and is slow: tests of kernels that use it, with less work.
RACES = {**TESTS, "ops": "NeedlesOnGpu.RowsEnd*:MatchesOnGpu.LateRows*", "pram": "*/OnDevice.Windows*/Cuda:*/OnDevice.BatchesGive*/Cuda:*/OnDevice.CountsItsKernels/Cuda"}


def find_sanitizer():
    found = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    return found if Path(found).exists() else None


def watch(sanitizer, tool, command, seconds):
    """The command's output under the tool, and whether the tool found nothing; None: it exceeded its time."""
    env = {**os.environ, "LANEWISE_TEST_FEW": "1"} if tool == "racecheck" else None
    try:
        result = subprocess.run([sanitizer, "--tool", tool, "--error-exitcode", "9", *command], capture_output=True, text=True,
                                timeout=seconds, env=env)
    except subprocess.TimeoutExpired:
        return None
    return result, result.returncode == 0 and bool(SUMMARIES[tool].search(result.stdout))


def told(result):
    return f"status {result.returncode}\n" + result.stdout[-3000:] + result.stderr[-1000:]


def run_tests(sanitizer, tests, layer, tool, seconds):
    """Like run_shard(), for a layer's unit tests."""
    chosen = (RACES if tool == "racecheck" else TESTS)[layer]
    seen = watch(sanitizer, tool, [tests, "--gtest_brief=1", f"--gtest_filter={chosen}"], seconds)
    if seen is None:
        return None
    result, clean = seen
    passed = re.search(r"PASSED +\] [1-9]\d* test", result.stdout) and "SKIPPED" not in result.stdout
    return "" if clean and passed else told(result)


def run_shard(sanitizer, program, tool, queries, seconds):
    """Empty if the tool ran all queries to the end and found nothing; otherwise its output."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shard.sql"
        tables = [TABLE.format(rows=rows) for rows in SIZES]
        asked = [query.replace(" FROM t", f" FROM t{rows}") for rows in SIZES for query in queries]
        file.write_text(";\n".join([*tables, *asked]) + ";")
        seen = watch(sanitizer, tool, [program, "sql", "-f", file, "--device", "cuda", "-o", Path(folder) / "answer.csv"], seconds)
        answered = (Path(folder) / "answer.csv").exists()
    if seen is None:
        return None
    return "" if seen[1] and answered else told(seen[0])


def name_of(program):
    """The name of a shard in the ledger."""
    said = Path(program).with_name("commit")
    return said.read_text().strip() if said.exists() else hashlib.sha256(Path(program).read_bytes()).hexdigest()[:12]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/lanewise")
    parser.add_argument("--tool", choices=TOOLS, action="append", help="default: all")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=8, help="shards at once")
    parser.add_argument("--seconds", type=float, default=540, help="no shard begins later, none runs longer")
    parser.add_argument("--ledger", type=Path, default=Path("sanitize.ledger"))
    arguments = parser.parse_args()
    sanitizer = find_sanitizer()
    if not sanitizer:
        sys.exit("compute-sanitizer is not here")
    program = str(Path(arguments.program).resolve())
    tests = {layer: Path(program).with_name(f"lanewise_{layer}_test") for layer in TESTS}
    called = name_of(program)
    done = {tuple(line.split()[:3]) for line in arguments.ledger.read_text().splitlines()} if arguments.ledger.exists() else set()
    layers = [layer for layer in TESTS if tests[layer].exists()]
    names = [*layers, *(f"{shard + 1}/{arguments.shards}" for shard in range(arguments.shards))]
    end, lock, verdicts = time.monotonic() + arguments.seconds, threading.Lock(), []

    def run(shard):
        name, tool = shard
        start = time.monotonic()
        if start >= end:
            found = None
        elif name in tests:
            found = run_tests(sanitizer, tests[name], name, tool, end - start)
        else:
            number = int(name.split("/")[0]) - 1
            found = run_shard(sanitizer, program, tool, [*QUERIES, *JOINS][number::arguments.shards], end - start)
        with lock:
            verdicts.append(found)
            if found is None:
                return
            line = f"{called} {tool} {name} {'failed' if found else 'passed'} {time.monotonic() - start:.0f}"
            print(line + (f"\n{found}" if found else ""), flush=True)
            with open(arguments.ledger, "a") as ledger:
                ledger.write(line + "\n")

    with ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(run, ((name, tool) for name in names for tool in arguments.tool or TOOLS if (called, tool, name) not in done)))
    passed, left = verdicts.count(""), verdicts.count(None)
    failed = len(verdicts) - passed - left
    print(f"{passed} passed, {failed} failed, {left} left")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
