"""Joins on the emulated GPU give the rows that the CPU gives: every kind, every type of key, keys that repeat, NULLs, empty sides, errors, little memory."""

import os
import re
import subprocess
from pathlib import Path

import duckdb
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build")
ALL = "LANEWISE_TEST_ALL" in os.environ

# Of a number x, NULL where that is.
KEYS = {
    "INTEGER": "x::INT",
    "BIGINT": "x * 10_000_000_000",
    "DECIMAL(30, 2)": "(x::DECIMAL(30, 2) * 10_000_000_000_000)::DECIMAL(30, 2)",
    "DOUBLE": "CASE x WHEN 0 THEN 0.0 WHEN 1 THEN 'nan'::DOUBLE WHEN 2 THEN -0.0 ELSE x / 7 END",
    "BOOLEAN": "x % 2 = 0",
    "DATE": "DATE '2000-01-01' + x::INT",
    "INTERVAL": "to_days(x::INT)",
    "short text": "'k' || x",
    "long text": "'a text of more than twelve bytes ' || x",
    "made text": "repeat('ab', x::INT)",
}
# How often the build side has the key x.
REPEATS = {"once": "1", "twice": "2", "a warp": "31 + x % 3", "skewed": "CASE x WHEN 3 THEN 1000 ELSE 1 END", "never": "0"}
KINDS = {
    "inner": "SELECT v, w, t FROM l JOIN r ON l.k = r.k",
    "inner, condition": "SELECT v, w FROM l JOIN r ON l.k = r.k AND v % 7 < w % 5",
    "NULLs are equal": "SELECT v, w FROM l JOIN r ON l.k IS NOT DISTINCT FROM r.k",
    "two keys": "SELECT v, w FROM l JOIN r ON l.k = r.k AND v % 3 = w % 3",
    "left": "SELECT v, w, t FROM l LEFT JOIN r ON l.k = r.k",
    "left, no text": "SELECT v, w, n, d FROM l LEFT JOIN r ON l.k = r.k",
    "right": "SELECT v, w, t FROM l RIGHT JOIN r ON l.k = r.k",
    "full": "SELECT v, w, t FROM l FULL JOIN r ON l.k = r.k",
    "left, condition": "SELECT v, w, t FROM l LEFT JOIN r ON l.k = r.k AND v % 7 < w % 5",
    "right, condition": "SELECT v, w, t FROM l RIGHT JOIN r ON l.k = r.k AND v % 7 < w % 5",
    "full, condition": "SELECT v, w, t FROM l FULL JOIN r ON l.k = r.k AND v % 7 < w % 5",
    "full, condition of one side": "SELECT v, w, t FROM l FULL JOIN r ON l.k = r.k AND v % 7 < 4",
    "left, never": "SELECT v, w, t FROM l LEFT JOIN r ON l.k = r.k AND v < 0",
    "semi": "SELECT v FROM l SEMI JOIN r ON l.k = r.k",
    "anti": "SELECT v FROM l ANTI JOIN r ON l.k = r.k",
    "right semi": "SELECT w, t FROM r SEMI JOIN l ON l.k = r.k",
    "right anti": "SELECT w, t FROM r ANTI JOIN l ON l.k = r.k",
    "IN": "SELECT v, k IN (SELECT k FROM r) FROM l",
    "IN, no NULL": "SELECT v, k IN (SELECT k FROM r WHERE k IS NOT NULL) FROM l",
    "NOT IN": "SELECT v FROM l WHERE k NOT IN (SELECT k FROM r)",
    "EXISTS, condition": "SELECT v FROM l WHERE EXISTS (FROM r WHERE r.k = l.k AND r.w % 5 > l.v % 7)",
    "NOT EXISTS, condition": "SELECT v FROM l WHERE NOT EXISTS (FROM r WHERE r.k = l.k AND r.w % 5 > l.v % 7)",
    "subquery": "SELECT v, (SELECT max(w) FROM r WHERE r.k = l.k) FROM l",
    "pattern on the build side": "SELECT v, w FROM l JOIN r ON l.k = r.k WHERE t LIKE '%7' OR v = 3",
    "three tables": "SELECT l.v, a.w, b.t FROM l JOIN r a ON l.k = a.k LEFT JOIN r b ON a.w = b.w + 1",
    "groups": "SELECT t, count(*), sum(v) FROM l JOIN r ON l.k = r.k GROUP BY t",
}


def script(key, repeats, kinds):
    tables = f"""CREATE TABLE l AS SELECT v, {KEYS[key]} AS k FROM (SELECT v, CASE WHEN v % 11 <> 5 THEN v % 40 END AS x FROM range(200) n(v));
      CREATE TABLE r AS SELECT row_number() OVER () AS w, 'text ' || x AS t, CASE WHEN x % 3 <> 0 THEN x::DECIMAL(20, 2) END AS n, DATE '2000-01-01' + x::INT AS d, {KEYS[key]} AS k, 'POINT(1 2)'::GEOMETRY AS not_ours
        FROM (SELECT i AS x, unnest(range({REPEATS[repeats].replace('x', 'i')})) FROM range(30) n(i) UNION ALL SELECT NULL, 0);"""
    tables = "SET lanewise_fallback = 'duckdb';" + tables + "RESET lanewise_fallback;"
    return tables + "".join(f"{KINDS[kind]} ORDER BY ALL;" for kind in kinds)


