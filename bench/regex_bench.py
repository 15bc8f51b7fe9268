"""Patterns compared with RE2, Hyperscan, Vectorscan, StringZilla (literals), ripgrep and DuckDB: one core, hot columns, the same run, equal counts.

    ./dev bench regex                        file paths (Debian's index) and generated access logs, the whole set
    ./dev bench regex --text paths -p README one text, one pattern
    ./dev bench regex --lanes avx2 --quick   other lanes, for Hyperscan and Vectorscan too; without DuckDB and ripgrep

The least processor time of several runs counts, so that other work on the machine matters less. DuckDB is compared with `lanewise sql`: both run
whole queries over a table in memory. The others are compared with the matcher alone. Hyperscan and Vectorscan run row by row and over the whole text,
with UTF-8 and without; ripgrep (`-c`, a whole process) runs with Unicode and without. The fastest variant whose count is RE2's is taken.
"""

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
from types import SimpleNamespace

import duckdb
import sql_bench
from sql_bench import BUILD, DATA, ROOT, finish, table_file

TEXTS = ["paths", "logs"]
MUST = {"duckdb": 8, "re2": 6, "hyperscan or vectorscan": 2}
AIM = {"duckdb": 15, "re2": 12, "hyperscan or vectorscan": 4}
EACH_MUST, EACH_AIM = 0.8, 1  # times the best rival
COMPILE_MUST, COMPILE_AIM = 5e-3, 1e-3


def text_file(text):
    path = DATA / "bench" / f"regex_{text}.txt"
    if not path.exists():
        table = table_file(f"regex_{text}")
        duckdb.execute(f"COPY (FROM '{table}') TO '{path}.part' (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\t')")
        path.with_suffix(".txt.part").rename(path)
    return path


def ripgrep(path, pattern, hits, rounds):
    """Seconds of the fastest variant with the same count, or nothing."""
    seconds = []
    for unicode in ("--no-unicode", "--unicode"):
        command = ["rg", "--no-config", "-j1", "-c", unicode, "-e", pattern, path]
        for turn in range(rounds + 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if int(output or 0) != hits:
                break
            if turn:
                seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(seconds, default=None)


def add_sql(name, results, rounds, lanes):
    """Whole queries, which may use statistics first: those of DuckDB, and ours for comparison."""
    options = SimpleNamespace(threads=1, clock=["cpu"], lanes=lanes)
    quoted = [result["pattern"].replace("'", "''") for result in results]
    queries = [f"SELECT count(*) AS n FROM {name} WHERE regexp_matches(line, '{pattern}')" for pattern in quoted]
    for engine in [sql_bench.Lanewise(options, kept="TABLE"), *sql_bench.rivals(options)]:
        times, output, _ = engine.run(name, queries, rounds)
        counts = [int(re.search(r"(\d+)\D*$", line)[1]) for line in output.splitlines() if line][-len(times):]
        what = "lanewise sql" if engine.name == "lanewise" else "duckdb"
        for i, result in enumerate(results):
            if counts[i * (rounds + 1)] != result["hits"]:
                sys.exit(f"{result['pattern']}: {engine.name} finds {counts[i * (rounds + 1)]} rows, RE2 {result['hits']}")
            seconds = min(times[i * (rounds + 1) + 1:(i + 1) * (rounds + 1)])
            result["seconds"][what] = min(seconds, result["seconds"].get(what, seconds))


def measure(text, options):
    path = text_file(text)
    command = [BUILD / "bench" / "rivals" / "lanewise_rival_regex", path, str(options.rounds), options.lanes, ROOT / ".cache",
               *options.pattern]
    read, *results = [json.loads(line) for line in finish(command, "")[0].splitlines()]
    if not options.quick:
        for result in results:
            seconds = ripgrep(path, result["pattern"], result["hits"], options.rounds)
            if seconds:
                result["seconds"]["ripgrep"] = seconds
        add_sql(f"regex_{text}", results, options.rounds, options.lanes)
    for result in results:
        seconds = result["seconds"]
        scans = [seconds.pop(name) for name in ("hyperscan", "vectorscan") if name in seconds]
        if scans:
            seconds["hyperscan or vectorscan"] = min(scans)
    return read["read"], results


def verdict(value, must, aim):
    return "aim" if value >= aim else "must" if value >= must else "MISSED"


def report(text, read, results):
    rivals = [name for name in ("duckdb", "re2", "hyperscan or vectorscan", "stringzilla", "ripgrep") if any(name in r["seconds"] for r in results)]
    rows, size = results[0]["rows"], results[0]["bytes"]
    print(f"\n{text}: {rows:,} rows, {size / 1e6:.0f} MB, which a plain loop reads at {read / 1e9:.1f} GB/s; ratios are lanewise's speed by the rival's\n")
    print("| pattern | rows that match | form | compiled | lanewise | " + " | ".join(rivals) + " | the best rival | |")
    print("| --- | ---: | --- | ---: | ---: |" + " ---: |" * (len(rivals) + 1) + " --- |")
    ratios = {name: [] for name in rivals}
    for result in results:
        ours = result["seconds"]["lanewise"]
        sql = result["seconds"].get("lanewise sql")
        each = {name: result["seconds"][name] / (sql if name == "duckdb" else ours) for name in rivals if name in result["seconds"]}
        for name, ratio in each.items():
            ratios[name].append(ratio)
        worst = min(each.values())
        judged = verdict(worst, EACH_MUST, EACH_AIM)
        if result["compile"] > COMPILE_MUST:
            judged += ", compiled too slowly"
        cells = " | ".join(f"{each[name]:.1f} ×" if name in each else "–" for name in rivals)
        share = 100 * result["hits"] / rows
        shown = result["pattern"].replace("|", "\\|")
        print(f"| `{shown}` | {float(f'{share:.2g}'):g} % | {result['form']} | {1e3 * result['compile']:.2f} ms | "
              f"{size / 1e9 / ours:.2f} GB/s | {cells} | {worst:.2f} × | {judged} |")
    speeds = [size / 1e9 / result["seconds"]["lanewise"] for result in results]
    means = " | ".join(f"{statistics.geometric_mean(ratios[name]):.1f} ×" for name in rivals)
    print(f"| *geometric mean* | | | | {statistics.geometric_mean(speeds):.2f} GB/s | {means} | | |")
    return ratios


def main():
    parser = argparse.ArgumentParser(prog="./dev bench regex", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--text", choices=TEXTS, action="append")
    parser.add_argument("-p", "--pattern", action="append", default=[])
    parser.add_argument("--lanes", default="simd")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="without DuckDB and ripgrep")
    options = parser.parse_args()
    print(f"{sql_bench.cpu()}; 1 thread, hot columns, lanes {options.lanes}; the least processor time of {options.rounds} runs")
    all_ratios = {}
    for text in options.text or TEXTS:
        for name, ratios in report(text, *measure(text, options)).items():
            all_ratios.setdefault(name, []).extend(ratios)
    print("\n| geometric mean over all | times | must | aim | |\n| --- | ---: | ---: | ---: | --- |")
    for name, must in MUST.items():
        if name in all_ratios:
            mean = statistics.geometric_mean(all_ratios[name])
            print(f"| {name} | {mean:.2f} × | {must} × | {AIM[name]} × | {verdict(mean, must, AIM[name])} |")


if __name__ == "__main__":
    main()
