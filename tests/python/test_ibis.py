"""Expressions of Ibis, answered by Lanewise and by Ibis's own DuckDB."""

import ibis
import lanewise as lw
import lanewise.ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from ibis import _

ROWS = pa.table({"k": ["a", "b", None, "a", "Ä"], "x": [1, 2, 3, 4, None], "d": [0.5, 1.5, 2.5, None, 4.5]})
OTHER = ibis.memtable({"k": ["a", "b", "c"], "name": ["A!", "B!", "C!"]})

EXPRESSIONS = {
    "filter": lambda t: t.filter(_.k == "a").order_by("x"), "group": lambda t: t.group_by("k").agg(n=_.count(), s=_.x.sum(), m=_.d.mean()).order_by("k"),
    "having": lambda t: t.group_by("k").having(_.count() > 1).agg(top=_.x.max()), "join": lambda t: t.join(OTHER, "k").select("name", "x").order_by("x"),
    "left": lambda t: t.left_join(OTHER, "k").select("x", "name").order_by("x"), "window": lambda t: t.mutate(r=ibis.row_number().over(order_by=_.d)).order_by("r"),
    "case": lambda t: t.mutate(y=ibis.cases((_.x > 2, "big"), else_="small")).order_by("x"), "regex": lambda t: t.filter(_.k.re_search("^[aÄ]")).order_by("x"),
    "scalar": lambda t: t.x.sum(), "column": lambda t: t.order_by("x").k.upper(), "distinct": lambda t: t.select("k").distinct().order_by("k"),
    "union": lambda t: ibis.union(t.select("x"), t.select("x")).order_by("x"), "top": lambda t: t.order_by(ibis.desc("d")).limit(2),
    "cast": lambda t: t.select(y=_.x.cast("string"), z=(_.d * 2).round(1)).order_by("y"), "nunique": lambda t: t.agg(n=_.k.nunique()),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("make", [lambda rows: rows, lambda rows: rows.to_pandas(), pl.from_arrow], ids=["arrow", "pandas", "polars"])
def test_answers_are_duckdbs(name, make):
    expression = EXPRESSIONS[name](ibis.memtable(make(ROWS)))
    result = lanewise.ibis.run(expression)
    assert result.engine == "lanewise"
    expected = ibis.duckdb.connect().to_pyarrow(expression)
    expected = expected.to_pylist() if isinstance(expression, ibis.Table) else [expected.as_py()] if isinstance(expression, ibis.Scalar) else expected.to_pylist()
    got = result.arrow().to_pylist()
    assert (got if isinstance(expression, ibis.Table) else [next(iter(row.values())) for row in got]) == expected


def test_tables_by_name(tmp_path):
    requests = pd.DataFrame({"path": ["/a", "/b"], "ms": [1, 2]})
    table = ibis.table({"path": "string", "ms": "int64"}, name="requests")
    assert lanewise.ibis.run(table.filter(_.ms > 1).select("path")).fetchall() == [("/b",)]
    with lw.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute("CREATE TABLE stored AS SELECT 7 AS seven")
        stored = ibis.table({"seven": "int32"}, name="stored")
        assert lanewise.ibis.run(stored.mutate(_.seven + 1), connection).arrow().num_columns == 2
    with pytest.raises(lw.SqlError, match="stored"):
        lanewise.ibis.run(stored)
    assert len(requests) == 2 and lanewise.ibis.sql(table).startswith("SELECT")