def run(emulated_gpu, sql, *arguments):
    return subprocess.run([BUILD / "lanewise", "sql", "--format", "csv", "-c", sql, *arguments], env={**os.environ, **emulated_gpu},
                          capture_output=True, text=True)


def check(emulated_gpu, key, repeats, kinds, *arguments):
    sql = script(key, repeats, kinds)
    cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile", *arguments)
    assert cpu.returncode == gpu.returncode == 0, cpu.stderr + gpu.stderr
    assert cpu.stdout == gpu.stdout
    assert re.search(r"^ *Join .* cuda:0$", gpu.stderr, re.M), gpu.stderr


@pytest.mark.parametrize("repeats", REPEATS if ALL else ["once", "skewed"])
def test_kinds(emulated_gpu, repeats):
    check(emulated_gpu, "INTEGER", repeats, KINDS)


def test_subqueries_of_one_row(emulated_gpu):
    """Keys that repeat in the subquery are an error only where a row of the query finds them, or the first row counts."""
    tables = "CREATE TABLE l AS SELECT i % 50 AS k, i AS v FROM range(500) n(i); CREATE TABLE r AS SELECT i % 70 + 20 AS k, i AS w FROM range(100) n(i);"
    right = ["SELECT v, (SELECT w FROM r WHERE r.k = l.k + 50) AS x FROM l ORDER BY ALL", "SELECT v, (SELECT w FROM r WHERE r.k = l.k AND w + v = 120) AS x FROM l ORDER BY ALL"]
    wrong = "SELECT v, (SELECT w FROM r WHERE r.k = l.k) AS x FROM l ORDER BY ALL"
    any_row = "SET scalar_subquery_error_on_multiple_rows = false; SELECT count(*), count(x) FROM (SELECT v, (SELECT w FROM r WHERE r.k = l.k) AS x FROM l)"
    for sql, status in ((f"{tables} {';'.join(right)}", 0), (f"{tables} {wrong}", 2), (f"{tables} {any_row}", 0)):
        cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda")
        assert cpu.returncode == gpu.returncode == status and cpu.stdout == gpu.stdout and cpu.stderr == gpu.stderr, cpu.stderr + gpu.stderr


@pytest.mark.parametrize("key", ["INTEGER", "long text"])
def test_build_sides_in_several_batches(emulated_gpu, key):
    check(emulated_gpu, key, "skewed", KINDS, "--device-rows", "64")


def test_build_sides_of_several_inputs(emulated_gpu):
    sql = """CREATE TABLE l AS SELECT i % 50 AS k, i AS v FROM range(500) n(i); CREATE TABLE r AS SELECT i AS k, 'text ' || i AS t FROM range(40) n(i);
      SELECT v, t FROM l JOIN (FROM r UNION ALL SELECT k + 30, t || '!' FROM r UNION ALL SELECT NULL, 'none') USING (k) ORDER BY ALL;
      SELECT v, t FROM l RIGHT JOIN (FROM r WHERE k > 1000 UNION ALL SELECT k + 30, t FROM r WHERE k > 2000) s USING (k) ORDER BY ALL;
      SELECT t, v FROM l FULL JOIN (FROM r UNION ALL SELECT k + 30, NULL FROM r) USING (k) ORDER BY ALL"""
    cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile")
    assert cpu.returncode == gpu.returncode == 0, cpu.stderr + gpu.stderr
    assert cpu.stdout == gpu.stdout
    assert "then on the CPU" not in gpu.stderr


@pytest.mark.parametrize("key", KEYS)
def test_keys(emulated_gpu, key):
    for repeats in REPEATS if ALL else ["twice"]:
        check(emulated_gpu, key, repeats, KINDS if ALL else ["full", "NOT IN"])


# How a lookup is forced: what --profile then calls it, and where it can be.
LOOKUPS = {"hash": "hash table of", "direct": "array by", "ranks": "ranks of", "bitmap": "bitmap of"}
NUMBERS = {"TINYINT": "(x::INT - 64)::TINYINT", "INTEGER": "x::INT * 3 - 100", "UBIGINT": "(18446744073709551615 - (128 - x::BIGINT) * 2)::UBIGINT", "DATE": "DATE '1969-12-01' + x::INT",
           "BIGINT": "9223372036854775807 - (128 - x::BIGINT)", "DECIMAL(9, 2)": "(x::INT - 64)::DECIMAL(9, 2)"}


