"""./dev demo: six queries over the 7.3 million files that Debian's packages ship.

`lanewise sql` and DuckDB answer each on the same threads, and so does `lanewise sql --device cuda` if there is a GPU. All have
read the columns before the clock starts, and the answers must be equal. usage: demo.py [--threads N] [--repeat N]
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import duckdb

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAM = ROOT / "build" / "lanewise"
CONTENTS = ROOT / ".cache" / "data" / "contents.parquet"
VIEW = f"CREATE VIEW files AS FROM '{CONTENTS}';\n"
UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}


def has_gpu():
    """Whether `lanewise info` finds a GPU with all that queries need."""
    told = subprocess.run([PROGRAM, "info"], text=True, capture_output=True).stdout
    return "\nGPU 0 " in told and "kernels by NVRTC" in told and "not usable" not in told


def run(script, threads, *options):
    return subprocess.run([PROGRAM, "sql", "--threads", str(threads), *options], input=script, text=True, capture_output=True)


def lanewise(script, threads, *options):
    result = run(script, threads, *options)
    if result.returncode:
        sys.exit(f"lanewise failed with exit code {result.returncode}:\n{result.stderr}\n{script}")
    return result


def seconds_of(line):
    """Of a line of --timing: planning and running together, as DuckDB's time has both."""
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(r"\b(?:plan|run) ([\d.]+) ?(\w+)", line))


def ask_lanewise(question, threads, repeat, *options, run=lanewise):
    """The rows of the answer as text and the seconds of each run with columns in memory; or None and the reason."""
    result = run(VIEW + (question + ";\n") * (repeat + 1), threads, "--format", "json", "--timing", *options)
    if result.returncode:
        return None, re.search(r"^error: ([^;\n]*)", result.stderr, re.M)[1]
    timing = [line for line in result.stderr.splitlines() if "run " in line][-repeat:]
    answer, _ = json.JSONDecoder().raw_decode(result.stdout)
    rows = [tuple(None if v is None else str(v) for v in row.values()) for row in answer]
    return rows, [seconds_of(line) for line in timing]


def ask_duckdb(connection, question, repeat):
    rows = connection.sql(question).project("COLUMNS(*)::VARCHAR").fetchall()
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        connection.execute(question).fetchall()
        seconds.append(time.perf_counter() - start)
    return rows, seconds


def milliseconds(seconds):
    return f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.1f} ms"


def main():
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__.partition("usage")[0])
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeat", type=int, default=5, help="timed runs of each query; the median counts")
    options = parser.parse_args()

    connection = duckdb.connect(config={"threads": options.threads})
    connection.execute(f"CREATE TABLE files AS FROM '{CONTENTS}'")
    files = connection.sql("SELECT count(*) FROM files").fetchone()[0]
    gpu = has_gpu()
    print(f"Debian's packages ship {files:,} files. Six queries, {options.threads} threads, columns in memory: "
          f"Lanewise and DuckDB {duckdb.__version__}{', and the GPU' if gpu else ''}.\n")

    summary, wrong = [], 0
    for path in sorted(HERE.glob("*.sql")):
        title, question = path.read_text().strip().split("\n", 1)
        title = title.removeprefix("-- ")
        print(f"\033[1m{title}\033[0m" if sys.stdout.isatty() else f"## {title}")
        print(question + "\n")
        print(lanewise(VIEW + question + ";", options.threads, "--format", "table").stdout, end="", flush=True)
        ours, our_seconds = ask_lanewise(question, options.threads, options.repeat)
        theirs, their_seconds = ask_duckdb(connection, question, options.repeat)
        us, them = statistics.median(our_seconds), statistics.median(their_seconds)
        equal = ours == theirs
        wrong += not equal
        print(f"Lanewise {milliseconds(us)}, DuckDB {milliseconds(them)}: {them / us:.1f} times as fast; "
              f"{'equal answers' if equal else 'THE ANSWERS DIFFER'}.", flush=True)
        on_gpu = ""
        if gpu:
            there, told = ask_lanewise(question, options.threads, options.repeat, "--device", "cuda", run=run)
            wrong += there not in (None, ours)
            on_gpu = "–" if there is None else milliseconds(statistics.median(told))
            print(f"{'Not on the GPU: ' + told if there is None else 'On the GPU ' + on_gpu}"
                  f"{'' if there in (None, ours) else ': THE ANSWERS DIFFER'}.", flush=True)
        print()
        if not equal:
            print(f"Lanewise: {ours}\nDuckDB:   {theirs}\n")
        summary.append((title, us, them, on_gpu))

    width = max(len(title) for title, *_ in summary)
    column = f"  {'on the GPU':>10}" if gpu else ""
    print(f"{'query':{width}}  {'Lanewise':>10}  {'DuckDB':>10}  {'times':>6}{column}")
    for title, us, them, on_gpu in summary:
        also = f"  {on_gpu:>10}" if gpu else ""
        print(f"{title:{width}}  {milliseconds(us):>10}  {milliseconds(them):>10}  {them / us:>6.1f}{also}")
    print("\nYour turn: build/lanewise sql -c \"SELECT path FROM '.cache/data/contents.parquet' "
          "WHERE path LIKE '%/simd%' LIMIT 5\"")
    sys.exit(1 if wrong else 0)


main()
