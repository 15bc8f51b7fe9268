"""GROUP BY of many groups on the emulated GPU: when rows are partitioned first, and when they are not."""

import os
import re

import pytest

TABLE = "CREATE TABLE t AS SELECT (i * 7919 % {groups})::INT AS k, CASE WHEN i % 5 <> 3 THEN (i % 1000)::INT END AS v FROM range({rows}) r(i)"
QUERY = """SELECT count(*), sum(s), max(s), min(s), sum(k::BIGINT * s), sum(n * k), sum(c) FROM
  (SELECT k, sum(v) AS s, count(*) AS n, count(v) AS c FROM t WHERE k % 10 <> 7 GROUP BY k)"""
PARTS = ["--device-strategy", "groups=parts"]


@pytest.fixture
def env(emulated_gpu, tmp_path):
    return {**os.environ, **emulated_gpu, "XDG_CONFIG_HOME": str(tmp_path), "COLUMNS": "1000"}


@pytest.fixture
def kernels(lanewise, env):
    """How often each grouping kernel ran for this many rows and groups, in a run whose answer is the CPU's."""
    def run(rows, groups, *arguments, **more):
        sql = f"{TABLE.format(rows=rows, groups=groups)};\n{QUERY}"
        expected = lanewise("sql", "--format", "csv", "-c", sql)
        code, out, told = lanewise("sql", "--device", "cuda", "--profile", "--format", "csv", *arguments, "-c", sql, env={**env, **more})
        assert (code, out) == (0, expected[1]), told
        return {name: int(times or 1) for name, times in re.findall(r"^ +(group|spread|group_parts) [\d.]+ ms(?: in (\d+) launches)?", told, re.M)}
    return run


def test_pieces_of_many_blocks(kernels):
    assert kernels(150_000, 40_009, *PARTS) == {"spread": 1, "group_parts": 1}


def test_a_table_that_is_too_small_grows_and_rows_stay_sorted(kernels):
    assert kernels(1_400_000, 1_000_003, *PARTS) == {"spread": 1, "group_parts": 2}


def test_batches_are_put_together(kernels):
    assert kernels(30_000, 9_001, *PARTS, "--device-rows", "8192") == {"spread": 4, "group_parts": 4}


def test_many_rows_in_many_groups_go_by_parts(kernels):
    assert kernels(1 << 24, 1_000_003) == {"group": 1, "spread": 1, "group_parts": 1}


def test_others_do_not(kernels):
    assert kernels(1_400_000, 1_000_003) == {"group": 2}
    assert kernels(150_000, 40_009, "--device-strategy", "groups=table") == {"group": 1}


def test_without_memory_for_records_rows_go_to_the_table(kernels):
    assert kernels(1_100_000, 1000, *PARTS, "--device-memory", "67MB") == {"spread": 1, "group": 1}


def test_without_what_sorts_rows_go_to_the_table(kernels):
    assert kernels(10_000, 1000, *PARTS, LANEWISE_SORT="nowhere/lanewise_sort.so") == {"group": 1}


def answers(lanewise, env, sql):
    return [lanewise("sql", "--format", "csv", *device, "-c", sql, env=env)
            for device in ([], ["--device", "cuda", *PARTS], ["--device", "cuda", "--device-strategy", "groups=table"])]


def test_more_fields_than_a_record_has_bits(lanewise, env):
    counts = ", ".join(f"count(*) FILTER (v = {i}) AS c{i}" for i in range(40))
    sql = f"{TABLE.format(rows=5000, groups=301)};\nSELECT k, {counts} FROM t GROUP BY k ORDER BY k"
    cpu, parts, table = answers(lanewise, env, sql)
    assert cpu[0] == 0 and parts[:2] == table[:2] == cpu[:2]


def test_what_only_counts_may_fail(lanewise, env):
    sql = "CREATE TABLE t AS SELECT i, i % 7 AS k FROM range(1000) r(i);\nSELECT k, count(*), count(i::TINYINT) FROM t GROUP BY k"
    cpu, parts, table = answers(lanewise, env, sql)
    assert cpu[0] == 2 and parts == table == cpu


def test_explain_shows_their_kernels(lanewise, env):
    sql = "SELECT i % 7, count(*) FROM range(10) r(i) GROUP BY 1"
    _, shown, _ = lanewise("sql", "--explain", "kernels", "-c", sql, env=env)
    _, table, _ = lanewise("sql", "--explain", "kernels", "--device-strategy", "groups=table", "-c", sql, env=env)
    assert " spread(const Job job)" in shown and " group_parts(const Job job)" in shown
    assert " group(const Job job)" in table and " group_parts(" not in table
