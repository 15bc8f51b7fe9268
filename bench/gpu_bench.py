"""Times of `lanewise sql --device cuda`, on a machine with a GPU.

  python3 bench/gpu_bench.py [--program build/lanewise] [--mega-rows 512] [--repeats 9] [--only WORD] [--kernels]

Each query runs --repeats + 1 times; the first one reads, uploads and compiles. Printed are the median time in kernels, and bytes
of the columns it reads over that time; with --kernels also what each kernel took in the last run.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MEGA = 1 << 20
SEEDS = MEGA // 4
UNITS = {"µs": 1e-3, "ms": 1, "s": 1e3}  # in milliseconds


def numbers(rows):
    """So many rows i, in an order of their own: by all cores, which DuckDB's range() alone is not."""
    return f"(SELECT s.i + k.k * {SEEDS} AS i FROM seeds s, range({rows // SEEDS}) k(k))"


def tables(rows):
    """Name and query of each table."""
    texts, pairs = rows // 8, rows // 2
    name = "substr(md5({0}::VARCHAR) || md5(({0} + 1)::VARCHAR), 1, 8 + ({0} % 33)::INT)"
    return {
        "ints": f"SELECT (hash(i) % 1000)::INT n, (hash(i + 7) % 1000000)::BIGINT x FROM {numbers(rows)}",
        "texts": f"""SELECT md5(i::VARCHAR) || CASE WHEN i % 10 = 0 THEN 'google.de/42xyz'
            ELSE substr(md5((i + 5)::VARCHAR), 1, 15) END || substr(md5((i + 1)::VARCHAR), 1, 17) AS s, (i % 1000)::INT n
            FROM {numbers(texts)}""",
        "pairs": f"SELECT (hash(i) % 1000)::INT n, (hash(i + 3) % 10000000)::INT m, (i % 1000)::INT v FROM {numbers(pairs)}",
        "names": f"""SELECT {name.format("(hash(i) % 1000)")} s, {name.format("(hash(i) % 1000000)")} m FROM {numbers(texts)}""",
        "lineitem": f"""SELECT DATE '1992-01-02' + (hash(i) % 2526)::INT shipdate,
            (hash(i + 1) % 50 + 1)::DECIMAL(15, 2) quantity, (hash(i + 2) % 10000000 / 100)::DECIMAL(15, 2) price,
            (hash(i + 3) % 11 / 100)::DECIMAL(15, 2) discount, (hash(i + 4) % 9 / 100)::DECIMAL(15, 2) tax,
            substr('NAR', (hash(i + 5) % 3 + 1)::INT, 1) flag, substr('OF', (hash(i + 6) % 2 + 1)::INT, 1) status
            FROM {numbers(60 * MEGA)}""",
    }


