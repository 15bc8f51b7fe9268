"""The wheel in an empty environment, with each Python that is installed: ./dev wheel makes it, ./dev test --all tests it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not os.environ.get("LANEWISE_TEST_ALL"), reason="long: runs with ./dev test --all")
USE = """
import lanewise as lw, numpy as np, pyarrow as pa
t = pa.table({"x": [1, 2]})
print(lw.sql("SELECT max(x) FROM t WHERE x::VARCHAR SIMILAR TO '[0-9]'").fetchall(), lw.Index(np.array([30, 10])).find([10]).to_pylist(),
      lw.pram.run("reduction", A=[1, 2, 3], executor="cpu")["sum"], lw.grep("empty", __file__).num_rows)
try:
    lw.sql("SELECT * FROM read_parquet('missing.parquet')")
except lw.Error as error:
    print(type(error).__name__, "missing.parquet" in str(error))
"""


@pytest.fixture(scope="module")
def wheel():
    subprocess.run([ROOT / "dev", "wheel"], check=True, cwd=ROOT)
    wheel, = (ROOT / "build/wheels").glob("*.whl")
    return wheel


def test_content(wheel):
    assert wheel.name.endswith("-cp310-abi3-manylinux_2_28_x86_64.whl") and wheel.stat().st_size <= 60_000_000
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"lanewise/libduckdb.so", "lanewise/liblanewise.so", "lanewise/_native.abi3.so", "lanewise/pram_widget.js", "lanewise/py.typed"} <= names
    assert any(name.endswith("dist-info/licenses/libzstd1.txt") for name in names)
    assert {name for name in names if ".so" in name} == {f"lanewise/{name}" for name in ("libduckdb.so", "liblanewise.so", "_native.abi3.so", "libtbb.so.12", "lanewise_sort.so")}


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_wheel(wheel, tmp_path, version):
    base = sys.executable if version == f"3.{sys.version_info.minor}" else shutil.which(f"python{version}")
    if not base or subprocess.run([base, "--version"], capture_output=True).returncode != 0:
        pytest.skip(f"no Python {version}")
    subprocess.run([base, "-m", "venv", tmp_path / "empty"], check=True)
    python = tmp_path / "empty/bin/python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel], check=True)
    (tmp_path / "use.py").write_text(USE)
    done = subprocess.run([python, "use.py"], capture_output=True, text=True, cwd=tmp_path, env={"PATH": "/usr/bin:/bin"})
    assert done.stdout == "[(2,)] [1] 6 1\nOperationalError True\n", done.stdout + done.stderr
    maps = "import lanewise, re; print(*{line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}, sep='\\n')"
    libraries = subprocess.run([python, "-c", maps], capture_output=True, text=True, check=True).stdout.splitlines()
    for name in ("libduckdb", "libtbb", "liblanewise"):
        assert all(str(tmp_path) in library for library in libraries if name in library) and any(name in library for library in libraries)
