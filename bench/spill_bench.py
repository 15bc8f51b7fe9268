"""Queries that exceed their memory limit, against DuckDB: the same database file, limit, threads and folder, cold, equal answers.

Each query runs RUNS times in a new process of each engine, in turns; the median counts, the start of the process included. --free locks the machine's
other memory, so that temporary files do not just stay in the system's page cache.

    ./dev bench spill                                                10^7 and 2 * 10^7 rows within 200 MB, and without a limit
    ./dev bench spill --rows 100000000 --memory-limit 3GB --free 11
"""

import argparse
import mmap
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("LANEWISE_BUILD", ROOT / "build"))
QUERIES = {
    "join": "SELECT count(*) AS n, sum(v) AS v, sum(w) AS w FROM probes JOIN builds USING (k)",
    "groups": "SELECT count(*) AS n, max(n) AS most FROM (SELECT k, count(*) AS n FROM probes GROUP BY k)",
    "sort": "SELECT sum(w % 7) AS x FROM (SELECT w FROM probes ORDER BY k, w LIMIT {rows})",
    "window": "SELECT sum(r) AS r FROM (SELECT row_number() OVER (PARTITION BY k ORDER BY w) AS r FROM probes)",
}
DUCKDB = "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True, config=eval(sys.argv[2])); print(*c.execute(sys.argv[3]).fetchone(), sep=',')"


def make_database(path, rows):
    """`rows` keys in random order, and twice as many rows that probe them; four of five find one."""
    with duckdb.connect(path) as connection:
        connection.execute(f"CREATE TABLE builds AS SELECT (hash(i) >> 4)::BIGINT AS k, i AS v FROM range({rows}) t(i)")
        connection.execute(f"CREATE TABLE probes AS SELECT (hash(i % {rows * 5 // 4}) >> 4)::BIGINT AS k, i AS w FROM range({2 * rows}) t(i)")


def lock(gigabytes):
    """Holds this much memory until the parent ends."""
    memory = mmap.mmap(-1, int(gigabytes * 2**30), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000)  # MAP_LOCKED
    print("locked", flush=True)
    sys.stdin.read()
    memory.close()


def available():
    return int(re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())[1]) / 2**20


def timed(command):
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stderr}")
    spilled = re.search(r"; (.*) in temporary files", done.stderr)
    return time.perf_counter() - start, done.stdout.split()[-1], spilled[1] if spilled else ""


def main():
    parser = argparse.ArgumentParser(prog="./dev bench spill", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000, help="of the build side; the other side has twice as many")
    parser.add_argument("--memory-limit", default="200MB")
    parser.add_argument("--free", type=float, help="lock all other memory of the machine but so many GB")
    parser.add_argument("--queries", nargs="+", default=list(QUERIES), choices=QUERIES, metavar="QUERY", help=", ".join(QUERIES))
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", default="/var/tmp", help="of the database and the temporary files")
    parser.add_argument("--lock", type=float, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.lock:
        return lock(arguments.lock)

    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        database = Path(folder) / "spill.duckdb"
        make_database(database, arguments.rows)
        holders = []
        while arguments.free and available() > arguments.free + 0.5:
            holders.append(subprocess.Popen([sys.executable, __file__, "--lock", str(min(8, available() - arguments.free))], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True))
            if holders[-1].stdout.readline() != "locked\n":
                sys.exit("memory cannot be locked: see `ulimit -l`")
        print(f"{arguments.rows} and {2 * arguments.rows} rows, {arguments.threads} threads, {available():.0f} GB free; s, median of {arguments.runs}")
        print(f"{'query':8}{'limit':>10}{'Lanewise':>10}{'DuckDB':>10}{'ratio':>8}")
        wrong = False
        for name in arguments.queries:
            query = QUERIES[name].format(rows=arguments.rows * 3 // 2)
            for limit in ["", arguments.memory_limit] if not arguments.free else [arguments.memory_limit]:
                config = {"threads": arguments.threads, "temp_directory": folder} | ({"memory_limit": limit} if limit else {})
                ours = [BUILD / "lanewise", "sql", "--db", database, "--read-only", "--threads", str(arguments.threads), "--temp-directory", folder,
                        "--timing", "--format", "csv", "-c", query, *(["--memory-limit", limit] if limit else [])]
                theirs = [sys.executable, "-c", DUCKDB, database, repr(config), query]
                runs = [(timed(ours), timed(theirs)) for _ in range(arguments.runs)]
                different = any(our[1] != their[1] for our, their in runs)
                wrong |= different
                our, their = (statistics.median(run[engine][0] for run in runs) for engine in (0, 1))
                print(f"{name:8}{limit or 'none':>10}{our:10.2f}{their:10.2f}{their / our:8.2f}   {runs[-1][0][2]}" + ("   DIFFERENT" if different else ""), flush=True)
        for holder in holders:
            holder.stdin.close()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
