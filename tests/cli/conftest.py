"""Fixtures that run the program."""

import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time

import pytest

BUILD = pathlib.Path(os.environ.get("LANEWISE_BUILD", pathlib.Path(__file__).parents[2] / "build"))
PROGRAM = str(BUILD / "lanewise")


@pytest.fixture
def lanewise(tmp_path):
    """Runs the program in an empty folder; returns (exit code, standard output, standard error)."""

    def run(*arguments, stdin="", **more):
        done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, cwd=tmp_path, timeout=400, **more)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def refused(lanewise):
    """Runs SQL that must be rejected as an error of the user; returns the message."""

    def run(sql, *arguments):
        code, out, error = lanewise("sql", "-c", sql, *arguments)
        assert code == 2, (code, out, error)
        assert error.startswith("error: ")
        return error

    return run


@pytest.fixture(scope="session")
def few_rows(tmp_path_factory):
    """A folder with a small file of each kind that commands read."""
    folder = tmp_path_factory.mktemp("few_rows")
    (folder / "a.csv").write_text("k,s\n1,x\n2,x\n")
    (folder / "a.pram").write_text("mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p]   =  A[p]\n")
    (folder / "graph").write_text("1 2\n2 3\n")
    subprocess.run([PROGRAM, "index", "build", "a.csv", "--key", "k", "-o", "a.index"], cwd=folder, check=True)
    return folder


@pytest.fixture
def files(few_rows, tmp_path):
    """The test's folder, with its own copies of these files."""
    return shutil.copytree(few_rows, tmp_path, dirs_exist_ok=True)


def processor_seconds():
    """Processor seconds of all programs that have ended: other processes may slow down elapsed time."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def wait_until_it_runs(program):
    """Waits for main(), which first catches signals and ignores SIGPIPE; before that a signal ends the program."""
    while program.poll() is None:
        ignored = re.search(r"^SigIgn:\s*(\w+)", pathlib.Path(f"/proc/{program.pid}/status").read_text(), re.M)[1]
        if int(ignored, 16) >> (signal.SIGPIPE - 1) & 1:
            return
        time.sleep(0.001)


def cancel(program, by=signal.SIGINT, patience=60):
    """Sends Ctrl-C or another signal; returns the exit code, and the processor seconds that the program took to end."""
    user, system = pathlib.Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    before = processor_seconds() + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    program.send_signal(by)
    try:
        return program.wait(patience), processor_seconds() - before
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait()
        pytest.fail(f"it goes on after {patience} seconds")
