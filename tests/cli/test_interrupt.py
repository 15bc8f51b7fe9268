"""Ctrl-C ends every command within a second, with 130, at any moment; so does SIGTERM."""

import fcntl
import os
import pathlib
import signal
import subprocess
import termios
import time

import pytest
from conftest import PROGRAM, cancel

LARGE = "SELECT i, 'some text number ' || i AS s FROM range({}) t(i)"


def wait_until(program, done, seconds=60):
    """Waits until the interruption is due; the program must still run."""
    end = time.monotonic() + seconds
    while not done():
        assert program.poll() is None, (program.returncode, program.stderr and program.stderr.read())
        assert time.monotonic() < end, "it never began"
        time.sleep(0.01)


def start(*arguments, **more):
    return subprocess.Popen([PROGRAM, *arguments], **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE} | more)


def check_cancelled(program, by=signal.SIGINT):
    """A second of processor time, since other processes may slow down elapsed time."""
    code, used = cancel(program, by, patience=5)
    error = program.stderr.read()
    assert code == 130 and error in (b"", b"cancelled\n"), (code, error)
    assert used < 1


def unread(pipe):
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), "little")


@pytest.fixture
def files(lanewise, tmp_path):
    """The input files, large enough for each command to take seconds."""
    (tmp_path / "words").write_text("".join(f"word{i}\n" for i in range(5000)))
    (tmp_path / "lines").write_text("some line\n" * 20_000)
    (tmp_path / "copy.pram").write_text("mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p] = A[p]\n")
    return tmp_path


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("end", ["csv", "json", "md", "parquet"])
def test_while_rows_are_written(tmp_path, end, by):
    program = start("sql", "-c", LARGE.format(2_000_000), "-o", f"o.{end}", cwd=tmp_path)
    wait_until(program, lambda: any(path.stat().st_size > 0 for path in tmp_path.iterdir()))
    check_cancelled(program, by)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", ["csv", "json", "parquet"])
def test_while_duckdb_copies_rows(tmp_path, end):
    program = start("sql", "-c", f"COPY ({LARGE.format(2_000_000)}) TO 'o.{end}'", cwd=tmp_path)
    wait_until(program, lambda: any(path.stat().st_size > 0 for path in tmp_path.iterdir()))
    check_cancelled(program)
    assert list(tmp_path.iterdir()) == []


PIPED = {
    "sql": ["sql", "--format", "csv", "-c", LARGE.format(100_000)],
    "grep": ["grep", "", "lines"],
    "index query": ["index", "query", "rows.index", "--keys", "rows.csv", "--format", "csv"],
    "pram run": ["pram", "run", "copy.pram", "-i", "A=ascending:100000"],
    "pram trace": ["pram", "trace", "copy.pram", "-i", "A=ascending:100000"],
    "pram explain": ["pram", "explain", "components", "--kernels", "cuda"],
}


@pytest.mark.parametrize("case", PIPED)
def test_while_a_pipe_is_full(files, lanewise, case):
    (files / "lines").write_text("some line\n" * 100_000)
    (files / "rows.csv").write_text("k\n" + "".join(f"{i}\n" for i in range(30_000)))
    assert lanewise("index", "build", "rows.csv", "--key", "k", "-o", "rows.index")[0] == 0
    program = start(*PIPED[case], cwd=files, stdout=subprocess.PIPE, pipesize=4096)
    wait_until(program, lambda: unread(program.stdout) >= 4096)
    time.sleep(0.2)
    check_cancelled(program)


AWAITING = {
    "sql": ["sql"],
    "sql with threads": ["sql", "--threads", "4", "--format", "csv"],
    "grep": ["grep", "x"],
    "grep patterns": ["grep", "-f", "-", "copy.pram"],
    "pram run": ["pram", "run", "-"],
    "pram numbers": ["pram", "run", "copy.pram", "-i", "A=@-"],
    "pram fmt": ["pram", "fmt", "-"],
    "graph": ["graph", "components", "-"],
}


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("case", AWAITING)
def test_while_standard_input_is_awaited(files, case, by):
    program = start(*AWAITING[case], cwd=files, stdin=subprocess.PIPE)
    # It has read everything, and waits for more.
    program.stdin.write(b"\n")
    program.stdin.flush()
    wait_until(program, lambda: unread(program.stdin) == 0)
    time.sleep(0.1)
    check_cancelled(program, by)


