"""The levels of lanes, by name."""

import os
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parents[1] / "build") / "lanewise"
LEVELS = ["simd", "packed", "branching", "scalar", "auto", "interleaved", "avx2", "avx512", "emulated"]


@pytest.fixture(scope="session", params=LEVELS)
def level(request):
    """Each level that this machine supports."""
    result = subprocess.run([PROGRAM, "sql", "--lanes", request.param], input="SELECT 1 AS x;", capture_output=True, text=True)
    if request.param in ("avx2", "avx512") and result.returncode != 0:
        pytest.skip(result.stderr.strip())
    return request.param
