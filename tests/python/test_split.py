"""Queries in parts, over random blocks, merged by their keys: the answers equal DuckDB's over all rows."""

import math

import duckdb
import lanewise as lw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from lanewise._split import answer, parted, split

ROWS = 2000
RANDOM = np.random.default_rng(3)
TABLE = pa.table({
    "k": pa.array(RANDOM.choice(["a", "b", "Ä", "", None], ROWS)), "g": pa.array(RANDOM.integers(0, 300, ROWS), pa.int32()),
    "x": pa.array(RANDOM.integers(-2**30, 2**30, ROWS), pa.int32(), mask=RANDOM.random(ROWS) < 0.1), "d": pa.array(RANDOM.normal(size=ROWS)),
    "b": pa.array(RANDOM.random(ROWS) < 0.5), "m": pa.array(RANDOM.integers(0, 10**6, ROWS), pa.int64()).cast(pa.decimal128(19, 0)),
})  # fmt: skip

QUERIES = [
    "SELECT * FROM input WHERE k LIKE 'a%'", "SELECT g + 1 AS h, upper(k) AS u FROM input WHERE regexp_matches(k, '[aÄ]') AND x > 0",
    "SELECT count(*) FROM input", "SELECT sum(x), min(k), max(d), count(x), avg(x), avg(d), avg(m), sum(m) FROM input", "SELECT sum(x) + count(*) AS s FROM input WHERE false",
    "SELECT k, count(*) AS n FROM input GROUP BY k", "SELECT g % 10, sum(d), bool_and(b), bool_or(b) FROM input GROUP BY 1",
    "SELECT upper(k) AS u, g, max(x) - min(x) AS spread FROM input GROUP BY u, g", "SELECT k, avg(x) FILTER (WHERE b) AS a FROM input GROUP BY ALL",
    "SELECT g, count(*) AS n FROM input GROUP BY g HAVING count(*) > 7 AND min(x) < 0", "SELECT g, sum(x) AS s FROM input GROUP BY g ORDER BY s DESC, g LIMIT 5",
    "SELECT g FROM input GROUP BY g ORDER BY count(*) DESC, g LIMIT 3 OFFSET 2", "SELECT k, g FROM input ORDER BY x DESC NULLS LAST, d LIMIT 7",
    "SELECT DISTINCT k, b FROM input", "SELECT DISTINCT g % 7 AS h FROM input ORDER BY h LIMIT 3", "SELECT input.k, INPUT.G FROM input WHERE G < 3",
    "SELECT k AS g, count(*) FROM input GROUP BY k", "SELECT CASE WHEN x > 0 THEN 'p' ELSE 'n' END AS sign, count(*) FROM input GROUP BY sign",
    "SELECT count(DISTINCT g) AS n, sum(DISTINCT x % 10) AS t, count(*) FROM input", "SELECT k, count(DISTINCT g) AS n, count(DISTINCT b), sum(x) FROM input GROUP BY k",
    "SELECT count(DISTINCT g) AS n, max(x) FROM input WHERE false", "SELECT k, count(*) AS n FROM input GROUP BY k ORDER BY n DESC, k", "SELECT DISTINCT b FROM input ORDER BY b",
    "SELECT k, sum(h) FROM (SELECT k, g * 2 AS h FROM input WHERE x > 0) GROUP BY k", "SELECT a.k, count(a.x) FROM input AS a GROUP BY A.k",
    "SELECT length(k) + 1 AS l, length(k) + 1 + count(*) AS m FROM input GROUP BY length(k) + 1", "SELECT DISTINCT count(*) AS n FROM input GROUP BY g",
]


def in_parts(query, blocks, parts):
    return in_parts_of(TABLE, query, blocks, parts)


def in_parts_of(table, query, blocks, parts):
    plan = split(query, table.schema)
    rows = pa.concat_tables([answer(plan.partial, block) for block in blocks])
    if plan.final:
        rows = parted(rows, plan.keys, parts)
        numbers = sorted(set(rows.column("__part").to_pylist()))
        rows = pa.concat_tables([answer(plan.final, rows.filter(pc.equal(rows.column("__part"), number)).drop_columns(["__part"])) for number in numbers])
    rows = answer(plan.top, rows) if plan.top else rows
    assert rows.schema.types == plan.schema.types and rows.column_names == plan.schema.names
    return rows


def same(a, b):
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-9))


@pytest.mark.parametrize("query", QUERIES)
def test_parts_are_the_whole(query):
    edges = sorted(RANDOM.integers(0, ROWS, 5).tolist())
    blocks = [TABLE.slice(start, end - start) for start, end in zip([0, *edges], [*edges, ROWS])]
    got = in_parts(query, [*blocks, TABLE.slice(0, 0)], 3).to_pylist()
    connection = duckdb.connect()
    connection.register("input", TABLE)
    expected = connection.execute(query).to_arrow_table().to_pylist()
    order = (lambda row: 0) if "ORDER BY" in query else (lambda row: tuple((value is None, str(value)) for value in row.values() if not isinstance(value, float)))
    got, expected = sorted(got, key=order), sorted(expected, key=order)
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        assert all(map(same, a.values(), b.values())), (a, b)


@pytest.mark.parametrize("query, kind, message", [
    ("SELECT median(x) FROM input", lw.NotSupportedError, "median"), ("SELECT count(DISTINCT x) FILTER (b) FROM input", lw.NotSupportedError, "DISTINCT"),
    ("SELECT x FROM input ORDER BY x", lw.NotSupportedError, "LIMIT"), ("SELECT * FROM input a JOIN input b USING (g)", lw.NotSupportedError, "itself"),
    ("SELECT rank() OVER (ORDER BY x) FROM input", lw.NotSupportedError, "window"), ("SELECT 1 FROM other", lw.NotSupportedError, "'input'"),
    ("SELECT x FROM input UNION SELECT g FROM input", lw.NotSupportedError, "UNION"), ("WITH w AS (SELECT 1) SELECT * FROM input", lw.NotSupportedError, "WITH"),
    ("SELECT x FROM input WHERE x > (SELECT max(x) FROM input)", lw.NotSupportedError, "subquery"),
    ("SELECT (SELECT 1) FROM input", lw.NotSupportedError, "subquery"), ("SELECT * FROM small RIGHT JOIN (SELECT 1 AS one) ON true, input", lw.NotSupportedError, "neither"),
    ("SELECT sum(n) FROM (SELECT count(*) AS n FROM input GROUP BY k)", lw.NotSupportedError, "subquery"), ("SELECT 1", lw.NotSupportedError, "FROM"), ("SELECT k, g, count(*) FROM input GROUP BY ROLLUP (k, g)", lw.NotSupportedError, "ROLLUP"),
    ("SELECT string_agg(k ORDER BY x) FROM input", lw.NotSupportedError, "string_agg"), ("SELECT x, x FROM input LIMIT 1 + 1", lw.NotSupportedError, "."),
    ("SELECT DISTINCT ON (k) x FROM input", lw.NotSupportedError, "DISTINCT ON"), ("SELECT nix FROM input", lw.SqlError, "nix"), ("SELEC 1", lw.SqlError, "syntax"),
])
def test_what_is_not_split_is_named(query, kind, message):
    with pytest.raises(kind, match=message):
        split(query, TABLE.schema)
