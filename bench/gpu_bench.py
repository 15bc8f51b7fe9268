"""Times of `lanewise sql --device cuda`, on a machine with a GPU.

  python3 bench/gpu_bench.py [--program build/lanewise] [--mega-rows 1024] [--repeats 9] [--only WORD] [--kernels]

Each query runs once to read, upload and compile, and then --repeats times. The output is the median time in kernels, and the bytes of the
columns that the query reads divided by that time. For strings the bytes do not include the offsets. With --kernels the output also has the
time of each kernel in the last run. For skewed rows it has the occupancy of lanes, counted in runs that are not timed. Default sizes: 2^30
rows of int32, 2^28 rows to group or sort, 2^26 strings, lineitem of scale factor 10. If nvcc is there, CUB's reduction and the naive byte
kernel are compiled and measured, too. --only takes a part of the name of a query or a table ("skewed", "TPC-H", "CUB", "naive", "occupancy").
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import gpu_texts

MEGA = 1 << 20
SEEDS = 4 * MEGA  # enough row groups for DuckDB to give each core some
UNITS = {"µs": 1e-3, "ms": 1, "s": 1e3}  # in milliseconds


def numbers(rows):
    """This many rows i, at most SEEDS or a multiple, in an order of their own. All cores generate them, which DuckDB's range() alone would not do."""
    return f"(SELECT s.i + k.k * {SEEDS} AS i FROM seeds s, range({max(1, rows // SEEDS)}) k(k) WHERE s.i < {rows})"


def tables(rows):
    """Name and query of each table."""
    texts, pairs = rows // 16, rows // 4
    name = "substr(md5({0}::VARCHAR) || md5(({0} + 1)::VARCHAR), 1, 8 + ({0} % 33)::INT)"
    return {
        "ints": f"SELECT (hash(i) % 1000)::INT n, (hash(i + 7) % 1000000)::BIGINT x FROM {numbers(rows)}",
        **gpu_texts.tables(numbers(texts)),
        "pairs": f"SELECT (hash(i) % 1000)::INT n, (hash(i + 3) % 10000000)::INT m, (i % 1000)::INT v FROM {numbers(pairs)}",
        "names": f"""SELECT {name.format("(hash(i) % 1000)")} s, {name.format("(hash(i) % 1000000)")} m FROM {numbers(texts)}""",
        "longs": f"SELECT (hash(i) % 1000000)::BIGINT x FROM {numbers(rows // 8 * 3)}",
        "lineitem": f"""SELECT DATE '1992-01-02' + (hash(i) % 2526)::INT shipdate,
            (hash(i + 1) % 50 + 1)::DECIMAL(15, 2) quantity, (hash(i + 2) % 10000000 / 100)::DECIMAL(15, 2) price,
            (hash(i + 3) % 11 / 100)::DECIMAL(15, 2) discount, (hash(i + 4) % 9 / 100)::DECIMAL(15, 2) tax,
            substr('NAR', (hash(i + 5) % 3 + 1)::INT, 1) flag, substr('OF', (hash(i + 6) % 2 + 1)::INT, 1) status
            FROM {numbers(60 * MEGA)}""",
    }


