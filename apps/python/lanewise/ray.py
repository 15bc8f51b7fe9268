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

from ._split import Resident, Split, answer, arrow_tables, parted, split

__all__ = ["sql"]

_ROWS = 1 << 24  # of the blocks that a GPU answers at once


def sql(
    ds: ray.data.Dataset, query: str, *, tables: Mapping[str, Any] | None = None, parts: int = 8, threads: int = 1, device: str = "cpu",
    fallback: str = "", actors: int = 0, **options: Any,
) -> ray.data.Dataset:  # fmt: skip
    """A data set with the answer of a query over the table `input`.

    tables: small tables by their names, of any kind that Connection.sql takes. Every worker gets them whole, for joins and subqueries.
    parts: number of merges of groups that run at once. threads, device, fallback: as in lanewise.connect, for each worker. options: of Ray's
    map_batches for the work on blocks, such as num_cpus and batch_size. A data set without rows gives no rows, also of aggregates without GROUP BY.

    actors: number of actors that answer the blocks; 0: tasks, or with a GPU as many actors as the cluster has GPUs. Each actor keeps `tables` in its
    connection. device="cuda": each has a GPU of its own (num_gpus=1), which keeps them in its memory; groups are merged on cores. Neither tasks nor
    actors have side effects, so Ray may repeat their work and start them again.

    Raises SqlError; NotSupportedError: the query cannot be split; InterfaceError: the data set has no Arrow schema.
    """
    schema = ds.schema()
    base = schema.base_schema if schema is not None else pa.schema([])
    if not isinstance(base, pa.Schema):
        base = pa.schema(list(zip(schema.names, map(_arrow_type, schema.types))))
    small = arrow_tables(tables)
    plan = split(query, base, small)
    settings = {"threads": threads, "fallback": fallback}
    held = ray.put(small) if small else None
    given: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": None, **options}
    if device != "cpu":
        given = {**given, "batch_size": _ROWS, "num_gpus": 1, **options}  # Ray asks for a number of rows
        actors = actors or max(1, int(ray.cluster_resources().get("GPU", 1) / given["num_gpus"]))
    if actors:
        given.setdefault("compute", ray.data.ActorPoolStrategy(size=actors))
        rows = ds.map_batches(_Actor, fn_constructor_args=(plan, held, parts, {**settings, "device": device}), **given)
    else:
        rows = ds.map_batches(_partial(plan, held, parts, settings), **given)
    if plan.final:
        rows = rows.groupby("__part", parts if plan.keys else 1).map_groups(_merged(plan.final, bool(plan.top), settings), batch_format="pyarrow")
    if plan.top:
        rows = rows.groupby("__part", 1).map_groups(_merged(plan.top, False, settings), batch_format="pyarrow")
    return rows


def _arrow_type(kind: Any) -> pa.DataType:
    return kind if isinstance(kind, pa.DataType) else pa.from_numpy_dtype(kind)


def _partial(plan: Split, tables: Any, parts: int, settings: dict[str, Any]) -> Callable[[pa.Table], pa.Table]:
    """Answers a block in a task."""

    def run(block: pa.Table) -> pa.Table:
        return _marked(plan, answer(plan.partial, block, ray.get(tables) if tables else None, **settings), parts)

    return run


class _Actor:
    """Answers blocks as _partial() does, and keeps the small tables."""

    def __init__(self, plan: Split, tables: Any, parts: int, settings: dict[str, Any]) -> None:
        self.plan = plan
        self.parts = parts
        self.resident = Resident(ray.get(tables) if tables else {}, **settings)

    def __call__(self, block: pa.Table) -> pa.Table:
        return _marked(self.plan, self.resident.answer(self.plan.partial, block).arrow(), self.parts)


def _marked(plan: Split, rows: pa.Table, parts: int) -> pa.Table:
    """Rows of a block, with a column __part if they are merged later."""
    return parted(rows, plan.keys, parts) if plan.final or plan.top else rows


def _merged(query: str, more: bool, settings: dict[str, Any]) -> Callable[[pa.Table], pa.Table]:
    """Merges all rows of a part; with `more` they are then merged in one place."""

    def run(part: pa.Table) -> pa.Table:
        rows = answer(query, part.drop_columns(["__part"]), **settings)
        return parted(rows, [], 1) if more else rows

    return run