@pytest.mark.parametrize("lookup", LOOKUPS)
@pytest.mark.parametrize("key", NUMBERS if ALL else ["INTEGER", "BIGINT"])
def test_lookups(emulated_gpu, key, lookup):
    """Each way to find keys that are numbers: ascending keys, some left out, around words of 32; what is not a key, below and above them too."""
    kinds = ("semi", "anti", "IN", "inner, condition", "left, no text") if lookup == "bitmap" else ("inner", "left", "full", "semi", "right anti")
    made = NUMBERS[key]
    for rows in (1, 31, 32, 33, 64, 65, 127) if ALL else (33, 127):
        order = "DESC" if lookup in ("direct", "bitmap") else "ASC"
        sql = f"""SET lanewise_fallback = 'duckdb'; CREATE TABLE l AS SELECT v, {made} AS k, 'POINT(1 2)'::GEOMETRY AS not_ours FROM (SELECT v, hash(v) % 128 AS x FROM range(400) n(v));
          CREATE TABLE r AS SELECT x AS w, 't' || x AS t, CASE WHEN x % 3 <> 0 THEN x::DECIMAL(20, 2) END AS n, DATE '2000-01-01' + x::INT AS d, {made} AS k FROM range({rows}) n(x) WHERE x % 7 <> 3 ORDER BY x {order}; RESET lanewise_fallback;"""
        sql += "".join(f"{KINDS[kind]} ORDER BY ALL;" for kind in kinds)
        cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile", "--device-strategy", f"join={lookup}")
        assert cpu.returncode == gpu.returncode == 0 and cpu.stdout == gpu.stdout, cpu.stderr + gpu.stderr
        used = re.findall(r"keys: \d+ rows, (.*?) \d", gpu.stderr)
        assert LOOKUPS[lookup] in used and set(used) <= {LOOKUPS[lookup], "hash table of"}, gpu.stderr


def test_the_smallest_lookup_is_chosen(emulated_gpu):
    joins = {"l JOIN (SELECT * FROM r) r ON l.k = r.k": ("ranks of", "they ascend"), "(SELECT k * 1000 AS k FROM l) l JOIN (SELECT k * 1000 AS k FROM r) r ON l.k = r.k": ("hash table of", "their range of 198001 numbers is too wide"),
             "l SEMI JOIN r ON l.k = r.k": ("bitmap of", "the join needs only whether a key is there"), "l JOIN (SELECT 400 - k * 2 AS k FROM r) r ON l.k = r.k": ("array by", "their range is narrow"), "l JOIN (SELECT 300 - k AS k FROM r) r ON l.k = r.k": ("bitmap of", "rows are placed by number"),
             "l JOIN (SELECT CASE k WHEN 4 THEN 250 ELSE 300 - k END AS k FROM r) r ON l.k = r.k": ("runs by", "they repeat in a narrow range")}
    tables = "CREATE TABLE l AS SELECT i AS k FROM range(400) n(i); CREATE TABLE r AS SELECT i * 2 AS k FROM range(100) n(i);"
    for join, (name, why) in joins.items():
        keys = rf"keys: \d+ rows, {name} \d+ \w+, [\d.]+ K?i?B: {why}"
        gpu = run(emulated_gpu, f"{tables} EXPLAIN ANALYZE SELECT count(*), sum(l.k) FROM {join}", "--device", "cuda", "--profile")
        assert gpu.returncode == 0 and re.search(keys, gpu.stderr) and re.search(f"; {keys}", gpu.stdout), gpu.stdout + gpu.stderr


EVEN = {"INTEGER": "x::INT - 50", "UBIGINT": "(18446744073709551615 - 240 + x::BIGINT)::UBIGINT", "BIGINT": "-9223372036854775807 + x::BIGINT", "DATE": "DATE '1969-12-01' + x::INT"}


@pytest.mark.parametrize("key", EVEN if ALL else ["UBIGINT"])
def test_full_ranges_of_runs(emulated_gpu, key):
    """Each number from the least to the greatest is the key of as many rows, in any order: nothing is read to find them. With one row more or fewer, or other lengths of the same sum, it is."""
    rows, full = "FROM (SELECT i AS w, 't' || i AS t, i // 4 + 7 AS x FROM range(400) n(i))", "[45] for each of"
    builds = {"five": (f"SELECT w, t, {EVEN[key]} AS k FROM (SELECT i AS w, 't' || i AS t, i % 80 + 7 AS x FROM range(400) n(i))", full), "even": (f"SELECT w, t, {EVEN[key]} AS k {rows}", full), "shuffled": (f"SELECT w, t, {EVEN[key]} AS k {rows} ORDER BY w * 37 % 401", full),
              "nulls": (f"SELECT w, t, {EVEN[key]} AS k {rows} UNION ALL SELECT 5, 'n', NULL FROM range(40)", full), "more": (f"SELECT w, t, {EVEN[key]} AS k {rows} UNION ALL (SELECT 5, 'm', {EVEN[key]} {rows} WHERE w = 399)", "runs by"),
              "fewer": (f"SELECT w, t, {EVEN[key]} AS k {rows} WHERE w <> 200", "runs by"), "uneven": (f"SELECT w, t, {EVEN[key]} AS k FROM (SELECT w, t, x - (x % 2 = 0 AND w % 4 = 3)::INT AS x {rows})", "runs by")}
    for table, (build, name) in builds.items():
        tables = f"CREATE TABLE l AS SELECT {EVEN[key]} AS k, i AS v FROM (SELECT i * 7 % 130 AS x, i FROM range(1400) n(i)); CREATE TABLE r AS {build};"
        for query in ("SELECT count(*), sum(v * w), sum(w) FROM l JOIN r ON l.k = r.k AND v % 11 < w % 9", "SELECT count(*), sum(v), sum(w) FROM l LEFT JOIN r ON l.k = r.k",
                      "SELECT l.k, v, w, t FROM l JOIN r ON l.k = r.k ORDER BY ALL", "SELECT count(*), sum(v) FROM l WHERE EXISTS (FROM r WHERE l.k = r.k AND r.w > l.v)"):
            sql = f"{tables} {query}"
            cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile")
            assert cpu.returncode == gpu.returncode == 0 and cpu.stdout == gpu.stdout, (table, query, cpu.stderr + gpu.stderr)
            assert re.search(rf"keys: \d+ rows, {name} \d", gpu.stderr), (table, query, gpu.stderr)


