"""A regular expression and GROUP BY over 20 Parquet files: lanewise.ray compared with plain Ray Data (pyarrow) and Spark SQL, all with four workers.

    python bench/scale_out_bench.py                  8 million log lines, 5 runs of each
    python bench/scale_out_bench.py --rows 400000    smaller

Ray and Spark are not in this project's environment: see tests/python/test_scale_out.py. The median of several runs counts, from the files to the
rows; engines take turns, and their rows are compared. What is not installed is left out.
"""

import argparse
import importlib.util
import logging
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(os.environ.get("LANEWISE_BUILD", Path(__file__).resolve().parent.parent / "build"))
sys.path.insert(0, str(BUILD / "python"))

import duckdb  # noqa: E402

FILES = 20
PATTERN = r"id=[0-9]{3,5}[02468]\b"
QUERY = f"SELECT api, count(*) AS n, sum(ms) AS total FROM input WHERE regexp_matches(line, '{PATTERN}') GROUP BY api"
ROWS = """SELECT 'api' || (hash(i) % 200) AS api, (hash(i + 1) % 900)::BIGINT AS ms,
          '2026-11-28T' || lpad((i % 24)::VARCHAR, 2, '0') || ' GET /v1/item?id=' || (hash(i + 2) % 1000000) || '&user=' || (hash(i + 3) % 99999) || ' 200 ' || md5(i::VARCHAR) AS line
          FROM range({first}, {end}) r(i)"""

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--rows", type=int, default=8_000_000)
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--workers", type=int, default=4)


def ray_ways(folder, workers):
    import lanewise.ray
    import pyarrow.compute as pc
    import ray
    import ray.data
    from ray.data.aggregate import Count, Sum

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": str(BUILD / "python")}})
    logging.getLogger("ray").setLevel(logging.WARNING)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def plain():
        kept = ray.data.read_parquet(folder).map_batches(lambda block: block.filter(pc.match_substring_regex(block["line"], PATTERN)), batch_format="pyarrow", batch_size=None)
        return [(row["api"], row["n"], row["total"]) for row in kept.groupby("api").aggregate(Count(alias_name="n"), Sum("ms", alias_name="total")).take_all()]

    def ours():
        return [(row["api"], row["n"], row["total"]) for row in lanewise.ray.sql(ray.data.read_parquet(folder), QUERY).take_all()]

    return {"lanewise.ray": ours, "Ray Data": plain}


def spark_ways(folder, workers):
    import lanewise.spark
    from pyspark.sql import SparkSession

    os.environ["PYTHONPATH"] = str(BUILD / "python")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def plain():
        spark.read.parquet(folder).createOrReplaceTempView("input")
        return [tuple(row) for row in spark.sql(QUERY.replace("regexp_matches", "regexp_like").replace("'" + PATTERN, "r'" + PATTERN)).collect()]

    def ours():
        return [tuple(row) for row in lanewise.spark.sql(spark.read.parquet(folder), QUERY).collect()]

    return {"lanewise.spark": ours, "Spark SQL": plain}


def main():
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with duckdb.connect() as connection:
            for file in range(FILES):
                rows = ROWS.format(first=given.rows * file // FILES, end=given.rows * (file + 1) // FILES)
                connection.execute(f"COPY ({rows}) TO '{folder}/{file}.parquet'")
            expected = sorted(connection.execute(QUERY.replace("input", f"'{folder}/*.parquet'")).fetchall())
        ways = {}
        for package, made in {"ray": ray_ways, "pyspark": spark_ways}.items():
            if importlib.util.find_spec(package):
                ways |= made(folder, given.workers)
        if not ways:
            sys.exit(print("not measured: neither Ray nor Spark is installed"))
        times = {name: [] for name in ways}
        for run in range(given.runs + 1):  # the first starts the workers
            for name, way in ways.items():
                start = time.perf_counter()
                rows = way()
                if run:
                    times[name].append(time.perf_counter() - start)
                assert sorted(rows) == expected, name
    best = statistics.median(times[next(iter(times))])
    for name, seconds in times.items():
        print(f"{name:15} {statistics.median(seconds):7.2f} s  {statistics.median(seconds) / best:5.1f} x", flush=True)


if __name__ == "__main__":
    main()
