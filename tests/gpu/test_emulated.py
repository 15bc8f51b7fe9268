"""What needs a GPU, on the one that cores emulate."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build")

# Of the tests that a real GPU passes those that are not about the driver, nor about many millions of rows.
TESTS = {
    "graph": "*/Gpu",
    "pram": "*/OnDevice.*/Cuda",
    "pram, random programs": "*/RandomOnDevice.*/Cuda0:*/RandomOnDevice.*/Cuda1",
    "primitives": "DeviceArraysOnGpu.*:DeviceMatrixOnGpu.*",
}


@pytest.mark.parametrize("name", TESTS)
def test_programs(name, emulated_gpu):
    layer = name.split(",")[0]
    program = BUILD / "engine" / layer / f"lanewise_{layer}_test"
    result = subprocess.run([program, f"--gtest_filter={TESTS[name]}", "--gtest_brief=1"], env={**os.environ, **emulated_gpu},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert result.returncode == 0 and "SKIPPED" not in result.stdout and "PASSED  ] 0 tests" not in result.stdout, result.stdout[-4000:]


def test_queries(emulated_gpu):
    result = subprocess.run([sys.executable, ROOT / "tools/gpu_smoke.py", "--program", BUILD / "lanewise", "--quick", "--rows", "3000",
                             "--seconds", "900"], env={**os.environ, **emulated_gpu}, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
