"""`lanewise sql --device cuda` on the emulated GPU: with another process, after Ctrl-C, and the occupancy that it reports."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from conftest import PROGRAM, cancel

GROUPS = "SELECT s, count(*) AS n, sum(i) AS x FROM (SELECT i, 'k' || i % 7 AS s FROM range(3000) r(i)) WHERE s <> 'k3' GROUP BY s ORDER BY s"


@pytest.fixture
def env(emulated_gpu, tmp_path):
    return {**os.environ, **emulated_gpu, "XDG_CONFIG_HOME": str(tmp_path), "COLUMNS": "1000"}


def kernels(env):
    return list(Path(env["XDG_CACHE_HOME"]).glob("lanewise/kernels/*.kernel"))


def start(env, sql, *arguments):
    return subprocess.Popen([PROGRAM, "sql", "--device", "cuda", "--format", "csv", "-c", sql, *arguments], env=env, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_processes_share_a_kernel_cache(lanewise, env):
    """They all compile the same kernels at once, or find those that another process has just stored."""
    _, answer, _ = lanewise("sql", "--format", "csv", "-c", GROUPS, env=env)
    for program in [start(env, GROUPS) for _ in range(3)]:
        out, error = program.communicate(timeout=300)
        assert (program.returncode, out, error) == (0, answer, "")
    folder = kernels(env)[0].parent
    assert all(path.suffix == ".kernel" for path in folder.iterdir())  # no half-written file stays
    before = {path.name: path.read_bytes() for path in kernels(env)}
    later = start(env, GROUPS, "--profile")
    out, error = later.communicate(timeout=300)
    assert (later.returncode, out) == (0, answer) and "found compiled in" in error and ", compiled in" not in error, error
    assert {path.name: path.read_bytes() for path in kernels(env)} == before


def test_a_process_loads_kernels_once(lanewise, env):
    code, out, error = lanewise("sql", "--device", "cuda", "--format", "csv", "--profile", "-c", f"{GROUPS}; {GROUPS}", env=env)
    first, again = [line for line in error.splitlines() if "kernels " in line]
    assert code == 0 and "compiled in" in first and "compiled in" not in again, error
    half = len(out) // 2
    assert out[:half] == out[half:]


def test_a_small_result_takes_few_round_trips(lanewise, env, tmp_path):
    """For queries whose kernels are loaded: how often the host waits for the GPU or polls it, and what it copies back. Each transfer also waits for a
    slot of pinned memory, which is free."""
    counts = tmp_path / "counts"
    table = "CREATE TABLE t AS SELECT i, i % 3 AS n, 'k' || i % 5 AS s, CASE WHEN i % 7 > 1 THEN 'x' || i % 2 END AS u FROM range(1000) r(i)"

    def counted(query, times):
        code, _, error = lanewise("sql", "--device", "cuda", "--format", "csv", "-c", "; ".join([table, *[query] * times]),
                                  env={**env, "FAKE_CUDA_COUNTS": str(counts)})
        assert code == 0, error
        return [int(count) for count in re.findall(r"(\d+) (?:waits|copies)", counts.read_text())]

    for query, waits, copies in [
        ("SELECT count(*), max(i) FROM t WHERE n = 1", 4, 2),  # states and faults together, after the last kernel
        ("SELECT i, s, u FROM t WHERE n = 1 AND i < 500", 6, 3),  # how many rows; rows and faults
        ("SELECT s, u, n, sum(i), avg(i), count(*) FROM t GROUP BY s, u, n", 9, 5),  # whether the table is full; groups; rows and the rest
        ("SELECT count(DISTINCT i) FROM t", 11, 4),  # whether the table is full; groups; those that have a value; faults
    ]:
        assert [more - one for one, more in zip(counted(query, 1), counted(query, 2))] == [waits, copies], query


def test_ctrl_c_while_a_table_streams(lanewise, env):
    """The table is a hundred times as large as the emulated GPU's memory."""
    slow = " + ".join(f"(i // {d})" for d in range(2, 150))  # many seconds for all rows
    sql, tight = f"SELECT sum({slow}) AS s FROM range({{}}) r(i)", ["--device-memory", "1MB"]
    told = start(env, sql.format(300_000), *tight, "--profile").communicate(timeout=300)
    assert told[0].startswith("s\n") and " batches, compiled in" in told[1], told  # it streams, and the compiler has finished
    for path in kernels(env):
        os.utime(path, (0, 0))
    program = start(env, sql.format(40_000_000), *tight)
    while sum(path.stat().st_mtime > 0 for path in kernels(env)) < 2:  # its own kernels are checked for after the first batch
        assert program.poll() is None, program.stderr.read()
        time.sleep(0.01)
    code, seconds = cancel(program)
    assert code == 130 and seconds < 2, (code, seconds)
    assert "cancelled" in program.stderr.read() and program.stdout.read() == ""
    out, error = start(env, sql.format(300_000), *tight).communicate(timeout=300)
    assert (out, error) == (told[0], "")


