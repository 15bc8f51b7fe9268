"""Rows that are written while their statement runs."""

import json
import subprocess

import pytest
from conftest import PROGRAM

FORMATS = ["csv", "json", "ndjson", "markdown", "arrows"]
BAD = "SELECT i, CASE WHEN i = 1999999 THEN 'x' ELSE '1' END::INTEGER AS n FROM range(2000000) r(i)"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("use", ["", "CREATE SCHEMA s; USE s;"])
def test_every_format(format, use):
    done = subprocess.run([PROGRAM, "sql", "--format", format, "-c", f"{use} SELECT i, [i] AS l FROM range(300000) r(i)"], capture_output=True)
    assert done.returncode == 0, done.stderr
    if format == "ndjson":
        assert [json.loads(line)["l"] for line in done.stdout.splitlines()] == [[i] for i in range(300_000)]
    if format == "json":
        assert [row["i"] for row in json.loads(done.stdout)] == list(range(300_000))
    if format == "csv":
        assert done.stdout.split() == [b"i,l", *(b"%d,[%d]" % (i, i) for i in range(300_000))]
    if format == "markdown":
        assert done.stdout.count(b"\n") == 300_003


def test_rows_before_an_error_are_printed_in_order(lanewise):
    code, out, error = lanewise("sql", "--format", "csv", "-c", BAD)
    rows = out.split()[1:]
    assert code == 2 and "Could not convert" in error and rows == [f"{i},1" for i in range(len(rows))]


def test_nothing_is_printed_if_the_first_rows_fail(lanewise):
    code, out, error = lanewise("sql", "--format", "csv", "-c", "SELECT 'x'::INTEGER AS n FROM range(3)")
    assert (code, out) == (2, "") and "Could not convert" in error


def test_a_reader_that_leaves():
    program = subprocess.Popen([PROGRAM, "sql", "--format", "csv", "-c", "SELECT i FROM range(100000000) r(i)"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout.readline() == b"i\n"
    program.stdout.close()
    assert program.wait(timeout=20) in (0, 141, -13) and program.stderr.read() == b""
    program.stderr.close()


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.arrow"])
def test_a_file_is_whole_or_absent(lanewise, tmp_path, name):
    code, _, error = lanewise("sql", "-c", BAD, "-o", name)
    assert code == 2 and "Could not convert" in error and not (tmp_path / name).exists()


def test_an_earlier_result_is_written_if_the_last_statement_fails(lanewise, tmp_path):
    code, _, _ = lanewise("sql", "--on-error", "continue", "-c", f"SELECT 42 AS n; {BAD}", "-o", "out.csv")
    assert code == 2 and (tmp_path / "out.csv").read_text() == "n\n42\n"


def test_one_that_is_not_supported_gets_advice(lanewise):
    code, out, error = lanewise("sql", "--format", "csv", "-c", "SELECT 'POINT(1 2)'::GEOMETRY AS u")
    assert (code, out) == (2, "") and "--fallback duckdb" in error
    code, out, error = lanewise("sql", "--format", "csv", "--fallback", "duckdb", "-c", "SELECT 'POINT(1 2)'::GEOMETRY AS u")
    assert (code, out) == (0, "u\nPOINT (1 2)\n") and "answered by DuckDB" in error
