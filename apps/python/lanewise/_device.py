"""Rows in the memory of a GPU: tables of other libraries for queries, and results for other libraries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from . import errors
from ._library import allocated, check, ffi, in_capsule, lib, new_capsule, referenced, stream_of, text
from ._session import Session

if TYPE_CHECKING:
    import pyarrow as pa

_ARRAY, _STREAM, _TENSOR = b"arrow_device_array", b"arrow_device_array_stream", b"dltensor"
_CUDA, _MANAGED = 2, 13  # device types, the same numbers for Arrow and DLPack
_DEFAULT_STREAM = 1


def has_arrow(value: object) -> bool:
    """Whether an object has Arrow's device interface. pyarrow's have it too, and are read as they were before if they
    are in the host's memory."""
    kind = type(value)
    if kind.__module__.startswith("pyarrow.") and getattr(value, "is_cpu", True):
        return False
    return hasattr(kind, "__arrow_c_device_array__") or hasattr(kind, "__arrow_c_device_stream__")


def is_array(value: Any) -> bool:
    """Whether an object is an array in the memory of a GPU."""
    kind = type(value)
    if hasattr(kind, "__dlpack_device__"):  # PyTorch and others have one class for all devices
        return value.__dlpack_device__()[0] in (_CUDA, _MANAGED)
    return hasattr(kind, "__cuda_array_interface__")


def is_on_device(value: Any) -> bool:
    """Whether a table is read by `add`."""
    if isinstance(value, Mapping):
        return any(map(is_array, value.values()))
    return has_arrow(value)


def add(session: Session, name: str, table: Any) -> None:
    """Makes rows in the memory of a GPU a table of a session, without a copy."""
    error, sql_name = ffi.new("lw_error*"), text(name, "the name")
    if isinstance(table, Mapping):
        schema, array = _columns(table, name)
        check(lib.lw_session_add_device_table(session.live(), sql_name, schema, array, 1, error), error)
    elif hasattr(type(table), "__arrow_c_device_stream__"):
        capsule = table.__arrow_c_device_stream__()
        stream = in_capsule(capsule, _STREAM, "struct ArrowDeviceArrayStream")
        check(lib.lw_session_add_device_stream(session.live(), sql_name, stream, error), error)
    else:
        schemas, arrays = table.__arrow_c_device_array__()
        schema, array = in_capsule(schemas, b"arrow_schema", "struct ArrowSchema"), in_capsule(arrays, _ARRAY, "struct ArrowDeviceArray")
        check(lib.lw_session_add_device_table(session.live(), sql_name, schema, array, 1, error), error)


class _Values(NamedTuple):
    """An array of another library; `owner` keeps its memory."""

    type: str  # in NumPy's notation, as "<i4"
    rows: int
    address: int
    validity: int  # address of Arrow's bitmap, or 0
    device: int
    owner: object


