"""Functions in Python that SQL calls."""

from __future__ import annotations

import datetime
import decimal
import functools
import threading
import typing
import uuid
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Union, overload

from . import errors
from ._library import ffi

if TYPE_CHECKING:
    import pyarrow as pa

    Kind = Union[pa.DataType, type, str]


class Function:
    """A function of `lw.udf`: Python calls it as before, and SQL by the name of its variable."""

    def __init__(self, function: Callable[..., Any], arguments: list[pa.DataType], result: pa.DataType, nulls: bool) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self.arguments = arguments
        self.result = result
        self.nulls = nulls

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __repr__(self) -> str:
        return f"{getattr(self, '__name__', 'function')}({', '.join(map(str, self.arguments))}) -> {self.result}"


@overload
def udf(function: Callable[..., Any], /, *, arguments: Iterable[Kind] | None = None, result: Kind | None = None, nulls: bool = False) -> Function: ...
@overload
def udf(*, arguments: Iterable[Kind] | None = None, result: Kind | None = None, nulls: bool = False) -> Callable[[Callable[..., Any]], Function]: ...
def udf(
    function: Callable[..., Any] | None = None, /, *, arguments: Iterable[Kind] | None = None, result: Kind | None = None, nulls: bool = False
) -> Function | Callable[[Callable[..., Any]], Function]:
    """Makes a Python function callable from SQL; also usable as a decorator.

    The function gets a pyarrow.Array for each argument, of shape (rows,) with some thousand rows, and gives an array of that length:
    pyarrow, NumPy, Polars, pandas or a list. Types are those of its annotations unless `arguments` and `result` say them. A type is one of
    pyarrow, its name ("int64"), a class of arrays (pa.Int64Array), or a type of Python (int, float, str, datetime.date, ...).
    Lists, structs and maps are not supported.

    nulls: False calls it for the rows where no argument is NULL, and the others' result is NULL. True passes NULLs. Equal arguments have
    to give equal results. Other threads may call it, one at a time. It cannot use the connection that calls it.

    Raises InterfaceError: a type is missing or has no equivalent. Where the function raises, the statement raises FunctionError, whose
    cause is that exception.

    >>> import pyarrow as pa, pyarrow.compute as pc
    >>> @udf
    ... def shout(text: pa.StringArray) -> pa.StringArray:
    ...     return pc.utf8_upper(text)
    >>> from lanewise import sql
    >>> sql("SELECT shout(s) FROM (VALUES ('a'), (NULL)) AS v(s)").fetchall()
    [('A',), (None,)]
    """

    def make(function: Callable[..., Any]) -> Function:
        given, gives = arguments, result
        if given is None or gives is None:
            try:
                hints = typing.get_type_hints(function)
            except (NameError, TypeError) as error:
                raise errors.InterfaceError(f"the types of {function} cannot be read: {error}; give `arguments` and `result`") from error
            if given is None and not hasattr(function, "__code__"):
                raise errors.InterfaceError(f"{function} has no annotated arguments: give `arguments`")
            names = function.__code__.co_varnames[: function.__code__.co_argcount] if given is None else ()
            for name in (*names, *(("return",) if gives is None else ())):
                if name not in hints:
                    raise errors.InterfaceError(f"{'the result' if name == 'return' else f'the argument {name}'} has no type: annotate it, or give types")
            given = [hints[name] for name in names] if given is None else given
            gives = hints["return"] if gives is None else gives
        return Function(function, [_type(kind) for kind in given], _type(gives), nulls)

    return make if function is None else make(function)


def _type(kind: Any) -> pa.DataType:
    """Arrow's type for an annotation or a given type."""
    import pyarrow as pa

    if isinstance(kind, pa.DataType):
        return kind
    known = {
        bool: pa.bool_(), int: pa.int64(), float: pa.float64(), str: pa.string(), bytes: pa.binary(), datetime.date: pa.date32(),
        datetime.datetime: pa.timestamp("us"), datetime.time: pa.time64("us"), uuid.UUID: pa.uuid() if hasattr(pa, "uuid") else pa.binary(16),
        pa.BooleanArray: pa.bool_(), pa.StringArray: pa.string(), pa.LargeStringArray: pa.string(), pa.BinaryArray: pa.binary(),
        pa.FloatArray: pa.float32(), pa.DoubleArray: pa.float64(), pa.Date32Array: pa.date32(), pa.TimestampArray: pa.timestamp("us"),
        pa.Int8Array: pa.int8(), pa.Int16Array: pa.int16(), pa.Int32Array: pa.int32(), pa.Int64Array: pa.int64(),
        pa.UInt8Array: pa.uint8(), pa.UInt16Array: pa.uint16(), pa.UInt32Array: pa.uint32(), pa.UInt64Array: pa.uint64(),
    }  # fmt: skip
    if isinstance(kind, type) and kind in known:
        return known[kind]
    if isinstance(kind, str):
        try:
            return pa.type_for_alias(kind)
        except ValueError:
            pass
    advice = ": give pa.decimal128(precision, scale)" if kind in (decimal.Decimal, pa.Decimal128Array) else ""
    raise errors.InterfaceError(f"{kind} is not the type of a function's argument or result{advice}")


class Call:
    """A function as registered in a connection: the handle for C, and the exception that the function raised."""

    inside = threading.local()

    def __init__(self, function: Function, raised: list[BaseException]) -> None:
        self.function = function
        self.raised = raised
        self.handle = ffi.new_handle(self)

    def run(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        calls = self.inside.__dict__.setdefault("calls", [])
        calls.append(self.raised)
        try:
            made = self.function(*batch.columns)
        finally:
            calls.pop()
        if isinstance(made, pa.ChunkedArray):
            made = pa.concat_arrays(made.chunks) if made.num_chunks else pa.array([], made.type)
        elif not isinstance(made, pa.Array):
            if not hasattr(made, "__len__") or isinstance(made, (str, bytes)):
                raise TypeError(f"it gave a {type(made).__name__}, not an array with a value for each of {batch.num_rows} rows")
            made = pa.array(made, None if hasattr(made, "__arrow_c_stream__") else self.function.result)
        return pa.record_batch([made if made.type == self.function.result else made.cast(self.function.result)], names=["result"])

    @classmethod
    def runs_for(cls, raised: list[BaseException]) -> bool:
        """Whether this thread is running a function of the connection with this list."""
        return any(held is raised for held in cls.inside.__dict__.get("calls", ()))


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def call_function(data: Any, schema: Any, arguments: Any, result_schema: Any, result: Any, message: Any, size: int) -> int:
    """The callback from C: no exception may leave it."""
    call: Call = ffi.from_handle(data)
    try:
        import pyarrow as pa

        batch = pa.RecordBatch._import_from_c(_address(arguments), _address(schema))
        call.run(batch)._export_to_c(_address(result), _address(result_schema))
    except BaseException as error:  # noqa: BLE001: KeyboardInterrupt, too, is raised where the statement was run
        call.raised.append(error)
        text = f"{type(error).__name__}: {error}".encode(errors="replace")[: size - 1].decode(errors="ignore").encode()
        ffi.memmove(message, text + b"\0", len(text) + 1)
        return 1
    return 0


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))
