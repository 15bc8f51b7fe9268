"""A query over JSON lines in one file or several, on one thread and on several, against DuckDB: cold columns, files in the page cache, equal answers.

The engines take turns, each time in a new process. The median time of the whole process counts. So does the processor time of its busiest thread,
which other programs on the machine do not lengthen.

    ./dev bench json
    ./dev bench json --lines 20000000 --threads 1 2 4 8 16
    ./dev bench json --files 8
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("LANEWISE_BUILD", ROOT / "build"))
QUERY = "SELECT count(*) AS n, sum(id) AS ids, max(name) AS last FROM '{path}' WHERE part > 10"
DUCKDB = "import duckdb, sys; c = duckdb.connect(config={'threads': int(sys.argv[1])}); print(*c.execute(sys.argv[2]).fetchone(), sep=',')"


def make_lines(folder, lines, files):
    for file in range(files):
        duckdb.execute(f"""COPY (SELECT i AS id, 'user é ' || hash(i) % 1000000 AS name, i % 97 AS part, 'a,b,' || i % 89 AS tags, i / 7 AS share
                                 FROM range({file * lines // files}, {(file + 1) * lines // files}) t(i)) TO '{folder}/{file}.ndjson' (FORMAT json)""")


def busiest(process, before):
    """Seconds of the process's busiest thread so far, read from /proc."""
    try:
        times = [(task / "stat").read_text().rsplit(") ", 1)[1].split() for task in Path(f"/proc/{process.pid}/task").iterdir()]
    except OSError:  # it has ended
        return before
    return max([before, *((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") for fields in times)])


def timed(command):
    start, thread = time.perf_counter(), 0.0
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while process.poll() is None:
        thread = busiest(process, thread)
        time.sleep(0.002)
    if process.returncode:
        sys.exit(f"{command} failed")
    return time.perf_counter() - start, thread, process.stdout.read().split()[-1]


def main():
    parser = argparse.ArgumentParser(prog="./dev bench json", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=3_000_000)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make_lines(folder, arguments.lines, arguments.files)
        query = QUERY.format(path=f"{folder}/*.ndjson")
        commands = {}
        for threads in arguments.threads:
            commands["lanewise", threads] = [BUILD / "lanewise-engine", "sql", "--threads", str(threads), "--format", "csv", "-c", query]
            commands["duckdb 1.5.6", threads] = [sys.executable, "-c", DUCKDB, str(threads), query]
        runs = {key: [] for key in commands}
        for _ in range(arguments.runs + 1):
            for key, command in commands.items():
                runs[key].append(timed(command))
        answers = {answer for all_runs in runs.values() for _, _, answer in all_runs}
        if len(answers) != 1:
            sys.exit(f"answers differ: {answers}")
        size = sum(file.stat().st_size for file in Path(folder).iterdir())
        print(f"{size / 1e6:.0f} MB of JSON lines in {arguments.files} file(s), answer {answers.pop()}")
        print(f"{'program':<14}{'threads':>8}{'process':>12}{'busiest thread':>18}")
        for (program, threads), all_runs in runs.items():
            seconds, thread = (statistics.median(run[i] for run in all_runs[1:]) for i in (0, 1))
            print(f"{program:<14}{threads:>8}{seconds * 1e3:>9.0f} ms{thread * 1e3:>15.0f} ms")


if __name__ == "__main__":
    main()
