"""What tests share: the levels of lanes, the emulated GPU, what is made once for a run."""

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parents[1] / "build")
PROGRAM = BUILD / "lanewise"
LEVELS = ["simd", "packed", "branching", "scalar", "auto", "interleaved", "avx2", "avx512", "emulated"]


def pytest_collection_modifyitems(config, items):
    if "LANEWISE_TEST_PART" in os.environ:  # every N-th, so that each part has some of each test's cases
        part, parts = map(int, os.environ["LANEWISE_TEST_PART"].split("/"))
        config.hook.pytest_deselected(items=[item for i, item in enumerate(items) if i % parts != part - 1])
        items[:] = items[part - 1::parts]
    items.sort(key=lambda item: "tests/gpu/" not in item.nodeid)  # The longest first, so that no worker is idle at the end.
    if "LANEWISE_TEST_ALL" not in os.environ:
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="long: it runs with ./dev test --all"))


@pytest.fixture
def levels():
    return LEVELS


@pytest.fixture(scope="session", params=LEVELS)
def level(request):
    """Each level that this machine supports."""
    result = subprocess.run([PROGRAM, "sql", "--lanes", request.param], input="SELECT 1 AS x;", capture_output=True, text=True)
    if "does not support the lanes" in result.stderr:
        pytest.skip(result.stderr.strip())
    return request.param


@pytest.fixture(scope="session")
def folder_of_run(tmp_path_factory):
    """A folder that all of pytest's workers share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def made_once(folder_of_run):
    """The folder of this name, which `make(folder)` fills once for all of pytest's workers."""
    def made(name, make):
        folder = folder_of_run / name
        folder.mkdir(exist_ok=True)
        with (folder_of_run / f"{name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not lock.seek(0, os.SEEK_END):
                make(folder)
                lock.write("made")
        return folder
    return made


@pytest.fixture
def emulated_gpu(tmp_path, folder_of_run):
    """The environment in which a program finds the emulated GPU, without kernels compiled before. Its compiler reuses what it compiled for another
    test of this run. No line of a profile is cut."""
    parts = BUILD / "engine/gpu/emulated"
    if not (parts / "libcuda.so.1").exists():
        pytest.skip("no emulated GPU: it needs Boost.Context")
    return {"LD_LIBRARY_PATH": str(parts), "LANEWISE_NVRTC": str(parts / "libnvrtc.so"),
            "EMULATED_GPU_CACHE": str(folder_of_run / "emulated-kernels"),
            "LANEWISE_SORT": str(parts / "lanewise_sort.so"), "LANEWISE_KERNELS": "", "COLUMNS": "1000", "XDG_CACHE_HOME": str(tmp_path / "cache")}
