"""Queries in parts that join: TPC-H's queries, with one table in blocks and the others whole, equal DuckDB's answers."""

import re
import subprocess
import sys
from pathlib import Path

import duckdb
import lanewise as lw
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from lanewise._split import answer, arrow_tables, parted, split
from test_split import same

ROOT = Path(__file__).resolve().parents[2]
QUERIES = sorted((ROOT / ".cache/duckdb/tpch").glob("q*.sql"))  # DuckDB's distribution has them
# The table that is divided into blocks. Queries without one: Q11 has a subquery in HAVING, Q13 groups twice, Q15 has
# WITH, Q20 sorts all rows.
LARGE = {1: "lineitem", 2: "partsupp", 3: "lineitem", 4: "orders", 5: "lineitem", 6: "lineitem", 7: "lineitem", 8: "lineitem", 9: "lineitem", 10: "lineitem",
         12: "lineitem", 14: "lineitem", 16: "partsupp", 17: "lineitem", 18: "lineitem", 19: "lineitem", 21: "supplier", 22: "customer"}  # fmt: skip


@pytest.fixture(scope="module")
def tpch(tmp_path_factory):
    if not QUERIES:
        pytest.skip("no queries: ./dev setup fetches DuckDB's source distribution, which has them")
    folder = tmp_path_factory.mktemp("tpch")
    subprocess.run([Path(sys.executable).with_name("tpchgen-cli"), "-s", "0.01", "--format=parquet", "--output-dir", folder], check=True, capture_output=True)
    return {path.stem: pq.read_table(path) for path in folder.glob("*.parquet")}


def query_over_input(number, large):
    """The query with `input` in place of the first mention of the large table in FROM."""
    text = QUERIES[number - 1].read_text().strip().rstrip(";")
    return re.sub(rf"(?is)(\bfrom\b[^()]*?)\b{large}\b(?=\s*(,|where|join|left|$))", rf"\1input AS {large}", text, count=1)


@pytest.mark.parametrize("number", LARGE)
def test_tpch(tpch, number):
    large = LARGE[number]
    query, table = query_over_input(number, large), tpch[large]
    small = arrow_tables(tpch)
    plan = split(query, table.schema, small)
    step = table.num_rows // 3 + 1
    rows = pa.concat_tables([answer(plan.partial, table.slice(first, step), small) for first in range(0, table.num_rows, step)])
    if plan.final:
        rows = parted(rows, plan.keys, 3)
        merged = [answer(plan.final, rows.filter(pc.equal(rows["__part"], part)).drop_columns(["__part"])) for part in set(rows["__part"].to_pylist())]
        rows = pa.concat_tables(merged) if merged else answer(plan.final, rows.drop_columns(["__part"]))
    got = [tuple(row.values()) for row in (answer(plan.top, rows) if plan.top else rows).to_pylist()]
    connection = duckdb.connect()
    for name, one in tpch.items():
        connection.register(name, one)
    expected = connection.execute(QUERIES[number - 1].read_text()).fetchall()
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        assert all(same(float(x), float(y)) if isinstance(x, float) or isinstance(y, float) else x == y for x, y in zip(a, b)), (a, b)


INPUT = pa.table({"k": [1, 2, 2, 3, None], "v": [10, 20, 30, 40, 50]})
SMALL = {"Small": {"k": pa.array([1, 2, 4]), "w": pa.array(["a", "b", "d"])}}


@pytest.mark.parametrize("query", [
    "SELECT input.v, s.w FROM input JOIN small AS s ON s.k = input.k", "SELECT v, w FROM input LEFT JOIN small USING (k)", "SELECT v, w FROM small RIGHT JOIN input USING (k)",
    "SELECT v FROM input SEMI JOIN small USING (k)", "SELECT v FROM input ANTI JOIN small USING (k)", "SELECT v, w FROM input, small WHERE v > 30",
    "SELECT v FROM input WHERE k IN (SELECT k FROM small WHERE w > 'a')", "SELECT v FROM input WHERE NOT EXISTS (SELECT 1 FROM small WHERE small.k = input.k)",
    "SELECT small.k, sum(v), count(DISTINCT input.k) FROM input JOIN small ON input.k >= small.k GROUP BY small.k", "SELECT * FROM input NATURAL JOIN small",
])  # fmt: skip
def test_joins(query):
    small = arrow_tables(SMALL)
    plan = split(query, INPUT.schema, small)
    rows = pa.concat_tables([answer(plan.partial, INPUT.slice(first, 2), small) for first in (0, 2, 4)])
    got = (answer(plan.final, rows) if plan.final else rows).to_pylist()
    expected = duckdb.connect().register("input", INPUT).register("small", small["Small"]).execute(query).to_arrow_table().to_pylist()
    assert sorted(map(str, got)) == sorted(map(str, expected))


@pytest.mark.parametrize("query, message", [
    ("SELECT 1 FROM input RIGHT JOIN small USING (k)", "keeps rows of small"), ("SELECT 1 FROM small LEFT JOIN input USING (k)", "keeps rows of small"),
    ("SELECT 1 FROM input FULL JOIN small USING (k)", "keeps rows of small"), ("SELECT 1 FROM input POSITIONAL JOIN small", "keeps rows of small"),
    ("SELECT 1 FROM small", "reads the table 'input' once"), ("SELECT 1 FROM input, range(3)", "TABLE_FUNCTION"),
    ("SELECT 1 FROM small, (SELECT k FROM input LIMIT 1)", "limits"),
])  # fmt: skip
def test_joins_that_are_not_split(query, message):
    with pytest.raises(lw.NotSupportedError, match=message):
        split(query, INPUT.schema, arrow_tables(SMALL))


def test_the_name_input_is_taken():
    with pytest.raises(lw.InterfaceError, match="another one"):
        arrow_tables({"INPUT": INPUT})