WORKING = {
    "index build": ["index", "build", "rows.parquet", "--key", "k", "-o", "out.index"],
    "index query": ["index", "query", "rows.index", "--keys", "rows.parquet", "-o", "out.csv"],
    "graph": ["graph", "distances", "random:3000:9000", "-o", "out.csv"],
    "graph of a generator": ["graph", "matching", "bipartite:2000000:2000000:20000000"],
    "graph verified": ["graph", "components", "random:2000000:6000000", "--verify"],
    "pram run": ["pram", "run", "sort", "-i", "A=random:300000"],
    "pram run cpu": ["pram", "run", "all_pairs_distances", "--graph", "random:500:5000", "--executor", "cpu"],
    "pram trace": ["pram", "trace", "sort", "-i", "A=random:300000", "-o", "out.ndjson"],
    "grep": ["grep", "-c", "x[a-z]*y", "/dev/zero"],
    "grep of words": ["grep", "-c", "-f", "words", "/dev/zero"],
    "grep by threads": ["grep", "-c", "--threads", "4", "x[a-z]*y", *["/dev/zero"] * 4],
    "grep of many files": ["grep", "-o", "--threads", "4", "[a-z]+", *["lines"] * 20_000],
    "bench scan": ["bench", "scan", "--plot", "out.svg", "--selectivity", "1,50"],
    "bench strings": ["bench", "strings"],
    "bench index": ["bench", "index", "--device", "cpu", "--keys", "3000000"],
    "bench sql": ["bench", "sql", "--device", "cpu"],
    "tune": ["tune", "--output", "./out.json"],
    "CREATE TABLE": ["sql", "-c", f"CREATE TABLE t AS {LARGE.format(30_000_000)}"],
    "joins": ["sql", "-c", "SELECT count(*) FROM range(300000) a(i) JOIN range(300000) b(j) ON i < j"],
    "by DuckDB": ["sql", "--fallback", "duckdb", "-c", "SELECT sum(i) OVER (ORDER BY i % 1009 ROWS BETWEEN 300 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM range(30000000) a(i)"],
}


@pytest.mark.parametrize("case", WORKING)
def test_while_it_works(files, lanewise, case):
    rows = 8_000_000 if case == "index build" else 3_000_000
    if case.startswith("index"):
        assert lanewise("sql", "-c", f"SELECT hash(i) AS k FROM range({rows}) t(i)", "-o", "rows.parquet", "--fallback", "duckdb")[0] == 0
    if case == "index query":
        assert lanewise("index", "build", "rows.parquet", "--key", "k", "-o", "rows.index")[0] == 0
    before = {path.name for path in files.iterdir()}
    program = start(*WORKING[case], cwd=files)
    time.sleep(0.3)
    assert program.poll() is None, (program.returncode, program.stderr.read())
    check_cancelled(program)
    assert {path.name for path in files.iterdir()} == before


def test_while_the_compiler_runs(emulated_gpu, tmp_path):
    program = start("sql", "--device", "cuda", "-c", "SELECT sum(i) FROM (SELECT * FROM range(100000) t(i)) WHERE i % 7 = 3", cwd=tmp_path,
                    env={**os.environ, **emulated_gpu, "EMULATED_GPU_CXX": "sleep 10; g++"})
    children = pathlib.Path(f"/proc/{program.pid}/task")
    wait_until(program, lambda: any((task / "children").read_text().strip() for task in children.iterdir()))
    check_cancelled(program)


def test_at_once_when_it_starts(tmp_path):
    """Even before there is anything to cancel; a signal before main() may end the program."""
    for wait in (0.01, 0.02, 0.03, 0.05, 0.08, 0.13):
        program = start("sql", "-c", LARGE.format(20_000_000), "-o", "o.csv", cwd=tmp_path)
        time.sleep(wait)
        program.send_signal(signal.SIGINT)
        assert program.wait(10) in (130, -signal.SIGINT)
        assert list(tmp_path.iterdir()) == []


def test_a_second_signal_leaves_nothing_either(tmp_path):
    program = start("sql", "-c", LARGE.format(2_000_000), "-o", "o.csv", cwd=tmp_path)
    wait_until(program, lambda: any(path.stat().st_size > 0 for path in tmp_path.iterdir()))
    program.send_signal(signal.SIGINT)
    program.send_signal(signal.SIGINT)
    assert program.wait(10) in (130, -signal.SIGINT)
    assert list(tmp_path.iterdir()) == []


def test_a_database_is_whole_after_an_interrupt(lanewise, tmp_path):
    """Ctrl-C arrives while DuckDB receives the rows."""
    assert lanewise("sql", "--db", "a.duckdb", "-c", "CREATE TABLE t AS SELECT 7 AS i")[0] == 0
    program = start("sql", "--db", "a.duckdb", "-c", f"INSERT INTO t SELECT i * 7919 % 1000003 FROM ({LARGE.format(20_000_000)})", cwd=tmp_path)
    wait_until(program, lambda: sum(path.stat().st_size for path in tmp_path.iterdir()) > 4 << 20)
    check_cancelled(program)
    assert lanewise("sql", "--db", "a.duckdb", "--format", "csv", "-c", "SELECT i FROM t")[1] == "i\n7\n"
