"""GROUP BY on the emulated GPU while the query's own kernel is not compiled yet: rows become slots, which one kernel for all queries puts into groups."""

import os
import re

import pytest

TABLE = """CREATE TABLE t AS SELECT i, (i % 7)::INT AS k, CASE WHEN i % 11 <> 3 THEN 'key ' || i % 5 END AS s, 'one of the longer keys: ' || i % 13 AS l,
  CASE WHEN i % 3 <> 1 THEN i * 7919 % 1000 END AS v, (i % 100)::DOUBLE AS d, (i % 1000)::DECIMAL(15,2) AS m, i::HUGEINT * 10000000000000 AS h,
  DATE '2000-01-01' + (i % 50)::INT AS da, to_days((i % 4)::INT) AS iv FROM range({rows}) r(i)"""
QUERIES = """
SELECT s, k, count(*), count(v), sum(v), min(v), max(v), avg(d), sum(m * (1 - m)), min(da), max(h), min(h), sum(h) FROM t WHERE v > 10 GROUP BY s, k
SELECT l, bit_and(v), bit_or(v), bit_xor(v), bit_xor(h), bit_or(h), product(CASE WHEN k = 2 THEN 2 ELSE 1 END), fsum(d), round(stddev(d), 6), sum(d) FILTER (WHERE k > 3) FROM t GROUP BY l
SELECT k, min(l), max(l), max(s), first(v), last(i), arg_max(l, v), arg_min(i, l), any_value(i ORDER BY l DESC, i) FROM t GROUP BY k
SELECT upper(l) || s AS x, k, count(*), max(reverse(l)) FROM t GROUP BY ALL
SELECT DISTINCT l, s, h % 7, d FROM t
SELECT iv, v, avg(iv), count(DISTINCT s) FROM t GROUP BY iv, v
SELECT i % 1000 AS x, sum(i), count(*) FROM t WHERE l LIKE '%keys: 1%' GROUP BY x
""".strip().splitlines()
SLOTS = ["--device-strategy", "groups=slots"]


@pytest.fixture
def env(emulated_gpu, tmp_path):
    return {**os.environ, **emulated_gpu, "XDG_CONFIG_HOME": str(tmp_path)}


@pytest.fixture
def kernels(lanewise, env):
    """How often each grouping kernel ran, in a run whose answers are the CPU's."""
    def run(sql, *arguments, **more):
        expected = lanewise("sql", "--format", "csv", "-c", sql)
        code, out, told = lanewise("sql", "--device", "cuda", "--profile", "--format", "csv", *arguments, "-c", sql, env={**env, **more})
        assert (code, out) == expected[:2], told
        times = [(name, int(times or 1)) for name, times in re.findall(r"^ +(group|make_slots|put_slots) [\d.]+ ms(?: in (\d+) launches)?", told, re.M)]
        return {name: sum(n for one, n in times if one == name) for name, _ in times}
    return run


def all_queries(rows):
    return ";\n".join([TABLE.format(rows=rows), *(query + " ORDER BY ALL" for query in QUERIES)])


@pytest.mark.parametrize("rows", [0, 1, 33, 20_000])
def test_answers(kernels, rows):
    told = kernels(all_queries(rows), *SLOTS)
    assert "group" not in told and told.get("make_slots") == told.get("put_slots"), told
    assert rows <= 1 or told["put_slots"] >= len(QUERIES), told


def test_batches(kernels):
    assert kernels(all_queries(5000), *SLOTS, "--device-rows", "1024")["put_slots"] >= 5 * len(QUERIES)


@pytest.mark.parametrize("where", ["", "WHERE i % 9 <> 4 AND v > 1"])
def test_fewer_slots_at_a_time_where_memory_is_short(kernels, lanewise, env, where):
    sql = f"""CREATE TABLE t AS SELECT i, i % 500 AS k, i % 10 AS v, i % 3 = 1 AS b FROM range(100000) r(i);
              SELECT k, sum(v), max(i), first(i), min(i) FILTER (WHERE b), avg(i) FROM t {where} GROUP BY k ORDER BY k"""
    short = [*SLOTS, "--device-memory", "32MB"]
    assert kernels(sql, *short)["put_slots"] > 1
    assert " batches" not in lanewise("sql", "--device", "cuda", "--profile", *short, "-c", sql, env=env)[2]


