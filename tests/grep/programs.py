"""Runs `lanewise grep`, and ripgrep 13 for comparison."""

import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("LANEWISE_BUILD", pathlib.Path(__file__).parents[2] / "build"))
PROGRAM = [str(BUILD / "lanewise"), "grep"]
UTF8 = os.environ | {"LC_ALL": "C.UTF-8", "TERM": "xterm"}


def to_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


@pytest.fixture
def files(tmp_path):
    """Writes files: files(a="text", **{"sub/b.c": b"bytes"})."""

    def write(**contents):
        for name, text in contents.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_bytes(text))

    return write


@pytest.fixture
def grep(tmp_path):
    """Runs `lanewise grep` in the folder of the files; returns (exit code, standard output, standard error)."""

    def run(*arguments, stdin=None, env=None):
        given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": to_bytes(stdin)}
        done = subprocess.run([*PROGRAM, *arguments], capture_output=True, cwd=tmp_path, timeout=120, env=env, **given)
        return done.returncode, done.stdout, done.stderr.decode()

    return run


@pytest.fixture
def both(grep, tmp_path):
    """Runs both programs, whose output must be equal; returns (exit code, standard output)."""

    def run(*arguments, stdin=None):
        code, out, error = grep(*arguments, stdin=stdin)
        given = {"stdin": subprocess.DEVNULL} if stdin is None else {"input": to_bytes(stdin)}
        theirs = subprocess.run(["rg", "--no-config", "--sort", "path", *arguments], capture_output=True, cwd=tmp_path, timeout=120, env=UTF8, **given)
        assert (code, out) == (theirs.returncode, theirs.stdout), (arguments, error, theirs.stderr)
        return code, out

    return run
