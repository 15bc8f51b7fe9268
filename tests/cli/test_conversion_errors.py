"""A value that cannot be converted gives an error with file, row and column: those of the first such row, for any number of threads."""

import random

import duckdb
import pytest

ROWS = 300_000  # more than one batch, morsel and thread


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Files with a column s of numbers, except in two rows, and a column i: as CSV, Parquet, JSON lines and a database."""
    folder = tmp_path_factory.mktemp("data")
    rows = [str(i) for i in range(ROWS)]
    rows[6], rows[ROWS - 5] = "abc", "xyz"
    late = [str(i) for i in range(ROWS)]
    late[200_000], late[ROWS - 5] = "abc", "xyz"
    for name, values in [("early", rows), ("late", late)]:
        (folder / f"{name}.csv").write_text("i,s\n" + "".join(f"{i},{s}\n" for i, s in enumerate(values)))
        duckdb.sql(f"COPY (FROM read_csv('{folder}/{name}.csv', all_varchar = true)) TO '{folder}/{name}.parquet' (ROW_GROUP_SIZE 20000)")
        duckdb.sql(f"COPY (FROM '{folder}/{name}.parquet') TO '{folder}/{name}.ndjson' (FORMAT json)")
    with duckdb.connect(str(folder / "shop.duckdb")) as shop:
        for name in ("early", "late"):
            shop.execute(f"CREATE TABLE {name} AS FROM '{folder}/{name}.parquet'")
    return folder


SOURCES = ["csv", "parquet", "ndjson"]
NUMBER = {"early": 7, "late": 200_001}
QUERIES = {
    "a result": "SELECT s::INTEGER AS x FROM {}",
    "a filter": "SELECT i FROM {} WHERE s::INTEGER < 0",
    "an aggregate": "SELECT sum(s::INTEGER) FROM {}",
    "a group": "SELECT s::INTEGER % 10, count(*) FROM {} GROUP BY ALL",
    "an order": "SELECT i FROM {} ORDER BY s::INTEGER",
    "after a filter": "SELECT s::INTEGER AS x FROM {} WHERE length(s) > 0 AND s <> '5'",
    "of a subquery": "SELECT t::INTEGER FROM (SELECT s AS t FROM {}) q",
}


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("case", QUERIES)
@pytest.mark.parametrize("name", NUMBER)
def test_the_first_row_is_named(lanewise, data, case, name, threads):
    query = QUERIES[case].format(f"'{data}/{name}.parquet'")
    for _ in range(3):
        code, out, error = lanewise("sql", "--threads", str(threads), "-c", query)
        assert (code, out) == (2, ""), error
        assert f"{name}.parquet', row {NUMBER[name]}, column s: Could not convert string 'abc' to INT32" in error or (
            case == "of a subquery" and f"{name}.parquet', row {NUMBER[name]}, column " in error), error


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", NUMBER)
def test_rows_of_every_source(lanewise, data, source, name):
    code, _, error = lanewise("sql", "-c", f"SELECT max(s::INTEGER) FROM read_csv('{data}/{name}.csv', all_varchar = true)" if source == "csv"
                              else f"SELECT max(s::VARCHAR::INTEGER) FROM '{data}/{name}.{source}'")
    assert code == 2 and f", row {NUMBER[name]}, " in error and "column s: " in error and "'abc'" in error, error


def test_rows_of_a_table_and_of_columns_in_memory(lanewise, data):
    """The second query reads columns that the first one kept."""
    query = "SELECT sum(s::INTEGER) FROM late"
    code, _, error = lanewise("sql", "--db", str(data / "shop.duckdb"), "-c", query)
    assert code == 2 and "'late', row 200001, column s: " in error, error
    code, _, error = lanewise("sql", "--db", str(data / "shop.duckdb"), "-c", f"SELECT count(s) FROM late WHERE s <> ''; {query}")
    assert code == 2 and "row 200001, column s: " in error, error


def test_a_row_number_is_that_of_duckdb(lanewise, tmp_path):
    draw = random.Random(14)
    for _ in range(10):
        rows, bad = draw.randrange(1, 40_000), draw.random()
        duckdb.sql(f"COPY (SELECT CASE WHEN i = {int(rows * bad)} THEN 'no' ELSE i::VARCHAR END AS s FROM range({rows}) t(i)) TO '{tmp_path}/a.parquet'")
        code, _, error = lanewise("sql", "-c", "SELECT s::DOUBLE FROM 'a.parquet'")
        assert code == 2 and f"'a.parquet', row {int(rows * bad) + 1}, column s: Could not convert string 'no' to DOUBLE" in error, error


@pytest.mark.parametrize("cast, value", [("s::DATE", "no day"), ("s::DECIMAL(4, 1)", "12345"), ("s::TINYINT", "300"), ("s::UUID", "x"), ("s::BOOLEAN", "perhaps"),
                                         ("s::DOUBLE::TINYINT", "300"), ("s::TIMESTAMP", "noon")])
def test_every_kind_of_conversion(lanewise, tmp_path, cast, value):
    duckdb.sql(f"COPY (SELECT unnest([NULL, NULL, '{value}']) AS s) TO '{tmp_path}/a.parquet'")
    code, _, error = lanewise("sql", "-c", f"SELECT {cast} FROM 'a.parquet'")
    assert code == 2 and "'a.parquet', row 3, " in error and value in error and ("column s: " in error or "CAST(s AS DOUBLE): " in error), error


def test_values_of_no_row(lanewise):
    """A constant has no row."""
    code, _, error = lanewise("sql", "-c", "SELECT x, (SELECT 'abc' || max(i) FROM range(3) r(i))::INTEGER FROM range(10) t(x)")
    assert code == 2 and "abc2" in error and "row" not in error, error


def test_columns_without_a_name_are_not_named(lanewise):
    code, _, error = lanewise("sql", "-c", "SELECT s::INTEGER FROM (VALUES ('abc')) t(s)")
    assert (code, error) == (2, "error: Could not convert string 'abc' to INT32\n")


def test_rows_of_a_join_have_no_number(lanewise, data):
    """The rows of its result do not correspond to rows of a file."""
    code, _, error = lanewise("sql", "-c", f"SELECT (a.s || b.s)::INTEGER FROM '{data}/early.parquet' a JOIN '{data}/early.parquet' b ON a.i = b.i WHERE a.i = '6'")
    assert code == 2 and "abcabc" in error and ", row 7, column" not in error, error


def test_bytes_of_zero_do_not_end_a_message(lanewise):
    code, _, error = lanewise("sql", "-c", "SELECT (s || chr(0) || 'after')::INTEGER FROM (VALUES ('before')) t(s)")
    assert code == 2 and "before\\0after" in error and "INT32" in error, error
    code, _, error = lanewise("sql", "-c", "SELECT error(s || chr(0) || 'after') FROM (VALUES ('before')) t(s)")
    assert code == 2 and "before\\0after" in error, error


@pytest.mark.parametrize("condition, error", [
    ("d > 'garbage'", "cannot convert 'garbage' to DATE: invalid date field format: \"garbage\", expected format is (YYYY-MM-DD)"),
    ("n > 'abc'", "cannot convert 'abc' to BIGINT: Could not convert string 'abc' to INT64"),
])
def test_a_constant_is_named_without_the_file(lanewise, condition, error):
    assert lanewise("sql", "-o", "x.parquet", "-c", "SELECT i AS n, DATE '2024-01-01' + i::INTEGER AS d FROM range(9) t(i)")[0] == 0
    assert lanewise("sql", "-c", f"SELECT * FROM 'x.parquet' WHERE {condition}") == (2, "", f"error: {error}\n")