def _columns(columns: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    """Arrays of other libraries as an ArrowSchema and an ArrowDeviceArray."""
    import numpy as np
    import pyarrow as pa

    values, fields = [], []
    for key, column in columns.items():
        what = f"the column '{key}' of '{name}'"
        if not is_array(column):
            raise errors.DataError(f"{what} is in the host's memory, and others in a GPU's: move them to one place")
        values.append(_values(column, what))
        try:
            fields.append(pa.field(str(key), pa.from_numpy_dtype(np.dtype(values[-1].type))))
        except (pa.ArrowNotImplementedError, TypeError, ValueError) as error:
            raise errors.DataError(f"{what} has a type that Arrow does not have: {values[-1].type}") from error
        if values[-1].rows != values[0].rows:
            raise errors.DataError(f"{what} has {values[-1].rows} rows, the first one {values[0].rows}")
        if values[-1].device != values[0].device:
            raise errors.DataError(f"{what} is on GPU {values[-1].device}, the first one on GPU {values[0].device}")
    schema, array = ffi.new("struct ArrowSchema*"), ffi.new("struct ArrowDeviceArray*")
    pa.schema(fields)._export_to_c(int(ffi.cast("uintptr_t", schema)))
    children = [_array(each.rows, -1 if each.validity else 0, 0, [each.validity, each.address], [], each.owner) for each in values]
    array.array = _array(values[0].rows, 0, 0, [0], children, None)
    array.device_id, array.device_type = values[0].device, _CUDA
    return schema, array


def _array(rows: int, nulls: int, offset: int, buffers: list[int], children: list[Any], owner: object) -> Any:
    """An ArrowArray of these buffers, which `owner` keeps; it takes the children."""
    array, addresses = ffi.new("struct ArrowArray*"), ffi.new("void*[]", [ffi.cast("void*", address) for address in buffers])
    nodes = [ffi.new("struct ArrowArray*", child) for child in children]
    pointers = ffi.new("struct ArrowArray*[]", nodes)
    array.length, array.null_count, array.offset, array.n_buffers, array.n_children = rows, nulls, offset, len(buffers), len(children)
    array.buffers, array.children = ffi.cast("void const**", addresses), pointers
    array.private_data = referenced((owner, addresses, nodes, pointers))
    array.release = ffi.cast("void(*)(struct ArrowArray*)", lib.array_release())
    return array[0]


def _values(array: Any, what: str) -> _Values:
    """An array of another library, complete: its stream was waited for."""
    return _tensor_values(array, what) if hasattr(type(array), "__dlpack__") else _interface_values(array, what)


def _tensor_values(array: Any, what: str) -> _Values:
    """An array with DLPack, which orders its producer's work before our stream's."""
    device = int(array.__dlpack_device__()[1])
    try:
        capsule = array.__dlpack__(stream=_DEFAULT_STREAM)
    except BufferError as error:
        raise errors.DataError(f"{what} cannot be read: {error}") from error
    _wait(device, _DEFAULT_STREAM)
    tensor = in_capsule(capsule, _TENSOR, "struct DLManagedTensor").tensor
    kind = {0: "i", 1: "u", 2: "f", 6: "b"}.get(tensor.code)
    if kind is None or tensor.lanes != 1:
        raise errors.DataError(f"{what} has DLPack's type {tensor.code} of {tensor.bits} bits, {tensor.lanes} in a value; numbers are supported")
    if tensor.ndim != 1:
        raise errors.DataError(f"{what} has {tensor.ndim} dimensions, not one")
    rows, type = int(tensor.shape[0]), f"<{kind}{tensor.bits // 8}"
    strides = None if tensor.strides == ffi.NULL else (tensor.strides[0],)
    _check_form(what, type, rows, strides, 1)
    return _Values(type, rows, int(ffi.cast("uintptr_t", tensor.data)) + tensor.byte_offset, 0, device, capsule)


def _interface_values(array: Any, what: str) -> _Values:
    """An array with `__cuda_array_interface__`, version 2 or 3."""
    found = array.__cuda_array_interface__
    type, shape = found["typestr"], found["shape"]
    if len(shape) != 1:
        raise errors.DataError(f"{what} has {len(shape)} dimensions, not one")
    _check_form(what, type, shape[0], found.get("strides"), int(re.sub(r"\[.*", "", type[2:])))
    device = int(getattr(getattr(array, "device", None), "id", 0))
    stream = found.get("stream")
    if stream is not None:
        _wait(device, int(stream))
    validity = 0
    if found.get("mask") is not None:
        mask = found["mask"].__cuda_array_interface__
        if mask["typestr"][1] != "t":
            raise errors.DataError(f"{what} has a mask of the type {mask['typestr']}; Arrow's have one bit for each value")
        validity = int(mask["data"][0])
    return _Values(type, int(shape[0]), int(found["data"][0] or 0), validity, device, (array, found))


def _check_form(what: str, type: str, rows: int, strides: tuple[int, ...] | None, step: int) -> None:
    if type[1] == "b":
        raise errors.DataError(f"{what} has a byte for each bool, Arrow a bit: view it as uint8")
    if type[0] == ">":
        raise errors.DataError(f"{what} has the other byte order: {type}")
    if strides is not None and rows > 1 and strides[0] != step:
        raise errors.DataError(f"{what} is not contiguous: copy it, as by cupy.ascontiguousarray")


def _wait(device: int, stream: int) -> None:
    error = ffi.new("lw_error*")
    check(lib.lw_cuda_synchronize(device, stream, error), error)


class DeviceTable:
    """Rows in the memory of a GPU: `Result.to_device()` makes it.

    Libraries with Arrow's device interface take the table as it is (`pylibcudf.Table.from_arrow(table)`), and others its columns
    (`cupy.asarray(table["x"])`, `torch.from_dlpack(table["x"])`). Queries take it like any table. All of them share its memory, without a copy; it is freed
    when none of them has it. The rows are complete: no stream has to be waited for.
    """

    def __init__(self) -> None:
        raise errors.InterfaceError("a DeviceTable is made by Result.to_device()")

    @classmethod
    def _copy(cls, session: Session, rows: pa.Table) -> DeviceTable:
        import pyarrow as pa

        plain = [pa.field(field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type) for field in rows.schema]
        rows = rows.cast(pa.schema(plain)).combine_chunks()
        batches = rows.to_batches() or [pa.RecordBatch.from_arrays([pa.array([], field.type) for field in rows.schema], schema=rows.schema)]
        reader = pa.RecordBatchReader.from_batches(rows.schema, batches)
        capsule, stream, error = reader.__arrow_c_stream__(), _stream(), ffi.new("lw_error*")
        with session:
            check(lib.lw_session_to_device(session.live(), stream_of(capsule), stream, error), error)
        return cls._read(stream, rows.schema)

    @classmethod
    def _kept(cls, result: Any) -> DeviceTable | None:
        """The rows of a result's handle that stayed on the GPU, without a copy; None if they did not."""
        import pyarrow as pa

        stream, error = _stream(), ffi.new("lw_error*")
        check(lib.lw_result_device_stream(result, stream, error), error)
        if stream.release == ffi.NULL:
            return None
        schema = ffi.new("struct ArrowSchema*")
        _check(stream, stream.get_schema(stream, schema))
        return cls._read(stream, pa.Schema._import_from_c(int(ffi.cast("uintptr_t", schema))))

    @classmethod
    def _read(cls, stream: Any, schema: pa.Schema) -> DeviceTable:
        table = cls.__new__(cls)
        table._schema, table._arrays = schema, []
        while True:
            array = ffi.gc(ffi.new("struct ArrowDeviceArray*"), lambda held: held.array.release(ffi.addressof(held, "array")) if held.array.release else None)
            _check(stream, stream.get_next(stream, array))
            if array.array.release == ffi.NULL:
                return table
            table._arrays.append(array)

    _schema: pa.Schema
    _arrays: list[Any]

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self._schema

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._schema.names)

    def __len__(self) -> int:
        """The number of rows."""
        return sum(int(array.array.length) for array in self._arrays)

    def __getitem__(self, name: str) -> DeviceColumn:
        """A column by its name. Raises KeyError."""
        places = self._schema.get_all_field_indices(name)
        if len(places) != 1:
            raise KeyError(f"{len(places)} columns are named '{name}'; there are: {', '.join(self._schema.names)}")
        return DeviceColumn(self, places[0])

    def __arrow_c_device_array__(self, requested_schema: object | None = None, **ignored: object) -> tuple[object, object]:
        return self._schema.__arrow_c_schema__(), _array_capsule(self._shared(self._only()))

    def __arrow_c_device_stream__(self, requested_schema: object | None = None, **ignored: object) -> object:
        stream = allocated("struct ArrowDeviceArrayStream")
        stream.device_type = _CUDA
        stream.get_schema, stream.get_next, stream.get_last_error = lib.device_stream_schema, lib.device_stream_next, lib.device_stream_error
        stream.release = ffi.cast("void(*)(struct ArrowDeviceArrayStream*)", lib.device_stream_release())
        reading = _Reading(self)
        stream.private_data = referenced(reading)
        return new_capsule(stream, _STREAM)

    def _only(self) -> Any:
        """The array with all rows."""
        if len(self._arrays) != 1:
            raise errors.ExportError("the texts of a column have more than 2 GiB, which no array of theirs holds: read the table as a stream")
        return self._arrays[0]

    def _shared(self, array: Any) -> Any:
        """Another ArrowDeviceArray of the same memory, which keeps this table."""

        def shared(node: Any) -> Any:
            buffers = [int(ffi.cast("uintptr_t", node.buffers[i])) for i in range(node.n_buffers)]
            return _array(node.length, node.null_count, node.offset, buffers, [shared(node.children[i]) for i in range(node.n_children)], self)

        copy = ffi.new("struct ArrowDeviceArray*")
        copy.array, copy.device_id, copy.device_type = shared(array.array), array.device_id, array.device_type
        return copy[0]

    def __repr__(self) -> str:
        columns = ", ".join(f"{field.name}: {field.type}" for field in self._schema)
        return f"<lanewise.DeviceTable of {len(self)} rows, {columns}>"