@pytest.mark.parametrize("rows", [None, 8000, 12800])
def test_what_is_in_memory_does_not_stream_with_the_rest(lanewise, env, tmp_path, rows):
    """Three of six columns are in the GPU's memory, which the others exceed. `rows`: of a part there."""
    env = {**env, "LANEWISE_DEVICE_ROWS": str(rows)} if rows else env
    made = lanewise("sql", "-o", "t.parquet", "-c", """SELECT i AS a, CASE WHEN i % 3 > 0 THEN i % 1000 END AS b, i * 7 AS c, i // 3 AS d, -i AS e,
        'k' || i % 7 AS s FROM range(40_000) r(i)""")
    assert made[0] == 0, made
    some = "SELECT sum(a) AS a, sum(b) AS b FROM 't.parquet' WHERE s <> 'k5'"
    all_of_them = """SELECT sum(a * 2 + b) AS ab, sum(c - d) AS cd, min(e) AS e, count(b) AS n, count(*) FILTER (WHERE s = 'k3') AS s
                     FROM 't.parquet' WHERE a % 5 <> 2"""

    def uploaded(*queries):
        """The output, KiB that each query uploaded, and the profile."""
        code, out, error = lanewise("sql", "--device", "cuda", "--device-memory", "1700KB", "--format", "csv", "--profile", "-c",
                                    "; ".join(queries), env=env)
        sizes = [float(size) * {"KiB": 1, "MiB": 1024}[unit] for size, unit in re.findall(r"uploaded ([0-9.]+) (\w+) at", error)]
        assert code == 0 and len(sizes) == len(queries), error
        return out, sizes, error

    out, (first, then), error = uploaded(some, all_of_them)
    assert out == lanewise("sql", "--format", "csv", "-c", f"{some}; {all_of_them}")[1] and " batches" in error, error
    everything = uploaded(all_of_them)[1][0]
    assert everything - 1.1 * first < then < everything - 0.9 * first, (first, then, everything, error)


@pytest.mark.parametrize("condition, share", [("a BETWEEN 140_000 AND 150_000", 1 / 6), ("a IN (SELECT k::BIGINT + 190_000 FROM range(50) u(k))", 1 / 6), ("b % 5 = 1", 1),
                                              ("a < 20_000 OR a > 290_000", 1 / 3)])
def test_rows_out_of_bounds_do_not_stream(lanewise, env, tmp_path, condition, share):
    """Of columns that exceed the GPU's memory, and that the host keeps, batches come only from zones whose bounds allow what a filter or a join keeps."""
    rows = 300_000
    made = lanewise("sql", "-o", "t.parquet", "-c", f"SELECT i AS a, i * 7919 % 1000 AS b, CASE WHEN i % 3 > 0 THEN 's' || i % 100 END AS s FROM range({rows}) r(i)")
    assert made[0] == 0, made
    query = f"SELECT count(*) AS n, sum(a * b) AS ab, min(s) AS s, count(s) AS present FROM 't.parquet' WHERE {condition}"
    code, out, error = lanewise("sql", "--device", "cuda", "--device-memory", "3MB", "--format", "csv", "--profile", "-c", f"{query}; {query}", env=env)
    assert (code, out) == lanewise("sql", "--format", "csv", "-c", f"{query}; {query}")[:2], error
    skipped = sum(int(found) for found in re.findall(r"skipped (\d+) rows", error)) / 2
    assert abs(rows * (1 - share) - skipped) <= rows / 6 and (skipped == 0) == (share == 1), error


