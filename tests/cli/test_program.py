"""The output of the program, statement by statement."""

import json
import re
import os
import signal
import subprocess
import time

import pyarrow.parquet
import pytest

from conftest import PROGRAM


def test_every_result_in_order(lanewise):
    sql = "CREATE TABLE t AS SELECT range AS i FROM range(3); SELECT i FROM t ORDER BY i; SELECT 'x' AS s"
    code, out, error = lanewise("sql", "-c", sql, "--format", "csv")
    assert (code, out, error) == (0, "i\n0\n1\n2\ns\nx\n", "")


def test_statements_without_result_print_nothing(lanewise):
    assert lanewise("sql", "-c", "CREATE TABLE t (i INT); INSERT INTO t VALUES (1)") == (0, "", "")


def test_output_takes_the_last_result(lanewise, tmp_path):
    assert lanewise("sql", "-c", "SELECT 1 AS a; SELECT 2 AS b", "-o", "out.csv")[:2] == (0, "")
    assert (tmp_path / "out.csv").read_text() == "b\n2\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_sql_from_file_and_standard_input(lanewise, tmp_path):
    (tmp_path / "q.sql").write_text("SELECT 40 + 2 AS answer;\n-- the end\n")
    assert lanewise("sql", "-f", "q.sql", "--format", "csv")[1] == "answer\n42\n"
    assert lanewise("sql", "--format", "csv", stdin="SELECT 40 + 2 AS answer")[1] == "answer\n42\n"
    assert lanewise("sql", stdin="")[:2] == (0, "")


@pytest.mark.parametrize("ending", ["csv", "json", "ndjson", "md", "parquet"])
def test_the_ending_says_the_format(lanewise, tmp_path, ending):
    assert lanewise("sql", "-c", "SELECT 1 AS i, 'ä' AS s, NULL::DATE AS d", "-o", f"out.{ending}")[0] == 0
    path = tmp_path / f"out.{ending}"
    if ending == "parquet":
        assert pyarrow.parquet.read_table(path).to_pylist() == [{"i": 1, "s": "ä", "d": None}]
    else:
        expected = {
            "csv": "i,s,d\n1,ä,\n",
            "json": '[\n{"i":1,"s":"ä","d":null}\n]\n',
            "ndjson": '{"i":1,"s":"ä","d":null}\n',
            "md": "| i | s | d |\n| ---: | --- | --- |\n| 1 | ä | NULL |\n\n",
        }
        assert path.read_text() == expected[ending]


def test_parquet_keeps_types_and_order(lanewise, tmp_path):
    sql = """SELECT i, i::DECIMAL(20, 2) AS d, i::VARCHAR AS s, DATE '2020-01-01' + i::INT AS day, i / 4.0 AS x,
             i::HUGEINT AS h, i % 2 = 0 AS b, '1 day'::INTERVAL AS v FROM range(300000) t(i)"""
    assert lanewise("sql", "-c", sql, "-o", "t.parquet") == (0, "", "")
    table = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert table.column("i").to_pylist() == list(range(300000))
    code, out, error = lanewise("sql", "-c", "SELECT count(*) AS n, sum(d) AS d, max(s) AS s FROM 't.parquet'", "--format", "json")
    assert json.loads(out) == [{"n": 300000, "d": 44999850000.0, "s": "99999"}], error


def test_table_fits(lanewise):
    code, out, _ = lanewise("sql", "-c", "SELECT i, repeat('x', 500) AS s FROM range(1000) t(i)", env={"COLUMNS": "60"})
    assert code == 0
    assert "1,000 rows, 40 shown" in out
    assert max(map(len, out.splitlines())) <= 60


def test_targets_can_be_forced_and_are_named(lanewise, level):
    sql = "CREATE TABLE t AS SELECT 'a' || i AS s, i::INT AS i FROM range(10000) r(i);" \
          "SELECT count(*) AS n FROM t WHERE regexp_matches(s, '[1-3]7') AND i > 500"
    code, out, error = lanewise("sql", "-c", sql, "--lanes", level, "--format", "csv", "--profile")
    assert (code, out) == (0, "n\n%d\n" % sum(1 for i in range(501, 10000) if any(p in str(i) for p in ("17", "27", "37"))))
    if level not in ("simd", "packed"):
        assert level in error


