"""SQL over data frames of Spark, or over Parquet files: `pip install lanewise[spark]`.

Filters, projections and pattern functions run in Spark's executors over Arrow batches. GROUP BY and DISTINCT make a state for each partition
and group, which Spark's shuffle brings together by their keys. Small tables go to every executor. ORDER BY of all rows
needs a LIMIT. A query that cannot be split raises NotSupportedError, which names the reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from ._files import Files, Paths, parquet_files
from ._split import answer, arrow_tables, named_columns, parted, split

__all__ = ["sql"]

_BYTES = 64 << 20  # of a block at least: Spark's batches have 10,000 rows
_FILES = 8  # times as many bytes of files in a task as elsewhere, since Spark needs 0.2 s to start one
_PARTS = 1024  # values of __part, which Spark spreads over its partitions
Batches = Iterator[pa.RecordBatch]


def sql(
    df: DataFrame | Paths, query: str, *, tables: Mapping[str, Any] | None = None, parts: int = 0, threads: int = 1, device: str = "cpu", fallback: str = ""
) -> DataFrame:
    """A data frame with the answer of a query over the table `input`.

    df: a data frame; or the paths of Parquet files, which is faster: executors read only the columns that the query names, with the engine's own
    reader, in the active session. A path is a file, a folder or a pattern, in storage that all executors have. A file is read by one task.

    tables: small tables by their names, of any kind that Connection.sql takes. Every executor gets them whole, for joins and subqueries.
    parts: number of merges of groups that run at once; 0: Spark's adaptive execution chooses, by the size of the states. threads, device, fallback:
    as in lanewise.connect, for each worker. Work has no side effects, so Spark may repeat it.

    Raises SqlError; NotSupportedError: the query cannot be split; OperationalError: no such files.
    """
    settings: dict[str, Any] = {"threads": threads, "device": device, "fallback": fallback}
    files = None if isinstance(df, DataFrame) else parquet_files(df, _FILES, SparkSession.active().sparkContext.defaultParallelism)
    frame: Any = SparkSession.active().range(0, len(files.groups), 1, len(files.groups)) if files else df
    session = frame.sparkSession
    schema = files.schema if files else _schema(frame)
    small = arrow_tables(tables)
    plan = split(query, schema, small)
    named = named_columns(query, schema)
    if files is None and len(named) < len(schema.names):
        frame = frame.select(*("`" + name.replace("`", "``") + "`" for name in named))
    empty = answer(plan.partial, schema.empty_table(), small, **settings)
    shared = session.sparkContext.broadcast(small) if small else None
    keys = plan.keys if plan.final or plan.top else None
    rows = frame.mapInArrow(_partial(plan.partial, files, shared, keys, settings), from_arrow_schema(_marked(empty, keys).schema))
    if keys is None:
        return rows
    if not keys or not plan.final:
        return rows.repartition(1).mapInArrow(_whole([plan.final, plan.top], empty.schema, settings), from_arrow_schema(plan.schema))
    merged = answer(plan.final, empty, **settings).schema
    adaptive = session.conf.get("spark.sql.adaptive.enabled") == "true"
    rows = rows.repartition("__part") if adaptive and not parts else rows.repartition(parts or 8, "__part")
    rows = rows.mapInArrow(_whole([plan.final], empty.schema, settings), from_arrow_schema(merged))
    return rows.coalesce(1).mapInArrow(_whole([plan.top], merged, settings), from_arrow_schema(plan.schema)) if plan.top else rows


def _schema(df: DataFrame) -> pa.Schema:
    """The schema of the batches that Spark sends."""
    zoned = "timezone" in inspect.signature(to_arrow_schema).parameters  # before Spark 4.1 it is UTC
    zone = {"timezone": df.sparkSession.conf.get("spark.sql.session.timeZone")} if zoned else {}
    schema: pa.Schema = to_arrow_schema(df.schema, **zone)
    return schema


def _marked(rows: pa.Table, keys: list[str] | None) -> pa.Table:
    """Rows of a block, with a column __part if they are merged by keys later."""
    return parted(rows, keys, _PARTS) if keys else rows


def _partial(query: str, files: Files | None, tables: Any, keys: list[str] | None, settings: dict[str, Any]) -> Callable[[Batches], Batches]:
    """Answers blocks of many batches, or of the files whose group's number is in a batch."""

    def run(batches: Batches) -> Batches:
        small = tables.value if tables else {}
        if files:
            groups = (files.groups[number] for batch in batches for number in batch.column(0).to_pylist())
            answers = (files.answer(query, group, small, **settings) for group in groups)
        else:
            answers = (answer(query, block, small, **settings) for block in _blocks(batches))
        for rows in answers:
            yield from _marked(rows, keys).to_batches()

    return run


def _blocks(batches: Batches) -> Iterator[pa.Table]:
    """Tables of many batches."""
    block: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        block.append(batch)
        size += batch.nbytes
        if size >= _BYTES:
            yield pa.Table.from_batches(block)
            block, size = [], 0
    if block:
        yield pa.Table.from_batches(block)


def _whole(queries: list[str], schema: pa.Schema, settings: dict[str, Any]) -> Callable[[Batches], Batches]:
    """Runs the queries one after the other over a whole partition, even one without rows."""

    def run(batches: Batches) -> Batches:
        received = list(batches)
        table = pa.Table.from_batches(received).select(schema.names) if received else schema.empty_table()
        for query in filter(None, queries):
            table = answer(query, table, **settings)
        yield from table.to_batches()

    return run
