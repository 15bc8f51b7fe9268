"""A key of a file that is not exactly a value of the index's type matches nothing; the oracle is DuckDB."""

import os
import random

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

ALL = "LANEWISE_TEST_ALL" in os.environ
ROWS = 100_000 if ALL else 300
INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64}
# Between two types of the same list, SQL's = does not round, so it agrees with exact conversion.
EXACT = [[*INTEGERS, "DECIMAL(5,2)", "DECIMAL(18,3)", "DECIMAL(38,10)"], ["DATE", "TIMESTAMP", "TIMESTAMP_NS"], ["UUID"]]
TYPES = [*EXACT[0], *EXACT[1], *EXACT[2], "BOOLEAN", "FLOAT", "DOUBLE", "TIME", "TIME_NS", "TIMESTAMPTZ", "VARCHAR", "BLOB"]


def numbers(draw):
    """Numbers as strings: at the limits of types, halves, hundredths, and ones that DOUBLE cannot represent; most are small, so that keys match."""
    kind = draw.randrange(6)
    if kind == 0:
        return str(draw.choice([-1, 1]) * (2 ** draw.choice([7, 8, 15, 16, 31, 32, 53, 63, 64]) + draw.randrange(-2, 3)))
    if kind == 1:
        return f"{draw.randrange(-40, 40)}.{draw.choice(['5', '7', '25', '254', '0000000001'])}"
    return str(draw.randrange(-40, ROWS))


def times(draw):
    """Days and times as strings; half of them are midnight."""
    time = "00:00:00" if draw.random() < 0.5 else f"{draw.randrange(24):02}:00:{draw.choice(['00', '00.000001', '00.000000001', '30'])}"
    return f"{draw.choice([1700, 1969, 1970, 2026, 2200])}-0{draw.randrange(1, 4)}-1{draw.randrange(5)} {time}"


