"""The C ABI: calls that raise, and Arrow streams as capsules."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import errors

if TYPE_CHECKING:
    import pyarrow as pa

if not getattr(sys, "_is_gil_enabled", lambda: True)():
    raise ImportError("Lanewise needs a Python with the global interpreter lock; this one runs without it")

from ._native import ffi as ffi, lib as lib  # noqa: E402: a free-threaded Python gets a clear error first

KINDS: dict[int, type[errors.Error]] = {
    lib.LW_ERROR_USER: errors.OperationalError,
    lib.LW_ERROR_SQL: errors.SqlError,
    lib.LW_ERROR_PATTERN: errors.PatternError,
    lib.LW_ERROR_VALUE: errors.DataError,
    lib.LW_ERROR_UNSUPPORTED: errors.NotSupportedError,
    lib.LW_ERROR_MEMORY: errors.OutOfMemory,
    lib.LW_ERROR_DEVICE: errors.DeviceError,
    lib.LW_ERROR_CANCELLED: errors.Cancelled,
    lib.LW_ERROR_INTERNAL: errors.InternalError,
    lib.LW_ERROR_PROGRAM: errors.ProgramError,
    lib.LW_ERROR_FUNCTION: errors.FunctionError,
}

_STREAM = b"arrow_array_stream"
_DESTRUCTORS = {_STREAM: lib.stream_destructor, b"arrow_device_array_stream": lib.device_stream_destructor,
                b"arrow_device_array": lib.device_array_destructor, b"dltensor": lib.tensor_destructor}  # fmt: skip
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_malloc = ctypes.CDLL(None).malloc
_malloc.restype = ctypes.c_void_p
_malloc.argtypes = [ctypes.c_size_t]


def check(code: int, error: Any, sql: str = "", cause: BaseException | None = None) -> None:
    """Raises `error` unless the code is LW_OK, and releases it."""
    if code == lib.LW_OK:
        return
    message = ffi.string(error.message).decode(errors="replace").rstrip() if error.message else "no memory is left"
    if code == lib.LW_ERROR_UNSUPPORTED:
        message += '; fallback="duckdb" lets DuckDB answer'
    position = None
    if error.position >= 0:
        position = len(sql.encode()[: error.position].decode(errors="ignore"))
    lib.lw_error_release(error)
    raise KINDS[code](message, position) from cause


def text(value: str, what: str) -> bytes:
    """UTF-8 for C, whose strings end at a NUL."""
    if not isinstance(value, str):
        raise errors.InterfaceError(f"{what} is a str, not {type(value).__name__}")
    if "\0" in value:
        raise errors.InterfaceError(f"{what} has a NUL character at position {value.index(chr(0))}")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise errors.InterfaceError(f"{what} has half of a surrogate pair at position {error.start}") from error


def taken_text(value: Any) -> str:
    """A string that the library returned; it is freed."""
    copy: bytes = ffi.string(value)
    lib.lw_text_free(value)
    return copy.decode(errors="replace")


@contextmanager
def options(**settings: object) -> Iterator[tuple[Any, int]]:
    """The settings as lw_options, and their number, for the duration of a call."""
    words = {True: "true", False: "false"}
    held = [(ffi.new("char[]", name.encode()), ffi.new("char[]", text(words[value] if isinstance(value, bool) else str(value), name)))
            for name, value in settings.items()]  # fmt: skip
    yield ffi.new("lw_option[]", held), len(held)


def exported(batch: pa.RecordBatch) -> tuple[Any, Any]:
    """ArrowSchema and ArrowArray of a batch, released by the call that takes them."""
    schema, array = ffi.new("struct ArrowSchema*"), ffi.new("struct ArrowArray*")
    batch._export_to_c(int(ffi.cast("uintptr_t", array)), int(ffi.cast("uintptr_t", schema)))
    return schema, array


def exported_schema(schema: pa.Schema) -> Any:
    """An ArrowSchema that is released with its last reference."""
    out = ffi.gc(ffi.new("struct ArrowSchema*"), lambda held: held.release(held) if held.release else None)
    schema._export_to_c(int(ffi.cast("uintptr_t", out)))
    return out


def stream_capsule(fill: Any) -> object:
    """A capsule with the ArrowArrayStream that `fill(stream, error)` writes."""
    stream = allocated("struct ArrowArrayStream")
    stream.release = ffi.NULL
    capsule = new_capsule(stream, _STREAM)
    error = ffi.new("lw_error*")
    check(fill(stream, error), error)
    return capsule


def allocated(kind: str) -> Any:
    """A structure that the destructor of a capsule frees."""
    address = _malloc(ffi.sizeof(kind))
    if not address:
        raise errors.OutOfMemory(f"no memory is left for a {kind}")
    return ffi.cast(f"{kind}*", address)


def new_capsule(pointer: Any, name: bytes) -> object:
    """A capsule of a name of _DESTRUCTORS, which owns what `pointer` points to."""
    capsule: object = _new_capsule(_address(pointer), name, _address(_DESTRUCTORS[name]()))
    return capsule


def in_capsule(capsule: object, name: bytes, kind: str) -> Any:
    """The structure in a capsule, which still owns it."""
    return ffi.cast(f"{kind}*", _capsule_pointer(capsule, name))


def stream_of(capsule: object) -> Any:
    """The ArrowArrayStream in a capsule, which still owns it."""
    return in_capsule(capsule, _STREAM, "struct ArrowArrayStream")


def _address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def referenced(owner: object) -> Any:
    """A reference to an object as a pointer, which one of native.c's functions gives back."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))
    return ffi.cast("void*", id(owner))


def in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class Stream:
    """An object that other libraries read through Arrow's PyCapsule interface."""

    def __init__(self, fill: Any) -> None:
        self._fill = fill

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return stream_capsule(self._fill)
