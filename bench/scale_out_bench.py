"""A regular expression and GROUP BY over 20 Parquet files: lanewise.ray compared with plain Ray Data (pyarrow), lanewise.spark with Spark SQL, all with
four workers.

    python bench/scale_out_bench.py                  20 million log lines, 5 runs of each
    python bench/scale_out_bench.py --rows 400000    smaller

Ray and Spark are not in this project's environment: see tests/python/test_scale_out.py. The median of several runs counts, from the files to the
rows; engines take turns, each with two runs of which the second counts, and their rows are compared. What is not installed is left out. "tuned" is
Ray Data with a shuffle of as many partitions as workers, instead of 200.
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
PATTERN = r"id=[0-9]{3,5}7\b"  # a tenth of the rows
QUERY = f"SELECT api, count(*) AS n, sum(ms) AS total FROM input WHERE regexp_matches(line, '{PATTERN}') GROUP BY api"
ROWS = """SELECT 'api' || (hash(i) % 200) AS api, (hash(i + 1) % 900)::BIGINT AS ms,
          '2026-11-28T' || lpad((i % 24)::VARCHAR, 2, '0') || ' GET /v1/item?id=' || (hash(i + 2) % 1000000) || '&user=' || (hash(i + 3) % 99999) || ' 200 ' || md5(i::VARCHAR) AS line
          FROM range({first}, {end}) r(i)"""

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--rows", type=int, default=20_000_000)
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--workers", type=int, default=4)
parser.add_argument("--packages", nargs="*", default=["ray", "pyspark"])


def ray_ways(folder, workers):
    import lanewise.ray
    import pyarrow.compute as pc
    import ray
    import ray.data
    from ray.data.aggregate import Count, Sum

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": str(BUILD / "python")}})
    for name in ("ray", "ray.data"):
        logging.getLogger(name).setLevel(logging.WARNING)
    ray.data.DataContext.get_current().enable_progress_bars = False

    def plain(partitions=None):
        kept = ray.data.read_parquet(folder).map_batches(lambda block: block.filter(pc.match_substring_regex(block["line"], PATTERN)), batch_format="pyarrow", batch_size=None)
        return rows(kept.groupby("api", num_partitions=partitions).aggregate(Count(alias_name="n"), Sum("ms", alias_name="total")))

    def rows(ds):
        return [(row["api"], row["n"], row["total"]) for row in ds.take_all()]

    return {"lanewise.ray, files": lambda: rows(lanewise.ray.sql(folder, QUERY)), "lanewise.ray, data set": lambda: rows(lanewise.ray.sql(ray.data.read_parquet(folder), QUERY)),
            "Ray Data": plain, "Ray Data, tuned": lambda: plain(workers)}  # fmt: skip


def spark_ways(folder, workers):
    import lanewise.spark
    from pyspark.sql import SparkSession

    os.environ["PYTHONPATH"] = str(BUILD / "python")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def plain():
        spark.read.parquet(folder).createOrReplaceTempView("input")
        return [tuple(row) for row in spark.sql(QUERY.replace("regexp_matches", "regexp_like").replace("'" + PATTERN, "r'" + PATTERN)).collect()]

    def ours(source):
        return [tuple(row) for row in lanewise.spark.sql(source, QUERY).collect()]

    return {"lanewise.spark, files": lambda: ours(folder), "lanewise.spark, data frame": lambda: ours(spark.read.parquet(folder)), "Spark SQL": plain}


def main():
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with duckdb.connect() as connection:
            for file in range(FILES):
                rows = ROWS.format(first=given.rows * file // FILES, end=given.rows * (file + 1) // FILES)
                connection.execute(f"COPY ({rows}) TO '{folder}/{file}.parquet'")
            expected = sorted(connection.execute(QUERY.replace("input", f"'{folder}/*.parquet'")).fetchall())
        made = {"ray": ray_ways, "pyspark": spark_ways}
        packages = {package: ways(folder, given.workers) for package, ways in made.items() if importlib.util.find_spec(package) and package in given.packages}
        if not packages:
            sys.exit(print("not measured: neither Ray nor Spark is installed"))
        for ways in packages.values():
            report(measured(ways, given.runs, expected))


def measured(ways, runs, expected):
    """The seconds of the runs, by name."""
    times = {name: [] for name in ways}
    for _ in range(runs):
        for name, way in ways.items():
            way()  # not counted: Ray ends workers after a shuffle, which the next query starts again
            start = time.perf_counter()
            rows = way()
            times[name].append(time.perf_counter() - start)
            assert sorted(rows) == expected, name
    return times


def report(times):
    ours = statistics.median(next(iter(times.values())))
    for name, seconds in times.items():
        print(f"{name:27} {statistics.median(seconds):7.2f} s  {statistics.median(seconds) / ours:5.1f} x  best {min(seconds):7.2f} s", flush=True)


if __name__ == "__main__":
    main()