def queries(rows):
    """Name, query, bytes of its columns; for strings without offsets."""
    texts, pairs = rows // 16, rows // 4
    return [
        ("count, 1 % of int32", "SELECT count(*) FROM ints WHERE n < 10", 4 * rows),
        ("count, half of int32", "SELECT count(*) FROM ints WHERE n < 500", 4 * rows),
        ("sum of int32", "SELECT sum(n) FROM ints", 4 * rows),
        ("min, max of int32", "SELECT min(n), max(n) FROM ints", 4 * rows),
        ("sum of int64", "SELECT sum(x) FROM ints", 8 * rows),
        ("sum of int64, filtered", "SELECT sum(x) FROM ints WHERE n < 500", 12 * rows),
        ("rows, 1 in 1000", "SELECT n, x FROM ints WHERE n = 7", 4 * rows),
        *gpu_texts.queries(texts),
        ("GROUP BY, 1,000 ints", "SELECT n, sum(v) FROM pairs GROUP BY n", 8 * pairs),
        ("GROUP BY, 10 M ints", "SELECT m, sum(v) FROM pairs GROUP BY m", 8 * pairs),
        ("GROUP BY, 1,000 strings", "SELECT s, count(*) FROM names GROUP BY s", texts * 24),
        ("GROUP BY, 1 M strings", "SELECT m, count(*) FROM names GROUP BY m", texts * 24),
        ("ORDER BY int32, all rows", f"SELECT m, v FROM pairs ORDER BY m LIMIT 1 OFFSET {pairs - 1}", 8 * pairs),
        ("ORDER BY int32, LIMIT 100", "SELECT m, v FROM pairs ORDER BY m DESC LIMIT 100", 4 * pairs),
        ("ORDER BY string, LIMIT 100", "SELECT m FROM names ORDER BY m LIMIT 100", texts * 24),
        ("ORDER BY string, all rows", f"SELECT s FROM names ORDER BY m LIMIT 1 OFFSET {texts - 1}", texts * 24),
        ("max of strings in 1,000 groups", "SELECT s, max(m) FROM names GROUP BY s", texts * 48),
        ("count(DISTINCT), 10 M ints", "SELECT count(DISTINCT m) FROM pairs", 4 * pairs),
        ("TPC-H Q6", """SELECT sum(price * discount) FROM lineitem WHERE shipdate >= DATE '1994-01-01' AND
            shipdate < DATE '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24""", 28 * 60 * MEGA),
        ("TPC-H Q1", """SELECT flag, status, sum(quantity), sum(price), sum(price * (1 - discount)),
            sum(price * (1 - discount) * (1 + tax)), avg(quantity), avg(price), avg(discount), count(*) FROM lineitem
            WHERE shipdate <= DATE '1998-09-02' GROUP BY flag, status""", 46 * 60 * MEGA),
    ]


