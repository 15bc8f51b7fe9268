"""Ordered indexes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _device, _tables, errors
from ._connection import host_table
from ._library import Stream, check, exported, ffi, lib, options, text

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa


class Index:
    """An ordered index in memory or in a file: keys of one to four columns, each with a row number.

    Keys are an array (NumPy, pyarrow, Polars, pandas) or a list; of several columns a dict of arrays or anything that is a
    table, most significant column first. Where a method takes keys, one key does as well, of several columns as a tuple.
    They are converted to the types of the index. Arrays in a GPU's memory are copied to the host's first. Threads may share an index: it runs one call at a time.

    >>> index = Index([30, 10, 20, 10])
    >>> index.find([10, 25]).to_pylist()
    [1, None]
    >>> index.range(10, 30).to_pydict()
    {'position': [0, 0, 0], 'key': [10, 10, 20], 'row': [1, 3, 2]}
    """

    _handle: Any

    def __init__(self, keys: Any, rows: Any = None, *, unique: bool = False, nulls: bool = False, device: str = "cpu") -> None:
        """Builds an index in memory.

        rows: a whole number for each key; None: 0, 1, 2, ... unique: a key that comes twice is an OperationalError. nulls: NULL is
        a key, after all values. device: "cpu", "cuda", "cuda:1": where keys are searched and changed.
        """
        batch = _batch(keys, None)
        self._names: list[str] = batch.schema.names
        numbers = None if rows is None else _numbers(rows, batch.num_rows)
        out, error = ffi.new("lw_index**"), ffi.new("lw_error*")
        with options(unique=unique, nulls=nulls, device=device) as (given, count):
            check(lib.lw_index_build(*exported(batch), _address(numbers), given, count, out, error), error)
        self._own(out[0])

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, read_only: bool = False, device: str = "cpu", wait: int = 0) -> Index:
        """Opens a file that `save` or `lanewise index build` wrote. One process may write, or several read: waits this
        many seconds for others.

        Raises OperationalError: the file cannot be opened, or is not an index.
        """
        index = cls.__new__(cls)
        out, error = ffi.new("lw_index**"), ffi.new("lw_error*")
        with options(read_only=read_only, device=device, wait=wait) as (given, count):
            check(lib.lw_index_open(text(os.fspath(path), "the path"), given, count, out, error), error)
        index._names = []
        index._own(out[0])
        return index

    @property
    def key(self) -> pa.Schema:
        """Names and types of the key's columns."""
        return self._schema

    def __len__(self) -> int:
        """The number of entries."""
        return int(lib.lw_index_size(self._live()))

    def find(self, keys: Any) -> pa.Int64Array | np.ndarray[Any, Any]:
        """The row number of each key's first entry.

        NumPy keys give an int64 array of the same length, -1 for keys that are not there; others a pyarrow.Int64Array, NULL for
        those.
        """
        import pyarrow as pa

        batch = _batch(keys, self)
        buffer = pa.allocate_buffer(8 * batch.num_rows)
        found, error = ffi.new("int64_t*"), ffi.new("lw_error*")
        rows = ffi.cast("int64_t*", buffer.address)
        check(lib.lw_index_find(self._live(), *exported(batch), rows, found, error), error)
        if _is_numpy(keys):
            import numpy as np

            return np.frombuffer(buffer, np.int64)
        numbers = pa.Array.from_buffers(pa.int64(), batch.num_rows, [None, buffer])
        if found[0] == batch.num_rows:
            return numbers
        import pyarrow.compute as pc

        return pc.if_else(pc.less(numbers, 0), None, numbers)

    def range(self, lows: Any, highs: Any, limit: int | None = None) -> pa.Table:
        """The entries of each range [low, high), in order: position (of the range), the key's columns, row.

        limit: at most so many entries of each range.
        """
        low, high, error = _batch(lows, self), _batch(highs, self), ffi.new("lw_error*")
        return self._entries(lambda out, error: lib.lw_index_range(
            self._live(), *exported(low), *exported(high), -1 if limit is None else limit, out, error))  # fmt: skip

    def equal(self, keys: Any) -> pa.Table:
        """All entries that have each key: position (of the key), the key's columns, row."""
        batch = _batch(keys, self)
        return self._entries(lambda out, error: lib.lw_index_equal(self._live(), *exported(batch), out, error))

    def insert(self, keys: Any, rows: Any) -> int:
        """Adds an entry for each key; a unique index keeps existing ones. Returns how many it added."""
        return self._change(lib.LW_INSERT, keys, rows)

    def upsert(self, keys: Any, rows: Any) -> int:
        """Sets the row number of each key's first entry, or adds an entry. Returns how many it added."""
        return self._change(lib.LW_UPSERT, keys, rows)

    def erase(self, keys: Any) -> int:
        """Removes all entries with one of the keys. Returns how many."""
        return self._change(lib.LW_ERASE, keys, None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the index to a file, replacing an existing one, and keeps it there: see `commit`."""
        error = ffi.new("lw_error*")
        check(lib.lw_index_save(self._live(), text(os.fspath(path), "the path"), error), error)

    def commit(self) -> None:
        """Writes all changes to the file. After a crash it opens as of the last commit."""
        error = ffi.new("lw_error*")
        check(lib.lw_index_commit(self._live(), error), error)

    def verify(self) -> None:
        """Checks the whole index: checksums, order, counts. Raises OperationalError if something is damaged."""
        error = ffi.new("lw_error*")
        check(lib.lw_index_verify(self._live(), error), error)

    def close(self) -> None:
        """Releases memory and file. Changes that were not committed are lost; any further use raises InterfaceError."""
        self._handle = None  # not ffi.release(): another thread may be in a call

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *ignored: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._handle is None:
            return "<lanewise.Index, closed>"
        key = ", ".join(f"{field.name}: {field.type}" for field in self._schema)
        return f"<lanewise.Index of {len(self)} entries, key {key}>"

    def _own(self, handle: Any) -> None:
        import pyarrow as pa

        self._handle = ffi.gc(handle, lib.lw_index_close)
        schema = pa.RecordBatchReader.from_stream(Stream(lambda out, error: lib.lw_index_key(self._handle, out, error))).schema
        self._names = self._names or schema.names
        self._schema: Any = pa.schema([pa.field(name, field.type) for name, field in zip(self._names, schema)])
        self._nulls = bool(lib.lw_index_nulls(self._handle))

    def _live(self) -> Any:
        if self._handle is None:
            raise errors.InterfaceError("the index is closed")
        return self._handle

    def _change(self, change: int, keys: Any, rows: Any) -> int:
        batch = _batch(keys, self)
        numbers = None if rows is None else _numbers(rows, batch.num_rows)
        changed, error = ffi.new("int64_t*"), ffi.new("lw_error*")
        check(lib.lw_index_change(self._live(), change, *exported(batch), _address(numbers), changed, error), error)
        return int(changed[0])

    def _entries(self, fill: Any) -> pa.Table:
        import pyarrow as pa

        return pa.table(Stream(fill)).rename_columns(["position", *self._names, "row"])


def _is_numpy(value: Any) -> bool:
    return hasattr(value, "__array_interface__")


def _columns(keys: Any) -> pa.Table:
    """Keys of any form as a table."""
    import pyarrow as pa

    if _device.is_array(keys):
        keys = {"key": keys}
    if _device.is_on_device(keys):
        return host_table(keys, "keys")
    if isinstance(keys, Mapping):
        return pa.table({str(name): _tables._array(column) for name, column in keys.items()})
    if isinstance(keys, tuple):
        return pa.table({f"key{i}": pa.array([value]) for i, value in enumerate(keys, 1)})
    if not _tables._is_column(keys):
        keys = pa.array(keys if isinstance(keys, list) else [keys])
    array = _tables._array(keys)
    if not pa.types.is_struct(array.type):
        return pa.table({"key": array})
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    fields = pa.schema(list(array.type))
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(chunk) for chunk in chunks], fields)


def _batch(keys: Any, index: Index | None) -> pa.RecordBatch:
    """Keys as one record batch: unchanged, or converted to the types of the index. Raises InterfaceError, DataError."""
    import pyarrow as pa

    try:
        table = _columns(keys)
        if index is not None and table.num_columns != len(index._schema):
            raise errors.InterfaceError(f"the index's key has {len(index._schema)} columns, and {table.num_columns} are given")
        arrays = []
        for place, column in enumerate(table.columns):
            array = column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
            if pa.types.is_dictionary(array.type):
                array = array.dictionary_decode()
            if index is not None:
                wanted = index._schema.field(place).type
                array = array if array.type == wanted else array.cast(wanted)
                if array.null_count and not index._nulls:
                    raise errors.DataError(f"key {array.is_null().index(True).as_py()} is NULL; build the index with nulls=True")
            arrays.append(array)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise errors.DataError(f"the keys do not fit: {error}") from error
    return pa.record_batch(arrays, names=table.column_names if index is None else index._names)


def _numbers(rows: Any, count: int) -> pa.Int64Array:
    """Row numbers, one for each key."""
    import pyarrow as pa

    if not _tables._is_column(rows) and not isinstance(rows, list):
        rows = [rows]
    try:
        numbers = host_table({"row": rows}, "rows")["row"] if _device.is_array(rows) else _tables._array(rows)
        if isinstance(numbers, pa.ChunkedArray):
            numbers = numbers.combine_chunks()
        numbers = numbers.cast(pa.int64())
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError) as error:
        raise errors.DataError(f"row numbers are whole numbers: {error}") from error
    if len(numbers) != count or numbers.null_count:
        raise errors.InterfaceError(f"each of the {count} keys needs a row number, and {len(numbers) - numbers.null_count} are given")
    return numbers


def _address(numbers: pa.Int64Array | None) -> Any:
    """The address of an array's values; the caller keeps the array."""
    if numbers is None:
        return ffi.NULL
    values = numbers.buffers()[1]
    return ffi.cast("int64_t*", (values.address if values else 0) + 8 * numbers.offset)