def _stream() -> Any:
    """A stream of a GPU's arrays to be filled, which is released with its last reference."""
    return ffi.gc(ffi.new("struct ArrowDeviceArrayStream*"), lambda held: held.release(held) if held.release else None)


def _check(stream: Any, code: int) -> None:
    if code != 0:
        message = stream.get_last_error(stream)
        raise errors.InternalError(ffi.string(message).decode(errors="replace") if message else f"the stream failed with code {code}")


def _array_capsule(array: Any) -> object:
    held = allocated("struct ArrowDeviceArray")
    held[0] = array
    return new_capsule(held, _ARRAY)


class _Reading:
    """A stream of a table's arrays."""

    def __init__(self, table: DeviceTable) -> None:
        self.table = table
        self.arrays: Iterator[Any] = iter(table._arrays)


def _reading(stream: Any) -> _Reading:
    import ctypes

    reading: _Reading = ctypes.cast(int(ffi.cast("uintptr_t", stream.private_data)), ctypes.py_object).value
    return reading


@ffi.def_extern(error=5)  # type: ignore[untyped-decorator]
def device_stream_schema(stream: Any, out: Any) -> int:
    _reading(stream).table.schema._export_to_c(int(ffi.cast("uintptr_t", out)))
    return 0


@ffi.def_extern(error=5)  # type: ignore[untyped-decorator]
def device_stream_next(stream: Any, out: Any) -> int:
    reading = _reading(stream)
    array = next(reading.arrays, None)
    if array is None:
        out.array.release = ffi.NULL  # the end
    else:
        out[0] = reading.table._shared(array)
    return 0


