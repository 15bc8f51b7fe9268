"""Joins of two tables against DuckDB: the same database file, the same number of threads, hot, equal answers.

Each engine runs every query RUNS times in one process. The best run after the first one counts, including the build side. Lanewise keeps the plan of
the first run, DuckDB plans each. On a GPU the time of the kernels alone is shown, too. Rates are in billions of pairs a second.

    ./dev bench join                        2^24 rows probe 2^21, on the CPU
    ./dev bench join --device cuda --large  2^27 rows probe 2^24, on a GPU; DuckDB on all cores
    ./dev bench join --device cuda --large --forms
                                            only repeated keys, with each strategy for pairs
    ./dev bench join --forms                the same on the lanes of the CPU, with the lanes' use
"""

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import duckdb

import suite

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("LANEWISE_BUILD", ROOT / "build"))
MILLISECONDS = {"µs": 1e-3, "ms": 1.0, "s": 1e3}

RANDOM = "(({})::BIGINT * 2654435761 % 4294967296 - 2147483648)::INT"  # a different int32 for each number below 2^32
SHUFFLED = "(({})::BIGINT * 2654435761 % {})::INT"  # a different number below a power of two for each
TABLES = {
    "probes": f"""SELECT {RANDOM.format("hash(i) % {builds}")} AS k, {RANDOM.format("hash(i) % ({builds} * 10)")} AS k10,
                  (hash(i) % {{builds}})::INT AS d, (hash(i) % ({{builds}} * 10))::INT AS d10, (hash(i + 7) % 1048576)::INT AS q, ((hash(i + 9) // 8589934592)::BIGINT - 1073741824)::INT AS v
                  FROM numbers""",
    "builds": f"SELECT {RANDOM.format('i')} AS k, {SHUFFLED.format('i', '{builds}')} AS d, (hash(i + 3) % 1000)::INT AS p FROM numbers WHERE i < {{builds}}",
    # The number of rows of each of 2^20 keys. No p is below all v, by which DuckDB would filter rows.
    "fours": "SELECT (i // 4)::INT AS q, ((hash(i + 9) // 8589934592)::BIGINT - 1073741824)::INT AS p FROM range(4194304) r(i)",
    "few_thousands": """SELECT i::INT AS q, ((hash(i + n) // 8589934592)::BIGINT - 1073741824)::INT AS p
                        FROM (SELECT i, unnest(range(CASE WHEN hash(i) % 64 = 0 THEN 1000 ELSE 1 END)) AS n FROM range(1048576) r(i))""",
    "zipf_1": "SELECT q, ((hash(q * 1000 + n) // 8589934592)::BIGINT - 1073741824)::INT AS p FROM (SELECT (i * 2654435761 % 1048576)::INT AS q, unnest(range(round(16e6 / (i + 1) / 14.44)::BIGINT)) AS n FROM range(1048576) r(i))",
    "zipf_15": """SELECT q, ((hash(q * 1000 + n) // 8589934592)::BIGINT - 1073741824)::INT AS p FROM (SELECT (i * 2654435761 % 1048576)::INT AS q,
                  unnest(range(least(65536, round(16e6 / pow(i + 1, 1.5) / 2.612))::BIGINT)) AS n FROM range(1048576) r(i))""",
}


QUERIES = {
    "random keys": "SELECT count(*), sum(b.p) FROM probes t JOIN builds b ON t.k = b.k",
    "random keys, 10 % hits": "SELECT count(*), sum(b.p) FROM probes t JOIN builds b ON t.k10 = b.k",
    "dense keys": "SELECT count(*), sum(b.p) FROM probes t JOIN builds b ON t.d = b.d",
    "dense keys, 10 % hits": "SELECT count(*), sum(b.p) FROM probes t JOIN builds b ON t.d10 = b.d",
    "semi join": "SELECT count(*) FROM probes SEMI JOIN builds USING (d)",
    "semi join, 10 % hits": "SELECT count(*) FROM probes t WHERE d10 IN (SELECT d FROM builds)",
}
# The build side, and the share of probes that match it: enough for DuckDB to choose that side for the build.
PAIRS = {"4 pairs a row": ("fours", 2), "1 row of 64 has 1,000": ("few_thousands", 4), "Zipf 1.0": ("zipf_1", 4), "Zipf 1.5": ("zipf_15", 16)}
FORMS = {"cpu": ["naive", "refill", "balanced", "whole", "mixed"], "cuda": ["naive", "refill", "balanced", "mixed", "queued", "written"]}
AS_WRITTEN = "SET disabled_optimizers = 'join_order,build_side_probe_side'"  # the repeated keys are the build side, although it is the larger one
for name, (table, share) in PAIRS.items():
    TABLES[f"probes_{share}"] = f"SELECT q, v FROM probes LIMIT {{probes}} // {share}"
    QUERIES[name] = f"SELECT count(*), sum(b.p) FROM probes_{share} t JOIN {table} b ON t.q = b.q AND b.p > t.v"


def make_database(folder, probes, builds):
    database = folder / f"joins-{probes}-{builds}.duckdb"
    if not database.exists():
        with duckdb.connect(database.with_suffix(".new")) as connection:
            connection.execute(f"CREATE TEMP TABLE numbers AS SELECT i FROM range({probes}) r(i)")  # read by all threads, unlike range()
            for name, query in TABLES.items():
                connection.execute(f"CREATE TABLE {name} AS {query.format(probes=probes, builds=builds)}")
        database.with_suffix(".new").rename(database)
    return database