@pytest.mark.parametrize("analyze", ["", "ANALYZE, "])
@pytest.mark.parametrize("form, begin", [("yaml", '- node: "Project"\n  details: '), ("mermaid", "flowchart BT\n"), ("graphviz", "digraph plan {\n"), ("html", "<!DOCTYPE html>")])
def test_explain_draws(lanewise, form, begin, analyze):
    code, out, error = lanewise("sql", "--format", "json", "-c", f"EXPLAIN ({analyze}FORMAT {form}) SELECT s FROM (VALUES ('<b>'), ('\"')) t(s) WHERE s <> '\"#&<`'")
    plan = json.loads(out)[0]["plan"]
    assert code == 0 and plan.startswith(begin) and "Values" in plan and "Filter" in plan, out + error
    quoted = {"yaml": r'\"#&<`', "mermaid": "#quot;#35;#amp;#lt;#96;", "graphviz": r'\"#&amp;<`', "html": '"#&amp;&lt;`'}
    assert quoted[form] in plan, plan
    rows = {"yaml": "rows_in: 2", "html": "<p><i>rows_in</i> 2</p>"}.get(form, "rows_in: 2") if analyze else "estimated_rows"
    assert rows in plan, plan


def test_explain_shows_the_plan_and_does_not_run(lanewise):
    sql = "CREATE TABLE t AS SELECT 'abc' AS s; "
    code, out, error = lanewise("sql", "--format", "csv", "-c", "CREATE TABLE t AS SELECT 1 AS i; EXPLAIN INSERT INTO t SELECT i + 1 FROM t WHERE i > 0; SELECT count(*) AS n FROM t")
    assert code == 0 and out.startswith("plan\nDuckDB runs INSERT with the rows of:\n") and "Scan: t" in out and out.endswith("n\n1\n"), out + error
    code, out, error = lanewise("sql", "--format", "json", "-c", "EXPLAIN (FORMAT json) SELECT count(*) AS n FROM range(7) t(i)")
    plan = json.loads(json.loads(out)[0]["plan"])
    assert code == 0 and plan["node"] == "Project" and plan["children"][0]["node"] == "Aggregate", out + error
    assert plan["pipelines"][0] == {"number": 1, "branches": [{"source": "Scan range", "steps": []}], "sink": "Aggregate", "after": []}, plan["pipelines"]
    code, out, error = lanewise("sql", "--format", "json", "-c", "EXPLAIN (ANALYZE, FORMAT json) SELECT count(*) AS n FROM range(7) t(i) WHERE i > 2")
    profile = json.loads(json.loads(out)[0]["plan"])["children"][0]
    assert code == 0 and profile["node"] == "Aggregate" and profile["rows_in"] == 4 and profile["rows_out"] == 1, out + error
    code, out, error = lanewise("sql", "--format", "csv", "-c", "EXPLAIN ANALYZE SELECT i FROM range(7) t(i) WHERE i > 2")
    assert code == 0 and out.startswith("operator,details,rows_in,rows_out,seconds,bytes_read,target\n") and ",7,4," in out, out + error
    code, out, error = lanewise("sql", "--explain", "-c", "SELECT s FROM (VALUES ('abc'), ('x')) v(s) WHERE s LIKE '%b%' ORDER BY s LIMIT 3")
    assert code == 0, error
    for word in ("Values", "Filter", "Sort", "s"):
        assert word in out, sql


def test_explain_shows_pipelines(lanewise):
    tables = "CREATE TABLE l AS SELECT i FROM range(1000) t(i); CREATE TABLE r AS SELECT i * 2 AS k FROM range(300) t(i); "
    query = "SELECT i % 7 AS m, count(*) AS n FROM l JOIN r ON i = k GROUP BY m ORDER BY m"
    code, out, error = lanewise("sql", "--format", "csv", "-c", tables + f"EXPLAIN {query}")
    lines = ["pipeline 1: Scan r → lookup for inner Join, chosen when its keys are known", "pipeline 2: Scan l → inner Join with 1 → Aggregate; after 1"]
    assert code == 0 and all(line in out for line in lines), out + error
    code, out, error = lanewise("sql", "--format", "json", "-c", tables + f"EXPLAIN (FORMAT json) {query}")
    assert code == 0 and json.loads(json.loads(out)[0]["plan"])["pipelines"][:2] == [
        {"number": 1, "branches": [{"source": "Scan r", "steps": []}], "sink": "lookup for inner Join, chosen when its keys are known", "after": []},
        {"number": 2, "branches": [{"source": "Scan l", "steps": ["inner Join with 1"]}], "sink": "Aggregate", "after": [1]}], out + error


