"""Options of scripts, and standard input as a table."""

import gzip
import os
import re
import subprocess

import duckdb
import pytest
from conftest import BUILD, PROGRAM

THREE = "SELECT 1 AS a; SELECT b FROM nowhere; SELECT 3 AS c"


def test_an_error_names_its_statement(lanewise):
    code, out, error = lanewise("sql", "--format", "csv", "-c", THREE)
    assert (code, out) == (2, "a\n1\n") and error.startswith("error: statement 2: "), error
    code, _, error = lanewise("sql", "-c", "SELECT b FROM nowhere")
    assert code == 2 and "statement 1" not in error


def test_on_error_continue(lanewise):
    code, out, error = lanewise("sql", "--format", "csv", "--on-error", "continue", "-c", THREE)
    assert (code, out) == (2, "a\n1\nc\n3\n") and error.startswith("error: statement 2: "), error
    assert lanewise("sql", "--format", "csv", "--on-error", "continue", "-c", "SELECT 1 AS a; SELECT 2 AS b")[:2] == (0, "a\n1\nb\n2\n")
    assert lanewise("sql", "--on-error", "stop", "-c", THREE)[0] == 2


def test_max_rows(lanewise):
    for rows, shown in (("3", 3), ("0", 100), ("1000", 100)):
        lines = lanewise("sql", "--max-rows", rows, "-c", "SELECT 1000 + i AS n FROM range(100) t(i)")[1].splitlines()
        assert sum(line.strip().startswith("10") and line.strip().isdigit() for line in lines) == shown
    assert lanewise("sql", "--max-rows", "-1", "-c", "SELECT 1")[0] == 2


def test_null_text(lanewise, tmp_path):
    query = "SELECT * FROM (VALUES (1, NULL), (2, 'NA'), (3, '')) AS t(i, s)"
    assert lanewise("sql", "--format", "csv", "--null-text", "NA", "-c", query)[1] == 'i,s\n1,NA\n2,"NA"\n3,""\n'
    assert lanewise("sql", "--format", "csv", "-c", query)[1] == 'i,s\n1,\n2,NA\n3,""\n'
    assert "| 1 | - |" in lanewise("sql", "--format", "markdown", "--null-text", "-", "-c", query)[1]
    assert "NULL" not in lanewise("sql", "--null-text", "-", "-c", query)[1]
    lanewise("sql", "-o", "o.csv", "--null-text", "NA", "-c", query)
    assert (tmp_path / "o.csv").read_text() == 'i,s\n1,NA\n2,"NA"\n3,""\n'


def parquet():
    path = f"/tmp/lanewise-test-{os.getpid()}.parquet"
    duckdb.sql(f"COPY (SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS t(a, b)) TO '{path}'")
    with open(path, "rb") as file:
        data = file.read()
    os.unlink(path)
    return data


CSV = b"a,b\n1,x\n2,y\n"
INPUTS = {
    "csv": CSV,
    "csv.gz": gzip.compress(CSV),
    "csv.zst": subprocess.run(["zstd", "-c"], input=CSV, capture_output=True, check=True).stdout,
    "ndjson": b'{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n',
    "json": b'\n[{"a":1,"b":"x"},{"a":2,"b":"y"}]',
    "parquet": parquet(),
}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("query", ["SELECT * FROM '-'", 'select *\nfrom "-" ORDER BY a', "SELECT * FROM '-' WHERE a > 0 UNION ALL FROM '-' WHERE a > 5"])
def test_standard_input_is_a_table(tmp_path, kind, query):
    (tmp_path / "input").write_bytes(INPUTS[kind])
    arguments = [PROGRAM, "sql", "--format", "csv", "-c", query]
    assert subprocess.run(arguments, input=INPUTS[kind], capture_output=True, check=True).stdout == CSV
    with open(tmp_path / "input", "rb") as file:
        assert subprocess.run(arguments, stdin=file, capture_output=True, check=True).stdout == CSV


def test_standard_input_that_no_table_names_is_not_read():
    reader, writer = os.pipe()
    query = "SELECT split_part('from-a', '-', 1) AS a"
    done = subprocess.run([PROGRAM, "sql", "--format", "csv", "-c", query], stdin=reader, capture_output=True, timeout=60)
    os.close(reader), os.close(writer)
    assert done.stdout == b"a\nfrom\n"


def test_faults_of_standard_input(lanewise):
    assert lanewise("sql", "-c", "FROM '-'")[2] == "error: standard input is empty, so FROM '-' has no columns\n"
    code, _, error = lanewise("sql", stdin="SELECT * FROM '-'")
    assert code == 2 and "standard input holds the SQL" in error and "-c" in error
    assert lanewise("sql", "-c", "FROM '-'", stdin="PAR1 is not all")[0] == 2


def test_no_copy_is_left(tmp_path):
    env = os.environ | {"TMPDIR": str(tmp_path)}
    assert subprocess.run([PROGRAM, "sql", "-c", "FROM '-'"], input=CSV, env=env, capture_output=True).returncode == 0
    assert list(tmp_path.iterdir()) == []
    env["TMPDIR"] = str(tmp_path / "missing")
    done = subprocess.run([PROGRAM, "sql", "-c", "FROM '-'"], input=CSV, env=env, capture_output=True)
    assert done.returncode == 2 and b"temporary file" in done.stderr


@pytest.mark.parametrize("script", [
    "INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (2); SELECT * FROM t", "SELECT * FROM t; INSERT INTO t SELECT 2",
    "INSERT INTO t VALUES (2); SELECT * FROM missing; SELECT * FROM t"])
def test_a_changed_database_is_closed(lanewise, tmp_path, script):
    """A query alone ends the program without closing DuckDB, which writes its log into the file."""
    assert lanewise("sql", "--db", "shop.duckdb", "-c", "CREATE TABLE t (i INTEGER)")[0] == 0
    assert lanewise("sql", "--db", "shop.duckdb", "--on-error", "continue", "-c", script)[0] == (2 if "missing" in script else 0)
    assert [path.name for path in tmp_path.iterdir()] == ["shop.duckdb"]
    assert lanewise("sql", "--db", "shop.duckdb", "--format", "csv", "-c", "SELECT sum(i) AS n FROM t")[1] == "n\n2\n"


def test_few_libraries_are_loaded():
    """Each library costs time at the start of every command."""
    loaded = subprocess.run(["readelf", "-d", BUILD / "lanewise-engine"], capture_output=True, text=True, check=True).stdout
    assert "libduckdb.so" in loaded and not re.findall(r"lib(?:z|bz2|lzma)\.so\S*", loaded)
