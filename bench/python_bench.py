"""The Python package compared with DuckDB, Polars and pyarrow.compute on the same Arrow table, all included.

    ./dev bench python                   10 million log lines (about 0.9 GB), 2 threads, 5 runs of each
    ./dev bench python --rows 1000000    smaller

The median of several runs counts. Rivals take turns, so that other work on the machine slows all of them. Every answer is compared. Times include
importing the table and returning the rows. pyarrow.compute runs on one thread: its functions do not use more.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=10_000_000)
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--threads", type=int, default=2)
given = parser.parse_args()
os.environ["POLARS_MAX_THREADS"] = str(given.threads)
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "build/python"))

import duckdb  # noqa: E402: Polars reads its number of threads when it is imported
import lanewise as lw  # noqa: E402
import polars as pl  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.compute as pc  # noqa: E402

PATTERN = r"id=[0-9]{3,5}[02468]\b"
MUST = {"duckdb": 5, "polars": 3, "pyarrow": 3}  # times their speed
AIM = 15

rows = duckdb.sql(f"""SELECT 'GET /api/v' || i % 7 || '/users/' || hash(i) % 100000 || '/orders?id=' || hash(i + 1) % 1000000 || '&page=' || i % 50
    || ' agent=Mozilla/5.0 (X11; Linux x86_64)' AS line, CAST(hash(i + 2) % 1000 AS INTEGER) AS ms FROM range({given.rows}) AS r(i)""").to_arrow_table()
print(f"{rows.num_rows:,} rows, {rows.nbytes / 1e9:.2f} GB, {given.threads} threads")

duck = duckdb.connect(config={"threads": given.threads})
lanewise = lw.connect(threads=given.threads)


def by_lanewise():
    return lanewise.sql(f"SELECT ms, line FROM rows WHERE ms < 500 AND regexp_matches(line, '{PATTERN}')").arrow()


def by_duckdb():
    return duck.sql(f"SELECT ms, line FROM rows WHERE ms < 500 AND regexp_matches(line, '{PATTERN}')").to_arrow_table()


def by_polars():
    frame = pl.from_arrow(rows).lazy().filter((pl.col("ms") < 500) & pl.col("line").str.contains(PATTERN)).select("ms", "line")
    return frame.collect().to_arrow()


def by_pyarrow():
    fast = rows.filter(pc.less(rows["ms"], 500))
    return fast.filter(pc.match_substring_regex(fast["line"], PATTERN)).select(["ms", "line"])


def measure(ways, runs):
    """Medians in seconds; the contenders take turns."""
    seconds = {name: [] for name in ways}
    for turn in range(runs + 1):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            if turn:
                seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def report(title, seconds, must):
    print(f"\n{title}")
    own = seconds["lanewise"]
    missed = []
    for name, median in seconds.items():
        ratio = median / own
        bound = must.get(name)
        print(f"  {name:10} {median * 1e3:12.3f} ms {ratio:8.2f} x" + (f"   must {bound} x" if bound else ""))
        if bound and ratio < bound:
            missed.append(name)
    return [f"{title}: {name}" for name in missed]


def sorted_rows(table):
    table = table.cast(pa.schema({"ms": pa.int32(), "line": pa.large_string()})).combine_chunks()
    return table.sort_by([("line", "ascending"), ("ms", "ascending")])


@lw.udf
def shout(text: str) -> str:
    return pc.utf8_upper(text)


def own_function():
    """A function in Python over Arrow arrays."""
    duck.create_function("shout", lambda text: pc.utf8_upper(text), ["VARCHAR"], "VARCHAR", type="arrow")
    query = "SELECT count(shout(line)) FROM rows"
    assert lanewise.sql(query).fetchall() == duck.sql(query).fetchall()
    ways = {"lanewise": lambda: lanewise.sql(query).fetchall(), "duckdb": lambda: duck.sql(query).fetchall()}
    return report("a function in Python, pyarrow's utf8_upper, of each line", measure(ways, max(1, given.runs // 2)), {"duckdb": 1})


expected = sorted_rows(by_lanewise())
for way in (by_duckdb, by_polars, by_pyarrow):
    assert sorted_rows(way()).equals(expected), way.__name__
print(f"{expected.num_rows:,} rows found by all of them")
filters = {"lanewise": by_lanewise, "duckdb": by_duckdb, "polars": by_polars, "pyarrow": by_pyarrow}
missed = report("filter and regular expression", measure(filters, given.runs), MUST)
del expected
one = {"lanewise": lambda: [lw.sql("select 1").fetchall() for _ in range(200)], "duckdb": lambda: [duckdb.sql("select 1").fetchall() for _ in range(200)]}
missed += report("select 1, 200 times", measure(one, 15), {"duckdb": 1})
missed += own_function()
print(f"\naim: {AIM} x for the filter, 2 x for select 1;", f"missed: {'; '.join(missed)}" if missed else "all musts hold")
sys.exit(1 if missed else 0)
