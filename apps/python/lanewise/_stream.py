"""The rows of a statement, read while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._library import check, ffi, in_main_thread, lib

if TYPE_CHECKING:
    import pyarrow as pa

    from ._connection import Connection


class BatchStream:
    """The rows of a query as record batches, in order, while the query runs: for results larger than the memory.

    The query waits while about 64 MiB of rows are not read. Until the last batch is read, or the stream is closed, the
    connection runs nothing else. Iterate it, in a `with` statement if you may stop early. Other libraries take it by
    Arrow's PyCapsule interface: `pa.RecordBatchReader.from_stream(stream)`.
    """

    def __init__(self, connection: Connection, handle: Any, query: str, held: ExitStack) -> None:
        self._connection = connection
        self._handle: Any = ffi.gc(handle, lib.lw_stream_close)
        self._query = query
        self._held = held  # tables and functions of the query
        self._schema = self._read_schema()

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self._schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        import pyarrow as pa

        if self._handle is None:
            raise StopIteration
        array, error = ffi.new("struct ArrowArray*"), ffi.new("lw_error*")
        try:
            if in_main_thread():
                code = lib.interruptible_stream_next(self._handle, array, error)
            else:
                code = lib.lw_stream_next(self._handle, array, error)
            self._connection._check(code, error, self._query)
        except BaseException:
            self.close()
            raise
        if array.release == ffi.NULL:
            self.close()
            raise StopIteration
        return pa.RecordBatch._import_from_c(int(ffi.cast("uintptr_t", array)), self._schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The batches that are left."""
        import pyarrow as pa

        capsule: object = pa.RecordBatchReader.from_batches(self._schema, self).__arrow_c_stream__(requested_schema)
        return capsule

    def close(self) -> None:
        """Ends the query if it still runs."""
        if self._handle is not None:
            ffi.release(self._handle)
            self._handle = None
            if self._connection._session is not None:
                self._held.close()

    def __enter__(self) -> BatchStream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def _read_schema(self) -> pa.Schema:
        import pyarrow as pa

        schema, error = ffi.new("struct ArrowSchema*"), ffi.new("lw_error*")
        check(lib.lw_stream_schema(self._handle, schema, error), error)
        return pa.Schema._import_from_c(int(ffi.cast("uintptr_t", schema)))