def test_explain_shows_pipelines_of_recursions(lanewise):
    query = """WITH RECURSIVE a(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM a WHERE i < 9),
      b(i) USING KEY (i) AS (FROM a UNION SELECT b.i + 10 FROM b ANTI JOIN recurring.b c ON b.i + 10 = c.i WHERE b.i < 50) SELECT count(*) FROM b"""
    code, out, error = lanewise("sql", "--format", "csv", "-c", f"EXPLAIN {query}")
    b, a = re.findall(r"Recursion: #(\d+)", out)
    lines = [f"pipeline 1 (first rows of recursion #{a}): Values → Project → Result",
             f"pipeline 2 (each round of recursion #{a}): rows of the last round → Filter → Project → Result",
             f"pipeline 3 (first rows of recursion #{b}): rows of recursion #{a} → Project → Project → Result",
             f"pipeline 4 (each round of recursion #{b}): rows of recursion #{b} → lookup for anti Join, chosen when its keys are known",
             f"pipeline 5 (each round of recursion #{b}): rows of the last round → Filter → anti Join with 4 → Project → Result; after 4",
             f"pipeline 6: rows of recursion #{b} → Project → Aggregate", "pipeline 7: result of 6 → Project → Result; after 6"]
    shown = [line.strip('"') for line in out.splitlines() if line.strip('"').startswith("pipeline")]
    assert code == 0 and shown == lines, out + error
    outside = "WITH RECURSIVE a AS MATERIALIZED (SELECT i, i + 1 AS j FROM range(10) n(i)), r(i) AS (SELECT 1 UNION ALL SELECT a.j FROM r JOIN a USING (i)) SELECT * FROM r JOIN a USING (i)"
    _, out, error = lanewise("sql", "--format", "csv", "-c", f"EXPLAIN {outside}")
    assert re.search(r"each round of recursion #\d+\): rows of CTE #\d+ → inner Join with", out), out + error
    code, out, error = lanewise("sql", "--format", "json", "-c", f"EXPLAIN (FORMAT json) {query}")
    parts = [pipeline.get("part") for pipeline in json.loads(json.loads(out)[0]["plan"])["pipelines"]]
    assert code == 0 and parts[1] == f"each round of recursion #{a}" and parts[-1] is None, out + error


@pytest.mark.parametrize("join, keys", [
    ("JOIN r ON l.i = r.k", "300 rows, array by 599 numbers, 2.3 KiB: their range is narrow"),
    ("JOIN r ON l.w = r.wide", "300 rows, hash table of 512 slots, 32-bit keys, 4.5 KiB: their range of 2990000001 numbers is too wide"),
    ("SEMI JOIN r ON l.i = r.k", "300 rows, bitmap of 599 numbers, 80 B: the join needs only whether a key is there"),
    ("JOIN r ON l.i = r.k AND l.w = r.wide", "300 rows, packed in a word, hash table of 640 slots, 64-bit keys, 8.5 KiB: their range of 3061760000599 numbers is too wide"),
    ("JOIN r ON l.i::TEXT = r.k::TEXT", "300 rows, hash table of 640 slots, keys as bytes, 13.2 KiB: they do not fit in 64 bits"),
    ("JOIN r ON l.i < r.k", "")])
