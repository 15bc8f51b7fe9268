"""`lanewise sql --device auto`: the estimates in --explain, what decides, and that the driver is opened only when needed.
The driver is the stand-in that the C++ tests use, or the emulated GPU."""

import json
import os
import pty
import random
import re
import subprocess
from pathlib import Path

import pytest

from conftest import BUILD, PROGRAM

ROOT = Path(__file__).resolve().parents[2]
NVRTC = sorted(ROOT.glob(".cache/venv/lib/python*/site-packages/nvidia/cu13/lib/libnvrtc.so.13"))
FEW = "SELECT sum(i) AS s FROM range(1000) t(i) WHERE i > 3"
MANY = "SELECT sum(i) AS s FROM range(20000000) t(i) WHERE i > 3"

NOT_OFFERED = "regexp_matches(i::VARCHAR, (i % 10)::VARCHAR)"  # a pattern for each row

RATES = {"start_us": 1, "scan_gb_per_second": 1, "compute_g_per_second": 1, "search_gb_per_second": 1, "automaton_gb_per_second": 1,
         "group_m_words_per_second": 1, "many_groups_m_words_per_second": 1, "sort_m_words_per_second": 1, "lookup_m_words_per_second": 1,
         "join_m_words_per_second": 1}
DEVICE = {"name": "Fake", "open_ms": 1, "compile_ms": 1, "load_ms": 1, "upload_gb_per_second": 1000, "download_gb_per_second": 1000}


@pytest.fixture
def without(tmp_path):
    """An environment without a driver, a profile or kernels."""
    (tmp_path / "libcuda.so.1").write_text("no library")
    return {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def fake(without):
    """The same with a driver of a GPU."""
    if not NVRTC:
        pytest.skip("no NVRTC")
    return {**without, "LD_LIBRARY_PATH": str(BUILD / "engine/gpu/fake"), "LANEWISE_NVRTC": str(NVRTC[0])}


@pytest.fixture
def emulated(without, emulated_gpu):
    """The same with a GPU that runs kernels, slowly."""
    return {**without, **emulated_gpu}


def tuned(lanewise, environment, device, **costs):
    """Writes a profile of this machine with a GPU whose rates are `device` times the host's: all, or each by its name."""
    rates = device if isinstance(device, dict) else {name: rate * device for name, rate in RATES.items()}
    _, out, _ = lanewise("info", env=environment)
    processor = next(line for line in out.splitlines() if line.startswith("processor")).removeprefix("processor").rpartition(",")[0].strip()
    path = Path(environment["XDG_CONFIG_HOME"]) / "lanewise" / "profile.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({
        "version": 3, "processor": processor, "read_gb_per_second": 10, "vector_rows": 0, "interleaved_width": 8, "refill_interleaved": 0,
        "refill_packed_avx2": 0, "refill_packed_avx512": 0, "literal_ns": 0, "packed_ns": 0, "rows_ns": 0, "lazy_ns": 0,
        "placement": {"device": {**DEVICE, **costs, "rates": rates},
                      "threads": os.cpu_count(), "host": RATES}}))


def explained(lanewise, environment, sql, device="auto"):
    code, out, error = lanewise("sql", "--explain", "--device", device, "-c", sql, env=environment)
    assert (code, error) == (0, ""), error
    return out[out.index("pipeline 1"):]


def test_without_a_gpu_all_is_the_cpus(lanewise, without):
    told = explained(lanewise, without, MANY)
    assert "→ Aggregate\n    on the CPU: the NVIDIA driver was not found" in told.partition("pipeline 2")[0] and "\n    CPU  " in told and "GPU  " not in told
    code, out, error = lanewise("sql", "--device", "auto", "-c", MANY, "--profile", "--format", "csv", env={**without, "COLUMNS": "1000"})
    assert (code, out) == (0, "s\n199999989999994\n") and "; on the CPU: " in error, error


@pytest.mark.parametrize("arguments, opened", [(["--device", "cpu"], False), (["--device", "auto"], False), (["--device", "cpu", "--explain"], False),
                                               (["--device", "auto", "--explain"], True), (["--device", "cuda"], True)])
def test_the_driver_is_opened_only_where_it_is_asked_for(lanewise, without, arguments, opened):
    _, _, error = lanewise("sql", *arguments, "-c", FEW, env={**without, "LD_DEBUG": "files"})
    assert ("file=libcuda.so.1" in error) == opened


