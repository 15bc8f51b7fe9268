"""The rows of a statement, read while it runs."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._library import check, ffi, in_main_thread, lib
from ._session import Session

if TYPE_CHECKING:
    import pyarrow as pa

_open: weakref.WeakSet[BatchStream] = weakref.WeakSet()


class BatchStream:
    """The rows of a query as record batches, in order, while the query runs: for results larger than the memory.

    The query waits while about 64 MiB of rows are not read. Until the last batch is read, or the stream is closed, the
    connection runs nothing else. Iterate it, in a `with` statement if you may stop early. Other libraries take it by
    Arrow's PyCapsule interface: `pa.RecordBatchReader.from_stream(stream)`.
    """

    def __init__(self, session: Session, handle: Any, query: str, held: ExitStack) -> None:
        self._session = session
        self._handle: Any = ffi.gc(handle, lib.lw_stream_close)
        self._lock = threading.RLock()  # of the handle
        self._query = query
        self._held = held  # tables and functions of the query
        self._schema = self._read_schema()
        _open.add(self)

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self._schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return self

    def __next__(self) -> pa.RecordBatch:
        import pyarrow as pa

        self._session.check_caller()
        array, error = ffi.new("struct ArrowArray*"), ffi.new("lw_error*")
        read = lib.interruptible_stream_next if in_main_thread() else lib.lw_stream_next
        with self._lock:
            if self._handle is None:
                raise StopIteration
            try:
                self._session.check(read(self._handle, array, error), error, self._query)
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
        self._session.check_caller()
        with self._lock:
            if self._handle is None:
                return
            ffi.release(self._handle)
            self._handle = None
            self._session.raised.clear()  # by functions whose rows were not read
            if self._session.is_open:
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


@atexit.register
def _close() -> None:
    """Ends streams that are still read: a later call of a function would abort the process."""
    for stream in list(_open):
        if stream._handle is not None:
            lib.lw_stream_cancel(stream._handle)
        if stream._lock.acquire(timeout=2):  # a function may never return
            stream.close()