def test_joins_say_how_they_find_keys(lanewise, join, keys):
    tables = "CREATE TABLE l AS SELECT i, i * 10000000 AS w FROM range(1000) t(i); CREATE TABLE r AS SELECT i * 2 AS k, i * 10000000 AS wide FROM range(300) t(i); "
    query = f"SELECT count(*) AS n FROM l {join}"
    _, _, profile = lanewise("sql", "--profile", "-c", tables + query, env={**os.environ, "COLUMNS": "1000"})
    _, table, _ = lanewise("sql", "--format", "json", "-c", f"{tables} EXPLAIN ANALYZE {query}")
    _, drawn, _ = lanewise("sql", "--format", "json", "-c", f"{tables} EXPLAIN (ANALYZE, FORMAT json) {query}")
    if not keys:
        assert "keys:" not in profile + table and '"keys"' not in json.loads(drawn)[0]["plan"]
        return
    assert f"keys: {keys}\n" in profile, profile
    assert [row["operator"].strip() for row in json.loads(table) if row["details"].endswith(f"; keys: {keys}")] == ["Join"], table
    assert f'"node": "Join"' in (plan := json.loads(drawn)[0]["plan"]) and f'"keys": "{keys}"' in plan, plan


@pytest.mark.parametrize("lookup, keys", [("hash", "32-bit keys, 4.5 KiB: forced"), ("bytes", "keys as bytes, 13.2 KiB: forced"), ("direct", "array by 599 numbers, 2.3 KiB: forced"),
                                          ("bitmap", "the forced lookup is not possible, and their range is narrow")])
def test_forced_lookups_are_named(lanewise, lookup, keys):
    sql = "CREATE TABLE l AS SELECT i FROM range(1000) t(i); CREATE TABLE r AS SELECT i * 2 AS k FROM range(300) t(i); SELECT count(*) AS n FROM l JOIN r ON i = k"
    code, out, error = lanewise("sql", "--profile", "--format", "csv", "-c", sql, env={**os.environ, "COLUMNS": "1000", "LANEWISE_JOIN_LOOKUP": lookup})
    assert (code, out) == (0, "n\n300\n") and keys in error, error


def test_profile_and_timing(lanewise):
    sql = "SELECT i % 3 AS k, count(*) AS n FROM range(100000) t(i) WHERE i > 10 GROUP BY k"
    code, out, error = lanewise("sql", "-c", sql, "--profile", "--timing", "--format", "csv")
    assert code == 0
    assert "rows in" in error and "Aggregate" in error and "run" in error
    assert "100,000" in error or "99,989" in error


def test_fallback_says_so(lanewise):
    sql = "SELECT DISTINCT ('POINT(1 ' || i % 1 || ')')::GEOMETRY AS n FROM range(5) t(i)"
    code, out, error = lanewise("sql", "-c", sql)
    assert code == 2 and "GEOMETRY" in error and "--fallback duckdb" in error
    code, out, error = lanewise("sql", "-c", sql, "--fallback", "duckdb", "--format", "csv")
    assert (code, out) == (0, "n\nPOINT (1 0)\n")
    assert "answered by DuckDB" in error and "GEOMETRY" in error


@pytest.mark.parametrize("join, rows", [(", 'a.parquet' b", 25), ("LEFT JOIN 'a.parquet' b ON true", 25), ("FULL JOIN 'a.parquet' b ON a.i = b.i + 2", 7)])
def test_files_are_joined_without_their_columns(lanewise, join, rows):
    assert lanewise("sql", "-c", "FROM range(5) t(i)", "-o", "a.parquet")[0] == 0
    assert lanewise("sql", "-c", f"SELECT count(*) AS n FROM 'a.parquet' a {join}", "--format", "csv") == (0, f"n\n{rows}\n", "")


def test_database_files(lanewise):
    assert lanewise("sql", "--db", "x.duckdb", "-c", "CREATE TABLE t AS SELECT 7 AS seven")[0] == 0
    assert lanewise("sql", "--db", "x.duckdb", "-c", "SELECT seven FROM t", "--format", "csv")[1] == "seven\n7\n"


def test_a_write_is_seen(lanewise):
    sql = """CREATE TABLE t AS SELECT range AS i FROM range(100); SELECT sum(i) AS s FROM t;
             INSERT INTO t VALUES (1000); SELECT sum(i) AS s FROM t; DELETE FROM t WHERE i < 50; SELECT sum(i) AS s FROM t"""
    assert lanewise("sql", "-c", sql, "--format", "csv")[1] == "s\n4950\ns\n5950\ns\n4725\n"


