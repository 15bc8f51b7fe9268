"""Lanewise: SQL over data frames and files, on SIMD lanes, cores and GPUs.

>>> import lanewise as lw
>>> lw.sql("SELECT 6 * 7 AS answer").fetchall()
[(42,)]
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from ._connection import Connection, Cursor
from ._library import ffi, lib
from ._parameters import Parameters
from ._result import Result
from .dbapi import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    apilevel,
    paramstyle,
    threadsafety,
)
from .errors import (
    Cancelled,
    DatabaseError,
    DataError,
    DeviceError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    OutOfMemory,
    PatternError,
    ProgrammingError,
    SqlError,
    Warning,
)

__version__: str = ffi.string(lib.lw_version()).decode()

__all__ = [
    "BINARY", "DATETIME", "NUMBER", "ROWID", "STRING", "Binary", "Cancelled", "Connection", "Cursor", "DataError",
    "DatabaseError", "Date", "DateFromTicks", "DeviceError", "Error", "IntegrityError", "InterfaceError", "InternalError",
    "NotSupportedError", "OperationalError", "OutOfMemory", "PatternError", "ProgrammingError", "Result",
    "SqlError", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning", "apilevel", "compute", "connect",
    "connection", "explain", "paramstyle", "sql", "threadsafety",
]  # fmt: skip

_default: dict[str, Connection] = {}
_default_lock = threading.Lock()


def connect(
    path: str = "",
    *,
    read_only: bool = False,
    threads: int = 0,
    memory_limit: int | str = "",
    device: str = "cpu",
    device_memory: int | str = "",
    fallback: str = "",
    lanes: str = "simd",
) -> Connection:
    """Opens a DuckDB file, or a database in memory.

    threads: 0 is one for each core. memory_limit, device_memory: bytes, or text such as "2GB". device: "cpu", "cuda",
    "cuda:1", "auto". fallback: "duckdb" lets DuckDB answer what Lanewise cannot. lanes: "simd", "scalar", ...

    Raises OperationalError: a bad option, or a file that cannot be opened.
    """
    return Connection(path, read_only=read_only, threads=threads, memory_limit=memory_limit, device=device,
                      device_memory=device_memory, fallback=fallback, lanes=lanes)  # fmt: skip


def connection(device: str = "cpu") -> Connection:
    """The connection of `lw.sql`: a database in memory, for each device one."""
    with _default_lock:
        if device not in _default:
            _default[device] = Connection(device=device)
        return _default[device]


def sql(query: str, params: Parameters = None, *, device: str = "cpu") -> Result:
    """Runs statements on the shared database in memory, see Connection.sql.

    >>> import pyarrow as pa
    >>> fruit = pa.table({"name": ["apple", "banana"]})
    >>> sql("SELECT upper(name) AS name FROM fruit WHERE name LIKE ?", ["b%"]).fetchall()
    [('BANANA',)]
    """
    return connection(device)._run(query, params, sys._getframe(1))


def explain(query: str, params: Parameters = None, *, device: str = "cpu") -> str:
    """The plan of a query, see Connection.explain."""
    return connection(device)._explain(query, params, sys._getframe(1))


def __getattr__(name: str) -> Any:
    if name == "compute":
        import importlib

        return importlib.import_module(".compute", __name__)
    raise AttributeError(f"module 'lanewise' has no attribute '{name}'")