@pytest.mark.parametrize("key", EVEN if ALL else ["UBIGINT"])
def test_full_ranges_of_rows(emulated_gpu, key):
    """Each number from the least to the greatest is the key of one row: nothing is read to find it, whatever the order of rows. With one row more or fewer, or a NULL, it is.
    The second run knows from the first one that no key repeats."""
    rows = f"SELECT {EVEN[key]} AS k, x AS w, x % 3 AS n FROM (SELECT i + 7 AS x FROM range(200) n(i))"
    builds = {"ascending": (rows, True), "shuffled": (f"{rows} ORDER BY x * 37 % 211", True), "more": (f"{rows} UNION ALL (SELECT {EVEN[key]}, 5, 5 FROM (SELECT 20 AS x))", False),
              "fewer": (f"{rows} WHERE x <> 80 ORDER BY x * 37 % 211", False), "null": (f"{rows} UNION ALL SELECT NULL, 5, 5", False)}
    queries = {kind: f"SELECT {columns} FROM l {kind} JOIN r ON l.k = r.k" for kind, columns in
               {"": "count(*), sum(v * w), sum(n)", "LEFT": "count(*), sum(v), sum(w)", "FULL": "count(*), sum(v), sum(w)", "SEMI": "count(*), sum(v)", "ANTI": "count(*), sum(v)"}.items()}
    for table, (build, full) in builds.items():
        tables = f"CREATE TABLE l AS SELECT {EVEN[key]} AS k, i AS v FROM (SELECT i * 7 % 230 AS x, i FROM range(1400) n(i)); CREATE TABLE r AS {build};"
        for kind, query in queries.items():
            sql = f"{tables} {query}; {query}"
            cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile")
            assert cpu.returncode == gpu.returncode == 0 and cpu.stdout == gpu.stdout, (table, kind, cpu.stderr + gpu.stderr)
            found = re.findall(r"keys: \d+ rows, (.*?) for each of 200 numbers", gpu.stderr)
            possible = full and (table == "ascending" or kind != "FULL")  # rows that are marked stay in their order
            assert found == ["1", "1"] * possible, (table, kind, gpu.stderr)
            kernels = {"ascending": ["bound"], "shuffled": ["bound", "fill"] if kind in ("SEMI", "ANTI") else ["bound", "place_rows", "place_rows"]}.get(table)
            assert not possible or re.findall(r"^ +(bound|fill|place_rows) ", gpu.stderr, re.M) == kernels, (table, kind, gpu.stderr)


def test_rows_like_free_slots(emulated_gpu):
    """Two rows that look like a free slot, key and value: that their key repeats is found, and remembered for the next join."""
    sql = """CREATE TABLE r AS SELECT * FROM (VALUES (-1, -1), (-1, -1), (1000000000, 5)) t(k, p); CREATE TABLE l AS SELECT (CASE i WHEN 0 THEN -1 ELSE i * 20000000 END)::INT AS k, i AS v FROM range(100) n(i);
      SELECT count(*), sum(p), sum(v) FROM l JOIN r ON l.k = r.k; SELECT count(*) FROM l LEFT JOIN r ON l.k = r.k; SELECT count(*), sum(p), sum(v) FROM l JOIN r ON l.k = r.k"""
    cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--device-strategy", "split")
    assert cpu.returncode == gpu.returncode == 0 and cpu.stdout == gpu.stdout, cpu.stdout + gpu.stdout + gpu.stderr


# Percent of the lanes that have a pair in a step: of one row with 2,064 pairs and 31 rows with 16, all of them in the same lane of their warp.
BUSY = {
    "naive": ["3.1"],  # one of 32, in 2,560 steps
    "refill": ["3.9"],  # the long run takes 2,064 steps
    "balanced": ["83.3"],  # 31 steps of 16, then 64.5 of 32
    "mixed": ["82.5"],  # one step more
    "queued": ["50.0", "99.2"],  # the long run is in pieces for another kernel
}


@pytest.mark.parametrize("form", BUSY)
def test_busy_lanes_of_pairs(emulated_gpu, form):
    """The profile shows how many lanes took pairs, which differs by form. On the emulated GPU, too, the lanes that come to the same step take it together."""
    query = """CREATE TABLE l AS SELECT i AS k, i AS v FROM range(8192) n(i);
      CREATE TABLE r AS SELECT CASE WHEN i < 2048 THEN 32 ELSE i % 32 * 32 END AS k, i AS w FROM range(2560) n(i);
      SELECT count(*), sum(w) FROM l JOIN r ON l.k = r.k AND w + v >= 0"""
    done = run(emulated_gpu, query, "--device", "cuda", "--profile", "--device-strategy", f"pairs={form},occupancy")
    assert done.returncode == 0 and re.findall(r" aggregate(?:_queue)? .*, occupancy ([0-9.]+) %", done.stderr) == BUSY[form], done.stderr
    done = run(emulated_gpu, query, "--device", "cuda", "--profile", "--device-strategy", f"pairs={form}")
    assert done.returncode == 0 and "aggregate" in done.stderr and ", occupancy" not in done.stderr, done.stderr


