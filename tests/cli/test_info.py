"""`lanewise info` shows the machine's GPUs, or why none is usable. The driver is a fake that the C++ tests use, too."""

import os

import pytest

from conftest import BUILD


@pytest.fixture
def gpu_lines(lanewise, tmp_path):
    """The lines about GPUs, with a driver in this folder and this environment."""

    def run(folder, **environment):
        code, out, error = lanewise("info", env={**os.environ, "LD_LIBRARY_PATH": str(folder), **environment})
        assert code == 0, error
        return [line for line in out.splitlines() if line.startswith(("GPU", "CUDA"))]

    return run


FAKE = BUILD / "engine/gpu/fake"


def test_gpus_and_compiler(gpu_lines, tmp_path):
    lines = gpu_lines(FAKE, FAKE_CUDA_DEVICES="2", LANEWISE_NVRTC=str(tmp_path / "none.so"))
    assert [line.split()[:2] for line in lines[:2]] == [["GPU", "0"], ["GPU", "1"]]
    assert "Fake, sm_90, 4 multiprocessors, 1 GiB at 256 GB/s, 1 GiB free" in lines[0]
    assert lines[2].startswith("CUDA") and "driver 13.0" in lines[2] and len(lines) == 3


def test_no_compiler(gpu_lines, tmp_path):
    lines = gpu_lines(FAKE, LANEWISE_NVRTC=str(tmp_path / "none.so"))
    assert "no kernels: NVRTC, CUDA's run-time compiler, was not found" in lines[-1]


def test_no_driver(gpu_lines, tmp_path):
    (tmp_path / "libcuda.so.1").write_text("no library")
    (line,) = gpu_lines(tmp_path)
    assert line.startswith("GPU") and "none: the NVIDIA driver was not found" in line and "libcuda.so.1" in line


def test_driver_too_old(gpu_lines):
    (line,) = gpu_lines(FAKE, FAKE_CUDA_VERSION="11040")
    assert "none: the NVIDIA driver supports CUDA 11.4, and Lanewise needs 12.0 or newer" in line


def test_damaged_driver(gpu_lines):
    (line,) = gpu_lines(BUILD / "engine/gpu/incomplete")
    assert "none: libcuda.so.1 has no cuMemPoolCreate" in line


def test_no_gpu(gpu_lines):
    (line,) = gpu_lines(FAKE, FAKE_CUDA_DEVICES="0")
    assert "none: the driver finds no GPU" in line


def test_no_memory(gpu_lines):
    lines = gpu_lines(FAKE, FAKE_CUDA_FULL="1")
    assert "not usable: GPU 0: out of memory" in lines[0]