def test_measured_costs_decide(lanewise, fake):
    tuned(lanewise, fake, 1000)
    told = explained(lanewise, fake, MANY)
    assert "→ Aggregate\n    on the GPU: about " in told.partition("pipeline 2")[0] and "compile 1.0 ms" in told and "open 1.0 ms" in told
    assert "\n    CPU  " in told and "\n    GPU  " in told
    assert "on the CPU: about" in explained(lanewise, fake, FEW)
    tuned(lanewise, fake, 0.1)
    assert "on the CPU: about" in explained(lanewise, fake, MANY)
    tuned(lanewise, fake, 1000, open_ms=1e6)
    assert "on the CPU: about" in explained(lanewise, fake, MANY)
    tuned(lanewise, fake, 1000, name="Another")  # the default rates then count
    assert "open 300.0 ms" in explained(lanewise, fake, MANY)


def test_explain_says_where_kernels_come_from(lanewise, fake):
    if not (BUILD / "lanewise_kernels").exists():
        pytest.skip("no kernels compiled ahead")
    plain = "SELECT sum(i) AS s FROM range(20000000) t(i)"
    told = explained(lanewise, fake, plain).partition("pipeline 2")[0]
    assert "; kernels compiled ahead" in told and "compile 2" not in told
    told = explained(lanewise, {**fake, "LANEWISE_KERNELS": ""}, plain).partition("pipeline 2")[0]
    assert "compile 200.0 ms" in told and "; kernels to be compiled" in told


def test_what_is_not_offered_is_named(lanewise, fake):
    tuned(lanewise, fake, 1000)
    query = MANY.replace("i > 3", NOT_OFFERED)
    assert "on the CPU: " in (told := explained(lanewise, fake, query)) and "is not supported on GPUs" in told and "regexp_matches" in told
    assert "is not supported on GPUs: an error" in explained(lanewise, fake, query, "cuda")


def test_each_pipeline_has_its_device(lanewise, fake):
    tuned(lanewise, fake, 1000)
    told = explained(lanewise, fake, "SELECT median(x) FROM (SELECT sum(i) AS x FROM range(20000000) t(i) WHERE i > (SELECT max(i) FROM range(1) r(i) WHERE " + NOT_OFFERED + "))")
    heads = ["\n".join(part.splitlines()[:2]) for part in told.split("pipeline ")[1:]]
    assert "→ Aggregate\n    on the CPU: " in heads[0] and "regexp_matches" in heads[0] and "→ Aggregate; after 2\n    on the GPU: about" in heads[2]
    assert "→ Aggregate; after 3\n    on the CPU: it reads a result of few rows" in heads[3]
    first, second = explained(lanewise, fake, "SELECT i % 100000 AS k, sum(i) FROM range(20000000) t(i) GROUP BY k ORDER BY 2").split("pipeline 2")
    assert "on the GPU: about" in first and "open 1.0 ms" in first and "on the GPU: about" in second and "open" not in second


def test_the_whole_plan_decides(lanewise, fake):
    """Groups whose way back takes longer than grouping on the CPU: they stay on the GPU if they are read there, and are not made there otherwise."""
    tuned(lanewise, fake, 1000, download_gb_per_second=0.002)
    groups = "SELECT i % 5000000 AS k, sum(i) AS s FROM range(20000000) t(i) GROUP BY k"
    told = explained(lanewise, fake, f"{groups} ORDER BY 2 LIMIT 3")
    first, second = [part.splitlines()[1] for part in told.split("pipeline ")[1:3]]
    assert "on the GPU: about" in first and first.endswith(", but its rows are read there") and "on the GPU: about" in second
    told = explained(lanewise, fake, f"SELECT * FROM ({groups}) t(i, s) WHERE {NOT_OFFERED} ORDER BY 2 LIMIT 3")
    first, second = [part.splitlines()[1] for part in told.split("pipeline ")[1:3]]
    assert "on the CPU: about" in first and "regexp_matches" in second


def test_a_gpu_that_fails_to_open_is_left_alone(lanewise, fake):
    tuned(lanewise, fake, 1000)
    code, out, error = lanewise("sql", "--device", "auto", "-c", MANY, "--profile", "--format", "csv",
                                env={**fake, "LANEWISE_NVRTC": "/none.so", "COLUMNS": "1000"})
    assert (code, out) == (0, "s\n199999989999994\n") and "on the CPU: NVRTC" in error, error