FORMS = ["naive", "refill", "balanced", "mixed", "queued", "written"]
AGGREGATED = [
    "SELECT count(*), sum(v), sum(w), min(d), max(w * v), count(n) FROM l JOIN r ON l.k = r.k",
    "SELECT count(*), sum(v), sum(w) FROM l JOIN r ON l.k = r.k AND v % 7 < w % 5 WHERE v % 3 <> 1",
    "SELECT count(*), count(w), sum(v), sum(n) FROM l LEFT JOIN r ON l.k = r.k",
    "SELECT count(*), sum(v), count(t), max(t) FROM l LEFT JOIN r ON l.k = r.k WHERE t LIKE '%7' OR v % 2 = 0",
    "SELECT count(*), sum(v), sum(a.w), sum(b.w) FROM l JOIN r a ON l.k = a.k JOIN few b ON a.w % 50 = b.w",
    "SELECT count(*) FROM few JOIN r ON few.k = r.k",
    "SELECT count(*), sum(w) FROM r WHERE EXISTS (FROM few WHERE few.k = r.k AND few.w > r.w % 4)",
]


@pytest.mark.parametrize("form", FORMS)
def test_pairs_that_aggregates_take(emulated_gpu, form):
    """Each way in which lanes come to their pairs: runs of 1 to 3, of 31 to 33, of more than a piece of the queue, no match, NULLs."""
    sql = """SET lanewise_fallback = 'duckdb';
      CREATE TABLE l AS SELECT v, CASE WHEN v % 11 <> 5 THEN v % 40 END AS k, 'POINT(1 2)'::GEOMETRY AS not_ours FROM range(333) n(v);
      CREATE TABLE r AS SELECT row_number() OVER () AS w, 'text ' || x AS t, DATE '2000-01-01' + x::INT AS d, CASE WHEN x % 3 <> 0 THEN x::DECIMAL(20, 2) END AS n, x AS k, 'POINT(1 2)'::GEOMETRY AS not_ours FROM (SELECT i AS x,
        unnest(range(CASE i WHEN 3 THEN 2100 WHEN 4 THEN 1024 WHEN 5 THEN 31 WHEN 6 THEN 32 WHEN 7 THEN 33 ELSE i % 4 END)) FROM range(30) n(i) UNION ALL SELECT NULL, 0);
      CREATE TABLE few AS SELECT i % 9 AS k, i % 50 AS w, 'POINT(1 2)'::GEOMETRY AS not_ours FROM range(100) n(i);
      RESET lanewise_fallback;""" + ";".join(AGGREGATED)
    cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile", "--device-strategy", f"pairs={form}")
    assert cpu.returncode == gpu.returncode == 0, cpu.stderr + gpu.stderr
    assert cpu.stdout == gpu.stdout
    assert ("aggregate_queue" in gpu.stderr) == (form == "queued")


ONE_ROW_EACH = [
    "SELECT count(*), sum(v), sum(w), max(t), sum(n) FROM l JOIN r ON l.k = r.k WHERE v % 3 <> 1 AND w % 2 = 0",
    "SELECT count(*), count(w), sum(v), sum(n), min(t) FROM l LEFT JOIN r ON l.k = r.k WHERE coalesce(w, 0) <> 4",
    "SELECT count(*), sum(v), count(w), sum(w) FROM l FULL JOIN r ON l.k = r.k",
    "SELECT count(*), sum(v) FROM l SEMI JOIN r ON l.k = r.k",
    "SELECT count(*), sum(v) FROM l ANTI JOIN r ON l.k = r.k",
    "SELECT count(*), sum(v), bool_or(b), count(b) FROM (SELECT v, k IN (SELECT k FROM r WHERE w > 3) AS b FROM l)",
    "SELECT count(*), sum(v), sum(m) FROM (SELECT v, (SELECT max(w) FROM r WHERE r.k = l.k) AS m FROM l)",
    "SELECT count(*), sum(l.v), sum(a.w * b.w), max(c.w) FROM l JOIN r a ON l.k = a.k JOIN r b ON a.w = b.k LEFT JOIN r c ON b.w + a.w = c.k WHERE b.w < 25",
    "SELECT count(*), sum(v) FROM l JOIN r ON l.k = r.k AND v % 7 < w % 5",
    "SELECT count(*), sum(v), sum(w) FROM l JOIN r ON 'long text for a key ' || l.k = 'long text for a key ' || r.k AND l.k % 2 = r.w % 2",
    "SELECT count(*), sum(w) FROM l JOIN r ON l.k = r.k WHERE t LIKE '%7' AND v % 2 = 1",
    "SELECT sum(w), max(t || v) FROM l JOIN r ON l.k = r.k",
]


