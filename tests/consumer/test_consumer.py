"""cmake --install, then a project of its own that finds, builds against and runs the installed library."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build")


def run(*command, **options):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def test_installed_package(tmp_path):
    prefix = tmp_path / "prefix"
    run("cmake", "--install", BUILD, "--prefix", prefix)
    run("cmake", "-G", "Ninja", "-S", ROOT / "tests/consumer", "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", tmp_path / "build")
    assert run(tmp_path / "build" / "consumer") == "lanewise: 1 row\n"

    # The installed program runs from where it is, with nothing of the build tree.
    answer = run(prefix / "bin" / "lanewise", "sql", "-c", "SELECT 6 * 7 AS x", "--format", "csv", cwd=tmp_path)
    assert answer == "x\n42\n"
    libraries = run("ldd", prefix / "bin" / "lanewise-engine")
    assert str(prefix) in libraries and str(ROOT) not in libraries
