"""Values of UNION, VARIANT and of types that are held as text, in every output format: as DuckDB writes or reads them."""

import csv
import io
import json

import duckdb
import pytest

COLUMNS = {
    "u": "CASE i WHEN 2 THEN NULL WHEN 3 THEN 3::UNION(n BIGINT, s VARCHAR) ELSE ('w, ' || i)::UNION(n BIGINT, s VARCHAR) END",
    "e": "['b'::ENUM('b', 'a'), NULL]",
    "s": "{'bits': i::INTEGER::BIT, 'doc': json_array(i, 'x y')}",
    "t": "[TIMETZ '12:00:00+02']",
    "g": "MAP {i: [12345678901234567890::BIGNUM]}",
    "d": "union_value(bits := i::INTEGER::BIT)",
    "v": "CASE WHEN i <> 1 THEN {'k': [i, NULL], 't': DATE '2026-11-28'}::VARIANT END",
    "l": "[i::VARIANT, 'x'::VARIANT]",
}
QUERY = "SELECT i, " + ", ".join(f"{sql} AS {name}" for name, sql in COLUMNS.items()) + " FROM range(5) r(i)"
FILED = QUERY.replace(f", {COLUMNS['l']} AS l", "")  # Parquet has VARIANT only as a column
AS_TEXT = f"SELECT COLUMNS(*)::VARCHAR FROM ({QUERY})"


def test_csv_has_duckdbs_texts(lanewise):
    code, out, error = lanewise("sql", "--format", "csv", "--null-text", "NULL", "-c", QUERY)
    assert code == 0, error
    expected = [tuple("NULL" if value is None else value for value in row) for row in duckdb.sql(AS_TEXT).fetchall()]
    assert [tuple(row) for row in csv.reader(io.StringIO(out))][1:] == expected


def test_json_has_values(lanewise):
    code, out, error = lanewise("sql", "--format", "ndjson", "-c", QUERY)
    assert code == 0, error
    row = json.loads(out.splitlines()[3])
    assert row == {"i": 3, "u": {"n": 3}, "e": ["b", None], "s": {"bits": f"{3:032b}", "doc": [3, "x y"]}, "t": ["12:00:00+02"], "g": {"3": [12345678901234567890]},
                   "d": {"bits": f"{3:032b}"}, "v": {"k": [3, None], "t": "2026-11-28"}, "l": ["3", "x"]}
    assert json.loads(out.splitlines()[2])["u"] is None and json.loads(out.splitlines()[1])["v"] is None


@pytest.mark.parametrize("statement", ["CREATE TABLE made AS {}", "CREATE TABLE made AS {} LIMIT 0; INSERT INTO made {}", "COPY ({}) TO 'made.parquet'"])
def test_written_by_statements(lanewise, tmp_path, statement):
    source = "'made.parquet'" if "COPY" in statement else "made"
    attach = "ATTACH 'made.duckdb' AS m (STORAGE_VERSION 'latest'); USE m; "
    code, out, error = lanewise("sql", "-c", attach + statement.replace("{}", FILED if "COPY" in statement else QUERY))
    assert code == 0, error
    assert "answered by DuckDB" not in error
    with duckdb.connect(tmp_path / "made.duckdb") as connection:
        source = source.replace("made.p", f"{tmp_path}/made.p")
        if "COPY" in statement:  # DuckDB itself writes a union as a struct
            connection.execute(f"COPY ({FILED}) TO '{tmp_path}/own.parquet'")
            expected = connection.sql(f"SELECT COLUMNS(*)::VARCHAR FROM '{tmp_path}/own.parquet'").fetchall()
        else:
            assert str(connection.sql(f"FROM {source}").types) == str(connection.sql(QUERY).types)
            expected = connection.sql(AS_TEXT).fetchall()
        assert connection.sql(f"SELECT COLUMNS(*)::VARCHAR FROM {source}").fetchall() == expected


@pytest.mark.parametrize("name, union", [("o.parquet", "(1, NULL, 'w, 1')"), ("o.arrow", "w, 1"), ("o.arrows", "w, 1")])
def test_files_are_read_back(lanewise, name, union):
    assert lanewise("sql", "-o", name, "-c", FILED)[0] == 0
    code, out, error = lanewise("sql", "--format", "csv", "-c", f"SELECT COLUMNS('e|g|u')::VARCHAR FROM '{name}'")
    assert code == 0, error
    assert list(csv.reader(io.StringIO(out)))[2] == [union, "[b, NULL]", "{1=[12345678901234567890]}"]


HELD = "SELECT ['a', 'b'][i % 2 + 1]::ENUM('b', 'a') AS e, i::INTEGER::BIT AS b, i::BIGNUM AS n, '12:00:00+01'::TIMETZ AS t, json_array(i) AS j, union_value(k := 'x'::ENUM('x')) AS u FROM range(3) r(i)"
UNNAMED = ["row(e)", "row(n)", "row(b)", "row(j, 2)", "row(t)", "row(u)", "row(NULL, e)", "list(row(b, t))", "max((b, t))", "{'p': row(e, [row(n)])}", "map(['k'], [row(j)])",
           "array_value(row(b), NULL)", "union_value(s := row(t, e))", "row(TIMESTAMPTZ '2026-11-30 12:00:00+00', e)"]


@pytest.mark.parametrize("value", UNNAMED)
def test_structs_without_names(lanewise, tmp_path, value):
    query = f"SELECT {value} AS x FROM ({HELD})"
    duckdb.sql("SET TimeZone = 'UTC'")
    expected = [json.loads(text) for (text,) in duckdb.sql(f"SELECT to_json(x) FROM ({query})").fetchall()]
    for form, read in {"json": json.loads, "ndjson": lambda out: list(map(json.loads, out.splitlines()))}.items():
        code, out, error = lanewise("sql", "--format", form, "-c", query)
        assert code == 0, error
        assert [row["x"] for row in read(out)] == expected
    for form in ("csv", "json", "parquet"):
        for name, program in {"ours": lambda sql: lanewise("sql", "-c", sql)[2], "theirs": lambda sql: duckdb.sql(sql)}.items():
            assert not program(f"COPY ({query}) TO '{tmp_path}/{name}.{form}'")
        if form != "parquet":
            assert (tmp_path / f"ours.{form}").read_text() == (tmp_path / f"theirs.{form}").read_text()
    code, _, error = lanewise("sql", "-o", "out.parquet", "-c", query)
    assert code == 0, error
    read = "SELECT x::VARCHAR FROM '{}/{}.parquet'"
    theirs = duckdb.sql(read.format(tmp_path, "theirs")).fetchall()
    assert duckdb.sql(read.format(tmp_path, "ours")).fetchall() == duckdb.sql(read.format(tmp_path, "out")).fetchall() == theirs
