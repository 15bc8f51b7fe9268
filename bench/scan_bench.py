"""A filter and a sum of one int32 column, level by level, against DuckDB: one core, hot columns, in turns.

`lanewise bench scan` and DuckDB see columns of the same kind: values 0 to 5, exactly 20 % of them 3, in random order.
DuckDB counts the rows that its filter selects, since it cannot return a bitmap.

    ./dev bench scan                     2^26 rows
    ./dev bench scan --rows 268435456
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
RIVALS = {
    "duckdb 1.5.6": [BUILD / "bench" / "rivals" / "lanewise_rival_duckdb"],
    "duckdb 2.0.0": [ROOT / ".cache" / "rivals" / "bin" / "python", ROOT / "bench" / "rivals" / "duckdb_wheel.py"],
}
# task of lanewise, query of DuckDB
WORKS = {"bitmap": "SELECT count(*) FROM t WHERE v = 3", "sum": "SELECT sum(v) FROM t"}
SHARE = 5  # one row in this many is 3
# Goals: for a bitmap times DuckDB, for a sum the share of the read rate.
MUST, AIM = {"bitmap": 2, "sum": 0.6}, {"bitmap": 4, "sum": 0.85}


def finish(command, script=""):
    done = subprocess.run([str(word) for word in command], input=script, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stderr}")
    return done.stdout


def lanewise(rows, repeat):
    """GB/s by (task, level), and the read rate."""
    report = json.loads(finish([BUILD / "lanewise", "bench", "scan", "--rows", rows, "--repeat", repeat, "--selectivity", 100 // SHARE,
                                "--work", ",".join(WORKS), "--levels", "scalar,auto,avx2,avx512", "--json"]))
    rates = {(group["work"], level["level"]): level["gb_per_second"] for group in report["groups"] for level in group["levels"]
             if "gb_per_second" in level}
    return rates, report["read_gb_per_second"], report["processor"]


def duckdb(command, rows, repeat):
    """GB/s by task. An odd factor permutes the row numbers, so the share is exact."""
    place = f"(i * 2654435761) % {rows}"
    script = f"""CREATE TABLE t AS SELECT (CASE WHEN {place} < {rows // SHARE} THEN 3 ELSE [0, 1, 2, 4, 5][1 + (hash(i) % 5)::INT] END)::INT AS v
                 FROM range({rows}) r(i);\n"""
    script += "".join((query + ";\n") * (repeat + 1) for query in WORKS.values())
    lines = finish([*command, 1], script).splitlines()[1:]
    rates = {}
    for number, work in enumerate(WORKS):
        runs = [line.split(" ", 1) for line in lines[number * (repeat + 1):(number + 1) * (repeat + 1)]]
        if work == "bitmap" and runs[0][1] != str(rows // SHARE):
            sys.exit(f"DuckDB selects {runs[0][1]} rows, not {rows // SHARE}")
        rates[work] = rows * 4 / statistics.median(float(seconds) for seconds, _ in runs[1:]) / 1e9
    return rates


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1 << 26, help="a power of two")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    rivals = {name: command for name, command in RIVALS.items() if Path(command[0]).exists()}
    ours, theirs, reads = {}, {}, []
    for _ in range(options.rounds):
        rates, read, processor = lanewise(options.rows, options.repeat)
        reads.append(read)
        for key, rate in rates.items():
            ours.setdefault(key, []).append(rate)
        for name, command in rivals.items():
            for work, rate in duckdb(command, options.rows, options.repeat).items():
                theirs.setdefault((work, name), []).append(rate)
    read = statistics.median(reads)
    levels = list(dict.fromkeys(level for _, level in ours))
    print(f"{processor}; one core reads {read:.1f} GB/s; {options.rows:,} int32, one in {SHARE} selected. GB/s:\n")
    print("| work | " + " | ".join([*levels, *rivals]) + " | avx2 / avx512 | must | aim | |")
    print("| --- |" + " ---: |" * (len(levels) + len(rivals) + 3) + " --- |")
    missed = False
    for work in WORKS:
        mine = {level: statistics.median(ours[work, level]) for level in levels}
        other = {name: statistics.median(theirs[work, name]) for name in rivals}
        fastest = max(other.values())
        ratios, verdicts = [], []
        for level in ("avx2", "avx512"):
            if level in mine:
                ratio = mine[level] / (fastest if work == "bitmap" else read)
                ratios.append(f"{ratio:.2f}")
                verdicts.append("aim" if ratio >= AIM[work] else "must" if ratio >= MUST[work] else "MISSED")
        missed |= "MISSED" in verdicts
        cells = " | ".join(f"{rate:.2f}" for rate in [*mine.values(), *other.values()])
        unit = "× DuckDB" if work == "bitmap" else "R"
        print(f"| {work} | {cells} | {' / '.join(ratios)} {unit} | {MUST[work]} | {AIM[work]} | {' / '.join(verdicts)} |")
    sys.exit(missed)


if __name__ == "__main__":
    main()