def test_help_teaches(lanewise):
    for arguments in ([], ["--help"], ["sql", "--help"], ["info", "--help"], ["bench", "--help"],
                      ["bench", "scan", "--help"], ["bench", "strings", "--help"], ["tune", "--help"]):
        code, out, _ = lanewise(*arguments)
        assert code == 0 and "lanewise" in out
    assert "LIKE" in lanewise("sql", "--help")[1]


def test_info(lanewise):
    code, out, _ = lanewise("info")
    assert code == 0 and "processor" in out and "emulated" in out


def test_every_type_is_valid_json(lanewise):
    types = ["0.5::DECIMAL(9, 9)", "-0.5::DECIMAL(38, 38)", "'nan'::FLOAT", "-('nan'::DOUBLE)", "'-inf'::FLOAT", "-0.0::FLOAT",
             "'\\xFF\\x00'::BLOB", "'a' || chr(0) || '\"\\'", "170141183460469231731687303715884105727::HUGEINT", "true", "NULL",
             "INTERVAL 1 DAY", "DATE '2020-01-01'", "TIME '10:00'", "TIMESTAMPTZ '2020-01-01'", "uuid()::VARCHAR", "[1, NULL]",
             "{'a': 'b'}", "MAP {'k': 1}", "'{\"a\": 1}'::JSON", "'101'::BIT", "5e-324::DOUBLE", "'x'::ENUM('x')"]
    columns = ", ".join(f"{value} AS \"c {i}\"\"\n\"" for i, value in enumerate(types))
    for form in ("json", "ndjson"):
        code, out, error = lanewise("sql", "--fallback", "duckdb", "--format", form, "-c", f"SELECT {columns}")
        assert code == 0, error
        row = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
        row = row[0] if form == "json" else row
        assert len(row) == len(types)
        assert [row[f"c {i}\"\n"] for i in (0, 1, 2, 3)] == [0.5, -0.5, "nan", "nan"]


def test_a_fault_names_the_statement():
    query = "SELECT count(*) FROM range(1000000000000) t(i) WHERE i % 7 = 3"
    process = subprocess.Popen([PROGRAM, "sql", "-c", query], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGSEGV)
    assert process.communicate()[1] == f"This is a bug in lanewise, please report it: segmentation fault while running: {query}\n"
    assert process.returncode == -signal.SIGSEGV


def test_who_ran_each_part_is_said(lanewise):
    code, out, error = lanewise("sql", "--timing", "-c", "CREATE TABLE t AS SELECT 1 AS i; UPDATE t SET i = 2; INSERT INTO t SELECT 3; SET threads = 1")
    assert (code, out) == (0, "")
    lines = error.splitlines()
    assert ["by lanewise; rows written in" in line for line in lines] == [True, False, True, False]
    assert [line.endswith("by duckdb") for line in lines] == [True, True, True, True]
    profile = lanewise("sql", "--profile", "-c", "CREATE TABLE t AS SELECT 1 AS i; UPDATE t SET i = 2")[2]
    assert [line.split()[0] for line in profile.splitlines() if line.endswith("duckdb")] == ["CREATE", "UPDATE"]


def test_summarize_runs_in_the_engine(lanewise):
    error = lanewise("sql", "--timing", "-c", "CREATE TABLE t AS SELECT 1 AS i; SUMMARIZE t")[2].splitlines()
    assert "by lanewise" in error[1], error


def test_fallback_is_not_advised_where_it_is_given(lanewise):
    query = "SELECT 'POINT(1 2)'::GEOMETRY AS l"
    assert "--fallback duckdb lets DuckDB answer" in lanewise("sql", "-c", query)[2]
    error = lanewise("sql", "--fallback", "duckdb", "-c", query)[2]
    assert "answered by DuckDB" in error and "--fallback" not in error
    code, out, error = lanewise("sql", "--format", "csv", "-c", f"SET lanewise_fallback = 'duckdb'; {query}; RESET lanewise_fallback; {query}")
    assert code == 2 and out.startswith("l\n") and "--fallback duckdb" in error
    assert "lanewise_fallback is '' or 'duckdb'" in lanewise("sql", "-c", "SET lanewise_fallback = 'gpu'")[2]