@ffi.def_extern()  # type: ignore[untyped-decorator]
def device_stream_error(stream: Any) -> Any:
    return ffi.NULL


class DeviceColumn:
    """A column of a DeviceTable, as an array of other libraries: `cupy.asarray(column)`, `torch.from_dlpack(column)`.

    It keeps the memory of its table. Numbers have `__dlpack__` and `__cuda_array_interface__`, timestamps the latter. The mask
    of the latter marks NULLs; DLPack has none. Other columns are read with the table, by Arrow's device interface.
    """

    def __init__(self, table: DeviceTable, place: int) -> None:
        self._table = table
        self._field = table.schema.field(place)
        self._place = place

    @property
    def name(self) -> str:
        """The column's name."""
        return str(self._field.name)

    @property
    def type(self) -> pa.DataType:
        """The column's type."""
        return self._field.type

    @property
    def null_count(self) -> int:
        """The number of NULLs."""
        return sum(int(array.array.children[self._place].null_count) for array in self._table._arrays)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._table)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        rows, address, validity = self._memory()
        found: dict[str, Any] = {"shape": (rows,), "typestr": self._typestr(), "data": (address, False), "strides": None, "version": 3, "stream": None}
        if self.null_count:
            mask = {"shape": (rows,), "typestr": "|t1", "data": (validity, True), "strides": None, "version": 3, "stream": None}
            found["mask"] = SimpleNamespace(__cuda_array_interface__=mask)
        return found

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, int(self._table._only().device_id)

    def __dlpack__(
        self, *, stream: object = None, max_version: object = None, dl_device: tuple[int, int] | None = None, copy: bool | None = None
    ) -> object:
        """A capsule of DLPack's. The values are complete, so no `stream` has to wait."""
        kind = self._typestr()[1]
        if kind not in "iuf":
            raise errors.ExportError(f"the column '{self.name}' is {self.type}, which DLPack does not have: cast it to a number in SQL")
        if self.null_count:
            raise errors.ExportError(f"the column '{self.name}' has {self.null_count} NULLs, which DLPack does not have: replace them, as by coalesce")
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise errors.ExportError(f"the column '{self.name}' is on GPU {self.__dlpack_device__()[1]}, and DLPack gives no copies of it")
        rows, address, _ = self._memory()
        managed, shape, strides = ffi.new("struct DLManagedTensor*"), ffi.new("int64_t[]", [rows]), ffi.new("int64_t[]", [1])
        tensor = managed.tensor
        tensor.data, tensor.shape, tensor.strides, tensor.ndim, tensor.lanes = ffi.cast("void*", address), shape, strides, 1, 1
        tensor.device_type, tensor.device_id = self.__dlpack_device__()
        tensor.code, tensor.bits = "iuf".index(kind), self.type.bit_width
        managed.manager = referenced((self, managed, shape, strides))
        managed.deleter = ffi.cast("void(*)(struct DLManagedTensor*)", lib.tensor_deleter())
        return new_capsule(managed, _TENSOR)

    def _typestr(self) -> str:
        """The type in NumPy's notation."""
        import numpy as np
        import pyarrow as pa

        if pa.types.is_integer(self.type) or pa.types.is_floating(self.type):
            return str(np.dtype(self.type.to_pandas_dtype()).str)
        if pa.types.is_timestamp(self.type):
            return f"<M8[{self.type.unit}]"
        advice = "cast it to UTINYINT in SQL: Arrow has a bit for each" if pa.types.is_boolean(self.type) else "read the table by Arrow's device interface"
        raise errors.ExportError(f"the column '{self.name}' is {self.type}, which is not an array of numbers: {advice}")

    def _memory(self) -> tuple[int, int, int]:
        """The number of rows, and the addresses of values and of the bitmap of those that are not NULL."""
        array = self._table._only().array.children[self._place]
        validity, address = (int(ffi.cast("uintptr_t", array.buffers[i])) for i in (0, 1))
        return int(array.length), address, validity

    def __repr__(self) -> str:
        return f"<lanewise.DeviceColumn '{self.name}' of {len(self)} rows, {self.type}>"