def run_duckdb(connection, query, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        answer = connection.execute(query).fetchall()
        times.append((time.perf_counter() - start) * 1e3)
    return min(times[1:]), ",".join(map(str, answer[0]))


def total(values):
    return sum(float(value) * MILLISECONDS[unit] for value, unit in values)


def run_lanewise(database, query, runs, arguments, *more, before=""):
    """Milliseconds of a run, of its kernels and of those after the build, the answer, how keys were found, and the use of a core's lanes."""
    command = [BUILD / "lanewise", "sql", "--db", database, "--read-only", "--device", arguments.device, "--threads", str(arguments.threads), "--timing", "--profile",
               "--format", "csv", *more]
    done = subprocess.run(command, input=before + f"{query};\n" * runs, capture_output=True, text=True)
    reports = re.split(r"^(?=plan )", done.stderr, flags=re.M)[1:][-runs:]
    walls = [total(re.findall(r"(?:plan|run) ([\d.]+) (µs|ms|s)", report.splitlines()[0])) for report in reports]
    if done.returncode or len(walls) != runs:
        sys.exit(f"lanewise: exit code {done.returncode}: {done.stderr[-2000:]}")
    kernels = re.findall(r"kernels ([\d.]+) (µs|ms|s)", reports[-1])  # the last pipeline first
    lookups = re.findall(r"keys: \d+ rows, (.*?) \d", done.stderr)
    used = re.findall(r"^ *Join .* ([\d.]+) % +\w+$", reports[-1], flags=re.M)
    return min(walls[1:]), total(kernels), total(kernels[:1]), done.stdout.split()[-1], lookups[-1] if lookups else "", used[0] if used else ""


def forms_of(form, device):
    if device == "cpu":
        return ["--join-pairs", form or "auto"]
    return ["--device-strategy", f"pairs={form}"] if form else []


def compare_forms(database, connection, arguments):
    """Prints the pairs per second of each strategy for each build side; returns how many answers differ."""
    on_cpu, wrong = arguments.device == "cpu", 0
    print(f"{'query':26}{'form':12}{'Lanewise':>10}" + (f"{'lanes busy':>12}{'':9}ms, and G pairs/s" if on_cpu else
                                                     f"{'kernels':>9}{'after the build':>18}   ms, and G pairs/s of the last"))
    if on_cpu:
        connection.execute(AS_WRITTEN)
    for name in suite.chosen(PAIRS, arguments.only):
        table, share = PAIRS[name]
        theirs, right = run_duckdb(connection, QUERIES[name], 3)
        pairs = connection.execute(f"SELECT count(*) FROM probes_{share} JOIN {table} USING (q)").fetchone()[0]
        for form in ("", *FORMS[arguments.device]):
            ours, kernels, after, answer, _, used = run_lanewise(database, QUERIES[name], arguments.runs, arguments, *forms_of(form, arguments.device),
                                                                 before=f"{AS_WRITTEN};\n" if on_cpu else "")
            wrong += answer != right
            print(f"{name:26}{form or 'chosen':12}{ours:10.2f}" + (f"{used:>10} %{'':9}{pairs / ours * 1e-6:.3g}" if on_cpu else
                                                                    f"{kernels:9.3f}{after:18.3f}   {pairs / after * 1e-6:.3g}")
                  + (f"   DIFFERENT: {answer}, DuckDB's is {right}" if answer != right else ""), flush=True)
        print(f"{name:26}{'DuckDB':12}{theirs:10.2f}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(prog="./dev bench join", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="eight times as many rows")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, auto (default: cpu)")
    parser.add_argument("--forms", action="store_true", help="compare the ways to pairs")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="of both engines (default: one per core)")
    parser.add_argument("--only", default="", metavar="NAMES", help="of queries, with semicolons between (default: all)")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "data", help="where the database is kept")
    arguments = parser.parse_args()
    if arguments.forms and arguments.device not in FORMS:
        parser.error("--forms needs --device cpu or cuda")

    probes, builds = (1 << 27, 1 << 24) if arguments.large else (1 << 24, 1 << 21)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    database = make_database(arguments.folder, probes, builds)
    if arguments.forms:
        with duckdb.connect(str(database), read_only=True, config={"threads": arguments.threads}) as connection:
            sys.exit(1 if compare_forms(database, connection, arguments) else 0)
    wrong = 0
    print(f"{'query':26}{'Lanewise':>10}{'kernels':>9}{'DuckDB':>10}{'ratio':>8}   ms, best of {arguments.runs - 1} behind the first")
    with duckdb.connect(str(database), read_only=True, config={"threads": arguments.threads}) as connection:
        for name, query in suite.chosen(QUERIES, arguments.only).items():
            theirs, right = run_duckdb(connection, query, 3)
            ours, kernels, after, answer, lookup, _ = run_lanewise(database, query, arguments.runs, arguments)
            wrong += answer != right
            line = f"{name:26}{ours:10.2f}{kernels:9.3f}{theirs:10.1f}{theirs / ours:8.2f}   {lookup}"
            if name in PAIRS:
                table, share = PAIRS[name]
                count = connection.execute(f"SELECT count(*) FROM probes_{share} JOIN {table} USING (q)").fetchone()[0]
                line += f", {count / 1e6:.0f} M pairs, {count / ours * 1e-6:.3g} G/s" + (f", after the build {count / after * 1e-6:.3g}" if after else "")
            print(line + (f"   DIFFERENT: {answer}, DuckDB's is {right}" if answer != right else ""), flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
