"""Lanewise: SQL over data frames and files, on SIMD lanes, cores and GPUs.

>>> import lanewise as lw
>>> lw.sql("SELECT 6 * 7 AS answer").fetchall()
[(42,)]
"""

from __future__ import annotations

from typing import Any

from ._connection import Connection, Cursor, shared
from ._device import DeviceColumn, DeviceTable
from ._function import Function, udf
from ._grep import grep
from ._index import Index
from ._library import ffi, lib
from ._parameters import Parameters
from ._result import Result
from ._stream import BatchStream
from ._tables import scopes
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
    ExportError,
    FunctionError,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    OutOfMemory,
    PatternError,
    ProgramError,
    ProgrammingError,
    SqlError,
    Warning,
)

__version__: str = ffi.string(lib.lw_version()).decode()

__all__ = [
    "BINARY", "BatchStream", "DATETIME", "NUMBER", "ROWID", "STRING", "Binary", "Cancelled", "Connection", "Cursor", "DataError",
    "DatabaseError", "Date", "DateFromTicks", "DeviceColumn", "DeviceError", "DeviceTable", "Error", "ExportError", "Function", "FunctionError", "Index", "IntegrityError", "InterfaceError", "InternalError",
    "NotSupportedError", "OperationalError", "OutOfMemory", "PatternError", "ProgramError", "ProgrammingError", "Result",
    "SqlError", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning", "apilevel", "compute", "connect",
    "connection", "explain", "graph", "grep", "paramstyle", "pram", "sql", "stream", "threadsafety", "udf",
]  # fmt: skip

connect = Connection


def connection(device: str = "cpu") -> Connection:
    """The connection of `lw.sql`: a database in memory, one for each device."""
    return shared(device)


def sql(query: str, params: Parameters = None, *, device: str = "cpu") -> Result:
    """Runs statements on the shared database in memory, see Connection.sql.

    >>> import pyarrow as pa
    >>> fruit = pa.table({"name": ["apple", "banana"]})
    >>> sql("SELECT upper(name) AS name FROM fruit WHERE name LIKE ?", ["b%"]).fetchall()
    [('BANANA',)]
    """
    return connection(device)._run(query, params, scopes(0))


def stream(query: str, params: Parameters = None, *, device: str = "cpu") -> BatchStream:
    """Starts a statement on the shared database in memory and gives its rows as they come, see Connection.stream."""
    return connection(device)._stream(query, params, scopes(0))


def explain(query: str, params: Parameters = None, *, device: str = "cpu") -> str:
    """The plan of a query, see Connection.explain."""
    return connection(device)._explain(query, params, scopes(0))


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext lanewise`: the magics %lanewise and %%lanewise, see lanewise.magic."""
    from . import magic

    magic.register(shell)


def __getattr__(name: str) -> Any:
    if name in ("compute", "graph", "ibis", "magic", "pram", "ray", "spark"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'lanewise' has no attribute '{name}'")
