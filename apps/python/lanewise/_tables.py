"""Python objects as tables: objects with an Arrow stream, and the names of the caller's frame."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _device, errors
from ._function import Function

if TYPE_CHECKING:
    import pyarrow as pa

_CALL = re.compile(r'(?:"((?:[^"]|"")+)"|([^\W\d]\w*))\s*\(')
_WORD = re.compile(r'"((?:[^"]|"")+)"|([^\W\d]\w*)')


def is_table(value: object) -> bool:
    """Whether an object can be a table: an Arrow stream or array, or a dict of arrays."""
    kind = type(value)
    if hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__") or _device.has_arrow(value):
        return True
    return isinstance(value, Mapping) and len(value) > 0 and all(_is_column(column) for column in value.values())


def _is_column(value: object) -> bool:
    kind = type(value)
    return hasattr(value, "__array__") or hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__") or _device.is_array(value)


def has_nulls(column: Any) -> bool:
    """Whether a column has NULLs: pyarrow has their number, Polars a method."""
    count = getattr(column, "null_count", 0)
    return bool(count() if callable(count) else count)


def stream(value: Any, name: str) -> object:
    """A capsule with the rows of a table."""
    return _streamable(value, name).__arrow_c_stream__()


def table(value: Any, name: str) -> pa.Table:
    """The rows of a table in the host's memory."""
    import pyarrow as pa

    return pa.table(_streamable(value, name))


def _streamable(value: Any, name: str) -> Any:
    """An object with an Arrow stream."""
    return value if hasattr(type(value), "__arrow_c_stream__") and not isinstance(value, Mapping) else _arrow_table(value, name)


def _arrow_table(value: Any, name: str) -> Any:
    import pyarrow as pa

    if isinstance(value, Mapping):
        try:
            return pa.table({str(key): _array(column) for key, column in value.items()})
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise errors.DataError(f"the columns of '{name}' are no table: {error}") from error
    if hasattr(type(value), "__arrow_c_array__"):
        return pa.Table.from_batches([pa.record_batch(value)])
    raise errors.InterfaceError(f"'{name}' is a {type(value).__name__}, which is not a table: it does not have __arrow_c_stream__")


def _array(column: Any) -> Any:
    import pyarrow as pa

    if hasattr(type(column), "__arrow_c_stream__"):
        return pa.chunked_array(column)
    if hasattr(type(column), "__dlpack__") and not isinstance(column, pa.Array):  # such as a tensor of PyTorch
        import numpy as np

        column = np.asarray(column)
    return pa.array(column)


def words(sql: str) -> set[str]:
    """Identifiers of a text, possibly with words that only look like one."""
    return {quoted.replace('""', '"') if quoted else word for quoted, word in _WORD.findall(sql)}


Scopes = Sequence[Mapping[str, Any]]


def scopes(depth: int) -> Scopes:
    """The local and enclosing, then the global names of the caller's caller; `depth` further callers are skipped."""
    frame = sys._getframe(depth + 2)
    return frame.f_locals, frame.f_globals


def functions(sql: str, scopes: Scopes) -> dict[str, Function]:
    """Functions of lanewise.udf, among the names of the scopes, that the text may call."""
    found = {}
    for quoted, word in _CALL.findall(sql) if scopes and "(" in sql else ():
        name = quoted.replace('""', '"') if quoted else word
        value = next((names[name] for names in scopes if name in names), None)
        if isinstance(value, Function):
            found[name] = value
    return found


def candidates(sql: str, scopes: Scopes) -> dict[str, Any]:
    """Tables among the names of the scopes, inner scopes first, that are words of the text."""
    found = {}
    for word in words(sql) if scopes else ():
        value = next((names[word] for names in scopes if word in names), None)
        if value is not None and not hasattr(builtins, word) and is_table(value):
            found[word] = value
    return found