def test_aggregates_look_rows_up_themselves(emulated_gpu):
    """One row for each key: lookups, one after the other, are made by the kernel that aggregates."""
    sql = """SET lanewise_fallback = 'duckdb';
      CREATE TABLE l AS SELECT v, CASE WHEN v % 11 <> 5 THEN v % 40 END AS k, 'POINT(1 2)'::GEOMETRY AS not_ours FROM range(333) n(v);
      CREATE TABLE r AS SELECT 31 - x AS w, 'text ' || x AS t, CASE WHEN x % 3 <> 0 THEN x::DECIMAL(20, 2) END AS n, CASE WHEN x <> 6 THEN x END AS k, 'POINT(1 2)'::GEOMETRY AS not_ours FROM range(30) n(x);
      RESET lanewise_fallback;""" + ";".join(ONE_ROW_EACH)
    cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile")
    assert cpu.returncode == gpu.returncode == 0, cpu.stderr + gpu.stderr
    assert cpu.stdout == gpu.stdout
    aggregates = re.findall(r"^ *Aggregate .*?^ *Join ", gpu.stderr, re.M | re.S)
    assert len(aggregates) == len(ONE_ROW_EACH)
    assert sum("filter_" not in one for one in aggregates) >= 8, gpu.stderr  # not where text is made, or a pattern is asked of the build side


# Rows split by parts of a lookup: what must run, and what must not, by how the lookup is forced.
SPLIT = [
    ("SELECT count(*), sum(p), sum(v) FROM l JOIN b ON l.k = b.k", "hash", "fill_values", "count_runs"),
    ("SELECT sum(v) + count(*) + sum(p) FROM l JOIN b ON l.k = b.k", "hash", "fill_rest", "count_runs"),
    ("SELECT count(*), sum(p), sum(v) FROM l JOIN (SELECT CASE WHEN p % 50 <> 0 THEN k END AS k, p FROM b) b ON l.k = b.k WHERE v % 3 = 1", "hash", "fill_values", "count_runs"),
    ("SELECT count(*), sum(p), sum(v) FROM l JOIN (SELECT CASE WHEN d = 9 THEN -1 ELSE k END AS k, CASE WHEN d = 9 THEN -1 ELSE p END AS p FROM b) b ON l.k = b.k", "hash", "fill ", "count_runs"),
    ("SELECT count(*), sum(p), sum(v) FROM l JOIN (SELECT CASE d WHEN 17 THEN 18 ELSE d END AS d, p FROM b) b ON l.d = b.d", "hash", "count_runs", "place_rows"),
    ("SELECT count(*), sum(p), max(s), sum(v) FROM l JOIN (SELECT k, p, (p - 2500)::SMALLINT AS s FROM b) b ON l.k = b.k", "hash", "fill ", "fill_values"),
    ("SELECT count(*), sum(f), min(s) FROM l JOIN (SELECT k, p / 7::FLOAT AS f, k % 100 AS s FROM b) b ON l.k = b.k", "hash", "split_rows", "count_runs"),
    ("SELECT count(*), bool_or(f), count_if(f) FROM l JOIN (SELECT k, p > 2500 AS f FROM b) b ON l.k = b.k", "hash", "fill_values", "count_runs"),
    ("SELECT count(*), sum(p), sum(v) FROM l JOIN b ON l.d = b.d", "auto", "place_rows", "fill "),
    ("SELECT count(*), sum(p), sum(v) FROM l JOIN (SELECT CASE d WHEN 17 THEN 18 ELSE d END AS d, p FROM b) b ON l.d = b.d", "auto", "count_runs", "fill_values"),
    ("SELECT count(*), sum(p), count(q) FROM l JOIN (SELECT d, p, CASE WHEN p % 3 = 1 THEN p END AS q FROM b) b ON l.d = b.d", "auto", "split_rows", "place_rows"),
    ("SELECT count(*), sum(v) FROM l SEMI JOIN b ON l.d = b.d", "auto", "split_rows", "fill_values"),
    ("SELECT count(*), sum(v) FROM l ANTI JOIN b ON l.k = b.k", "auto", "split_rows", "fill_values"),
    ("SELECT count(*), count(p), sum(v) FROM l LEFT JOIN b ON l.d = b.d", "auto", "split_rows", "count_runs"),
    ("SELECT count(*), sum(v), sum(b.p), max(c.p) FROM l JOIN b ON l.k = b.k JOIN b c ON c.d = b.p WHERE c.p > 10", "auto", "split_rows", "count_runs"),
    ("SELECT b.p % 3, count(*), sum(v) FROM l JOIN b ON l.k = b.k GROUP BY ALL ORDER BY ALL", "hash", "fill_values", "count_runs"),
]


@pytest.fixture(scope="module")
def tables_to_split(tmp_path_factory):
    path = tmp_path_factory.mktemp("split") / "split.duckdb"
    with duckdb.connect(str(path)) as connection:
        key = "({} * 2654435761 % 4294967296 - 2147483648)::INT"
        connection.execute(f"CREATE TABLE b AS SELECT {key.format('i')} AS k, (i * 7919 % 5000)::INT AS d, i::INT AS p FROM range(5000) t(i)")
        connection.execute(f"CREATE TABLE l AS SELECT {key.format('h')} AS k, h::INT AS d, v FROM (SELECT (hash(v) % 6000)::BIGINT AS h, v FROM range(30000) t(v))")
    return path


