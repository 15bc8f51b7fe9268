"""TPC-H's 22 queries at scale factor 0.01, equal to DuckDB's answers: on the emulated GPU, in one batch and in small ones, and on cores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "sql"))
import engine  # noqa: E402
import suites  # noqa: E402

QUERIES = sorted((suites.ROOT / ".cache/duckdb/tpch").glob("q*.sql"))


@pytest.fixture(scope="module")
def tpch(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tpch")
    generator = Path(sys.executable).with_name("tpchgen-cli")
    subprocess.run([generator, "-s", "0.01", "--format=parquet", "--output-dir", folder], check=True, capture_output=True)
    made, answers = suites.blocks_over(folder, QUERIES)
    assert len(answers) == 22
    return made, answers


@pytest.mark.parametrize("arguments", [[], ["--device-rows", "8192"]], ids=" ".join)
def test_on_a_gpu(arguments, tpch, emulated_gpu):
    profiles = []

    def run(sql):
        result = subprocess.run([engine.PROGRAM, "sql", "--device", "cuda", "--threads", "2", "--format", "json", "--profile", *arguments], input=sql,
                                env={**os.environ, **emulated_gpu}, capture_output=True, text=True)
        profiles.append(result.stderr)
        return result

    assert engine.failures(*tpch, run=run) == []
    assert profiles[0].count("  cuda:0: kernels") >= 2 * 22


@pytest.mark.parametrize("lanes, threads", [("simd", 2), ("interleaved", 1)])
def test_on_cores(lanes, threads, tpch):
    assert engine.failures(*tpch, lanes=lanes, threads=threads) == []
