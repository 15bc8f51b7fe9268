"""./dev kernels: every .cu compiles ahead of time, a faulty one is found, and resource needs are read."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import kernels  # noqa: E402
import pytest  # noqa: E402


@pytest.fixture
def nvcc():
    return kernels.find_nvcc(ROOT) or pytest.skip("nvcc is not here; ./dev kernels fetches it")


def test_this_repository(nvcc):
    """For the newest GPU; for all with LANEWISE_TEST_ALL, as ./dev kernels does."""
    outcomes = kernels.compile_all(ROOT, nvcc, kernels.ARCHITECTURES if "LANEWISE_TEST_ALL" in os.environ else kernels.ARCHITECTURES[-1:])
    text, failed = kernels.report(outcomes)
    assert outcomes and not failed, text
    assert all(outcome.kernels for outcome in outcomes)
    assert text.endswith(f"{len(outcomes)} compiled, 0 failed")


@pytest.mark.parametrize("text, finding", [
    ("__global__ void broken() { nothing(); }", "nothing"),
    ("__global__ void warns() { int unused; }", "unused"),
])
def test_a_broken_kernel_is_found(nvcc, tmp_path, text, finding):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine/kernel.cu").write_text(text)
    report, failed = kernels.report(kernels.compile_all(tmp_path, nvcc))
    assert failed == 2 and "engine/kernel.cu" in report and finding in report
    assert report.endswith("0 compiled, 2 failed")


def test_the_assemblers_account():
    log = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'one' for 'sm_90'
ptxas info    : Function properties for one
    48 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 48 bytes cumulative stack size, 1024 bytes smem
ptxas info    : Compiling entry function 'two' for 'sm_90'
ptxas info    : Function properties for two
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
"""
    assert kernels.read_log(log) == [kernels.Kernel("one", 32, 48, 12, 1024), kernels.Kernel("two", 4, 0, 0, 0)]
