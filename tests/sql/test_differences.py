"""Answers that differ from DuckDB's on purpose: docs/understand/decisions/0002-where-duckdb-is-wrong.md."""

from dataclasses import dataclass

import corpus
import duckdb
import engine
import pytest


@dataclass(frozen=True)
class Fails:
    message: str


CASES = [  # expression over a column x, its value, DuckDB's answer, ours
    ("TRY_CAST(x AS TINYINT)", "127.5::DOUBLE", "-128", None),
    ("TRY_CAST(x AS USMALLINT)", "65535.5::DOUBLE", "0", None),
    ("TRY_CAST(x AS INTEGER)", "2147483647.5::DOUBLE", "-2147483648", None),
    ("CAST(x AS TINYINT)", "127.5::FLOAT", "-128", Fails("value 127.5 can't be cast")),
    ("round(x, -1)", "127::TINYINT", "-126", Fails("Overflow in round of 127")),
    ("round(x, -2)", "32767::SMALLINT", "-32736", Fails("Overflow in round of 32767")),
    ("1::UHUGEINT - x", "340282366920938463463374607431768211455::UHUGEINT", "2", Fails("Overflow in subtraction of UINT128")),
    ("x::DECIMAL(15, 2)", "'6e-10'", "0.01", "0.00"),
    ("x::VARCHAR", "2.0::DOUBLE ** 81", "4.835703278458517e+24", "2.4178516392292583e+24"),
    ("TRY_CAST(x AS TIME)", "'infinity'::TIMESTAMP", Fails("value infinity can't be cast"), None),
    ("TRY_CAST(x AS TIMESTAMP_NS)", "'2500-01-01'::TIMESTAMP", Fails("Could not convert Timestamp(US) to Timestamp(NS)"), None),
    ("age(x, TIMESTAMPTZ '2000-01-01 00:00:00+00')", "'infinity'::TIMESTAMPTZ", "292247 years 9 days 04:00:54.776807", None),
    ("year(x)::VARCHAR", "'0044-03-15 (BC) 00:00:00+00'::TIMESTAMPTZ", "44", "-43"),
    ("date_diff('hour', x, TIMESTAMPTZ '2000-01-01 00:00:00+00')::VARCHAR", "'290000-03-15 (BC) 00:00:00+00'::TIMESTAMPTZ",
     Fails("Unable to subtract ICU calendar part"), "2559608904"),
    ("microsecond(x)::VARCHAR", "make_timestamptz(9223372036854059214)", "54060214", "54059214"),
    ("strftime(x, '%G')", "'0006-06-01 (BC)'::DATE", "7291", "-5"),
    ("strftime(x, '%G')", "'12345-06-01'::DATE", "2345", "12345"),
    ("(x - to_microseconds(-9223372036854775808))::VARCHAR", "'00:00:00'::TIME", "19:59:05.224192", "04:00:54.775808"),
    ("(x - 2147483647)::VARCHAR", "'1969-12-31'::DATE", "5877642-06-23 (BC)", Fails("Date out of range")),
    ("strftime(x, '%n|%Z')", "'2024-02-29'::TIMESTAMP", "000000|00\0", "000000000|"),
    ("regexp_extract(x, 'a(?:((?:a)*)*?)*')", "'aa'", "aa", "a"),
    ("regexp_extract(x, '(?:(?:(a)??)*)+?')", "'aa'", "aa", ""),
    ("regexp_extract('abc', x)", "'b('", "", Fails("missing closing ')'")),
    ("(SELECT list(v ORDER BY v) FROM (VALUES (x), (INTERVAL '31 days')) t(v))::VARCHAR", "INTERVAL '1 month'", "[31 days, 1 month]", "[1 month, 31 days]"),
    ("(SELECT count(*) FROM (SELECT t.x AS c FROM t, range(9)) a JOIN (SELECT i::INT::VARIANT AS c FROM range(3, 12) r(i)) b ON a.c < b.c)::VARCHAR",
     "2::BIGINT::VARIANT", "0", "81"),
    ("substring(x, -3, 1)", "'aa'", "a", ""),
    ("regexp_matches(x, '(?:)b')::VARCHAR", "'ab'", "false", "true"),
    ("regexp_matches(x, '(?:)(?:)')::VARCHAR", "'a'", "false", "true"),
    ("(x::VARCHAR = 'abc')::VARCHAR", "'2020-01-01 00:00:00+00'::TIMESTAMPTZ", None, "false"),
    ("(date_trunc('year', x) = DATE '2001-02-03')::VARCHAR", "NULL::DATE", "false", None),
    ("(TIMESTAMP '2001-02-03 04:05:06' <> date_trunc('hour', x))::VARCHAR", "NULL::TIMESTAMP", "true", None),
    ("(date_trunc('hour', x) = DATE '2020-01-01')::VARCHAR", "DATE '2020-01-01'", "false", "true"),
    ("(date_trunc('year', x) = TIMESTAMP 'infinity')::VARCHAR", "'infinity'::TIMESTAMP", "false", "true"),
    ("list_unique([x, INTERVAL 1 MONTH])::VARCHAR", "INTERVAL 30 DAY", "2", "1"),
    ("list_sort([x, INTERVAL 1 MONTH, INTERVAL 720 HOUR])::VARCHAR", "INTERVAL 30 DAY", "['720:00:00', 30 days, 1 month]", "[30 days, 1 month, '720:00:00']"),
    ("map([[x]], [1])[[INTERVAL 1 MONTH]]::VARCHAR", "INTERVAL 30 DAY", None, "1"),
    ("(x - x)::VARCHAR", f"'{'9' * 44}'::BIGNUM", "5508990770823839524233143877797980545530986497", "0"),
    ("list_distinct(x)::VARCHAR", "[1, 1, NULL, -3, 1, 5]", "[5, -3, 1]", "[1, -3, 5]"),
    ("bin(x::BIGNUM)", "-1e-14::DOUBLE", "01111111111111111111111011111111", "10000000000000000000000100000000"),
    ("(SELECT list(m ORDER BY i)::VARCHAR FROM (SELECT i, mad(v) OVER (ORDER BY i * 3 % 7 DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING "
     "EXCLUDE CURRENT ROW) AS m FROM (SELECT i, CASE WHEN i <> 0 THEN i * 7 % 11 END AS v FROM range(4) r(i))))", "1", "[4.0, 3.5, 1.5, 2.0]", "[3.0, 3.5, 1.5, 2.0]"),
    ("TRY_CAST(x AS DATE) IS NOT DISTINCT FROM NULL::DATE", "'a'::ENUM('a')", "false", "true"),
    ("(SELECT list(n)::VARCHAR FROM (SELECT count(*) OVER (ORDER BY i ROWS BETWEEN 0 PRECEDING AND 2 PRECEDING) AS n FROM range(3) r(i)))", "1", "[0, -1, -1]", "[0, 0, 0]"),
    ("(SELECT list(n)::VARCHAR FROM (SELECT last_value(i) OVER (ORDER BY i ROWS BETWEEN 0 PRECEDING AND 2 PRECEDING EXCLUDE TIES) AS n FROM range(3) r(i)))", "1",
     "[NULL, 0, 1]", "[NULL, NULL, NULL]"),
    ("(SELECT list(p)::VARCHAR FROM (SELECT percent_rank(ORDER BY i) OVER (ORDER BY i ROWS BETWEEN 5 FOLLOWING AND 6 FOLLOWING) AS p FROM range(2) r(i)))", "1",
     Fails("Information loss on integer cast"), "[0.0, 0.0]"),
    ("hex(encode(strip_accents(x)))", "'é' || chr(0) || 'e'", "65", "650065"),
    ("hex(encode(nfc_normalize(x)))", "'é' || chr(0) || 'e'", "C3A9", "C3A90065"),
]


