"""Times of `lanewise sql --device cuda`, on a machine with a GPU.

  python3 bench/gpu_bench.py [--program build/lanewise] [--mega-rows 512] [--repeats 9]

Each query runs --repeats + 1 times; the first one reads, uploads and compiles. Printed are the median time between the first and
the last kernel, and bytes of the columns it reads over that time.
"""

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MEGA = 1 << 20


def tables(rows):
    texts = rows // 8
    return [
        f"CREATE TABLE ints AS SELECT (hash(i) % 1000)::INT n, (hash(i + 7) % 1000000)::BIGINT x FROM range({rows}) r(i)",
        f"""CREATE TABLE texts AS SELECT md5(i::VARCHAR) || CASE WHEN i % 10 = 0 THEN 'google.de/42xyz'
            ELSE substr(md5((i + 5)::VARCHAR), 1, 15) END || substr(md5((i + 1)::VARCHAR), 1, 17) AS s, (i % 1000)::INT n
            FROM range({texts}) r(i)""",
        f"""CREATE TABLE lineitem AS SELECT DATE '1992-01-02' + (hash(i) % 2526)::INT shipdate,
            (hash(i + 1) % 50 + 1)::DECIMAL(15, 2) quantity, (hash(i + 2) % 10000000 / 100)::DECIMAL(15, 2) price,
            (hash(i + 3) % 11 / 100)::DECIMAL(15, 2) discount FROM range({60 * MEGA}) r(i)""",
    ]


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
        ("the same after a filter", like + "s LIKE '%google.d%' AND n < 100", text),
        ("regular expression", like + "regexp_matches(s, 'google[.]d|yahoo|bing-')", text),
        ("prefix", like + "s LIKE 'abc%'", text),
        ("equality", f"{like} s = '{'a' * 64}'", text),
        ("TPC-H Q6", """SELECT sum(price * discount) FROM lineitem WHERE shipdate >= DATE '1994-01-01' AND
            shipdate < DATE '1995-01-01' AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24""", 28 * 60 * MEGA),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/lanewise")
    parser.add_argument("--mega-rows", type=int, default=512, help="of int32, in 2^20; of strings an eighth")
    parser.add_argument("--repeats", type=int, default=9)
    arguments = parser.parse_args()
    rows = arguments.mega_rows * MEGA
    asked = queries(rows)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.sql"
        runs = arguments.repeats + 1
        file.write_text(";\n".join([*tables(rows), *(sql for _, sql, _ in asked for _ in range(runs))]) + ";")
        result = subprocess.run([arguments.program, "sql", "-f", file, "--device", "cuda", "--profile", "--timing", "-o",
                                 Path(folder) / "answer.csv"], capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stderr)
    kernels = [float(ms) for ms in re.findall(r"cuda:0: kernels ([0-9.]+) ms", result.stderr)]
    for i, (name, _, size) in enumerate(asked):
        times = kernels[i * runs + 1:(i + 1) * runs]
        median = statistics.median(times)
        print(f"{name:<26} {median:8.3f} ms {min(times):8.3f} least {size / median / 1e6:7.0f} GB/s")


if __name__ == "__main__":
    main()