LEFT = "CREATE TABLE t AS SELECT i, i % 50000 AS k, CASE WHEN i % 9 > 0 THEN 's' || i % 7 END AS s, i % 3 = 0 AS b FROM range(120_000) r(i)"
READERS = {
    "filter": "SELECT count(*) AS n, sum(v) AS v, min(s) AS s FROM g WHERE v % 3 = 1 AND n < 9",
    "join": "SELECT count(*) AS n, sum(g.v) AS v FROM g JOIN t ON g.k = t.k WHERE t.i % 5 = 0",
    "build": "SELECT count(*) AS n, sum(g.v) AS v, max(g.s) AS s FROM t JOIN g ON g.k = t.k AND g.s = t.s AND g.b = t.b",
    "two": "SELECT k, s, v FROM g WHERE v = (SELECT max(v) FROM g) UNION ALL SELECT k, s, v FROM g WHERE k = 77 ORDER BY ALL",
    "order": "SELECT k, s, b, v FROM g ORDER BY v DESC, k, s, b LIMIT 20",
    "pair": "SELECT sum(g.v * 100_000_000_000_000 * t.i) AS v FROM g JOIN t ON g.k = t.k",
    "error": "SELECT sum(CASE WHEN k = 49_999 AND s IS NULL THEN v * 1_000_000_000_000_000_000 ELSE v END) AS v FROM g",
}


@pytest.mark.parametrize("memory", ["1GB", "8MB"])
@pytest.mark.parametrize("name", READERS)
def test_rows_between_pipelines_stay(lanewise, env, name, memory):
    """Groups of one pipeline that another reads are not uploaded again; a pair that raises an error makes the host read them."""
    sql = f"{LEFT}; WITH g AS MATERIALIZED (SELECT k, s, b, count(*) AS n, sum(i)::BIGINT AS v FROM t GROUP BY ALL) {READERS[name]}"
    on_cpu = lanewise("sql", "--format", "csv", "-c", sql)
    code, out, error = lanewise("sql", "--device", "cuda", "--device-memory", memory, "--format", "csv", "--profile", "-c", sql, env=env)
    if name in ("pair", "error"):
        assert on_cpu[0] != 0 and code == on_cpu[0] and on_cpu[2] in error, (on_cpu, error)
        return
    assert (code, out) == on_cpu[:2], error
    if memory == "1GB":
        sizes = sum(float(size) * {"KiB": 1, "MiB": 1024}[unit] for size, unit in re.findall(r"uploaded ([0-9.]+) (\w+) at", error))
        assert sizes < 5000, f"of t only: {error}"


BATCHES = {
    "filter": "SELECT count(*) AS n, sum(v) AS v, min(s) AS s FROM g WHERE v % 3 = 1 AND v < most",
    "rows": "SELECT v, s FROM g WHERE v % 1000 = 1 AND v < most ORDER BY v",
    "join": "SELECT count(*) AS n, sum(g.v) AS v FROM g JOIN t ON g.k = t.k WHERE t.i % 5 = 0 AND v < most",
    "build": "SELECT count(*) AS n, sum(g.v) AS v, max(g.s) AS s FROM t JOIN g ON g.k = t.k AND g.s = t.s WHERE v < most",
    "two": "SELECT k, s, v FROM g WHERE v = most UNION ALL SELECT k, s, v FROM g WHERE k = 77 ORDER BY ALL",
    "groups": "SELECT k % 10 AS d, s, count(*) AS n, sum(v) AS v FROM g WHERE v < most GROUP BY ALL ORDER BY ALL",
    "error": "SELECT sum(CASE WHEN v = 359_994 AND s IS NOT NULL THEN v * 1_000_000_000_000_000_000 ELSE v END) AS v FROM g WHERE v <= most",
}


@pytest.mark.parametrize("union", [False, True])
@pytest.mark.parametrize("name", BATCHES)
def test_rows_of_several_batches_stay(lanewise, env, name, union):
    """They are read twice, batch by batch, where they were left, and are not uploaded again; a build side is put together on the host."""
    other = " UNION ALL SELECT k + 1, s, -i FROM t WHERE i % 64 = 5" if union else ""
    reader = BATCHES[name].replace("most", "(SELECT max(v) FROM g)")
    sql = f"{LEFT}; WITH g AS MATERIALIZED (SELECT k, s, 3 * i AS v FROM t WHERE i % 10 <> 7{other}) {reader}"
    on_cpu = lanewise("sql", "--format", "csv", "-c", sql)
    code, out, error = lanewise("sql", "--device", "cuda", "--device-rows", "16384", "--format", "csv", "--profile", "-c", sql, env=env)
    assert (code, out) == on_cpu[:2], error
    if name == "error":
        assert code != 0 and on_cpu[2] in error
        return
    sizes = [float(size) * {"KiB": 1, "MiB": 1024}[unit] for size, unit in re.findall(r"uploaded ([0-9.]+) (\w+) at", error)]
    pipelines = re.findall(r"kernels .* in \d+ batches.*", error)
    assert len(pipelines) >= 3 and (sum(sizes) < 5600 or name == "build"), f"of t only: {error}"
    assert sum("columns on the GPU" in line for line in pipelines) >= (1 if name == "build" else 2), error


