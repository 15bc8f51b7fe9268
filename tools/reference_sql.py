"""The page of statements and types: each example runs, and the table shows which engine ran it, or the error."""

import os
import re
import subprocess
from pathlib import Path

BUILD = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parent.parent / "build")
TABLE = "CREATE TABLE t AS SELECT i AS a, i % 3 AS b, 'row ' || i AS s FROM range(10) r(i)"
QUERIES = {
    "filter, order, limit": "SELECT a, s FROM t WHERE b = 1 ORDER BY a DESC LIMIT 2",
    "FROM first": "FROM t LIMIT 1",
    "columns by pattern": "SELECT COLUMNS('a|b') FROM t",
    "all columns but some": "SELECT * EXCLUDE (a) FROM t",
    "groups": "SELECT b, count(*) FROM t GROUP BY b HAVING count(*) > 3",
    "grouping sets": "SELECT b, s, count(*) FROM t GROUP BY GROUPING SETS ((b), (s))",
    "roll-up": "SELECT b, count(*) FROM t GROUP BY ROLLUP (b)",
    "filtered aggregate": "SELECT sum(a) FILTER (b = 1) FROM t",
    "distinct rows": "SELECT DISTINCT b FROM t",
    "first row of each key": "SELECT DISTINCT ON (b) b, a FROM t ORDER BY b, a",
    "union": "SELECT a FROM t UNION ALL SELECT b FROM t",
    "common table expression": "WITH c AS (SELECT a FROM t) SELECT * FROM c",
    "scalar subquery": "SELECT a FROM t WHERE a = (SELECT max(a) FROM t)",
    "patterns": "SELECT a FROM t WHERE s LIKE '%1' OR s SIMILAR TO 'row [23]' OR regexp_matches(s, '[45]$')",
    "CASE": "SELECT CASE WHEN a > 5 THEN 'big' ELSE 'small' END FROM t",
    "values": "VALUES (1, 'x'), (2, 'y')",
    "list of constants": "SELECT a FROM t WHERE a IN (1, 2, 3)",
    "join": "SELECT t.a FROM t JOIN t u USING (a)",
    "left join": "SELECT t.a FROM t LEFT JOIN t u ON t.a = u.a",
    "cross product": "SELECT t.a FROM t, t u",
    "IN with a subquery": "SELECT a FROM t WHERE a IN (SELECT b FROM t)",
    "EXISTS": "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.a = t.b)",
    "correlated subquery": "SELECT a, (SELECT max(a) FROM t u WHERE u.b = t.b) FROM t",
    "nearest earlier row": "SELECT t.a FROM t ASOF JOIN t u ON t.a >= u.b",
    "window function": "SELECT row_number() OVER (ORDER BY a) FROM t",
    "QUALIFY": "SELECT a FROM t QUALIFY max(a) OVER (PARTITION BY b) = a",
    "intersection": "SELECT a FROM t INTERSECT SELECT b FROM t",
    "difference": "SELECT a FROM t EXCEPT SELECT b FROM t",
    "recursion": "WITH RECURSIVE c AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM c WHERE i < 3) FROM c",
    "recursion by key": "WITH RECURSIVE c(k, i) USING KEY (k) AS (SELECT 1, 1 UNION SELECT k, i + 1 FROM c WHERE i < 3) FROM c",
    "unnest": "SELECT unnest([1, 2])",
    "lists": "SELECT [a, b] FROM t",
    "structs": "SELECT {'x': a} FROM t",
    "lists of a group": "SELECT list(a) FROM t",
    "string slice": "SELECT s[1:2] FROM t",
    "pivot": "PIVOT t ON b USING sum(a)", "pivot over listed values": "PIVOT t ON b IN (1, 2) USING sum(a)",
    "sample": "SELECT a FROM t USING SAMPLE 3",
    "limit in percent": "SELECT a FROM t LIMIT 10%",
    "computed limit": "SELECT a FROM t LIMIT (SELECT 3)",
    "random numbers": "SELECT random() FROM t",
    "seed of random numbers": "SELECT setseed(0.5)", "plan as JSON, YAML, Mermaid, Graphviz, HTML": "EXPLAIN (FORMAT json) SELECT a FROM t",
    "unpivot": "UNPIVOT t ON a, b INTO NAME name VALUE value",
    "approximate counts": "SELECT approx_count_distinct(a) FROM t",
    "functions of DuckDB's library": "SELECT md5(s) FROM t", "interpolation": "SELECT fill(a) OVER (ORDER BY b) FROM t",
    "tagged union": "SELECT union_value(n := a) FROM t", "geometry": "SELECT s::GEOMETRY FROM t",
    "statistics of a table": "SUMMARIZE t",
    "TRY": "SELECT TRY(a / 0) FROM t",
    "collation": "SELECT s FROM t ORDER BY s COLLATE noaccent.nocase",
    "prepared query": "PREPARE q AS SELECT a FROM t WHERE a = $1; EXECUTE q(3)",
    "parameters without values": "SELECT a FROM t WHERE a = $1",
}
STATEMENTS = {
    "create a table": "CREATE TABLE u AS SELECT a FROM t", "create a view": "CREATE VIEW v AS SELECT a FROM t", "drop": "DROP TABLE t",
    "insert": "INSERT INTO t VALUES (10, 1, 'row 10')", "insert the rows of a query": "INSERT INTO t SELECT a + 10, b, s FROM t", "update": "UPDATE t SET s = upper(s) WHERE a = 1", "delete": "DELETE FROM t WHERE a = 1",
    "update from another table": "UPDATE t SET s = u.s FROM (SELECT b, max(s) AS s FROM t GROUP BY b) u WHERE u.b = t.b", "delete by another table": "DELETE FROM t USING (SELECT max(a) AS a FROM t) u WHERE u.a = t.a",
    "merge": "MERGE INTO t USING (SELECT a + 1 AS a, b, s FROM t) u ON u.a = t.a WHEN MATCHED THEN UPDATE SET s = u.s WHEN NOT MATCHED THEN INSERT",
    "transaction": "BEGIN", "write a file": "COPY (SELECT a FROM t) TO '/dev/null' (FORMAT csv)", "columns of a table": "DESCRIBE t",
    "tables": "SHOW TABLES", "setting": "SET threads = 1",
}
RUNS_IN = {"duckdb": "DuckDB", "lanewise; duckdb": "Lanewise, DuckDB writes the rows"}
TYPES = {
    "BOOLEAN": "true", "TINYINT": "1::TINYINT", "SMALLINT": "1::SMALLINT", "INTEGER": "1", "BIGINT": "1::BIGINT", "HUGEINT": "1::HUGEINT",
    "UTINYINT": "1::UTINYINT", "USMALLINT": "1::USMALLINT", "UINTEGER": "1::UINTEGER", "UBIGINT": "1::UBIGINT", "UHUGEINT": "1::UHUGEINT",
    "FLOAT": "1.5::FLOAT", "DOUBLE": "1.5::DOUBLE", "DECIMAL": "1.50", "DATE": "DATE '2026-11-24'", "TIME": "TIME '12:30:00'", "TIME_NS": "TIME_NS '12:30:00.123456789'",
    "TIMESTAMP": "TIMESTAMP '2026-11-24 12:30:00'", "TIMESTAMP_S": "'2026-11-24 12:30:00'::TIMESTAMP_S",
    "TIMESTAMP_MS": "'2026-11-24 12:30:00'::TIMESTAMP_MS", "TIMESTAMP_NS": "'2026-11-24 12:30:00'::TIMESTAMP_NS",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ '2026-11-24 12:30:00+00'", "INTERVAL": "INTERVAL '1 month 2 days'", "VARCHAR": "'text'", "BLOB": "'\\xFF'::BLOB", "UUID": "'00000000-0000-0000-0000-000000000000'::UUID",
    "ENUM": "'x'::ENUM('x', 'y')", "LIST": "[1]", "STRUCT": "{'x': 1}", "MAP": "map([1], [2])", "BIT": "'101'::BIT", "BIGNUM": "1::BIGNUM",
    "TIME WITH TIME ZONE": "TIMETZ '12:30:00+02'", "JSON": "'{\"x\": 1}'::JSON", "UNION": "union_value(x := 1)", "VARIANT": "1::VARIANT", "GEOMETRY": "'POINT(1 2)'::GEOMETRY",
}


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def code(text):
    fence = "``" if "`" in text else "`"
    return f"{fence}{cell(text)}{fence}"


