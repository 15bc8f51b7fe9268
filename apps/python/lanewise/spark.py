"""SQL over data frames of Spark: `pip install lanewise[spark]`.

Filters, projections and pattern functions run in Spark's executors over Arrow batches. GROUP BY and DISTINCT make a state for each partition
and group, which Spark's shuffle brings together by their keys. Small tables go to every executor. ORDER BY of all rows
needs a LIMIT. A query that cannot be split raises NotSupportedError, which names the reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from ._split import answer, arrow_tables, parted, split

__all__ = ["sql"]

_ROWS = 1_000_000  # rows of a block at least: Spark's batches have 10,000
Batches = Iterator[pa.RecordBatch]


def sql(
    df: DataFrame, query: str, *, tables: Mapping[str, Any] | None = None, parts: int = 8, threads: int = 1, device: str = "cpu", fallback: str = ""
) -> DataFrame:
    """A data frame with the answer of a query over the table `input`.

    tables: small tables by their names, of any kind that Connection.sql takes. Every executor gets them whole, for joins and subqueries.
    parts: number of merges of groups that run at once. threads, device, fallback: as in lanewise.connect, for each worker. Work has no side effects,
    so Spark may repeat it.

    Raises SqlError; NotSupportedError: the query cannot be split.
    """
    settings: dict[str, Any] = {"threads": threads, "device": device, "fallback": fallback}
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone")
    zoned = "timezone" in inspect.signature(to_arrow_schema).parameters  # before Spark 4.1 it is UTC
    schema = to_arrow_schema(df.schema, **({"timezone": zone} if zoned else {}))
    small = arrow_tables(tables)
    plan = split(query, schema, small)
    empty = answer(plan.partial, schema.empty_table(), small, **settings)
    shared = df.sparkSession.sparkContext.broadcast(small) if small else None
    if not plan.final and not plan.top:
        return df.mapInArrow(_blocks(plan.partial, shared, settings), from_arrow_schema(empty.schema))
    states = parted(empty, plan.keys, parts).schema
    rows = df.mapInArrow(_blocks(plan.partial, shared, settings, plan.keys, parts), from_arrow_schema(states))
    if plan.final:
        merged = answer(plan.final, empty, **settings).schema
        rows = rows.repartition(parts if plan.keys else 1, "__part").mapInArrow(_whole(plan.final, states, settings), from_arrow_schema(merged))
    if plan.top:
        before = merged if plan.final else states
        rows = rows.coalesce(1).mapInArrow(_whole(plan.top, before, settings), from_arrow_schema(plan.schema))
    return rows


def _blocks(query: str, tables: Any, settings: dict[str, Any], keys: list[str] | None = None, parts: int = 0) -> Callable[[Batches], Batches]:
    """Answers blocks of many batches."""

    def run(batches: Batches) -> Batches:
        block: list[pa.RecordBatch] = []
        for batch in batches:
            block.append(batch)
            if sum(one.num_rows for one in block) >= _ROWS:
                yield from done(block)
                block = []
        if block:
            yield from done(block)

    def done(block: list[pa.RecordBatch]) -> Batches:
        rows = answer(query, pa.Table.from_batches(block), tables.value if tables else None, **settings)
        yield from (rows if keys is None else parted(rows, keys, parts)).to_batches()

    return run


def _whole(query: str, schema: pa.Schema, settings: dict[str, Any]) -> Callable[[Batches], Batches]:
    """Answers a whole partition, even one without rows."""

    def run(batches: Batches) -> Batches:
        received = list(batches)
        table = pa.Table.from_batches(received) if received else schema.empty_table()
        if "__part" in table.column_names:
            table = table.drop_columns(["__part"])
        yield from answer(query, table, **settings).to_batches()

    return run
