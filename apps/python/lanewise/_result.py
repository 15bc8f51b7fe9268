"""The rows of a statement."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import errors
from ._device import DeviceTable
from ._library import Stream, check, ffi, lib, stream_capsule
from ._session import Session

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_SHOWN = 20


class Result:
    """The rows of a query. Every method may be called again; none changes the result.

    Other libraries take it as it is, by Arrow's PyCapsule interface: `pl.DataFrame(result)`, `pa.table(result)`.
    """

    def __init__(self, handle: Any, session: Session) -> None:
        self._handle = ffi.gc(handle, lib.lw_result_close)
        self._session = session

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return stream_capsule(lambda stream, error: lib.lw_result_stream(self._handle, stream, error))

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The rows as one struct array: a copy if the result has several batches."""
        import pyarrow as pa

        table = self.arrow().combine_chunks()
        batches = table.to_batches() or [pa.RecordBatch.from_arrays([pa.array([], field.type) for field in table.schema], schema=table.schema)]
        if len(batches) > 1:
            raise errors.InterfaceError("the texts of a column have more than 2 GiB, which no array of theirs holds: read the result as a stream")
        capsules: tuple[object, object] = batches[0].__arrow_c_array__(requested_schema)
        return capsules

    def __len__(self) -> int:
        """The number of rows."""
        return int(lib.lw_result_rows(self._handle))

    @property
    def engine(self) -> str:
        """The engine that answered: "lanewise" or "duckdb"."""
        return self._text(lib.lw_result_engine)

    @property
    def fallback_reason(self) -> str:
        """Why DuckDB answered a query; empty if Lanewise did."""
        return self._text(lib.lw_result_fallback_reason)

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self._reader().schema

    def profile(self) -> str:
        """A line for each operator: rows in and out, time summed over threads, lanes or device."""
        return self._text(lib.lw_result_profile)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as record batches, one after the other, without a copy. The result is complete before the first one."""
        yield from self._reader()

    def arrow(self) -> pa.Table:
        """The rows as a pyarrow.Table. It shares buffers with the result if Arrow has the same layout."""
        return self._reader().read_all()

    def df(self) -> pd.DataFrame:
        """The rows as a pandas.DataFrame, by pyarrow's rules: integers with NULLs become floats, and so do HUGEINTs, like sums of BIGINT.

        Arrow gives HUGEINT and DECIMAL(38, 0) one type, so the latter becomes floats too.
        """
        table = self.arrow()
        for at, field in enumerate(table.schema):
            if is_hugeint(field.type):
                table = table.set_column(at, field.name, table.column(at).cast("float64"))
        return table.to_pandas()

    def pl(self) -> pl.DataFrame:
        """The rows as a polars.DataFrame."""
        import polars as pl

        return pl.DataFrame(Stream(lambda stream, error: lib.lw_result_stream(self._handle, stream, error)))

    def to_device(self) -> DeviceTable:
        """The rows in the memory of the connection's GPU, for cuDF, CuPy, PyTorch, Numba and others.

        Rows that the GPU made are still there if they are more than 1 MB: they are not copied, and the result shares their memory. Copy
        what you write to, or later reads of the result see it. Other rows are copied from the host.

        Raises OperationalError: the connection has no GPU. OutOfMemory.
        """
        with self._session:
            return DeviceTable._kept(self._handle) or DeviceTable._copy(self._session, self.arrow())

    def numpy(self) -> dict[str, np.ndarray[Any, Any]]:
        """The columns as NumPy arrays of shape (rows,) by name; those with NULLs are masked arrays."""
        import numpy as np

        columns = {}
        table = self.arrow()
        for name, column in zip(table.column_names, table.columns):
            if column.null_count == 0:
                columns[name] = column.to_numpy()
                continue
            mask = column.is_null().to_numpy()
            present = column.drop_null().to_numpy()
            values = np.zeros(len(column), present.dtype)
            values[~mask] = present
            columns[name] = np.ma.masked_array(values, mask)
        return columns

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows as tuples of Python values."""
        return [row for batch in self._reader() for row in rows_of(batch)]

    def _reader(self) -> pa.RecordBatchReader:
        import pyarrow as pa

        stream, error = ffi.new("struct ArrowArrayStream*"), ffi.new("lw_error*")
        check(lib.lw_result_stream(self._handle, stream, error), error)
        return pa.RecordBatchReader._import_from_c(int(ffi.cast("uintptr_t", stream)))

    def __repr__(self) -> str:
        names, rows = self._head()
        widths = [max(map(len, column)) for column in zip(names, *rows)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [names, *rows]]
        return "\n".join([*lines, self._count()])

    def _repr_html_(self) -> str:
        names, rows = self._head()
        cells = ["".join(f"<th>{html.escape(name)}</th>" for name in names)]
        cells += ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + f"</table><p>{self._count()}</p>"

    def _head(self) -> tuple[list[str], list[list[str]]]:
        shown: list[list[str]] = []
        for batch in self.batches():  # not all of them: they may be larger than the memory
            shown += (["NULL" if cell is None else str(cell) for cell in row] for row in rows_of(batch.slice(0, _SHOWN - len(shown))))
            if len(shown) == _SHOWN:
                break
        return self.schema.names, shown

    def _count(self) -> str:
        more = f", the first {_SHOWN} are shown" if len(self) > _SHOWN else ""
        return f"{len(self)} row{'' if len(self) == 1 else 's'}{more}"

    def _text(self, get: Any) -> str:
        text: bytes = ffi.string(get(self._handle))
        return text.decode(errors="replace")


def is_hugeint(type: pa.DataType) -> bool:
    """Whether this Arrow type may be a HUGEINT, since Arrow does not have integers of 128 bits; DECIMAL(38, 0) has the
    same type."""
    import pyarrow as pa

    return pa.types.is_decimal128(type) and (type.precision, type.scale) == (38, 0)


def rows_of(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch as tuples of Python values."""
    return zip(*(_values_of(column) for column in batch.columns))


def _values_of(column: pa.Array) -> list[Any]:
    values: list[Any] = column.to_pylist()
    return [None if value is None else int(value) for value in values] if is_hugeint(column.type) else values
