"""Bad input gives an error with name and place, and the right exit code; nothing crashes, hangs or is lost."""

import os
import subprocess
import time

import pytest
from conftest import PROGRAM, cancel


def test_usage(lanewise):
    for arguments in (["nonsense"], ["sql", "--nonsense"], ["sql", "--format", "xml"], ["sql", "--threads", "0"]):
        code, _, error = lanewise(*arguments)
        assert code == 2 and "lanewise: " in error, arguments


def test_missing_file(refused):
    assert "nowhere.parquet" in refused("SELECT * FROM 'nowhere.parquet'")


def test_missing_sql_file(lanewise):
    code, _, error = lanewise("sql", "-f", "nowhere.sql")
    assert code == 2 and "nowhere.sql" in error and "No such file" in error


def test_broken_parquet(refused, tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"PAR1" + b"\x07" * 100 + b"PAR1")
    assert "broken.parquet" in refused("SELECT * FROM 'broken.parquet'")
    (tmp_path / "empty.parquet").write_bytes(b"")
    assert "empty.parquet" in refused("SELECT * FROM 'empty.parquet'")


def test_damaged_pages(lanewise, refused, tmp_path):
    assert lanewise("sql", "-c", "SELECT i, 'text ' || i AS s FROM range(200000) t(i)", "-o", "t.parquet")[0] == 0
    data = bytearray((tmp_path / "t.parquet").read_bytes())
    for at in range(1000, len(data) // 2, 50):
        data[at] ^= 0xFF
    (tmp_path / "t.parquet").write_bytes(data)
    refused("SELECT min(s), sum(i) FROM 't.parquet'")  # the message is that of DuckDB's reader


def test_csv_with_bad_rows(refused, tmp_path):
    rows = ["i,s"] + [f"{i},x" for i in range(50000)] + ["oops,x"]
    (tmp_path / "bad.csv").write_text("\n".join(rows))
    error = refused("SELECT sum(i) FROM read_csv('bad.csv', columns = {'i': 'INT', 's': 'VARCHAR'})")
    assert "oops" in error and "50002" in error


def test_unreadable_file(tmp_path):
    path = tmp_path / "locked.csv"
    path.write_text("i\n1\n")
    path.chmod(0)
    command = [PROGRAM, "sql", "-c", "SELECT * FROM 'locked.csv'"]
    if os.geteuid() == 0:  # root can read everything, unless it gives up that right
        drop = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}", *command]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "locked.csv" in done.stderr, done


def test_a_folder_is_no_database(lanewise):
    code, _, error = lanewise("sql", "--db", "/", "-c", "SELECT 1")
    assert code == 2 and "/" in error


def test_syntax_error_has_a_caret(refused):
    error = refused("SELECT 1 +\nFROM t")
    assert "syntax error" in error and "^" in error


def test_wrong_column_and_table(refused):
    assert "nope" in refused("SELECT nope FROM (SELECT 1 AS i)")
    assert "nope" in refused("SELECT * FROM nope")


def test_type_errors(refused):
    assert "abc" in refused("SELECT i + 'abc' FROM (SELECT 1 AS i)")
    assert "date" in refused("SELECT sqrt(d) FROM (SELECT DATE '2020-01-01' AS d)").lower()


def test_values_out_of_range(refused):
    table = "CREATE TABLE t AS SELECT 2147483647::INT AS i, 'x1' AS s;"
    error = refused(table + "SELECT i + 1::INT FROM t")
    assert "Overflow" in error and "2147483647" in error
    error = refused(table + "SELECT s::INT FROM t")
    assert "x1" in error and "INT32" in error


@pytest.mark.parametrize(
    "pattern, fault, column",
    [("ä(b", "closing", 1), ("x[z-a]", "range", 2), ("ab{2,1}", "counts", 2), ("*a", "nothing to repeat", 0)],
)
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM t WHERE regexp_matches(s, '{}')",
        "SELECT s ~ '{}' FROM t",
        "SELECT (SELECT count(regexp_replace(s, '{}', '', 'g')) FROM t)",
        "WITH c AS (SELECT regexp_extract(s, '{}', 0, 'i') AS e FROM t) FROM c",
    ],
)
def test_bad_patterns_are_marked(refused, query, pattern, fault, column):
    error = refused("CREATE TABLE t AS SELECT 'a' AS s; " + query.format(pattern))
    shown = next(line for line in error.splitlines() if line.endswith(pattern))
    caret = next(line for line in error.splitlines() if line.strip().startswith("^"))
    assert fault in error
    assert caret.index("^") == shown.index(pattern) + column, error


def test_bad_patterns_of_columns_are_marked(refused):
    error = refused("CREATE TABLE t AS SELECT 'a' AS s, 'a(b' AS p; SELECT * FROM t WHERE regexp_matches(s, p)")
    assert "a(b" in error and "^" in error


def test_patterns_too_large(refused):
    error = refused("CREATE TABLE t AS SELECT 'a' AS s; SELECT * FROM t WHERE regexp_matches(s, '((a{1,500}){1,500}){1,500}')")
    assert "large" in error or "repeat" in error or "repetition" in error


@pytest.mark.parametrize(
    "sql, word",
    [
        ("SELECT 'POINT(1 2)'::GEOMETRY AS u", "GEOMETRY"),
        ("SELECT i FROM range(3) t(i) LIMIT (SELECT DATE '2020-01-01')", "LIMIT and OFFSET of DATE"),
    ],
)
def test_what_is_not_supported_is_named(refused, sql, word):
    error = refused(sql)
    assert word.lower() in error.lower() and "--fallback duckdb" in error


