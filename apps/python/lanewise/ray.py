"""SQL over data sets of Ray Data, or over Parquet files: `pip install lanewise[ray]`.

Filters, projections and pattern functions run block by block in Ray's workers. GROUP BY and DISTINCT make a state for each block and group.
One task merges the states if they are few, else Ray brings them together by their keys. Small tables go to every worker. ORDER BY of all rows
needs a LIMIT. A query that cannot be split raises NotSupportedError, which names the reason.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import ray
import ray.data

from ._files import Files, Paths, parquet_files
from ._split import Resident, Split, answer, arrow_tables, named_columns, parted, split

__all__ = ["sql"]

_ROWS = 1 << 24  # of the blocks that a GPU answers at once
_FEW = 256 << 20  # bytes of states that one task merges faster than a shuffle starts
_OF_DATA_SETS = inspect.signature(ray.data.Dataset.map_batches).parameters.keys() - {"num_cpus", "num_gpus", "memory"}  # options that tasks lack


def sql(
    ds: ray.data.Dataset | Paths, query: str, *, tables: Mapping[str, Any] | None = None, parts: int = 8, threads: int = 0, device: str = "cpu",
    fallback: str = "", actors: int = 0, **options: Any,
) -> ray.data.Dataset:  # fmt: skip
    """A data set with the answer of a query over the table `input`.

    ds: a data set; or the paths of Parquet files, which is faster: workers read only the columns that the query names, with the engine's own
    reader. A path is a file, a folder or a pattern, in storage that all workers have. A file is read by one task.

    tables: small tables by their names, of any kind that Connection.sql takes. Every worker gets them whole, for joins and subqueries.
    parts: number of merges of groups that run at once, if their states are too large for one task. threads: of each worker, 0 for as many as the
    option num_cpus. device, fallback: as in lanewise.connect, for each worker. options: of Ray's map_batches for the work on blocks, such as num_cpus,
    and batch_size of a data set.

    Queries with GROUP BY, DISTINCT, LIMIT or aggregates run at once, since the size of the states decides on the merge. Others run when Ray reads
    the answer.

    actors: number of actors that answer the blocks; 0: tasks, or with a GPU as many actors as the cluster has GPUs. Each actor keeps `tables` in its
    connection. device="cuda": each has a GPU of its own (num_gpus=1), which keeps them in its memory; groups are merged on cores. Neither tasks nor
    actors have side effects, so Ray may repeat their work and start them again.

    Raises SqlError; NotSupportedError: the query cannot be split; InterfaceError: the data set has no Arrow schema; OperationalError: no such files.
    """
    files = None if isinstance(ds, ray.data.Dataset) else parquet_files(ds)
    rows: Any = ds
    schema = files.schema if files else _schema(ds)
    small = arrow_tables(tables)
    plan = split(query, schema, small)
    named = named_columns(query, schema)
    if files is None and len(named) < len(schema.names):
        rows = rows.select_columns(named)
    given: dict[str, Any] = {"batch_format": "pyarrow", "batch_size": None, **options}
    settings: dict[str, Any] = {"threads": threads or max(1, int(given.get("num_cpus") or 1)), "fallback": fallback}
    if device != "cpu":
        given = {**given, "batch_size": _ROWS, "num_gpus": 1, **options}  # Ray asks for a number of rows
        actors = actors or max(1, int(ray.cluster_resources().get("GPU", 1) / given["num_gpus"]))
    if files:
        given["batch_size"] = 1 if given.get("num_gpus") else None  # rows of the data set are paths
    work = _Work(plan.partial, files and files._replace(groups=[]), ray.put(small) if small else None, {**settings, "device": device} if actors else settings)
    merges = bool(plan.final or plan.top)
    if files and merges and not actors and not options.keys() & _OF_DATA_SETS:
        states = _answered(work, files.groups, options)
    else:
        if files:
            rows = ray.data.from_arrow([pa.table({"path": group}) for group in files.groups])
        if actors:
            given.setdefault("compute", ray.data.ActorPoolStrategy(size=actors))
            rows = rows.map_batches(_Actor, fn_constructor_args=(work,), **given)
        else:
            rows = rows.map_batches(work.run, **given)
        if not merges:
            return rows
        rows = rows.materialize()
        states = _States(rows.to_arrow_refs(), rows.size_bytes() or 0)
    return _merged(states, plan, answer(plan.partial, schema.empty_table(), small, **settings), parts, settings)


def _schema(ds: ray.data.Dataset) -> pa.Schema:
    """The Arrow schema, also of blocks of pandas."""
    schema = ds.schema()
    base = schema.base_schema if schema is not None else pa.schema([])
    if isinstance(base, pa.Schema):
        return base
    return pa.schema([(name, kind if isinstance(kind, pa.DataType) else pa.from_numpy_dtype(kind)) for name, kind in zip(schema.names, schema.types)])


class _Work(NamedTuple):
    """What a worker does with a block."""

    query: str
    files: Files | None  # set: blocks have paths
    tables: Any  # a reference to the small ones
    settings: dict[str, Any]

    def small(self) -> dict[str, pa.Table]:
        return ray.get(self.tables) if self.tables else {}

    def run(self, block: pa.Table) -> pa.Table:
        """Answers a block in a task."""
        if self.files:
            return self.files.answer(self.query, block.column("path").to_pylist(), self.small(), **self.settings)
        return answer(self.query, block, self.small(), **self.settings)


class _Actor:
    """Answers blocks as _Work.run() does, and keeps the small tables."""

    def __init__(self, work: _Work) -> None:
        self.work = work
        self.resident = Resident(work.small(), **work.settings)

    def __call__(self, block: pa.Table) -> pa.Table:
        files = self.work.files
        if files:
            return self.resident.answer(files.query(self.work.query, block.column("path").to_pylist())).arrow()
        return self.resident.answer(self.work.query, block).arrow()


class _States(NamedTuple):
    """The answers of all blocks, and their bytes."""

    blocks: list[Any]  # references to tables
    bytes: int


def _answered(work: _Work, groups: list[list[str]], options: dict[str, Any]) -> _States:
    """Answers each group of files in a task. Without a data set, whose tasks run one by one in their first second."""
    task = ray.remote(num_returns=2, **{"num_cpus": 1, **options})(_state)
    answers = [task.remote(work, group) for group in groups]
    try:
        return _States([table for table, _ in answers], sum(ray.get([size for _, size in answers])))
    except BaseException:  # of Ctrl-C too
        for table, _ in answers:
            ray.cancel(table)
        raise


def _state(work: _Work, group: list[str]) -> tuple[pa.Table, int]:
    """The answer to a group of files, and its bytes."""
    table = work.run(pa.table({"path": group}))
    return table, table.nbytes


def _merged(states: _States, plan: Split, empty: pa.Table, parts: int, settings: dict[str, Any]) -> ray.data.Dataset:
    """The answer, from those of all blocks; `empty` is the answer of a block without rows."""
    if plan.final and plan.keys and states.bytes > _FEW:
        rows = ray.data.from_arrow_refs(states.blocks).map_batches(lambda block: parted(block, plan.keys, parts), batch_format="pyarrow", batch_size=None)
        rows = rows.groupby("__part", parts).map_groups(_group(plan.final, settings), batch_format="pyarrow")
        return _in_one_task(rows.to_arrow_refs(), [plan.top], answer(plan.final, empty, **settings), settings) if plan.top else rows
    return _in_one_task(states.blocks, [query for query in (plan.final, plan.top) if query], empty, settings)


def _group(query: str, settings: dict[str, Any]) -> Callable[[pa.Table], pa.Table]:
    """Merges all rows of a part."""
    return lambda part: answer(query, part.drop_columns(["__part"]), **settings)


def _in_one_task(blocks: list[Any], queries: list[str], empty: pa.Table, settings: dict[str, Any]) -> ray.data.Dataset:
    """Runs the queries one after the other over all blocks. Without a shuffle, which starts in seconds."""

    def merge(*blocks: pa.Table) -> pa.Table:
        table = pa.concat_tables([empty, *(block for block in blocks if block.num_columns)])
        for query in queries:
            table = answer(query, table, **settings)
        return table

    return ray.data.from_arrow_refs([ray.remote(num_cpus=1)(merge).remote(*blocks)])
