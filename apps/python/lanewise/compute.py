"""Functions on Arrow arrays: the functions of SQL, by their names.

Arrays are anything with Arrow's PyCapsule interface or with `__array__`: pyarrow, Polars, pandas, NumPy. They have one
length; other arguments are constants. A result is a pyarrow.Array of that length; it is a ChunkedArray where an
argument was one.

>>> import pyarrow as pa
>>> matches(pa.array(["v1", "x", None]), "v[0-9]").to_pylist()
[True, False, None]
>>> call("reverse", pa.array(["ab"])).to_pylist()
['ba']
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from . import _tables, errors
from ._connection import shared
from ._library import Stream, lib

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["call", "cast", "expression", "extract", "functions", "like", "matches", "replace"]


@functools.cache
def functions() -> pa.Table:
    """All functions and operators as rows: name, documentation, example (an SQL expression)."""
    import pyarrow as pa

    return pa.table(Stream(lib.lw_functions))


def call(function: str, *arguments: Any) -> pa.Array[Any] | pa.ChunkedArray[Any]:
    """Calls a function or operator of `functions()` by its name, for example call("lower", array), call("+", a, 1).

    Raises SqlError: no such function, or none for these types.
    """
    places = [f"${i}" for i in range(len(arguments))]
    if function.isidentifier():
        return expression(f'"{function}"({", ".join(places)})', *arguments)
    if len(arguments) == 2:
        return expression(f"{places[0]} {function} {places[1]}", *arguments)
    return expression(f"{function} {' '.join(places)}", *arguments)


def like(array: Any, pattern: str, *, escape: str = "", ignore_case: bool = False) -> pa.Array[Any] | pa.ChunkedArray[Any]:
    """Whether each string matches an SQL LIKE pattern: % is any text, _ any character; after `escape` either is
    literal."""
    operator = "ILIKE" if ignore_case else "LIKE"
    if escape:
        return expression(f"$0 {operator} $1 ESCAPE $2", array, pattern, escape)
    return expression(f"$0 {operator} $1", array, pattern)


def matches(array: Any, pattern: str, options: str = "") -> pa.Array[Any] | pa.ChunkedArray[Any]:
    """Whether a regular expression of RE2's dialect matches anywhere in each string.

    options: letters of SQL's regexp_matches, such as "i", which ignores case.
    """
    return expression("regexp_matches($0, $1, $2)", array, pattern, options)


def extract(array: Any, pattern: str, group: int = 0) -> pa.Array[Any] | pa.ChunkedArray[Any]:
    """The first match of a regular expression in each string, or that of a group; empty if there is none."""
    return expression(f"regexp_extract($0, $1, {int(group)})", array, pattern)


def replace(array: Any, pattern: str, replacement: str, options: str = "") -> pa.Array[Any] | pa.ChunkedArray[Any]:
    r"""Strings with the first match of a regular expression replaced, or all with options="g"; \1 is the first group."""
    return expression("regexp_replace($0, $1, $2, $3)", array, pattern, replacement, options)


def cast(array: Any, sql_type: str) -> pa.Array[Any] | pa.ChunkedArray[Any]:
    """The values converted to another SQL type, for example cast(array, "DECIMAL(9, 2)"). Raises DataError if a value
    cannot be converted."""
    return expression(f"CAST($0 AS {sql_type})", array)


def expression(sql: str, *arguments: Any) -> pa.Array[Any] | pa.ChunkedArray[Any]:
    """An SQL expression in which $0, $1, ... stand for the arguments.

    >>> import pyarrow as pa
    >>> expression("$0 * 2 + $1", pa.array([1, 2]), 10).to_pylist()
    [12, 14]
    """
    import pyarrow as pa

    columns: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    for number, argument in enumerate(arguments):
        if _tables._is_column(argument) and not isinstance(argument, pa.Scalar):
            columns[f"a{number}"] = _tables._array(argument)
        else:
            constants[f"a{number}"] = argument
    if not columns:
        raise errors.InterfaceError("one argument at least is an array; lanewise.sql computes with constants alone")
    for number in reversed(range(len(arguments))):
        sql = sql.replace(f"${number}", f'"a{number}"' if f"a{number}" in columns else f"$a{number}")
    try:
        lanewise_arguments = pa.table(columns)
    except pa.ArrowInvalid as error:
        raise errors.InterfaceError(f"the arrays have several lengths: {error}") from error
    result = shared()._run_over({"lanewise_arguments": lanewise_arguments}, f"SELECT {sql} FROM lanewise_arguments", constants)
    column = result.arrow().column(0)
    if any(isinstance(argument, pa.ChunkedArray) for argument in arguments):
        return column
    combined = column.combine_chunks()
    return combined.chunk(0) if isinstance(combined, pa.ChunkedArray) else combined
