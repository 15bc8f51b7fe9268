"""SQL over data sets of Ray Data: `pip install lanewise[ray]`.

Filters, projections and pattern functions run block by block in Ray's workers. GROUP BY and DISTINCT make a state for each block and group,
which Ray brings together by their keys. Small tables go to every worker. ORDER BY of all rows needs a LIMIT.
A query that cannot be split raises NotSupportedError, which names the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import ray
import ray.data

from ._split import Split, answer, arrow_tables, parted, split

__all__ = ["sql"]


def sql(
    ds: ray.data.Dataset, query: str, *, tables: Mapping[str, Any] | None = None, parts: int = 8, threads: int = 1, device: str = "cpu",
    fallback: str = "", **options: Any,
) -> ray.data.Dataset:  # fmt: skip
    """A data set with the answer of a query over the table `input`.

    tables: small tables by their names, of any kind that Connection.sql takes. Every worker gets them whole, for joins and subqueries.
    parts: number of merges of groups that run at once. threads, device, fallback: as in lanewise.connect, for each worker. options: of Ray's
    map_batches for the work on blocks, such as num_gpus=1 (with device="cuda") or num_cpus. Tasks have no side effects, so Ray may repeat them.
    A data set without rows gives no rows, also of aggregates without GROUP BY.

    Raises SqlError; NotSupportedError: the query cannot be split; InterfaceError: the data set has no Arrow schema.
    """
    schema = ds.schema()
    base = schema.base_schema if schema is not None else pa.schema([])
    if not isinstance(base, pa.Schema):
        base = pa.schema(list(zip(schema.names, map(_arrow_type, schema.types))))
    small = arrow_tables(tables)
    plan = split(query, base, small)
    settings = {"threads": threads, "device": device, "fallback": fallback}
    rows = ds.map_batches(_partial(plan, ray.put(small) if small else None, parts, settings), batch_format="pyarrow", batch_size=None, **options)
    if plan.final:
        rows = rows.groupby("__part", parts if plan.keys else 1).map_groups(_merged(plan.final, bool(plan.top), settings), batch_format="pyarrow")
    if plan.top:
        rows = rows.groupby("__part", 1).map_groups(_merged(plan.top, False, settings), batch_format="pyarrow")
    return rows


def _arrow_type(kind: Any) -> pa.DataType:
    return kind if isinstance(kind, pa.DataType) else pa.from_numpy_dtype(kind)


def _partial(plan: Split, tables: Any, parts: int, settings: dict[str, Any]) -> Callable[[pa.Table], pa.Table]:
    """Answers a block; the rows have a column __part if they are merged later."""

    def run(block: pa.Table) -> pa.Table:
        rows = answer(plan.partial, block, ray.get(tables) if tables else None, **settings)
        return parted(rows, plan.keys, parts) if plan.final or plan.top else rows

    return run


def _merged(query: str, more: bool, settings: dict[str, Any]) -> Callable[[pa.Table], pa.Table]:
    """Merges all rows of a part; with `more` they are then merged in one place."""

    def run(part: pa.Table) -> pa.Table:
        rows = answer(query, part.drop_columns(["__part"]), **settings)
        return parted(rows, [], 1) if more else rows

    return run
