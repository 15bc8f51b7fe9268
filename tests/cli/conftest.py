"""How the tests of the program run it."""

import os
import pathlib
import resource
import signal
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("LANEWISE_BUILD", pathlib.Path(__file__).parents[2] / "build"))
PROGRAM = str(BUILD / "lanewise")


@pytest.fixture
def lanewise(tmp_path):
    """Runs the program in an empty folder; gives (exit code, standard output, standard error)."""

    def run(*arguments, stdin="", **more):
        done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, cwd=tmp_path, timeout=400, **more)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def refused(lanewise):
    """Runs SQL that must be refused as the user's error; gives the message."""

    def run(sql, *arguments):
        code, out, error = lanewise("sql", "-c", sql, *arguments)
        assert code == 2, (code, out, error)
        assert error.startswith("error: ")
        return error

    return run


def processor_seconds():
    """What programs that ended took, in seconds of processors: others may keep those busy."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def cancel(program):
    """Sends Ctrl-C; gives the exit code, and the seconds of processors that the program took to end."""
    user, system = pathlib.Path(f"/proc/{program.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    before = processor_seconds() + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    program.send_signal(signal.SIGINT)
    return program.wait(60), processor_seconds() - before
