"""Exceptions: PEP 249's hierarchy, and a class for each kind of error of Lanewise."""

from __future__ import annotations

from typing import Any


class Warning(Exception):  # noqa: A001: PEP 249 has this name
    """PEP 249's class of important warnings; Lanewise has none."""


class Error(Exception):
    """Every error of Lanewise. The message says what is wrong, where, and what to do.

    `position` is the number of characters before the mistake in the statement, or None where that is not known.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class InterfaceError(Error):
    """A wrong use of this package: a closed connection, an argument of a wrong type."""


class ExportError(InterfaceError, BufferError):
    """A column in a GPU's memory cannot be an array of another library: because of its type, or of NULLs."""


class DatabaseError(Error):
    """A statement or a function failed."""


class DataError(DatabaseError):
    """A value cannot be converted, or a result does not fit its type."""


class OperationalError(DatabaseError):
    """A bad option, a file that cannot be read, a limit."""


class IntegrityError(DatabaseError):
    """PEP 249's class of broken constraints; they are SqlErrors in this version."""


class InternalError(DatabaseError):
    """A bug in Lanewise: please report the message."""


class ProgrammingError(DatabaseError):
    """A mistake in a statement or a pattern."""


class NotSupportedError(DatabaseError):
    """The statement is valid, but Lanewise does not support it; fallback="duckdb" lets DuckDB answer."""


class SqlError(ProgrammingError):
    """A wrong statement: its syntax, names or types."""


class PatternError(ProgrammingError):
    """A wrong or too large pattern."""


class ProgramError(ProgrammingError):
    """A wrong PRAM program, or one that failed while it ran; the message has line and caret.

    `trace` has the steps before the failure, where lanewise.pram.trace raised it.
    """

    trace: list[dict[str, Any]] | None = None


class FunctionError(DatabaseError):
    """A function of lanewise.udf failed. `__cause__` is its exception; None if its result has a wrong type or length."""


class OutOfMemory(OperationalError, MemoryError):
    """A memory limit was exceeded; the message names the operator and the limit."""


class DeviceError(OperationalError):
    """There is no GPU, or a call of its driver failed."""


class Cancelled(OperationalError):
    """The statement was cancelled by `Connection.cancel()`."""
