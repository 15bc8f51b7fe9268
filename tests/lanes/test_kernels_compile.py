"""Every kernel compiles for the GPUs that we support, on machines without one, by NVIDIA's run-time compiler."""

import ctypes
from importlib.metadata import files
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = sorted(p.relative_to(ROOT) for folder in ("engine", "bench") for p in (ROOT / folder).rglob("*.cu"))


@pytest.fixture(scope="module")
def nvrtc():
    def load(name):
        library = next(f for f in files("nvidia-cuda-nvrtc") if f.name.startswith(name))
        return ctypes.CDLL(str(library.locate()))

    load("libnvrtc-builtins.so")  # the compiler finds it by name once it is loaded
    return load("libnvrtc.so")


def compile_kernel(nvrtc, source, *options):
    """The compiler's exit code and log."""
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None) == 0
    flags = [o.encode() for o in options]
    code = nvrtc.nvrtcCompileProgram(program, len(flags), (ctypes.c_char_p * len(flags))(*flags))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code, log.value.decode()


def test_there_are_kernels():
    assert KERNELS


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
@pytest.mark.parametrize("path", KERNELS, ids=str)
def test_compiles(nvrtc, path, architecture):
    options = [f"--gpu-architecture={architecture}", "--std=c++20", f"-I{ROOT / 'engine'}"]
    code, log = compile_kernel(nvrtc, (ROOT / path).read_text(), *options)
    assert code == 0, log


def test_a_broken_kernel_does_not_compile(nvrtc):
    code, log = compile_kernel(nvrtc, "__global__ void broken() { nothing(); }")
    assert code != 0 and "nothing" in log