def test_unknown_lanes(lanewise):
    code, _, error = lanewise("sql", "--lanes", "mmx", "-c", "SELECT 1")
    assert code == 2 and "mmx" in error and "simd" in error


def test_sizes(lanewise):
    code, _, error = lanewise("sql", "--memory-limit", "much", "-c", "SELECT 1")
    assert code == 2 and "much" in error


def test_disk_full(lanewise):
    for form in ("csv", "json", "markdown", "table"):
        code, _, error = lanewise("sql", "-c", "SELECT i FROM range(100000) t(i)", "--format", form, "-o", "/dev/full")
        assert code == 2 and "/dev/full" in error and "No space left" in error


def test_no_such_folder(lanewise):
    for form in ("csv", "parquet"):
        code, _, error = lanewise("sql", "-c", "SELECT 1 AS i", "-o", f"no/such/out.{form}")
        assert code == 2 and "no/such/out" in error


@pytest.mark.parametrize("output, word", [("s3://bucket/x.csv", "COPY"), ("s3://bucket/x.parquet", "COPY"), ("ftp://host/x.csv", "local")])
def test_output_is_local(refused, output, word):
    assert word in refused("SELECT 1 AS a", "-o", output)


def test_closed_pipe(tmp_path):
    sql = "SELECT i FROM range(2000000) t(i)"
    program = subprocess.Popen([PROGRAM, "sql", "-c", sql, "--format", "csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert program.stdout.readline() == b"i\n"
    program.stdout.close()
    assert program.wait(60) == 0
    assert program.stderr.read() == b""


LARGE = "SELECT i, 'some text number ' || i AS s FROM range(3000000) t(i)"


@pytest.mark.parametrize(
    "sql, operator",
    [
        (f"SELECT s, count(*) FROM ({LARGE}) GROUP BY s", "GROUP BY"),
        (f"SELECT s FROM ({LARGE}) ORDER BY s", "ORDER BY"),
        (f"SELECT DISTINCT s FROM ({LARGE})", "DISTINCT"),
        (f"SELECT string_agg(s, ',') FROM ({LARGE})", "aggregation"),
        ("SELECT strlen(repeat('x', i)) FROM range(3000000000, 3000000001) t(i)", "project"),
    ],
)
def test_memory_limit(refused, sql, operator):
    # On one thread: with several, the reading one may request the last bytes.
    error = refused(sql, "--memory-limit", "30MB", "--temp-directory", "none", "--threads", "1")
    assert operator.lower() in error.lower() and "28.6 MiB" in error


def test_no_room_for_temporary_files(refused):
    sql = f"SELECT s FROM ({LARGE}) ORDER BY s"
    error = refused(sql, "--memory-limit", "30MB", "--temp-directory", "/proc")
    assert "/proc" in error and "--temp-directory" in error
    assert "/no/such/folder" in refused(sql, "--temp-directory", "/no/such/folder")


def test_a_value_larger_than_memory_is_not_written_to_disk(refused):
    assert "28.6 MiB" in refused("SELECT strlen(repeat('x', i)) FROM range(3000000000, 3000000001) t(i)", "--memory-limit", "30MB")


def test_ctrl_c():
    sql = f"SELECT count(DISTINCT md5) FROM (SELECT s || s || s AS md5 FROM ({LARGE.replace('3000000', '3000000000')}))"
    program = subprocess.Popen([PROGRAM, "sql", "-c", sql], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    assert program.poll() is None, program.stderr.read()
    code, seconds = cancel(program)
    assert code == 130 and seconds < 2
    assert b"cancelled" in program.stderr.read()


@pytest.mark.long
def test_a_gibibyte_string(lanewise, tmp_path):
    with open(tmp_path / "huge.csv", "wb") as out:
        out.write(b"s\nshort\n")
        for _ in range(1024):
            out.write(b"x" * (1 << 20))
        out.write(b"needle\n")
    sql = """SELECT strlen(s) AS n FROM read_csv('huge.csv', max_line_size = 1200000000, buffer_size = 2500000000)
             WHERE s LIKE '%needle' AND regexp_matches(s, 'x+needle')"""
    code, out, error = lanewise("sql", "-c", sql, "--format", "csv", "--threads", "1")
    assert (code, out) == (0, f"n\n{(1 << 30) + 6}\n"), error


def test_devices(lanewise, tmp_path):
    (tmp_path / "libcuda.so.1").write_text("no library")
    without = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    for device in ("gpu", "cuda:", "cuda:x", "cuda:-1"):
        code, _, error = lanewise("sql", "-c", "SELECT 1", "--device", device)
        assert code == 2 and f"no device named '{device}'" in error
    code, _, error = lanewise("sql", "-c", "SELECT 1", "--device", "cuda", env=without)
    assert code == 2 and "the NVIDIA driver was not found" in error
    code, out, error = lanewise("sql", "-c", "SELECT count(*) AS n FROM range(5000000) t(i) WHERE i > 9", "--device", "auto", env=without)
    assert code == 0 and "4999990" in out.replace(",", ""), error


def test_kernels_are_shown_and_what_devices_lack_is_named(lanewise):
    query = "SELECT {} FROM range(9) t(i) WHERE i > 3"
    code, out, error = lanewise("sql", "--explain", "kernels", "-c", query.format("sum(i + 1)"))
    assert code == 0 and "supported on GPUs" in out and "plus(" in out and "state.c1.add(" in out, error
    code, out, error = lanewise("sql", "--explain", "--device", "auto", "-c", query.format("count_if(regexp_matches(i::TEXT, (i + 1)::TEXT))"))
    assert code == 0 and "regexp_matches(" in out and " is not supported on GPUs" in out and "__global__" not in out, error