@pytest.mark.parametrize("expression, value, theirs, ours", CASES)
def test_differs_from_duckdb(expression, value, theirs, ours):
    table, query = f"CREATE TABLE t AS SELECT {value} AS x", f"SELECT {expression} AS y FROM t"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(table)
        try:
            answer = connection.sql(query).project("y::VARCHAR").fetchone()[0]
        except duckdb.Error as error:
            answer = theirs if isinstance(theirs, Fails) and theirs.message in str(error) else str(error)
    assert answer == theirs, "DuckDB has changed: is the difference still needed?"
    result = engine.run(f"{table};\n{query};\n")
    if isinstance(ours, Fails):
        assert result.returncode == 2 and ours.message in result.stderr, result.stderr
    else:
        assert corpus.json_answers(result.stdout)[0].rows == [(ours,)], result.stderr


def test_a_sort_keeps_the_sign_of_zero():
    query = "SELECT x FROM t ORDER BY x"
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT '-0.0'::DOUBLE AS x UNION ALL SELECT 1")
        answer = str(connection.sql(query).fetchone()[0])
    assert answer == "0.0", "DuckDB has changed: is the difference still needed?"
    result = engine.run(f"CREATE TABLE t AS SELECT '-0.0'::DOUBLE AS x UNION ALL SELECT 1;\n{query};\n")
    assert corpus.json_answers(result.stdout)[0].rows == [("-0.0",), ("1.0",)], result.stderr


def test_an_internal_error_of_duckdb_is_no_bug_of_lanewise():
    table = "SET TimeZone = 'Europe/Berlin'; CREATE TABLE t AS SELECT 'epoch' AS p, to_timestamp(i) AS x FROM range(3) r(i)"
    result = engine.run(f"{table};\nSELECT date_part(p, x) FROM t;\n")
    assert result.returncode == 2
    assert "DuckDB has an internal error, a bug of its own: Unsupported ICU BIGINT extractor" in result.stderr