def test_a_table_that_is_too_small_grows(kernels):
    sql = """CREATE TABLE t AS SELECT i * 7919 % 1000003 AS k, i % 10 AS v FROM range(1400000) r(i);
             SELECT count(*), sum(s), max(n) FROM (SELECT k, sum(v) AS s, count(*) AS n FROM t GROUP BY k)"""
    assert kernels(sql, *SLOTS)["put_slots"] >= 2


def test_rows_that_fail(lanewise, env):
    sql = "CREATE TABLE t AS SELECT i, i % 7 AS k FROM range(1000) r(i);\nSELECT k, count(*), sum(i::TINYINT) FROM t GROUP BY k"
    cpu = lanewise("sql", "--format", "csv", "-c", sql)
    assert cpu[0] == 2 and lanewise("sql", "--format", "csv", "--device", "cuda", *SLOTS, "-c", sql, env=env) == cpu


def test_more_cells_than_a_shape_has(kernels):
    counts = ", ".join(f"count(*) FILTER (v = {i}) AS c{i}" for i in range(70))
    assert kernels(f"{TABLE.format(rows=3000)};\nSELECT k, {counts} FROM t GROUP BY k ORDER BY k", *SLOTS) == {"group": 1}


def test_a_new_query_does_not_wait_for_its_own_kernel(kernels, tmp_path):
    """The first program compiles the kernel for all queries (a GPU build ships it), the second one's query uses it, the third finds its own kernel."""
    cache = {"XDG_CACHE_HOME": str(tmp_path / "kernels")}
    table = TABLE.format(rows=1000)
    assert kernels(f"{table};\nSELECT k, max(d) FROM t GROUP BY k ORDER BY k", "--threads", "4", **cache) == {"group": 1}
    query = f"{table};\nSELECT s, sum(m) FROM t GROUP BY s ORDER BY s"
    assert kernels(query, "--threads", "4", **cache) == {"make_slots": 1, "put_slots": 1}
    assert kernels(query, "--threads", "4", **cache) == {"group": 1}


def test_so_many_groups_wait_for_it(kernels, tmp_path):
    cache = {"XDG_CACHE_HOME": str(tmp_path / "kernels")}
    table = "CREATE TABLE t AS SELECT i * 7919 % 1000003 AS k, i % 10 AS v FROM range(1200000) r(i)"
    asked = "SELECT count(*), sum(s), max(n) FROM (SELECT k, {}(v) AS s, count(*) AS n FROM t GROUP BY k)"
    assert kernels(f"{table};\n{asked.format('min')}", "--threads", "4", **cache) == {"group": 2}
    assert kernels(f"{table};\n{asked.format('max')}", "--threads", "4", **cache) == {"make_slots": 1, "put_slots": 1, "group": 1}


def test_where_slots_find_no_memory_it_is_waited_for(kernels, tmp_path):
    cache = {"XDG_CACHE_HOME": str(tmp_path / "kernels")}
    table = TABLE.format(rows=3000)
    kernels(f"{table};\nSELECT k, max(d) FROM t GROUP BY k ORDER BY k", "--threads", "4", **cache)
    query = f"{table};\nSELECT l || s AS x, count(*), max(upper(l)) FROM t GROUP BY x ORDER BY x"
    assert kernels(query, "--threads", "4", "--device-memory", "2MB", **cache) == {"group": 1}


def test_few_threads_wait_for_it(kernels, tmp_path):
    query = f"{TABLE.format(rows=1000)};\nSELECT s, sum(d) FROM t GROUP BY s ORDER BY s"
    assert kernels(query, "--threads", "3", XDG_CACHE_HOME=str(tmp_path / "kernels")) == {"group": 1}