def uuids(draw):
    """UUIDs as strings, in several spellings; most are small or large, so that keys match and both signs occur."""
    digits = f"{draw.choice([0, 2**127, 2**128 - ROWS]) + draw.randrange(ROWS):032x}"
    return draw.choice([digits, digits.upper(), f"{{{digits}}}", f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"])


def corpus(connection, name, kind, rows):
    """Creates a table of values of a type, all different for an index; returns the statement that writes it to Parquet."""
    draw = random.Random(f"{name} {kind}")
    texts = [draw.choice([numbers, numbers, times, uuids])(draw) for _ in range(rows)]
    texts += ["true", "0", "nan", "-0.0", "soon", "", "00000000-0000-0000-0000-00000000000a"]
    connection.register("texts", pyarrow.table({"t": texts}))
    # A whole day is printed as a day, as in a table of days.
    source = "CASE WHEN t LIKE '____-__-__ %' THEN t[12:] ELSE t END" if kind in ("TIME", "TIME_NS") else "replace(t, ' 00:00:00', '')"
    connection.execute(f"""CREATE OR REPLACE TABLE {name} AS SELECT row_number() OVER () - 1 AS position, k
                           FROM (SELECT {'DISTINCT' if name == 'held' else ''} TRY_CAST({source} AS {kind}) AS k FROM texts) WHERE k IS NOT NULL""")
    return f"COPY (SELECT k FROM {name} ORDER BY position) TO '{{}}/{name}.parquet'"


def pairs():
    """All pairs of an index's type and a file's; without the long tests three for each index's type."""
    draw = random.Random(32)
    return [pytest.param(held, given, id=f"{held}-{given}")
            for held in TYPES for given in (TYPES if ALL else [held, *draw.sample([t for t in TYPES if t != held], 2)])]


@pytest.mark.parametrize("held, given", pairs())
def test_only_exact_keys_match(lanewise, tmp_path, held, given):
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET TimeZone = 'UTC'")
    for name, kind in [("held", held), ("given", given)]:
        connection.execute(corpus(connection, name, kind, ROWS).format(tmp_path))
    assert lanewise("index", "build", "held.parquet", "--key", "k", "-o", "a.index") == (0, "", "")
    assert lanewise("index", "query", "a.index", "--keys", "given.parquet", "-o", "found.parquet") == (0, "", "")
    found = pyarrow.parquet.read_table(tmp_path / "found.parquet", columns=["position", "row"])
    connection.register("found", found)
    exact = f"""SELECT given.position, held.position AS row FROM given JOIN held ON held.k = TRY_CAST(given.k AS {held})
                WHERE TRY_CAST(TRY_CAST(given.k AS {held}) AS {given}) = given.k"""
    wrong = connection.execute(f"""
        SELECT 'not exact' AS what, given.k::VARCHAR, held.k::VARCHAR FROM (SELECT position, row FROM found EXCEPT ALL {exact}) w
        JOIN given USING (position) JOIN held ON held.position = w.row
        UNION ALL
        SELECT 'not found', given.k::VARCHAR, held.k::VARCHAR FROM ({exact} EXCEPT ALL SELECT position, row FROM found) w
        JOIN given USING (position) JOIN held ON held.position = w.row LIMIT 5""").fetchall()
    assert wrong == []
    if any(held in types and given in types for types in EXACT):
        equal = connection.execute("SELECT count(*) FROM given JOIN held ON held.k = given.k").fetchone()[0]
        assert equal == found.num_rows


FAULTS = {
    "a fraction": ("INTEGER", "3", "DOUBLE", "2.7"),
    "a time of a day": ("DATE", "2026-11-25", "TIMESTAMP", "2026-11-25 10:00:00"),
    "a thousandth": ("DECIMAL(5,2)", "1.25", "DECIMAL(5,3)", "1.254"),
    "too large": ("INTEGER", "3", "BIGINT", "3000000000"),
    "negative": ("UINTEGER", "3", "INTEGER", "-1"),
    "a DOUBLE between": ("DOUBLE", "9007199254740992", "BIGINT", "9007199254740993"),
    "a FLOAT between": ("FLOAT", "16777216", "INTEGER", "16777217"),
}


@pytest.fixture(params=FAULTS)
def inexact(lanewise, tmp_path, request):
    """An index with one key. The second row of given.parquet and given.csv is close to the key, the first and third are the key."""
    held, key, given, like = FAULTS[request.param]
    lines = "\n".join(["k", key, like, key])
    (tmp_path / "given.csv").write_text(lines + "\n")
    for name, kind, values in [("held", held, [key]), ("given", given, [key, like, key])]:
        rows = ", ".join(f"('{value}'::{kind})" for value in values)
        duckdb.sql(f"COPY (SELECT k FROM (VALUES {rows}) t(k)) TO '{tmp_path}/{name}.parquet'")
    assert lanewise("index", "build", "held.parquet", "--key", "k", "-o", "a.index")[0] == 0
    return like


@pytest.mark.parametrize("file", ["given.parquet", "given.csv"])
def test_query_goes_on_after_a_key_that_cannot_match(lanewise, inexact, file):
    code, out, error = lanewise("index", "query", "a.index", "--keys", file, "--format", "csv")
    assert (code, error) == (0, "")
    assert [(line.split(",")[0], line.split(",")[-1]) for line in out.splitlines()[1:]] == [("0", "0"), ("2", "0")]


def test_erase_removes_only_what_was_named(lanewise, tmp_path, inexact):
    """`erase` keeps what `query` does not find."""
    only = duckdb.sql(f"SELECT k FROM '{tmp_path}/given.parquet' LIMIT 1 OFFSET 1")
    only.write_parquet(str(tmp_path / "only.parquet"))
    assert lanewise("index", "erase", "a.index", "--from", "only.parquet") == (0, "0 entries removed\n", "")
    assert lanewise("index", "verify", "a.index")[1].startswith("1 entries")


@pytest.mark.parametrize("file, place", [("given.parquet", "row 2"), ("given.csv", "line 3")])
def test_insert_names_the_key_that_does_not_fit(lanewise, tmp_path, inexact, file, place):
    before = (tmp_path / "a.index").read_bytes()
    code, out, error = lanewise("index", "insert", "a.index", "--from", file)
    assert (code, out) == (2, "") and f"'{file}', {place}, column k" in error and inexact in error, error
    assert (tmp_path / "a.index").read_bytes() == before


def test_digits_stay_text_for_an_index_of_text(lanewise, tmp_path):
    """In a CSV file 007 may be a number or a string; the index decides."""
    (tmp_path / "held.csv").write_text("k\n7\n007\nx\n")
    (tmp_path / "given.csv").write_text("k\n007\n")
    assert lanewise("index", "build", "held.csv", "--key", "k", "-o", "a.index")[0] == 0
    assert lanewise("index", "erase", "a.index", "--from", "given.csv") == (0, "1 entry removed\n", "")
    code, out, _ = lanewise("index", "query", "a.index", "--keys", "held.csv", "--format", "csv")
    assert (code, out.splitlines()[1:]) == (0, ["0,7,0", "2,x,2"])


# Columns whose type no key has, or which are not needed: they do not affect other columns.
OTHERS = ["[1, 2]", "{'a': 1}", "MAP {'k': 1}", "uuid()", "TIME_NS '10:00:00'", "'101'::BIT", "INTERVAL 1 DAY"]


@pytest.mark.parametrize("other", OTHERS)
def test_other_columns_do_not_matter(lanewise, tmp_path, other):
    duckdb.sql(f"COPY (SELECT i, {other} AS x FROM range(100) t(i)) TO '{tmp_path}/a.parquet'")
    assert lanewise("index", "build", "a.parquet", "--key", "i", "-o", "a.index") == (0, "", "")
    assert lanewise("index", "query", "a.index", "--keys", "a.parquet", "-o", "out.csv") == (0, "", "")
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 101


@pytest.mark.parametrize("key", ["[1, 2]", "{'a': 1}"])
def test_a_column_that_cannot_be_a_key_is_named(lanewise, tmp_path, key):
    duckdb.sql(f"COPY (SELECT {key} AS pair, 1 AS i) TO '{tmp_path}/a.parquet'")
    code, _, error = lanewise("index", "build", "a.parquet", "--key", "pair", "-o", "a.index")
    assert code == 2 and "'a.parquet'" in error and "pair" in error and "cannot be a key" in error, error
    assert "--fallback" not in error and "col" not in error.replace("column", ""), error


@pytest.mark.parametrize("arguments", [["build", "a.csv", "--key", "k", "-o", "b.index"], ["insert", "a.index", "--from", "a.csv"]])
@pytest.mark.parametrize("number", ["-5", "-1", "1.5", "x", "18446744073709551616", "18446744073709551615"])
def test_first_row_is_a_row_number(lanewise, tmp_path, arguments, number):
    """The last number would leave none for the second row."""
    (tmp_path / "a.csv").write_text("k\n1\n2\n")
    assert lanewise("index", "build", "a.csv", "--key", "k", "-o", "a.index")[0] == 0
    before = (tmp_path / "a.index").read_bytes()
    code, _, error = lanewise("index", *arguments, "--first-row", number)
    assert code == 2 and "--first-row" in error, (code, error)
    assert (tmp_path / "a.index").read_bytes() == before and not (tmp_path / "b.index").exists()


def test_null_keys_are_refused_by_option_and_line(lanewise, tmp_path):
    (tmp_path / "a.csv").write_text("k,j\n1,1\n,2\n")
    code, _, error = lanewise("index", "build", "a.csv", "--key", "k", "-o", "a.index")
    assert code == 2 and "line 3" in error and "column k" in error and "--nulls" in error and "nullable" not in error, error
