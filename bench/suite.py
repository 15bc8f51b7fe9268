"""A published set of queries, by Lanewise and DuckDB on the same database file: times, and answers compared."""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "sql"))
import corpus  # noqa: E402

BUILD = Path(os.environ.get("LANEWISE_BUILD", ROOT / "build"))
MILLISECONDS = {"µs": 1e-3, "ms": 1.0, "s": 1e3}


def parser(name, documentation):
    made = argparse.ArgumentParser(prog=f"./dev bench {name}", description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--scale", default="1", help="scale factor (default: 1)")
    made.add_argument("--device", default="cpu", help="cpu, cuda, auto (default: cpu)")
    made.add_argument("--threads", type=int, default=os.cpu_count(), help="of both engines (default: one per core)")
    made.add_argument("--runs", type=int, choices=range(2, 100), metavar="RUNS", default=3, help="of each query; the first one does not count (default: 3)")
    made.add_argument("--rounds", type=int, default=1, help="how often the engines take turns (default: 1)")
    made.add_argument("--memory-limit", default="", help="of both engines, like 100MB (default: most of the machine's)")
    made.add_argument("--device-memory", default="", help="of a GPU's memory at most, like 1GB")
    made.add_argument("--only", default="", metavar="NAMES", help="of queries, with semicolons between (default: all)")
    made.add_argument("--folder", type=Path, default=ROOT / ".cache" / "data", help="where the data are kept")
    return made


def make_database(database, fill):
    """A DuckDB database, filled by fill(connection) if it is missing."""
    if database.exists():
        return database
    database.parent.mkdir(parents=True, exist_ok=True)
    new = database.with_suffix(".new")
    new.unlink(missing_ok=True)  # of a run that was interrupted
    with duckdb.connect(new) as connection:
        fill(connection)
    return new.rename(database)


def read_parquet(folder):
    def fill(connection):
        for file in sorted(folder.glob("*.parquet")):
            connection.execute(f"CREATE TABLE {file.stem} AS FROM '{file}'")
    return fill


def run_statements(statements):
    def fill(connection):
        for statement in statements:
            connection.execute(statement)
    return fill


def read_queries(files):
    return {file.stem: file.read_text() for file in sorted(files)}


def run_duckdb(database, queries, threads, runs, memory_limit):
    times = []
    config = {"threads": threads} | ({"memory_limit": memory_limit} if memory_limit else {})
    with duckdb.connect(str(database), read_only=True, config=config) as connection:
        for query in queries:
            times.append([])
            for _ in range(runs):
                start = time.perf_counter()
                connection.execute(query).fetchall()
                times[-1].append((time.perf_counter() - start) * 1e3)
    return times


def milliseconds(line):
    return sum(float(value) * MILLISECONDS[unit] for value, unit in re.findall(r"(?:plan|run) ([\d.]+) (µs|ms|s)", line))


def run_lanewise(database, queries, arguments):
    runs = arguments.runs
    # Each text is another one, so each run is planned, as in DuckDB.
    script = "".join(f"{query.rstrip().rstrip(';')}\n/* {run} */;\n" for query in queries for run in range(runs))
    command = [BUILD / "lanewise", "sql", "--db", database, "--read-only", "--device", arguments.device, "--threads", str(arguments.threads), "--timing", "--format", "json"]
    if arguments.memory_limit:
        command += ["--memory-limit", arguments.memory_limit]
    if arguments.device_memory:
        command += ["--device-memory", arguments.device_memory]
    done = subprocess.run(command, input=script, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("plan ")]
    if done.returncode or len(lines) != runs * len(queries):
        sys.exit(f"lanewise: exit code {done.returncode}: {done.stderr[-2000:]}")
    answers = corpus.json_answers(done.stdout)
    times = [[milliseconds(line) for line in lines[i:i + runs]] for i in range(0, len(lines), runs)]
    spilled = [re.search(r"; (.*) in temporary files", lines[i]) for i in range(runs - 1, len(lines), runs)]
    return times, answers[::runs], [found[1] if found else "" for found in spilled]


def chosen(queries, only):
    """The queries that --only names; all, if it names none."""
    if not only:
        return queries
    if unknown := [name for name in only.split(";") if name not in queries]:
        sys.exit(f"--only: there is no query '{unknown[0]}'. There are: {'; '.join(queries)}")
    return {name: queries[name] for name in only.split(";")}


def compare(database, queries, arguments):
    """Prints a line for each query, by name; returns how many answers differ."""
    queries = chosen(queries, arguments.only)
    names, texts = list(queries), list(queries.values())
    with duckdb.connect(str(database), read_only=True) as connection:
        expected = corpus.duckdb_answers(connection, [corpus.Block("query", True, "", query.strip().rstrip(";"), 0) for query in texts])
    ours, theirs, first = [[] for _ in texts], [[] for _ in texts], None
    for _ in range(arguments.rounds):
        rival = run_duckdb(database, texts, arguments.threads, arguments.runs, arguments.memory_limit)
        times, answers, spilled = run_lanewise(database, texts, arguments)
        first = first or [runs[0] for runs in times]
        for found, more in [*zip(ours, times), *zip(theirs, rival)]:
            found += more[1:]

    wrong = 0
    ours, theirs = [list(map(statistics.median, times)) for times in (ours, theirs)]
    ratios = [their / our for our, their in zip(ours, theirs)]
    print(f"{'query':9}{'first':>10}{'Lanewise':>10}{'DuckDB':>10}{'ratio':>8}   ms, median of {arguments.rounds * (arguments.runs - 1)} runs after the first")
    for name, start, our, their, answer, right, temporary in zip(names, first, ours, theirs, answers, expected, spilled):
        difference = corpus.difference(answer, right, True)
        wrong += bool(difference)
        print(f"{name:9}{start:10.1f}{our:10.1f}{their:10.1f}{their / our:8.2f}" + (f"   {temporary} in temporary files" if temporary else "") + (f"   DIFFERENT: {difference}" if difference else ""))
    print(f"{'total':9}{sum(first):10.1f}{sum(ours):10.1f}{sum(theirs):10.1f}{sum(theirs) / sum(ours):8.2f}")
    print(f"geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}; answers that differ: {wrong}")
    return wrong