def test_tune_measures_the_gpu_and_its_costs_decide(lanewise, emulated):
    code, out, error = lanewise("tune", env=emulated)
    assert (code, error) == (0, ""), error
    path = Path(emulated["XDG_CONFIG_HOME"]) / "lanewise" / "profile.json"
    placement = json.loads(path.read_text())["placement"]
    assert placement["device"]["name"] == "Emulated GPU" and "\nEmulated GPU: opened in " in out
    for name in RATES:
        assert placement["host"][name] > 0 and placement["device"]["rates"][name] > 0
    for name in DEVICE.keys() - {"name"}:
        assert placement["device"][name] > 0
    assert placement["host"]["scan_gb_per_second"] > placement["device"]["rates"]["scan_gb_per_second"]
    told = explained(lanewise, emulated, MANY)
    assert "on the CPU: about" in told and "open 300.0 ms" not in told
    assert "Emulated GPU reads" in lanewise("info", env=emulated)[1]


def test_bench_runs_on_both(lanewise, emulated):
    code, out, error = lanewise("bench", "sql", "--rows", "2000", "--repeat", "1", "--json", env=emulated)
    assert code == 0, error
    groups = {group["work"]: group for group in json.loads(out)["groups"]}
    assert list(groups) == ["scan", "compute", "search", "automaton", "group", "many_groups", "sort", "lookup", "join"]
    for group in groups.values():
        cpu, gpu = group["levels"]
        assert (cpu["level"], gpu["level"]) == ("cpu", "gpu") and cpu["hash"] == gpu["hash"] and gpu["seconds"] > 0


def test_bench_without_a_gpu(lanewise, without):
    code, out, _ = lanewise("bench", "sql", "--rows", "2000", "--work", "scan", "--repeat", "1", env=without)
    assert code == 0 and "not offered: the NVIDIA driver was not found" in out
    code, _, error = lanewise("bench", "sql", "--rows", "2000", "--device", "cuda", env=without)
    assert code == 2 and "the NVIDIA driver was not found" in error


def test_a_query_uses_both_devices(lanewise, emulated):
    tuned(lanewise, emulated, 1000, name="Emulated GPU", open_ms=1e-3, compile_ms=1e-3, load_ms=1e-3)
    sql = """SELECT count(*) AS c, sum(n) AS s FROM (SELECT i % 70000 AS k, sum(i) AS n FROM range(100000) t(i) GROUP BY k)
             WHERE regexp_matches(n::VARCHAR, (k % 10)::VARCHAR || '$')"""
    code, out, error = lanewise("sql", "--device", "auto", "--profile", "--format", "csv", "-c", sql, env={**emulated, "COLUMNS": "1000"})
    sums = {k: k + (k + 70000 if k < 30000 else 0) for k in range(70000)}
    ends = [n for k, n in sums.items() if str(n).endswith(str(k % 10))]
    assert (code, out) == (0, f"c,s\n{len(ends)},{sum(ends)}\n"), error
    assert "  cuda:0" in error and "; on the GPU: about" in error and "regexp_matches" in error and "is not supported on GPUs" in error


def test_compiled_kernels_and_columns_on_the_gpu_cost_nothing_again(lanewise, emulated):
    tuned(lanewise, emulated, 1000, name="Emulated GPU", open_ms=1e-3, compile_ms=50, load_ms=1e-3, upload_gb_per_second=0.1)
    create = "CREATE TABLE t AS SELECT i AS x FROM range(1000000) r(i)"
    heavy = f"SELECT sum({' + '.join(f'(x // {i})' for i in range(2, 200))}) AS s FROM t"  # outweighs the upload of 80 ms
    light = "SELECT sum(x - 3) AS m FROM t"
    assert lanewise("sql", "--db", "t.duckdb", "-c", create, env=emulated)[0] == 0

    def profile(*queries):
        code, _, error = lanewise("sql", "--db", "t.duckdb", "--device", "auto", "--profile", "-c", ";".join(queries), "--format", "csv",
                                  env={**emulated, "COLUMNS": "20000"})
        assert code == 0, error
        return [line for line in error.splitlines() if "; on the" in line and "few rows" not in line]

    assert "; on the CPU: about" in profile(light)[0]
    first, second = profile(heavy, light.replace("3", "4"))
    assert "; on the GPU: about" in first and "; on the CPU: about" in second  # compiling it would take longer
    assert lanewise("sql", "--db", "t.duckdb", "--device", "cuda", "-c", light, env=emulated)[0] == 0
    first, second = profile(heavy, light)
    assert "; on the GPU: about" in first and "; on the GPU: about" in second
    told = explained(lanewise, emulated, light.replace(" t", " range(20000000) t(x)"))
    assert "; kernels in the cache" in told.partition("pipeline 2")[0]


