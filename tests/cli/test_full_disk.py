"""For every command a full disk on standard output is an error, and a full disk on standard error is not."""

import os
import subprocess

import pytest
from conftest import PROGRAM

# Commands with a few bytes of output, and with many.
PRINTING = {
    **{f"sql {form}": ["sql", "-c", "SELECT 1 AS i", "--format", form] for form in ("table", "csv", "json", "ndjson", "markdown")},
    "sql many": ["sql", "-c", "SELECT i FROM range(100000) t(i)", "--format", "csv"],
    "sql --explain": ["sql", "--explain", "-c", "SELECT 1"],
    "grep": ["grep", "x", "a.csv"],
    "grep -c": ["grep", "-c", "k", "a.csv"],
    "grep -l": ["grep", "-l", "k", "a.csv"],
    "index query": ["index", "query", "a.index", "--keys", "a.csv"],
    "index stats": ["index", "stats", "a.index"],
    "index verify": ["index", "verify", "a.index"],
    "index insert": ["index", "insert", "a.index", "--from", "a.csv"],
    "index erase": ["index", "erase", "a.index", "--from", "a.csv"],
    "pram run": ["pram", "run", "a.pram", "-i", "A=1,2"],
    "pram check": ["pram", "check", "a.pram"],
    "pram check input": ["pram", "check", "a.pram", "-i", "A=1,2"],
    "pram explain": ["pram", "explain", "a.pram"],
    "pram explain kernels": ["pram", "explain", "components", "--kernels", "cuda"],
    "pram trace": ["pram", "trace", "a.pram", "-i", "A=1,2"],
    "pram fmt": ["pram", "fmt", "a.pram"],
    "pram fmt -w": ["pram", "fmt", "-w", "a.pram"],
    "pram list": ["pram", "list"],
    "pram list one": ["pram", "list", "sort"],
    "pram new": ["pram", "new", "b.pram"],
    "graph": ["graph", "components", "./graph"],
    "graph json": ["graph", "components", "./graph", "--format", "json"],
    "bench": ["bench", "scan", "--rows", "10000", "--work", "count", "--selectivity", "1", "--repeat", "1", "--levels", "scalar"],
    "info": ["info"],
    "no arguments": [],
    "--help": ["--help"],
    "sql --help": ["sql", "--help"],
    "--version": ["--version"],
}


@pytest.mark.parametrize("case", PRINTING)
def test_standard_output_is_full(files, case):
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *PRINTING[case]], cwd=files, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "error: cannot write standard output: No space left on device\n")


@pytest.mark.parametrize("case", PRINTING)
def test_standard_output_is_a_closed_pipe(files, case):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([PROGRAM, *PRINTING[case]], cwd=files, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("case", PRINTING)
def test_standard_output_is_not_open(files, case):
    """The next file to be opened must not become standard output: messages would be written into it."""
    done = subprocess.run(["bash", "-c", 'exec "$@" >&-', "-", PROGRAM, *PRINTING[case]], cwd=files, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "error: cannot write standard output: Bad file descriptor\n")
    assert subprocess.run([PROGRAM, "index", "verify", "a.index"], cwd=files, capture_output=True).returncode == 0


# Commands that print on standard error, and their exit codes.
COMPLAINING = {
    "usage": (["nonsense"], 2),
    "an error": (["sql", "-c", "SELECT nope"], 2),
    "--timing": (["sql", "--timing", "-c", "SELECT 1 AS i", "--format", "csv"], 0),
    "--profile": (["sql", "--profile", "-c", "SELECT 1 AS i", "--format", "csv"], 0),
    "--fallback": (["sql", "--fallback", "duckdb", "-c", "SELECT [1] AS l", "--format", "csv"], 0),
    "grep, files that are missing": (["grep", "x", "missing", "a.csv", "absent"], 2),
    "grep -q, a file that is missing": (["grep", "-q", "x", "missing", "a.csv"], 0),
    "index": (["index", "stats", "a.csv"], 2),
    "pram": (["pram", "run", "a.pram"], 2),
    "pram fmt": (["pram", "fmt", "-w", "b.pram"], 0),
    "graph": (["graph", "components", "missing"], 2),
    "a profile that is broken": (["sql", "-c", "SELECT 1 AS i", "--format", "csv"], 0),
}


@pytest.mark.parametrize("how", ["2>/dev/full", "2>&-"])
@pytest.mark.parametrize("case", COMPLAINING)
def test_standard_error_cannot_be_written(files, case, how):
    arguments, code = COMPLAINING[case]
    (files / "b.pram").write_text("mode EREW\ninput A[n] : int\noutput B[n] : int\n\nprocessors n\nB[p] = A[p]\n")
    (files / "lanewise").mkdir()
    (files / "lanewise" / "profile.json").write_text("{")
    before = (files / "a.index").read_bytes()
    environment = {**os.environ, "XDG_CONFIG_HOME": str(files)}
    whole = subprocess.run([PROGRAM, *arguments], cwd=files, capture_output=True, env=environment)
    assert whole.returncode == code and whole.stderr, "it prints nothing on standard error"
    done = subprocess.run(["bash", "-c", f'exec "$@" {how}', "-", PROGRAM, *arguments], cwd=files, stdout=subprocess.PIPE, env=environment)
    assert (done.returncode, done.stdout) == (code, whole.stdout)
    assert (files / "a.index").read_bytes() == before
