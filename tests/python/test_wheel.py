"""The wheel in an empty environment: ./dev wheel makes it, ./dev test --all tests it."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not os.environ.get("LANEWISE_TEST_ALL"), reason="long: runs with ./dev test --all")


def test_wheel(tmp_path):
    subprocess.run([ROOT / "dev", "wheel"], check=True, cwd=ROOT)
    wheel, = (ROOT / "build/wheels").glob("*.whl")
    assert wheel.name.endswith("-cp310-abi3-manylinux_2_28_x86_64.whl") and wheel.stat().st_size <= 60_000_000
    assert {"lanewise/libduckdb.so", "lanewise/liblanewise.so", "lanewise/_native.abi3.so", "lanewise/pram_widget.js", "lanewise/py.typed"} <= set(zipfile.ZipFile(wheel).namelist())
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    python = tmp_path / "empty/bin/python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel], check=True)
    code = "import lanewise as lw, pyarrow as pa; t = pa.table({'x': [1, 2]}); print(lw.sql('SELECT max(x) FROM t').fetchall())"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, cwd=tmp_path, env={"PATH": "/usr/bin:/bin"})
    assert done.stdout == "[(2,)]\n", done.stderr
    maps = "import lanewise, re; print(*{line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}, sep='\\n')"
    libraries = subprocess.run([python, "-c", maps], capture_output=True, text=True, check=True).stdout.splitlines()
    for name in ("libduckdb", "libtbb", "liblanewise"):
        assert all(str(tmp_path) in library for library in libraries if name in library) and any(name in library for library in libraries)