def test_rows_stay_where_the_whole_plan_reads_them(lanewise, emulated):
    tuned(lanewise, emulated, 1000, name="Emulated GPU", open_ms=1e-3, compile_ms=1e-3, load_ms=1e-3, download_gb_per_second=1e-4)
    sql = "SELECT i % 300000 AS k, sum(i) AS s FROM range(900000) t(i) GROUP BY k ORDER BY s DESC, k LIMIT 2"
    code, out, error = lanewise("sql", "--device", "auto", "--profile", "--format", "csv", "-c", sql, env={**emulated, "COLUMNS": "1000"})
    assert (code, out) == (0, "k,s\n299999,1799997\n299998,1799994\n"), error
    assert ", but its rows are read there" in error and error.count("  cuda:0\n") >= 2, error


def test_any_places_give_the_same_answers(lanewise, emulated):
    """Joins, shared results and what the GPU lacks, with profiles that move the pipelines to and fro."""
    groups = "(SELECT k, count(*) AS n, sum(i) AS s FROM t GROUP BY k)"
    unsupported = NOT_OFFERED.replace("i::", "s::").replace("i %", "k %")
    sql = f"""CREATE TABLE t AS SELECT i, i % 70000 AS k FROM range(100000) r(i); CREATE TABLE u AS SELECT i AS k, i * 2 AS v FROM range(90000) r(i);
      SELECT n, count(*), sum(s) FROM {groups} WHERE {unsupported} GROUP BY n ORDER BY n; SELECT count(*), sum(v), sum(s) FROM u JOIN {groups} USING (k);
      SELECT count(*), sum(v), sum(s) FROM u JOIN {groups} b USING (k) WHERE {unsupported.replace("k %", "v %")}; SELECT count(v), sum(s) FROM {groups} b FULL JOIN u ON b.k = u.v;
      WITH c AS MATERIALIZED {groups} SELECT (SELECT max(s) FROM c), (SELECT count(*) FROM c WHERE {unsupported}), (SELECT sum(s) FROM c JOIN u USING (k))"""
    code, answer, error = lanewise("sql", "--format", "csv", "-c", sql, env=emulated)
    assert code == 0, error
    choices = set()
    costs = random.Random(2)
    for _ in range(10):
        upload, download = 10 ** costs.uniform(-3, 3), 10 ** costs.uniform(-3, 3)
        device = {name: 10 ** costs.uniform(-2, 3) for name in RATES}
        tuned(lanewise, emulated, device, name="Emulated GPU", open_ms=1e-3, compile_ms=1e-3, load_ms=1e-3, upload_gb_per_second=upload,
              download_gb_per_second=download)
        code, out, error = lanewise("sql", "--device", "auto", "--profile", "--format", "csv", "-c", sql, env={**emulated, "COLUMNS": "1000"})
        assert (code, out) == (0, answer), (device, upload, download, error)
        choices.add(tuple(re.findall("; on the ([CG]PU): ", error)))
    assert len(choices) > 5


FAST = {"name": "Emulated GPU", "open_ms": 1e-3, "compile_ms": 1e-3, "load_ms": 1e-3}
GROUPS = "SELECT i % 7 AS k, count(*) AS n, sum(i) AS s FROM range(100000) r(i) GROUP BY k ORDER BY k"


@pytest.fixture
def failing(emulated):
    """The emulated GPU, of which call FAILING_CUDA_IN fails with FAILING_CUDA_WITH."""
    return {**emulated, "LD_LIBRARY_PATH": str(BUILD / "engine/gpu/failing"),
            "FAILING_CUDA_REAL": emulated["LD_LIBRARY_PATH"] + "/libcuda.so.1"}