# Takes about a second in DuckDB: time for kernels that are compiled in the background.
PAUSE = "CREATE TEMP TABLE pause AS SELECT max(hash(i)) FROM range(150000000) r(i)"
STREAMED = "SELECT sum(x) FROM longs WHERE x < 500000"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/lanewise")
    parser.add_argument("--mega-rows", type=int, default=1024,
                        help="of int32, in 2^20, a power of two; to group or sort a quarter, of texts a sixteenth")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--kernels", action="store_true", help="also the time of each kernel")
    parser.add_argument("--stream", action="store_true", help="only what is three times as large as the GPU's memory is said to be")
    parser.add_argument("--only", default="", help="queries whose name, or whose table's, contains it")
    arguments = parser.parse_args()
    rows = arguments.mega_rows * MEGA
    if arguments.stream:
        return stream(arguments, rows)
    if arguments.only in "CUB's reduction":
        compiled_here("cub_reduce.cu")
    asked = queries(rows)
    for table, sql in tables(rows).items():
        run(arguments, table, sql, asked)
    run(arguments, "skewed", tables(rows)["skewed"], gpu_texts.naive(rows // 16), "--device-strategy", "naive")
    occupancy(arguments, tables(rows)["skewed"])
    if arguments.only in "naive byte kernel":
        compiled_here("naive_bytes.cu")


def occupancy(arguments, sql):
    """The share of busy lanes on skewed rows, if they wait for the warp's longest row and if they take new ones. Counting takes time, so no time is
    reported."""
    for how, strategy in {"naive": "naive,occupancy", "refill": "occupancy", "refill=32": "refill=32,occupancy"}.items():
        name = f"skewed: occupancy, {how}"
        if arguments.only in name:
            told = profiles(arguments, "skewed", sql, [gpu_texts.naive(0)[0][1]], "--device-strategy", strategy)
            print(f"{name:<46} {re.search(r'match_0 .*, occupancy ([0-9.]+) %', told)[1]:>8} %", flush=True)


def compiled_here(name):
    """The output of a program next to this one, compiled for this machine's GPU."""
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc is None:
        return print(f"{name}: nvcc is not here")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        made = subprocess.run([nvcc, "-O3", "-std=c++20", "-arch=native", "-o", program, Path(__file__).with_name(name)],
                              capture_output=True, text=True)
        told = made if made.returncode else subprocess.run([program], capture_output=True, text=True)
        print(told.stdout + told.stderr if told.returncode else told.stdout, end="", flush=True)


def profiles(arguments, table, sql, asked, *options):
    """Creates a table and runs the queries over it, in one process; returns their reports."""
    made = [f"SET preserve_insertion_order = false; CREATE TABLE seeds AS SELECT i FROM range({SEEDS}) r(i)",
            *([gpu_texts.PIECES] if "JOIN pieces" in sql else []), f"CREATE TABLE {table} AS {sql}"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.sql"
        file.write_text(";\n".join([*made, *asked]) + ";")
        result = subprocess.run([arguments.program, "sql", "-f", file, "--device", "cuda", "--profile", "--timing", *options, "-o",
                                 Path(folder) / "answer.csv"], capture_output=True, text=True, env={**os.environ, "COLUMNS": "4000"})
    if result.returncode:
        sys.exit(result.stderr)
    return result.stderr


def stream(arguments, rows):
    """A filtered sum of 3/8 x rows numbers of 8 bytes, with memory for a third of them: the rate of the whole run of batches. Cold: they are read
    from the table."""
    told = profiles(arguments, "longs", tables(rows)["longs"], [STREAMED] * (arguments.repeats + 1), "--device-memory", f"{rows}B")
    rates = [float(rate) for rate in re.findall(r"uploaded .*? at ([0-9.]+) GB/s", told)]
    batches = re.findall(r" in (\d+) batches", told)
    walls = [float(time) * UNITS[unit] for time, unit in re.findall(r"^plan .*, run ([0-9.]+) (\S+?)(?:,.*)?$", told, flags=re.M)]
    hot = rates[1:]
    print(f"{rows * 3 / 1e9:.1f} GB in {batches[-1]} batches: {statistics.median(hot):.1f} GB/s ({min(hot):.1f} to {max(hot):.1f}), "
          f"{statistics.median(walls[-len(hot):]):.0f} ms in all; cold {rates[0]:.1f} GB/s, {walls[-len(rates)]:.0f} ms in all")


def kernel_ms(note):
    return sum(map(float, re.findall(r"cuda:0: kernels ([0-9.]+) ms", note)))


def run(arguments, table, sql, queries, *options):
    """Runs the selected queries of a table, and prints a line for each."""
    runs = arguments.repeats
    asked = [query for query in queries if f"FROM {table}" in query[1] and (arguments.only in query[0] or arguments.only in table)]
    if not asked:
        return
    told = profiles(arguments, table, sql, [*(query for _, query, _ in asked), PAUSE, *(query for _, query, _ in asked for _ in range(runs))], *options)
    # A query may have several pipelines. Those that created the tables come first.
    wanted = len(asked) * runs
    notes = re.split(r"^plan .*$", told, flags=re.M)
    first, notes = notes[-wanted - 1 - len(asked):-wanted - 1], notes[-wanted:]
    walls = re.findall(r"^plan .*, run ([0-9.]+) (\S+?)(?:,.*)?$", told, flags=re.M)[-wanted:]
    kernels = [kernel_ms(note) for note in notes]
    for i, (name, _, size) in enumerate(asked):
        times = kernels[i * runs:(i + 1) * runs]
        median = statistics.median(times)
        wall = statistics.median(float(time) * UNITS[unit] for time, unit in walls[i * runs:(i + 1) * runs])
        compiled = sum(map(float, re.findall(r", compiled in ([0-9.]+) ms", first[i])))
        beside = f", its own kernel beside: first {kernel_ms(first[i]):.1f} ms" if " put_slots " in first[i] else ""
        print(f"{name:<46} {median:8.3f} ms {min(times):8.3f} least {size / median / 1e6:7.0f} GB/s, "
              f"{wall:.1f} ms in all, compiled in {compiled:.0f} ms{beside}", flush=True)
        if arguments.kernels:
            print(*(f"    {line}" for line in re.findall(r"^.*?(\w+ [0-9.]+ ms.*)$", notes[(i + 1) * runs - 1], flags=re.M)
                    if "kernels" not in line), sep="\n", flush=True)


if __name__ == "__main__":
    main()