@pytest.mark.parametrize("memory", ["16MB", "40MB"])
def test_rows_of_several_batches_make_room(lanewise, env, memory):
    """The rows that batches leave are more than the GPU's memory: they go to the host, and come back batch by batch."""
    sql = """CREATE TABLE t AS SELECT i, i * 7 % 1000 AS k FROM range(300_000) r(i);
      WITH g AS MATERIALIZED (SELECT i, k, i * k AS a, i + k AS b, i - k AS c, i // 3 AS d, i % 77 AS e, k * k AS f FROM t WHERE i % 100 <> 7)
      SELECT count(*) AS n, sum(a) AS a, sum(b) AS b, sum(c) AS c, sum(d) AS d, sum(e) AS e, sum(f) AS f, min(i) AS i, max(k) AS k FROM g
      WHERE a <= (SELECT max(a) FROM g)"""
    answer = lanewise("sql", "--format", "csv", "-c", sql)
    code, out, error = lanewise("sql", "--device", "cuda", "--device-rows", "65536", "--device-memory", memory, "--format", "csv", "--profile", "-c", sql, env=env)
    assert (code, out) == answer[:2], error
    sizes = [float(size) * {"KiB": 1, "MiB": 1024}[unit] for size, unit in re.findall(r"uploaded ([0-9.]+) (\w+) at", error)]
    assert (sum(sizes) > 20_000) == (memory == "16MB"), error


def test_few_rows_of_several_batches_come_to_the_host(lanewise, env):
    sql = """CREATE TABLE t AS SELECT i FROM range(100_000) r(i);
      WITH g AS MATERIALIZED (SELECT i, i * 2 AS v FROM t WHERE i % 9999 = 1) SELECT i, v FROM g WHERE v <= (SELECT max(v) FROM g) ORDER BY i"""
    answer = lanewise("sql", "--format", "csv", "-c", sql)
    code, out, error = lanewise("sql", "--device", "cuda", "--device-rows", "4096", "--format", "csv", "--profile", "-c", sql, env=env)
    assert (code, out) == answer[:2] and len(re.findall(r" in \d+ batches", error)) == 2, f"of t and of g: {error}"


def test_rows_that_were_left_make_room(lanewise, env):
    """A join needs the memory in which rows for a later pipeline are: they go to the host, and either part alone has room."""
    sql = """CREATE TABLE t AS SELECT i, i * 3 AS k FROM range(200_000) r(i); CREATE TABLE u AS SELECT i * 3 AS k FROM range(3_000_000) r(i);
      CREATE TABLE w AS SELECT i * 7 AS k, i AS a, i + 1 AS b, i + 2 AS c, i + 3 AS d FROM range(300_000) r(i);
      WITH g AS MATERIALIZED (SELECT k, i * i AS v, i + 7 AS z FROM t WHERE i % 100 <> 7),
        h AS MATERIALIZED (SELECT count(*) AS n, sum(w.a + w.b + w.c + w.d)::BIGINT AS w FROM u JOIN w ON u.k = w.k)
      SELECT n, w, NULL FROM h UNION ALL SELECT count(*), sum(v + k), max(z) FROM g WHERE v % 3 = 1 UNION ALL SELECT 1, sum(z), 2 FROM g"""
    answer = lanewise("sql", "--format", "csv", "-c", sql)
    assert lanewise("sql", "--device", "cuda", "--device-memory", "16MB", "--format", "csv", "-c", sql, env=env) == answer


