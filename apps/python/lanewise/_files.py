"""Parquet files as the table `input` of a query in parts. The workers read them with the engine's own reader."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Union

from . import errors
from ._connection import Connection
from ._split import _parser, _quoted

if TYPE_CHECKING:
    import pyarrow as pa

Paths = Union[str, "os.PathLike[str]", Iterable[Union[str, "os.PathLike[str]"]]]

_BYTES = 16 << 20  # of files that share a task


class Files(NamedTuple):
    """Parquet files, the columns of the first one, and its schema."""

    groups: list[list[str]]  # each is read by one task
    columns: list[tuple[str, str]]  # names and SQL types
    schema: pa.Schema

    def query(self, part: str, group: list[str]) -> str:
        """A part of a query over the files of a group. Types that differ from the first file's are cast."""
        first = _quoted(group[0])  # the error names it, if it lacks a column
        columns = ", ".join(f"CAST({first}.{_quoted(name)} AS {kind}) AS {_quoted(name)}" for name, kind in self.columns)
        return f"WITH input AS (SELECT {columns} FROM {_reader(group)} AS {first}) {part}"

    def answer(self, part: str, group: list[str], tables: Mapping[str, pa.Table], *, threads: int, device: str = "cpu", fallback: str = "") -> pa.Table:
        """The rows of a part over a group. The connection ends with it, since it would keep the columns of the files in memory."""
        with Connection(threads=threads, device=device, fallback=fallback) as connection:
            return connection._run_over(dict(tables), self.query(part, group)).arrow()


def parquet_files(paths: Paths, size: int = 1, workers: int = 1) -> Files:
    """The files of paths, each a file, a folder, or a pattern such as 'logs/*.parquet', in groups of this many times _BYTES,
    or less, so that all workers have some.

    Raises OperationalError: there are none."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files = [file for path in several for file in _expanded(os.fspath(path))]
    if not files:
        raise errors.OperationalError("no Parquet files are given: the list of paths is empty")
    columns = [row[:2] for row in _parser()._run(f"DESCRIBE FROM {_reader(files)}", None, ()).fetchall()]
    nothing = ", ".join(f"CAST(NULL AS {kind}) AS {_quoted(name)}" for name, kind in columns)
    schema = _parser()._run(f"SELECT {nothing} LIMIT 0", None, ()).arrow().schema
    return Files(_grouped(files, size * _BYTES, workers), columns, schema)


def _expanded(path: str) -> list[str]:
    """The files of a path, absolute, since workers have another working directory. Names that begin with . or _ are skipped in folders."""
    if "://" in path:
        found = [file for (file,) in _parser()._run("SELECT file FROM glob(?)", [path], ()).fetchall()]
    elif os.path.isdir(path):
        inside = (file.relative_to(path) for file in Path(path).rglob("*.parquet") if file.is_file())
        found = [os.path.abspath(os.path.join(path, file)) for file in inside if not any(part[0] in "._" for part in file.parts)]
    else:
        found = [os.path.abspath(file) for file in ([path] if os.path.isfile(path) else glob.glob(path, recursive=True))]
    if not found:
        raise errors.OperationalError(f"no Parquet file is found at '{path}'")
    return sorted(found)


def _grouped(files: list[str], most: int, workers: int) -> list[list[str]]:
    """Files one after the other, with at most `most` bytes together, or one that is larger or of unknown size.

    Where files are many and small, the groups are as many as the workers."""
    sizes = [os.path.getsize(file) if os.path.isfile(file) else most for file in files]
    most = min(most, max(_BYTES, sum(sizes) // workers))
    groups: list[list[str]] = []
    room = 0
    for file, size in zip(files, sizes):
        if not groups or size > room:
            groups.append([])
            room = most
        groups[-1].append(file)
        room -= size
    return groups


def _reader(files: list[str]) -> str:
    """The table function that reads them."""
    names = ", ".join("'" + (file if "://" in file else glob.escape(file)).replace("'", "''") + "'" for file in files)
    return f"read_parquet([{names}])"