def test_rows_split_by_parts_of_a_lookup(emulated_gpu, tables_to_split):
    """Of both sides: keys with values in their slots, keys placed by their numbers, and where neither can be."""
    for query, lookup, runs, not_run in SPLIT:
        strategy = "split" if lookup == "auto" else f"split,join={lookup}"
        options = ["--db", tables_to_split, "--read-only"]
        cpu = run(emulated_gpu, query, "--device", "cpu", *options)
        for rows in ("1000000", "8192"):
            gpu = run(emulated_gpu, query, "--device", "cuda", "--profile", "--device-strategy", strategy, "--device-rows", rows, *options)
            assert cpu.returncode == gpu.returncode == 0 and cpu.stdout == gpu.stdout, (query, cpu, gpu)
            assert f" {runs}" in gpu.stderr and f" {not_run}" not in gpu.stderr, (query, gpu.stderr)


def test_errors_of_rows_that_are_split(emulated_gpu, tables_to_split):
    """A row that raises an error raises it, whether or not it would find another row."""
    for query in ("SELECT sum(p) FROM l JOIN b ON l.d = b.d WHERE (v * 100000)::INT % 7 <> 1", "SELECT sum(p) FROM l JOIN b ON (l.d * 1000000)::INT = b.d",
                  "SELECT count(*), sum((l.v * 100000)::INT + p) FROM l JOIN b ON l.d = b.d"):
        answers = [run(emulated_gpu, query, "--db", tables_to_split, "--read-only", "--device", *device) for device in (["cpu"], ["cuda", "--device-strategy", "split"])]
        assert (answers[0].stdout, answers[0].stderr, answers[0].returncode) == (answers[1].stdout, answers[1].stderr, answers[1].returncode) and answers[0].returncode == 2


def test_what_a_key_column_keeps_is_for_such_joins_alone(emulated_gpu, tmp_path):
    """One after the other over the same columns: NULLs that are equal, and not; a key alone, and with another."""
    with duckdb.connect(str(tmp_path / "keys.duckdb")) as connection:
        connection.execute("CREATE TABLE r AS SELECT CASE WHEN i < 200 THEN 200 - i END AS k, (i % 100)::INT AS d, i AS w, CASE WHEN i % 3 <> 0 THEN i END AS a FROM range(202) t(i)")
        connection.execute("CREATE TABLE l AS SELECT CASE WHEN i % 7 <> 3 THEN i END AS k, (i % 120)::INT AS d, i AS v, CASE WHEN i % 5 <> 0 THEN i END AS a FROM range(300) t(i)")
    queries = ["SELECT count(*), sum(v), sum(w) FROM l JOIN r ON " + condition for condition in (
        "l.k = r.k", "l.k IS NOT DISTINCT FROM r.k", "l.k = r.k", "l.k = r.k AND l.d = r.d", "l.d = r.d", "l.a = r.a AND l.d = r.d", "l.a = r.a", "l.a IS NOT DISTINCT FROM r.a",
        "l.d = r.d AND l.a IS NOT DISTINCT FROM r.a", "l.a = r.a", "l.d = r.d")]
    for order in (queries, queries[::-1]):
        answers = [run(emulated_gpu, ";".join(order), "--db", tmp_path / "keys.duckdb", "--read-only", "--device", *device) for device in (["cpu"], ["cuda"], ["cuda", "--device-strategy", "split"])]
        assert answers[0].returncode == 0 and answers[0].stdout == answers[1].stdout == answers[2].stdout, answers


def test_long_runs_are_queued(emulated_gpu):
    for rows, queued in ((1023, False), (1024, True)):
        sql = f"SELECT count(*), sum(w) FROM range(2000) l(k) JOIN (SELECT 3 AS k, i AS w FROM range({rows}) n(i)) r USING (k)"
        gpu = run(emulated_gpu, sql, "--device", "cuda", "--profile")
        assert gpu.returncode == 0 and ("aggregate_queue" in gpu.stderr) == queued, gpu.stderr
        assert f"{rows},{rows * (rows - 1) // 2}" in gpu.stdout


def test_errors_of_pairs(emulated_gpu):
    """An expression over a pair of rows raises what it raises on the CPU, and nothing for a row that no pair has."""
    tables = """CREATE TABLE l AS SELECT i AS k FROM range(100) n(i);
      CREATE TABLE r AS SELECT i AS k, CASE i WHEN 70 THEN 'seventy' WHEN 300 THEN 'far' ELSE i::VARCHAR END AS t FROM range(400) n(i);"""
    query = "SELECT sum(t::INT) FROM l JOIN r ON l.k = r.k"
    for sql in (query, query + " WHERE l.k <> 70", query + " AND l.k + t::INT > 10"):
        answers = [run(emulated_gpu, tables + sql, "--device", device) for device in ("cpu", "cuda")]
        assert (answers[0].stdout, answers[0].stderr, answers[0].returncode) == (answers[1].stdout, answers[1].stderr, answers[1].returncode)
        assert ("seventy" in answers[1].stderr) == ("<>" not in sql), answers[1]


def test_pairs_that_have_no_room_at_once(emulated_gpu):
    """Fewer rows at a time, and each pair counts once."""
    sql = """CREATE TABLE l AS SELECT i % 500 AS k, i AS v FROM range(20000) n(i); CREATE TABLE r AS SELECT i % 500 AS k, i AS w FROM range(10000) n(i);
      SELECT count(*), sum(v), sum(w), sum(v * w) FROM l JOIN r ON l.k = r.k"""
    answers = [run(emulated_gpu, sql, "--device", *arguments) for arguments in (["cpu"], ["cuda", "--device-memory", "3MB", "--device-strategy", "pairs=written", "--profile"])]
    assert answers[0].stdout == answers[1].stdout and answers[0].returncode == 0, answers
    assert re.search(r"kernels .* in \d+ batches", answers[1].stderr), answers[1].stderr