def test_occupancy_is_as_reckoned_by_hand(lanewise, env):
    """Four warps: threads=32 on four multiprocessors. Each has 39 words of 32 rows; the first of its rows takes 40 walks of 16 bytes, any other
    one. Naive: 40 walks for the word with the long row, 38 for the others, so 78 of 32 lanes. With refill 31 lanes take new rows in each of those
    40 walks; there are 7 rows left for one more."""
    rows, live = 4 * 39 * 32, 40 + 39 * 32 - 1
    table = f"CREATE TABLE t AS SELECT i, repeat('a', CASE WHEN i % {39 * 32} = 0 THEN 640 ELSE 16 END) AS s FROM range({rows}) r(i)"

    def told(strategy, condition, *more):
        """The occupancy of each match kernel in percent, and of no other kernel; None: not reported."""
        code, out, error = lanewise("sql", "--device", "cuda", "--format", "csv", "--profile", *strategy, *more, "-c",
                                    f"{table}; SELECT count(*) AS n FROM t WHERE {condition}", env=env)
        assert (code, out.split()[-2:]) == (0, ["n", "0"]), error
        lines = re.findall(r"^ +(\w+ [0-9.]+ ms.*)$", error, re.M)
        assert not any("occupancy" in line for line in lines if not line.startswith("match_")), error
        shares = [re.search(r", occupancy ([0-9.]+) %$", line) for line in lines if line.startswith("match_")]
        assert shares, error
        return [share and float(share[1]) for share in shares]

    automaton, literal = "regexp_matches(s, '[0-9]x')", "s LIKE '%zz%'"
    naive, refill = round(100 * live / (78 * 32), 1), round(100 * live / (41 * 32), 1)
    assert naive < 52 and refill > 98
    counted, counted_naive = [("--device-strategy", f"{how}threads=32,occupancy") for how in ("", "naive,")]
    assert told(counted, automaton) == [refill]
    assert told(counted_naive, automaton) == [naive]
    assert told(counted_naive, automaton, "--device-rows", str(rows // 2)) == [naive]  # of all batches
    assert told(counted_naive, f"{automaton} AND i >= 0") == [naive]  # by a bitmap
    assert told(("--device-strategy", "naive,threads=32,lists,occupancy"), f"{automaton} AND i >= 0") == [naive]
    assert told(counted_naive, f"{automaton} OR {literal}") == [naive, None]  # a search for literals does not assign rows to lanes
    assert told(("--device-strategy", "threads=32"), automaton) == told((), automaton) == [None]


def test_a_value_that_cannot_be_converted_is_named(lanewise, env, tmp_path):
    """Errors have the same words as on cores."""
    query = f"SELECT sum(s::INTEGER) FROM '{tmp_path}/a.parquet'"
    values = "SELECT CASE WHEN i IN (700, 900) THEN 'row ' || i ELSE i::VARCHAR END AS s FROM range(1000) t(i)"
    assert lanewise("sql", "-c", values, "-o", f"{tmp_path}/a.parquet")[0] == 0
    on_cores = lanewise("sql", "-c", query)
    assert on_cores[0] == 2 and "a.parquet', row 701, column s: Could not convert string 'row 700' to INT32" in on_cores[2], on_cores
    assert lanewise("sql", "--device", "cuda", "-c", query, env=env) == on_cores


IDS = """SET lanewise_fallback = 'duckdb'; CREATE TABLE t AS SELECT CASE WHEN i % 11 != 3 THEN format('{:08x}000000000000000000000000', i * 7919 % 13 * 300000000)::UUID END AS u,
                                  CASE WHEN i % 7 != 3 THEN format('{:02d}:00:00.{:09d}', i % 24, i)::TIME_NS END AS t, i, 'POINT(1 2)'::GEOMETRY AS not_ours FROM range(1000) r(i);
         RESET lanewise_fallback"""
QUERIES = ["SELECT u, count(*), max(t) FROM t GROUP BY u ORDER BY u", "SELECT min(u), max(u), min(t), max(t), count(DISTINCT u) FROM t",
           "SELECT u, t, i FROM t WHERE u >= '80000000-0000-0000-0000-000000000000' AND t < '12:00:00.000000500' ORDER BY t DESC, u LIMIT 50"]


@pytest.mark.parametrize("query", QUERIES)
def test_uuids_and_times_of_nanoseconds(lanewise, env, query):
    on_cores = lanewise("sql", "--format", "csv", "-c", f"{IDS}; {query}")
    assert on_cores[0] == 0 and on_cores[1].count("\n") > 1, on_cores
    assert lanewise("sql", "--format", "csv", "--device", "cuda", "-c", f"{IDS}; {query}", env=env)[:2] == on_cores[:2]


@pytest.mark.parametrize("cast", ["u::VARCHAR", "t::VARCHAR", "t::TIME", "u::BLOB"])
def test_casts_of_uuids_are_refused_by_name(lanewise, env, cast):
    code, out, error = lanewise("sql", "--device", "cuda", "-c", f"{IDS}; SELECT max({cast}) FROM t", env=env)
    assert (code, out) == (2, "") and "CAST(" in error and "is not supported on GPUs" in error, error