def lines_of(error, operator):
    """From a profile on standard error: the operator's lines and the lines below each, up to the next operator."""
    lines = error.splitlines()
    return [lines[i:i + 2] for i, line in enumerate(lines) if line.split()[:1] == [operator]]


def test_where_the_gpu_has_too_little_memory_the_cpu_answers(lanewise, emulated):
    tuned(lanewise, emulated, 1000, **FAST)
    env = {**emulated, "COLUMNS": "1000"}
    code, answer, _ = lanewise("sql", "--format", "csv", "-c", GROUPS, env=env)
    assert code == 0
    tight = ["--device-memory", "64KB", "--format", "csv"]
    code, out, error = lanewise("sql", "--device", "cuda", *tight, "-c", GROUPS, env=env)
    assert (code, out) == (2, "") and "raise the limit of the GPU's memory" in error
    fits = "SELECT max(i) AS m FROM range(200000) r(i) WHERE i < 20"  # if the other query freed its memory
    code, out, error = lanewise("sql", "--device", "auto", *tight, "--profile", "-c", f"{GROUPS}; {fits}", env=env)
    assert (code, out) == (0, answer + "m\n19\n"), error
    groups, largest = lines_of(error, "Aggregate")
    assert "; on the GPU: about" in groups[1] and "; then on the CPU: Aggregation (GROUP BY) needs" in groups[1]
    assert groups[0].split()[1] == "100,000" and "cuda:0" not in groups[0]
    assert "cuda:0" in largest[0] and "then on the CPU" not in largest[1]


SMALL = "FROM range(3000) r(i)"
PAIRS = f"{SMALL} JOIN (SELECT i // 3 AS k, i AS w FROM range(999) b(i)) ON i % 500 = k"


@pytest.mark.parametrize("sql, calls", [
    pytest.param(f"{GROUPS.replace('100000', '3000')}; SELECT i, i::VARCHAR AS s {SMALL} WHERE i % 100 = 7 ORDER BY s DESC",
                 [*range(1, 40, 3), *range(40, 300, 17)], id="groups and order"),
    pytest.param(f"SELECT count(*) AS n, sum(w) AS s {PAIRS}; SELECT i, w {PAIRS} WHERE i % 100 = 7 ORDER BY i, w", [*range(32, 60, 3), *range(60, 510, 17)],
                 id="pairs of joins"),
    pytest.param(f"SELECT count(w) AS n, sum(w) AS s {PAIRS.replace('JOIN', 'LEFT JOIN')}; SELECT count(*) AS n {SMALL} WHERE i % 7 IN (SELECT i * 2 FROM range(3) b(i))",
                 [*range(32, 60, 3), *range(60, 300, 17)], id="left and semi joins"),
])
def test_whichever_call_finds_no_memory_the_answer_comes(lanewise, failing, sql, calls):
    tuned(lanewise, failing, 1000, **FAST)
    out_of_memory, left = "2", 0

    def run(call):
        return lanewise("sql", "--device", "auto", "--profile", "--format", "csv", "-c", sql,
                        env={**failing, "COLUMNS": "1000", "FAILING_CUDA_IN": str(call), "FAILING_CUDA_WITH": out_of_memory})

    code, answer, error = run(0)
    assert code == 0 and error.count("  cuda:0\n") >= 2 and "then on the CPU" not in error, error
    for call in calls:
        code, out, error = run(call)
        assert (code, out) == (0, answer), (call, error)
        left += "; then on the CPU: " in error
    assert left > 3


def test_when_the_gpu_is_lost_the_next_query_is_the_cpus(lanewise, failing):
    tuned(lanewise, failing, 1000, **FAST)
    terminal, end = pty.openpty()  # the shell, which continues after an error
    program = subprocess.Popen([PROGRAM, "sql", "--device", "auto", "--profile", "--format", "csv"], stdin=end, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env={**failing, "COLUMNS": "1000", "FAILING_CUDA_IN": "60", "FAILING_CUDA_WITH": "999"})
    os.write(terminal, f"{GROUPS};\nSELECT sum(i) AS s FROM range(3000) r(i);\n\x04".encode())
    out, error = program.communicate(timeout=120)
    os.close(terminal)
    os.close(end)
    assert program.returncode == 0 and out == "s\n4498500\n", (out, error)
    assert " is lost to this process" in error.partition("operator")[0] and "; on the CPU: the GPU is lost to this process" in error, error