def outcome(statement):
    """The engine that ran a statement, or its error."""
    done = subprocess.run([BUILD / "lanewise", "sql", "--timing", "-c", f"{TABLE}; {statement}"], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1] if done.returncode == 0 else re.search(r"^error: (?:statement \d+: )?(.*)", done.stderr, re.M)[1]
    return ("", last.partition("; --fallback")[0]) if done.returncode else ("; ".join(re.findall(r"(?<!computed )by (\w+)", last)), "")


def sql_page():
    rows = {name: (text, *outcome(text)) for name, text in QUERIES.items()}
    lines = ["# SQL: statements and types\n", "The dialect is DuckDB's. The examples use this table:\n", f"```sql\n{TABLE};\n```\n",
             "## Queries that Lanewise runs\n", "| query | example |", "| --- | --- |",
             *(f"| {name} | {code(text)} |" for name, (text, engine, _) in rows.items() if engine == "lanewise"),
             "\n## Queries that Lanewise rejects\n", "With `--fallback duckdb`, DuckDB answers those that are \"not supported yet\".\n",
             "| query | example | error |", "| --- | --- | --- |",
             *(f"| {name} | {code(text)} | {cell(error)} |" for name, (text, engine, error) in rows.items() if not engine),
             "\n## Other statements\n", "DuckDB runs them. In some, Lanewise answers the query whose rows DuckDB writes.\n",
             "| statement | example | runs in |", "| --- | --- | --- |",
             *(f"| {name} | {code(text)} | {RUNS_IN[outcome(text)[0]]} |" for name, text in STATEMENTS.items()),
             "\n## Types\n", "| type | example | supported |", "| --- | --- | --- |"]
    for name, example in TYPES.items():
        engine, _ = outcome(f"SELECT max(x) FROM (SELECT {example} AS x FROM t)")
        lines.append(f"| {name} | {code(example)} | {'yes' if engine == 'lanewise' else 'no'} |")
    return "\n".join(lines) + "\n\nENUM, BIT, BIGNUM and TIME WITH TIME ZONE are held as text, in their own order; UNION and VARIANT as structs.\n"