def queries(rows):
    """Name, query, bytes of its columns."""
    text = rows // 8 * 68  # 64 bytes and an offset of 4 each
    like = "SELECT count(*) FROM texts WHERE "
    return [
        ("count, 1 % of int32", "SELECT count(*) FROM ints WHERE n < 10", 4 * rows),
        ("count, half of int32", "SELECT count(*) FROM ints WHERE n < 500", 4 * rows),
        ("sum of int32", "SELECT sum(n) FROM ints", 4 * rows),
        ("min, max of int32", "SELECT min(n), max(n) FROM ints", 4 * rows),
        ("sum of int64", "SELECT sum(x) FROM ints", 8 * rows),
        ("sum of int64, filtered", "SELECT sum(x) FROM ints WHERE n < 500", 12 * rows),
        ("rows, 1 in 1000", "SELECT n, x FROM ints WHERE n = 7", 4 * rows),
        ("LIKE '%google.d%'", like + "s LIKE '%google.d%'", text),
        ("LIKE '%zzqzzqzz%', no hit", like + "s LIKE '%zzqzzqzz%'", text),
        ("LIKE '%ab%'", like + "s LIKE '%ab%'", text),
        ("LIKE after a filter", like + "s LIKE '%google.d%' AND n < 100", text),
        ("regular expression", like + "regexp_matches(s, 'google[.]d|yahoo|bing-')", text),
        ("prefix", like + "s LIKE 'abc%'", text),
        ("equality", f"{like} s = '{'a' * 64}'", text),
        ("GROUP BY, 1,000 ints", "SELECT n, sum(v) FROM pairs GROUP BY n", 4 * rows),
        ("GROUP BY, 10 M ints", "SELECT m, sum(v) FROM pairs GROUP BY m", 4 * rows),
        ("GROUP BY, 1,000 strings", "SELECT s, count(*) FROM names GROUP BY s", rows // 8 * 28),
        ("GROUP BY, 1 M strings", "SELECT m, count(*) FROM names GROUP BY m", rows // 8 * 28),
        ("ORDER BY int32, all rows", f"SELECT m, v FROM pairs ORDER BY m LIMIT 1 OFFSET {rows // 2 - 1}", 8 * rows // 2),
        ("ORDER BY int32, LIMIT 100", "SELECT m, v FROM pairs ORDER BY m DESC LIMIT 100", 4 * rows // 2),
        ("ORDER BY string, LIMIT 100", "SELECT m FROM names ORDER BY m LIMIT 100", rows // 8 * 28),
        ("ORDER BY string, all rows", f"SELECT s FROM names ORDER BY m LIMIT 1 OFFSET {rows // 8 - 1}", rows // 8 * 28),
        ("max of strings in 1,000 groups", "SELECT s, max(m) FROM names GROUP BY s", rows // 8 * 56),
        ("count(DISTINCT), 10 M ints", "SELECT count(DISTINCT m) FROM pairs", 4 * rows // 2),
        ("TPC-H Q6", """SELECT sum(price * discount) FROM lineitem WHERE shipdate >= DATE '1994-01-01' AND
            shipdate < DATE '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24""", 28 * 60 * MEGA),
        ("TPC-H Q1", """SELECT flag, status, sum(quantity), sum(price), sum(price * (1 - discount)),
            sum(price * (1 - discount) * (1 + tax)), avg(quantity), avg(price), avg(discount), count(*) FROM lineitem
            WHERE shipdate <= DATE '1998-09-02' GROUP BY flag, status""", 46 * 60 * MEGA),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/lanewise")
    parser.add_argument("--mega-rows", type=int, default=512, help="of int32, in 2^20; of strings an eighth")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--kernels", action="store_true", help="also the time of each kernel")
    parser.add_argument("--only", default="", help="queries whose name contains it")
    arguments = parser.parse_args()
    rows = arguments.mega_rows * MEGA
    asked = [query for query in queries(rows) if arguments.only in query[0]]
    for table, sql in tables(rows).items():
        of_table = [query for query in asked if f"FROM {table}" in query[1]]
        if of_table:
            run(arguments, table, sql, of_table)


def run(arguments, table, sql, asked):
    """Makes a table and asks the queries over it, all in one process."""
    runs = arguments.repeats + 1
    made = [f"SET preserve_insertion_order = false; CREATE TABLE seeds AS SELECT i FROM range({SEEDS}) r(i)",
            f"CREATE TABLE {table} AS {sql}"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.sql"
        file.write_text(";\n".join([*made, *(query for _, query, _ in asked for _ in range(runs))]) + ";")
        result = subprocess.run([arguments.program, "sql", "-f", file, "--device", "cuda", "--profile", "--timing", "-o",
                                 Path(folder) / "answer.csv"], capture_output=True, text=True, env={**os.environ, "COLUMNS": "4000"})
    if result.returncode:
        sys.exit(result.stderr)
    # A query may be several pipelines. What made the tables comes first.
    notes = re.split(r"^plan .*$", result.stderr, flags=re.M)[-len(asked) * runs:]
    walls = re.findall(r"^plan .*, run ([0-9.]+) (\S+?)(?:,.*)?$", result.stderr, flags=re.M)[-len(asked) * runs:]
    kernels = [sum(map(float, re.findall(r"cuda:0: kernels ([0-9.]+) ms", note))) for note in notes]
    compiled = [sum(map(float, re.findall(r", compiled in ([0-9.]+) ms", note))) for note in notes]
    for i, (name, _, size) in enumerate(asked):
        times = kernels[i * runs + 1:(i + 1) * runs]
        median = statistics.median(times)
        wall = statistics.median(float(time) * UNITS[unit] for time, unit in walls[i * runs + 1:(i + 1) * runs])
        print(f"{name:<30} {median:8.3f} ms {min(times):8.3f} least {size / median / 1e6:7.0f} GB/s, "
              f"{wall:.1f} ms in all, compiled in {compiled[i * runs]:.0f} ms", flush=True)
        if arguments.kernels:
            print(*(f"    {line}" for line in re.findall(r"^.*?(\w+ [0-9.]+ ms.*)$", notes[(i + 1) * runs - 1], flags=re.M)
                    if "kernels" not in line), sep="\n", flush=True)


if __name__ == "__main__":
    main()