# All pairs, with conditions that are no equality of the two sides: their rows are one run.
WITHOUT_KEYS = {
    "cross": "SELECT v, w, t FROM l, r",
    "no column": "SELECT count(*) FROM l, r",
    "inner": "SELECT v, w FROM l JOIN r ON (l.k + r.k) % 7 = 3",
    "left": "SELECT v, w, t FROM l LEFT JOIN r ON (l.k + r.k) % 70 = 3",
    "full": "SELECT v, w, t FROM l FULL JOIN r ON (l.k + r.k) % 70 = 3",
    "semi": "SELECT v FROM l WHERE EXISTS (FROM r WHERE (l.k + r.k) % 70 = 3)",
    "anti": "SELECT v FROM l WHERE NOT EXISTS (FROM r WHERE (l.k + r.k) % 70 = 3)",
    "one row": "SELECT v, w FROM l, (FROM r WHERE w = 3)",
    "no row": "SELECT v, w FROM l LEFT JOIN (FROM r WHERE w < 0) r ON (l.k + r.k) % 70 = 3",
    "three tables": "SELECT l.v, a.w, count(*) FROM l, r a, r b WHERE a.w + b.w < l.v % 9 GROUP BY ALL",
    "subquery": "SELECT v, (SELECT sum(w) FROM r WHERE (l.k + r.k) % 70 = 3) FROM l",
}


@pytest.mark.parametrize("kind", WITHOUT_KEYS)
def test_joins_without_an_equality(emulated_gpu, kind):
    tables = """CREATE TABLE l AS SELECT i AS v, CASE WHEN i % 11 <> 5 THEN i % 40 END AS k FROM range(150) n(i);
      CREATE TABLE r AS SELECT i AS w, 'text ' || i AS t, CASE WHEN i % 5 <> 2 THEN i % 40 END AS k FROM range(70) n(i);"""
    sql = f"{tables} {WITHOUT_KEYS[kind]} ORDER BY ALL"
    for more in ([], ["--device-rows", "64"]) if ALL else (["--device-rows", "64"],):
        cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile", *more)
        assert cpu.returncode == gpu.returncode == 0 and cpu.stdout == gpu.stdout, cpu.stderr + gpu.stderr
        assert re.search(r"^ *Join .* cuda:0$", gpu.stderr, re.M) and "then on the CPU" not in gpu.stderr, gpu.stderr


def test_joins_by_an_inequality_are_refused(emulated_gpu):
    gpu = run(emulated_gpu, "WITH l AS (FROM range(50) n(k)), r AS (FROM range(40) n(k) WHERE k % 7 < 4) SELECT count(*) FROM l JOIN r ON l.k > r.k", "--device", "cuda")
    assert gpu.returncode == 2 and "joins by an inequality are not supported on GPUs" in gpu.stderr, gpu


MARKS = {
    "two columns": "(a, b) IN (SELECT x, y FROM r)",
    "not": "(a, b) NOT IN (SELECT x, y FROM r)",
    "none": "(a, b) IN (SELECT x, y FROM r WHERE w < 0)",
    "no NULL": "(a, b) IN (SELECT x, y FROM r WHERE x IS NOT NULL AND y IS NOT NULL)",
    "correlated": "a IN (SELECT x FROM r WHERE r.y = l.b)",
    "correlated NULLs": "a IN (SELECT x FROM r WHERE r.y IS NOT DISTINCT FROM l.b)",
    "unequal to any": "a <> ANY (SELECT x FROM r WHERE r.y = l.b)",
    "less than any": "a < ANY (SELECT x FROM r WHERE r.y = l.b)",
}


@pytest.mark.parametrize("mark", MARKS)
def test_marks_of_several_conditions(emulated_gpu, mark):
    """TRUE, FALSE and NULL as on the CPU, with NULLs on either side."""
    for rows in (0, 1, 90) if ALL else (90,):
        tables = f"""CREATE TABLE l AS SELECT i AS v, CASE WHEN i % 7 <> 5 THEN i % 9 END AS a, CASE WHEN i % 5 <> 3 THEN i % 6 END AS b, 't' || i % 4 AS t FROM range(200) n(i);
          CREATE TABLE r AS SELECT i AS w, CASE WHEN i % 13 <> 4 THEN i % 8 END AS x, CASE WHEN i % 11 <> 6 THEN i % 10 END AS y, CASE WHEN i % 17 <> 3 THEN 't' || i % 5 END AS t FROM range({rows}) n(i);"""
        sql = f"{tables} SELECT v, {MARKS[mark]} AS m FROM l ORDER BY ALL; SELECT v FROM l WHERE {MARKS[mark]} ORDER BY ALL"
        cpu, gpu = run(emulated_gpu, sql, "--device", "cpu"), run(emulated_gpu, sql, "--device", "cuda", "--profile")
        assert cpu.returncode == gpu.returncode == 0 and cpu.stdout == gpu.stdout, cpu.stderr + gpu.stderr
        assert re.search(r"^ *Join .* cuda:0$", gpu.stderr, re.M) and "then on the CPU" not in gpu.stderr, gpu.stderr
