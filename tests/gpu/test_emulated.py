"""What needs a GPU, on the one that cores emulate."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build")

# Of the tests that a real GPU passes those that are not about the driver, nor about many millions of rows.
TESTS = {
    "api": "*OnGpu.*",
    "data": "*OnGpu.*",
    "ops": "*OnGpu.*",
    "graph": "*/Gpu",
    "pram": "*/*OnDevice.*/Cuda",
    "pram, random programs": "*/RandomOnDevice.*/Cuda0:*/RandomOnDevice.*/Cuda1",
    "primitives": "DeviceArraysOnGpu.*:DeviceMatrixOnGpu.*",
}


@pytest.mark.parametrize("name", TESTS)
def test_programs(name, emulated_gpu):
    layer = name.split(",")[0]
    program = BUILD / "engine" / layer / f"lanewise_{layer}_test"
    env = {**os.environ, **emulated_gpu, "EMULATED_GPU_NOISE": "90", "FAKE_CUDA_SOURCES": "1"}  # a number above zero, which 165 is not
    if "LANEWISE_TEST_ALL" not in os.environ:
        env["LANEWISE_TEST_FEW"] = "1"
    result = subprocess.run([program, f"--gtest_filter={TESTS[name]}", "--gtest_brief=1"], env=env,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert result.returncode == 0 and "SKIPPED" not in result.stdout and "PASSED  ] 0 tests" not in result.stdout, result.stdout[-4000:]


def test_queries(emulated_gpu):
    result = subprocess.run([sys.executable, ROOT / "tests/gpu/gpu_smoke.py", "--program", BUILD / "lanewise", "--quick", "--rows", "1000",
                             "--seconds", "900"], env={**os.environ, **emulated_gpu}, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


def profiled(emulated_gpu, sql, *arguments):
    return subprocess.run([BUILD / "lanewise", "sql", "--profile", "--format", "csv", "-c", sql, *arguments], env={**os.environ, **emulated_gpu},
                          capture_output=True, text=True)


def test_order_of_few_long_texts(emulated_gpu):
    """Rows are sorted by 8 bytes at a time; by the bytes of a long text only those that are alike so far."""
    sql = """SET lanewise_fallback = 'duckdb'; CREATE TABLE t AS SELECT i, CASE WHEN i % 1000 = 7 THEN chr((97 + i // 1000)::INT) || repeat('a', 1000000) WHEN i % 500 = 3 THEN
      repeat('b', 300) || (i * 7 % 11) ELSE 'k' || i % 10 END AS s, 'POINT(1 2)'::GEOMETRY AS not_ours FROM range(3000) r(i); RESET lanewise_fallback; SELECT i, length(s) FROM t ORDER BY s, i"""
    answers = {device: profiled(emulated_gpu, sql, "--device", device) for device in ("cpu", "cuda")}
    assert answers["cpu"].returncode == 0 and answers["cpu"].stdout == answers["cuda"].stdout
    sorts = int(re.search(r"^ +sort .* in (\d+) launches", answers["cuda"].stderr, re.M)[1])
    assert 8 < sorts < 100, answers["cuda"].stderr


def test_lost_texts_where_memory_is_short(emulated_gpu):
    """Texts that find no room, and no memory for more of it: fewer rows at a time, and what the first ones came to counts once."""
    sql = """SET lanewise_fallback = 'duckdb'; CREATE TABLE t AS SELECT 'x' || i % 10 AS s, i, 'POINT(1 2)'::GEOMETRY AS not_ours FROM range(20000) r(i); RESET lanewise_fallback;
      SELECT count(*), sum(i) FROM t WHERE repeat(s, CASE WHEN i % 200 = 199 THEN 20000 ELSE 2 END) LIKE 'x7%'"""
    run = profiled(emulated_gpu, sql, "--device", "cuda", "--device-memory", "3MB")
    assert run.stdout.split() == ["count_star(),sum(i)", f"2000,{sum(range(7, 20000, 10))}"], run
    assert re.search(r"kernels .* in \d+ batches", run.stderr), run.stderr


def test_automaton_beside_fewer_rows(emulated_gpu):
    """An automaton of 302 KB that has no room beside all rows has it beside some of them."""
    sql = """SET lanewise_fallback = 'duckdb'; CREATE TABLE t AS SELECT 'abc' || i AS s, 'POINT(1 2)'::GEOMETRY AS not_ours FROM range(60000) r(i); RESET lanewise_fallback;
      SELECT count(*) AS n FROM t WHERE regexp_matches(s, '^[a-z]{3,200}[0-9]{1,200}7$')"""
    for memory in (700, 900, 1000, 2000):
        run = profiled(emulated_gpu, sql, "--device", "cuda", "--device-memory", f"{memory}KB")
        assert run.stdout.split() == ["n", "5999"] and (" batches" in run.stderr) == (memory <= 1000), (memory, run)


def answers_of_duckdb(file, emulated_gpu, *arguments):
    return subprocess.run([sys.executable, ROOT / "tests/gpu/gpu_differential.py", "--program", BUILD / "lanewise", "--answers", file, "--jobs", "2",
                           "--seconds", "900", *arguments], env={**os.environ, **emulated_gpu}, capture_output=True, text=True)


def test_statement_files(emulated_gpu, duckdb_answers):
    """Every 97th answer, as the host's compiler takes half a second for the kernels of one; all with LANEWISE_TEST_ALL."""
    every = "1" if "LANEWISE_TEST_ALL" in os.environ else "97"
    result = answers_of_duckdb(duckdb_answers, emulated_gpu, "--every", every)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


def test_answers_that_differ(emulated_gpu, tmp_path):
    """A wrong answer is found, with every setting; so is it where the GPU ran less than half of the queries."""
    table = {"kind": "statement", "ordered": False, "message": "", "sql": "CREATE TABLE t AS SELECT i, 'a' || i AS s FROM range(100) r(i)", "line": 1}

    def outcome(query, *rows):
        asked = {**table, "kind": "query", "sql": query, "line": 2}
        file = tmp_path / "answers.json"
        file.write_text(json.dumps([{"name": "one", "blocks": [table, asked], "answers": [{"rows": rows, "types": ["BIGINT"]}]}]))
        return answers_of_duckdb(file, emulated_gpu)

    on_gpu, on_cpu = "SELECT count(*) AS n FROM t WHERE i > 89", "SELECT count(*) AS n FROM t WHERE regexp_matches(s, s)"
    right = outcome(on_gpu, ["10"])
    assert right.returncode == 0 and right.stdout.endswith("3 passed, 0 failed\n"), right
    wrong = outcome(on_gpu, ["11"])
    assert wrong.returncode == 1 and wrong.stdout.endswith("0 passed, 3 failed\n") and "'10', DuckDB has '11'" in wrong.stdout, wrong
    assert wrong.stdout.count(on_gpu) == 3 and "FAILED one --device-memory 8MB --device-strategy split, line 2: " in wrong.stdout, wrong
    elsewhere = outcome(on_cpu, ["100"])
    assert elsewhere.returncode == 1 and elsewhere.stdout.count("0 of 1 queries ran on the GPU, which is too few") == 3, elsewhere


@pytest.mark.parametrize("strategy", ["groups=table", "groups=parts", "groups=slots"])
def test_whichever_call_fails(strategy, emulated_gpu):
    """Out of memory, or a kernel's fault, at a call of the driver: an error, or where it can do without that call the answer."""
    failing = BUILD / "engine/gpu/failing"
    env = {**os.environ, **emulated_gpu, "LD_LIBRARY_PATH": str(failing),
           "FAILING_CUDA_REAL": emulated_gpu["LD_LIBRARY_PATH"] + "/libcuda.so.1"}
    if strategy != "groups=parts":
        sql = """SELECT k, count(*), min(s), sum(i) FROM
          (SELECT i, 'k' || i % 7 AS k, repeat('ab', (i % 5)::INT) || i AS s FROM range(3000) r(i)) WHERE s LIKE '%b1%' GROUP BY k ORDER BY k"""
    else:
        sql = "SELECT (i % 700)::INT AS k, count(*), sum((i % 9)::INT) FROM range(3000) r(i) WHERE i % 5 > 1 GROUP BY k ORDER BY k"

    def run(call, error):
        asked = {"FAILING_CUDA_IN": str(call), "FAILING_CUDA_WITH": str(error)}
        return subprocess.run([BUILD / "lanewise", "sql", "--device", "cuda", "--device-strategy", strategy, "--format", "json", "-c", sql], env={**env, **asked},
                              capture_output=True, text=True, timeout=60)

    out_of_memory, fault, never = 2, 719, 0
    answer = run(never, 0)
    assert answer.returncode == 0, answer.stderr
    calls = 1
    while (told := run(calls, fault)).returncode:
        assert told.returncode in (2, 70) and "a kernel failed" in told.stderr and not told.stdout, (calls, told)
        told = run(calls, out_of_memory)
        assert told.stdout == answer.stdout if told.returncode == 0 else told.returncode == 2 and told.stderr.startswith("error: "), (calls, told)
        calls += 7
    assert told.stdout == answer.stdout and calls > 100
