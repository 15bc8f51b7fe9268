"""Temporary files have no names: whatever ends a process, nothing is left of them."""

import os
import resource
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM, cancel

# The joined rows exceed the limit in our engine, and the table in DuckDB.
TABLE = "CREATE TABLE x AS SELECT a.i, b.j, md5(a.i::VARCHAR) AS m FROM range({}) a(i) JOIN range(1000) b(j) ON a.i % 1000 = b.j"
LIMITS = ["--memory-limit", "60MB", "--threads", "2"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "temporary").mkdir()
    return tmp_path / "temporary"


def files_of(process, folder):
    """The status of each file of the process in this folder, with or without a name."""
    found = []
    for name in os.listdir(f"/proc/{process.pid}/fd"):
        file = f"/proc/{process.pid}/fd/{name}"
        try:
            if os.readlink(file).startswith(f"{folder}/"):
                found.append(os.stat(file))
        except FileNotFoundError:  # closed meanwhile
            pass
    return found


def start_spilling(folder, *arguments, before="", **more):
    process = subprocess.Popen([PROGRAM, "sql", *arguments, *LIMITS, "-c", f"{before}{TABLE.format(10**12)}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    end = time.monotonic() + 100
    while sum(file.st_blocks * 512 for file in files_of(process, folder)) < 5_000_000:
        assert process.poll() is None and time.monotonic() < end, process.communicate()
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("named_by", ["option", "SET", "RESET", "system", "system, with a database"])
def test_a_killed_process_leaves_nothing(folder, tmp_path, named_by):
    arguments = {"option": ["--temp-directory", folder], "system, with a database": ["--db", "x.db"]}.get(named_by, [])
    settings = {"SET": f"SET temp_directory = '{folder}';", "RESET": "SET temp_directory = '/no/such/folder'; RESET temp_directory;"}
    environment = {**os.environ, "TMPDIR": "/no/such/folder" if named_by in ("option", "SET") else str(folder)}
    process = start_spilling(folder, *arguments, before=settings.get(named_by, ""), cwd=tmp_path, env=environment)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert os.listdir(folder) == []
    assert set(os.listdir(tmp_path)) <= {"temporary", "x.db", "x.db.wal"}


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_cancelled_process_leaves_nothing(folder, by):
    process = start_spilling(folder, "--temp-directory", folder)
    assert cancel(process, by)[0] == 130
    assert os.listdir(folder) == []


def test_processes_with_the_same_folder(lanewise, folder):
    """One that starts, ends or fails does not touch the files of another."""
    (folder / "duckdb_temp_storage_DEFAULT-0.tmp").write_text("of DuckDB itself")
    other = start_spilling(folder, "--temp-directory", folder)
    used = len(files_of(other, folder))
    sql = f"{TABLE.format(2_000_000)}; SELECT count(*) AS n, sum(i) AS i, sum(j) AS j, count(DISTINCT m) AS m FROM x"
    code, out, error = lanewise("sql", *LIMITS, "--temp-directory", folder, "--timing", "--format", "csv", "-c", sql)
    assert (code, out) == (0, f"n,i,j,m\n2000000,{sum(range(2_000_000))},{sum(range(1000)) * 2000},2000000\n") and "temporary files" in error, error
    code, out, error = lanewise("sql", *LIMITS, "--temp-directory", folder, "-c", f"{sql}; SELECT error('the end') FROM x")
    assert code == 2 and "the end" in error
    assert len(files_of(other, folder)) >= used > 0 and other.poll() is None
    other.kill()
    other.communicate()
    assert {file.name: file.read_text() for file in folder.iterdir()} == {"duckdb_temp_storage_DEFAULT-0.tmp": "of DuckDB itself"}


def test_no_room_for_the_tables_of_duckdb(refused):
    for folder in ["/proc", "/sys"]:
        error = refused(TABLE.format(2_000_000), *LIMITS, "--engine-memory", "1000000000", "--temp-directory", folder)
        assert f"'{folder}'" in error and "--temp-directory" in error


def test_values_larger_than_a_block(lanewise, folder):
    """DuckDB makes a file for each of them, here more than the process may open."""
    tables = "".join(f"CREATE TABLE {name} AS SELECT i, repeat(chr(97 + i % 26), 300000 + i) AS s FROM range(400) t(i64), (SELECT i64::INT AS i);" for name in "xy")
    sql = f"{tables} SELECT count(*) AS n, sum(strlen(s)) AS bytes, count(*) FILTER (s = repeat(chr(97 + i % 26), 300000 + i)) AS same FROM (FROM x UNION ALL FROM y)"
    code, out, error = lanewise("sql", "--memory-limit", "200MB", "--engine-memory", "4000000000", "--temp-directory", folder, "--format", "csv", "-c", sql,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)))
    assert (code, out) == (0, f"n,bytes,same\n800,{2 * (400 * 300_000 + sum(range(400)))},800\n"), error
    assert os.listdir(folder) == []
