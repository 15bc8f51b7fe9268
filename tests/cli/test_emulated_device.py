"""`lanewise sql --device cuda` on the emulated GPU: beside another process, and when Ctrl-C ends it."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from conftest import PROGRAM, cancel

GROUPS = "SELECT s, count(*) AS n, sum(i) AS x FROM (SELECT i, 'k' || i % 7 AS s FROM range(3000) r(i)) WHERE s <> 'k3' GROUP BY s ORDER BY s"


@pytest.fixture
def env(emulated_gpu, tmp_path):
    return {**os.environ, **emulated_gpu, "XDG_CONFIG_HOME": str(tmp_path), "COLUMNS": "1000"}


def kernels(env):
    return list(Path(env["XDG_CACHE_HOME"]).glob("lanewise/kernels/*.kernel"))


def start(env, sql, *arguments):
    return subprocess.Popen([PROGRAM, "sql", "--device", "cuda", "--format", "csv", "-c", sql, *arguments], env=env, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_processes_share_a_kernel_cache(lanewise, env):
    """All of them compile the same kernels at once, or find those that another one has just left."""
    _, answer, _ = lanewise("sql", "--format", "csv", "-c", GROUPS, env=env)
    for program in [start(env, GROUPS) for _ in range(3)]:
        out, error = program.communicate(timeout=300)
        assert (program.returncode, out, error) == (0, answer, "")
    folder = kernels(env)[0].parent
    assert all(path.suffix == ".kernel" for path in folder.iterdir())  # nothing half written is left
    before = {path.name: path.read_bytes() for path in kernels(env)}
    later = start(env, GROUPS, "--profile")
    out, error = later.communicate(timeout=300)
    assert (later.returncode, out) == (0, answer) and "found compiled in" in error and ", compiled in" not in error, error
    assert {path.name: path.read_bytes() for path in kernels(env)} == before


def test_ctrl_c_while_a_table_streams(lanewise, env):
    """The table is a hundred times as large as the GPU's memory is said to be."""
    slow = " + ".join(f"(i // {d})" for d in range(2, 150))  # many seconds for all rows
    sql, tight = f"SELECT sum({slow}) AS s FROM range({{}}) r(i)", ["--device-memory", "1MB"]
    told = start(env, sql.format(300_000), *tight, "--profile").communicate(timeout=300)
    assert told[0].startswith("s\n") and " batches, compiled in" in told[1], told  # it streams, and the compiler has done its work
    for path in kernels(env):
        os.utime(path, (0, 0))
    program = start(env, sql.format(40_000_000), *tight)
    while sum(path.stat().st_mtime > 0 for path in kernels(env)) < 2:  # its own are looked for when the first batch is there
        assert program.poll() is None, program.stderr.read()
        time.sleep(0.01)
    code, seconds = cancel(program)
    assert code == 130 and seconds < 2, (code, seconds)
    assert "cancelled" in program.stderr.read() and program.stdout.read() == ""
    out, error = start(env, sql.format(300_000), *tight).communicate(timeout=300)
    assert (out, error) == (told[0], "")
