"""The constants, constructors and type objects of PEP 249."""

from __future__ import annotations

import datetime
import time

apilevel = "2.0"
threadsafety = 2  # threads may share the module and connections
paramstyle = "qmark"

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes


def DateFromTicks(ticks: float) -> datetime.date:
    """The date of seconds since 1970, in local time."""
    return Date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks: float) -> datetime.time:
    """The time of day of seconds since 1970, in local time."""
    return Time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks: float) -> datetime.datetime:
    """The timestamp of seconds since 1970, in local time."""
    return Timestamp(*time.localtime(ticks)[:6])


class TypeObject:
    """Equals the type of a column in `Cursor.description`, an Arrow type as text, if it is one of a kind."""

    def __init__(self, *prefixes: str) -> None:
        self.prefixes = prefixes

    def __eq__(self, other: object) -> bool:
        return other is self or (isinstance(other, str) and other.startswith(self.prefixes))

    def __hash__(self) -> int:
        return hash(self.prefixes)


STRING = TypeObject("string", "large_string", "dictionary<values=string")
BINARY = TypeObject("binary", "large_binary")
NUMBER = TypeObject("int", "uint", "float", "double", "half", "decimal", "bool")
DATETIME = TypeObject("date", "time", "month", "duration")
ROWID = TypeObject("rowid")
