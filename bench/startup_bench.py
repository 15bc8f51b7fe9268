"""From the start of a process to its end: `lanewise sql` with DuckDB's programs, `lanewise grep` with ripgrep and GNU grep.

./dev bench startup [--rounds 40]

The programs take turns, with everything in the page cache. Where other programs keep the cores busy, the processor's time
says more than the elapsed time.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from sql_bench import cpu

ROOT = Path(__file__).resolve().parent.parent
LANEWISE = ROOT / "build" / "lanewise"
LIMITS = {"sql": 25.0, "grep": 3.0}  # milliseconds, for the fastest start


def commands(text):
    return {
        "sql": {"lanewise": [LANEWISE, "sql", "-c", "SELECT 1"],
                "a program on libduckdb": [ROOT / "build/bench/rivals/lanewise_rival_duckdb", "2"],
                "DuckDB's program": [ROOT / ".cache/rivals/bin/duckdb", "-no-init", "-c", "SELECT 1"]},
        "grep": {"lanewise": [LANEWISE, "grep", "two", text], "ripgrep": ["rg", "--no-config", "two", text],
                 "GNU grep": ["grep", "two", text]},
    }


def measure(command, statement):
    """Milliseconds: elapsed time, and processor time."""
    with open(statement, encoding="utf-8") as source, open(os.devnull, "w", encoding="utf-8") as sink:
        start = time.perf_counter()
        process = os.posix_spawnp(command[0], [str(word) for word in command], os.environ,
                                  file_actions=[(os.POSIX_SPAWN_DUP2, source.fileno(), 0), (os.POSIX_SPAWN_DUP2, sink.fileno(), 1)])
        _, status, usage = os.wait4(process, 0)
        elapsed = time.perf_counter() - start
    if status != 0:
        sys.exit(f"failed: {command}")
    return elapsed * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def main():
    parser = argparse.ArgumentParser(prog="./dev bench startup", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    print(f"{cpu()}, medians (minima) of {options.rounds} starts\n")
    print("| work | program | elapsed | processor | at most |\n| --- | --- | ---: | ---: | ---: |")
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        text, statement = Path(folder) / "text", Path(folder) / "statement"
        text.write_text("one\ntwo\nthree\n")
        statement.write_text("SELECT 1;\n")
        for work, programs in commands(text).items():
            times = {name: [] for name in programs}
            for _ in range(options.rounds + 1):
                for name, command in programs.items():
                    times[name].append(measure(command, statement))
            for name, values in times.items():
                columns = list(zip(*values[1:]))  # the first one fills the page cache
                limit = LIMITS[work] if name == "lanewise" else None
                missed += limit is not None and min(columns[0]) > limit
                shown = " | ".join(f"{statistics.median(column):.1f} ms ({min(column):.1f})" for column in columns)
                print(f"| {work} | {name} | {shown} | {f'{limit:g} ms' if limit else ''} |")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
