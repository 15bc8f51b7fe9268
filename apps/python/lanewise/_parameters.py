"""Values for ? and $name in statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import errors
from ._library import exported, ffi

Parameters = Union[Sequence[Any], Mapping[str, Any], None]


def row(parameters: Parameters) -> tuple[Any, Any]:
    """ArrowSchema and ArrowArray of a row with a field for each parameter; nothing for none."""
    if parameters is None:
        return ffi.NULL, ffi.NULL
    if isinstance(parameters, Mapping):
        named = {str(name): value for name, value in parameters.items()}
    elif isinstance(parameters, Sequence) and not isinstance(parameters, (str, bytes)):
        named = {str(number): value for number, value in enumerate(parameters, 1)}
    else:
        raise errors.InterfaceError(f"parameters are a sequence or a mapping, not {type(parameters).__name__}")
    if not named:
        return ffi.NULL, ffi.NULL
    import pyarrow as pa

    columns = {}
    for name, value in named.items():
        try:
            columns[name] = value if isinstance(value, pa.Array) else pa.array([value])
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
            raise errors.InterfaceError(f"the parameter ${name} has no SQL type: {error}") from error
    return exported(pa.record_batch(list(columns.values()), names=list(columns)))
