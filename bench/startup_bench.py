"""From the start of a process to its end: `lanewise sql` with DuckDB's program, `lanewise grep` with ripgrep and GNU grep.

./dev bench startup [--rounds 40]

The programs take turns; medians and minima of wall times, with everything in the page cache.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sql_bench import cpu

ROOT = Path(__file__).resolve().parent.parent
LANEWISE = ROOT / "build" / "lanewise"
LIMITS = {"sql": 25.0, "grep": 3.0}  # milliseconds


def commands(text):
    return {
        "sql": {"lanewise": [LANEWISE, "sql", "-c", "SELECT 1"],
                "DuckDB's program": [ROOT / ".cache/rivals/bin/duckdb", "-no-init", "-c", "SELECT 1"]},
        "grep": {"lanewise": [LANEWISE, "grep", "two", text], "ripgrep": ["rg", "--no-config", "two", text],
                 "GNU grep": ["grep", "two", text]},
    }


def main():
    parser = argparse.ArgumentParser(prog="./dev bench startup", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    print(f"{cpu()}, medians (minima) of {options.rounds} starts\n")
    print("| work | program | time | at most |\n| --- | --- | ---: | ---: |")
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        text.write_text("one\ntwo\nthree\n")
        for work, programs in commands(text).items():
            times = {name: [] for name in programs}
            for _ in range(options.rounds + 1):
                for name, command in programs.items():
                    start = time.perf_counter()
                    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
                    times[name].append((time.perf_counter() - start) * 1e3)
            for name, values in times.items():
                median = statistics.median(values[1:])  # the first one fills the page cache
                limit = LIMITS[work] if name == "lanewise" else None
                missed += limit is not None and median > limit
                print(f"| {work} | {name} | {median:.1f} ms ({min(values):.1f}) | {f'{limit:g} ms' if limit else ''} |")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
