"""Connections and cursors: PEP 249, and `sql` over data frames."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _device, _tables, errors
from ._bar import Bar
from ._function import Call, Function
from ._library import check, exported_schema, ffi, in_main_thread, lib, options, stream_capsule, stream_of, taken_text, text
from ._parameters import Parameters, row
from ._result import Result, rows_of
from ._session import Session
from ._stream import BatchStream
from ._tables import Scopes, scopes

if TYPE_CHECKING:
    import pyarrow as pa

_NOTHING = nullcontext()


class Connection:
    """A session: a database in memory or in a DuckDB file, its threads, and a memory limit.

    Threads may share it: it runs one statement at a time, and others wait. Close it, or use it in a `with` statement,
    to let the file go.
    """

    # PEP 249's extension for programs that use several modules.
    Warning, Error, InterfaceError, DatabaseError = errors.Warning, errors.Error, errors.InterfaceError, errors.DatabaseError
    DataError, OperationalError, IntegrityError = errors.DataError, errors.OperationalError, errors.IntegrityError
    InternalError, ProgrammingError, NotSupportedError = errors.InternalError, errors.ProgrammingError, errors.NotSupportedError

    def __init__(
        self,
        path: str | os.PathLike[str] = "",
        *,
        read_only: bool = False,
        threads: int = 0,
        memory_limit: int | str = "",
        temp_directory: str | os.PathLike[str] = "",
        device: str = "cpu",
        device_memory: int | str = "",
        fallback: str = "",
        lanes: str = "simd",
        progress: bool = False,
    ) -> None:
        """Opens a DuckDB file, or a database in memory.

        threads: 0 is one for each core. memory_limit, device_memory: bytes, or text such as "2GB". temp_directory: the folder
        for what exceeds memory_limit, "" for the system's; with "none" that raises OutOfMemory. device: "cpu", "cuda", "cuda:1", "auto". fallback: "duckdb" lets DuckDB answer what Lanewise cannot. lanes: "simd", "scalar", ... progress: a
        statement that takes more than a second shows a bar on standard error, in terminals and notebooks.

        Raises OperationalError: a bad option, or a file that cannot be opened.
        """
        out, error = ffi.new("lw_session**"), ffi.new("lw_error*")
        path = text(os.fspath(path), "the path").decode()
        with options(database="" if path == ":memory:" else path, read_only=read_only, threads=threads, memory_limit=memory_limit, device=device,
                     temp_directory=os.fspath(temp_directory), device_memory=device_memory, fallback=fallback, lanes=lanes) as (given, count):  # fmt: skip
            check(lib.lw_session_open(given, count, out, error), error)
        self._session = Session(out[0])
        self._bar = progress
        self._tables: set[str] = set()  # the names of registered ones, in lower case

    def sql(self, query: str, params: Parameters = None) -> Result:
        """Runs statements and returns the rows of the last one.

        A table that the database does not have is looked for among the caller's variables: anything with an
        `__arrow_c_stream__` (pyarrow, Polars, pandas, a relation of DuckDB, another Result), or a dict of NumPy or Arrow
        arrays. A connection with a GPU reads tables and dicts of arrays in its memory in place (cuDF, CuPy, PyTorch,
        a DeviceTable): see lanewise.DeviceTable. `params` has the values of ? in order, or of $name by name; they need a single statement.

        Raises SqlError, NotSupportedError, PatternError, DataError, OutOfMemory: see lanewise.Error.
        """
        return self._run(query, params, scopes(0))

    def stream(self, query: str, params: Parameters = None) -> BatchStream:
        """Starts one statement and returns its rows as they come, see BatchStream: for results larger than the memory.

        Rows of ORDER BY, GROUP BY and windows come when all are there. Tables are found as in `sql`. Raises the errors of `sql`, also while
        the rows are read.

        >>> with connect().stream("SELECT i FROM range(1_000_000) AS r(i) WHERE i % 100_000 = 7") as batches:
        ...     sum(batch.num_rows for batch in batches)
        10
        """
        return self._stream(query, params, scopes(0))

    def _stream(self, query: str, params: Parameters, names: Scopes) -> BatchStream:
        out, error = ffi.new("lw_stream**"), ffi.new("lw_error*")
        sql, session = text(query, "the statement"), self._session
        start = lib.interruptible_session_stream if in_main_thread() else lib.lw_session_stream
        with session, ExitStack() as added:
            added.enter_context(self._functions_added(_tables.functions(query, names)))
            added.enter_context(self._tables_added(self._named(query, names)))
            session.check(start(session.live(), sql, *row(params), out, error), error, query)
            return BatchStream(session, out[0], query, added.pop_all())

    def execute(self, query: str, params: Parameters = None) -> Cursor:
        """Runs statements as `sql` does, and returns a cursor on the rows."""
        cursor = self.cursor()
        cursor._take(self._run(query, params, scopes(0)))
        return cursor

    def executemany(self, query: str, many: Iterable[Parameters]) -> Cursor:
        """Runs a statement once for each element of `many`."""
        return self.cursor().executemany(query, many)

    def explain(self, query: str, params: Parameters = None) -> str:
        """The plan of a query, with lanes, matchers and estimates. The query does not run."""
        return self._explain(query, params, scopes(0))

    def _explain(self, query: str, params: Parameters, names: Scopes) -> str:
        out, error = ffi.new("char**"), ffi.new("lw_error*")
        sql, session = text(query, "the statement"), self._session
        with session, self._functions_added(_tables.functions(query, names)), self._tables_added(self._named(query, names)):
            session.check(lib.lw_session_explain(session.live(), sql, *row(params), out, error), error, query)
        return taken_text(out[0])

    def register(self, name: str, table: Any) -> None:
        """Makes an object a table of this name, which ignores case, until `unregister` or until the name is registered
        again."""
        with self._session:
            self._add(name, table, True)
            self._tables.add(name.lower())

    def _add(self, name: str, table: Any, keep: bool) -> None:
        if _device.is_on_device(table):
            _device.add(self._session, name, table)
            return
        capsule, error = _tables.stream(table, name), ffi.new("lw_error*")
        check(lib.lw_session_add_table(self._session.live(), text(name, "the name"), stream_of(capsule), keep, error), error)

    def unregister(self, name: str) -> None:
        """Undoes `register`. Raises OperationalError if there is no such table."""
        error = ffi.new("lw_error*")
        with self._session:
            check(lib.lw_session_drop_table(self._session.live(), text(name, "the name"), error), error)
            self._tables.discard(name.lower())

    def register_function(self, function: Function, name: str = "") -> None:
        """Makes a function of `lanewise.udf` callable by this name or its own, until `unregister_function` or until the
        name is registered again.

        Those that are variables of the caller need no registration. Raises OperationalError: SQL has a function of this name, or a type
        is not supported.
        """
        import pyarrow as pa

        if not isinstance(function, Function):
            raise errors.InterfaceError(f"the function is one of lanewise.udf, not a {type(function).__name__}")
        name = name or str(getattr(function, "__name__", ""))
        fields = [pa.field(str(place), kind) for place, kind in enumerate([*function.arguments, function.result])]
        session, sql_name, error = self._session, text(name, "the name"), ffi.new("lw_error*")
        signature, call = exported_schema(pa.schema(fields)), Call(function, session.raised)
        with session:
            check(lib.lw_session_add_function(session.live(), sql_name, signature, not function.nulls, lib.call_function, call.handle, error), error)
            session.functions[name.lower()] = call

    def unregister_function(self, name: str) -> None:
        """Undoes `register_function`. Raises OperationalError if there is no such function."""
        error = ffi.new("lw_error*")
        with self._session:
            check(lib.lw_session_drop_function(self._session.live(), text(name, "the name"), error), error)
            self._session.functions.pop(name.lower(), None)

    def cancel(self) -> None:
        """Cancels the running statement, which raises Cancelled. Call it from another thread."""
        self._session.cancel()

    @property
    def progress(self) -> float | None:
        """The progress of the running statement, 0 to 1, for use in another thread; None if it is unknown."""
        return self._session.progress()

    def cursor(self) -> Cursor:
        """A cursor on this connection; all of them share its transaction."""
        self._session.live()
        return Cursor(self)

    def begin(self) -> None:
        """Begins a transaction. Without one, every statement is a transaction of its own."""
        self._run("BEGIN", None, ())

    def commit(self) -> None:
        """Commits the transaction; does nothing if there is none."""
        self._end("COMMIT")

    def rollback(self) -> None:
        """Rolls back the transaction; does nothing if there is none."""
        self._end("ROLLBACK")

    def close(self) -> None:
        """Ends the session. Its results stay valid; any further use of the connection raises InterfaceError."""
        self._session.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _end(self, statement: str) -> None:
        try:
            self._run(statement, None, ())
        except errors.Error as error:
            if "no transaction is active" not in str(error):
                raise

    def _run(self, query: str, params: Parameters, names: Scopes, bar: bool = False) -> Result:
        out, error = ffi.new("lw_result**"), ffi.new("lw_error*")
        sql, session = text(query, "the statement"), self._session
        run = lib.interruptible_session_run if in_main_thread() else lib.lw_session_run
        functions = _tables.functions(query, names)
        with session, self._functions_added(functions) if functions else _NOTHING:
            tables = self._named(query, names)
            with self._tables_added(tables) if tables else _NOTHING, Bar(session) if bar or self._bar else _NOTHING:
                session.check(run(session.live(), sql, *row(params), out, error), error, query)
        return Result(out[0], session)

    def _run_over(self, tables: dict[str, Any], query: str, params: Parameters = None) -> Result:
        """Runs a statement while objects are tables of these names."""
        with self._session, self._tables_added(tables):
            return self._run(query, params, ())

    def _tables_added(self, tables: Mapping[str, Any]) -> _Added:
        """Makes objects tables of these names within `with`."""
        return _Added(tables, lambda name, table: self._add(name, table, False), self.unregister)

    def _functions_added(self, functions: Mapping[str, Function]) -> _Added:
        """Makes variables functions within `with`, unless other functions are registered by these names."""
        added = {name: function for name, function in functions.items() if name.lower() not in self._session.functions}
        return _Added(added, lambda name, function: self.register_function(function, name), self.unregister_function)

    def _named(self, query: str, names: Scopes) -> dict[str, Any]:
        """The variables that a statement names as tables, unless other tables are registered by these names."""
        found = {name: value for name, value in _tables.candidates(query, names).items() if name.lower() not in self._tables}
        named = self._table_names(query) if found else set()
        return {name: value for name, value in found.items() if name.lower() in named}

    def _table_names(self, query: str) -> set[str]:
        """The tables that a statement names, in lower case; none if it is wrong, since running it reports why."""
        import pyarrow as pa

        sql = text(query, "the statement")
        try:
            capsule = stream_capsule(lambda out, error: lib.lw_session_table_names(self._session.live(), sql, out, error))
        except errors.Error:
            return set()
        reader = pa.RecordBatchReader._import_from_c(int(ffi.cast("uintptr_t", stream_of(capsule))))
        return {name.lower() for name in reader.read_all().column("name").to_pylist()}


_shared: dict[str, Connection] = {}
_shared_lock = threading.Lock()


def shared(device: str = "cpu") -> Connection:
    """The connection of lanewise.sql."""
    with _shared_lock:
        if device not in _shared:
            _shared[device] = Connection(device=device)
        return _shared[device]


def host_table(value: Any, name: str) -> pa.Table:
    """The rows of a table of any kind, in the host's memory."""
    if not _device.is_on_device(value):
        return _tables.table(value, name)
    return _copying()._run_over({name: value}, f'FROM "{name}"').arrow()


@functools.cache
def _copying() -> Connection:
    """A connection of its own: that of lanewise.sql may have a table of the same name, or be busy."""
    return Connection(threads=1)


class _Added:
    """Objects that statements find by name within `with`."""

    def __init__(self, objects: Mapping[str, Any], add: Callable[[str, Any], None], remove: Callable[[str], None]) -> None:
        self.objects = objects
        self.add = add
        self.remove = remove
        self.added: list[str] = []

    def __enter__(self) -> None:
        try:
            for name, value in self.objects.items():
                self.add(name, value)
                self.added.append(name)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *ignored: object) -> None:
        while self.added:
            self.remove(self.added.pop())


class Cursor:
    """PEP 249's cursor. `description` has a tuple (name, type, None, None, None, None, None) for each column.

    `connection` is where it came from, `rowcount` the number of rows of the last query or -1, `arraysize` what `fetchmany` gives.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.arraysize = 1
        self.rowcount = -1
        self._result: Result | None = None
        self._rows: Iterator[tuple[Any, ...]] | None = None
        self._closed = False

    @property
    def description(self) -> list[tuple[str, str, None, None, None, None, None]] | None:
        """The columns of the last query; None if there are none."""
        if self._rows is None or self._result is None:
            return None
        return [(field.name, str(field.type), None, None, None, None, None) for field in self._result.schema]

    def execute(self, query: str, params: Parameters = None) -> Cursor:
        """Runs statements, see Connection.sql, and returns this cursor on the rows of the last one."""
        self._open()
        self._take(self.connection._run(query, params, scopes(0)))
        return self

    def executemany(self, query: str, many: Iterable[Parameters]) -> Cursor:
        """Runs a statement once for each element of `many`."""
        self._open()
        for params in many:
            self._take(self.connection._run(query, params, ()))
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row; None after the last one."""
        return next(self._next_rows(), None)

    def __next__(self) -> tuple[Any, ...]:
        return next(self._next_rows())

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        """The next `size` rows, or `arraysize`; fewer at the end."""
        wanted = self.arraysize if size is None else size
        return [row for _, row in zip(range(wanted), self._next_rows())]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The remaining rows."""
        return list(self._next_rows())

    def __iter__(self) -> Cursor:
        return self

    @property
    def result(self) -> Result:
        """All rows of the last statement, as returned by Connection.sql."""
        if self._result is None:
            raise errors.InterfaceError("no statement was executed")
        return self._result

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Required by PEP 249; it does nothing."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Required by PEP 249; it does nothing."""

    def close(self) -> None:
        """Releases the rows. Any further use raises InterfaceError."""
        self._closed = True
        self._result = self._rows = None

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _open(self) -> None:
        if self._closed:
            raise errors.InterfaceError("the cursor is closed")
        self.connection._session.live()

    def _next_rows(self) -> Iterator[tuple[Any, ...]]:
        self._open()
        if self._rows is None:
            raise errors.InterfaceError("there are no rows: no query was executed")
        return self._rows

    def _take(self, result: Result) -> None:
        self._result, self._rows, self.rowcount = result, None, -1
        if lib.lw_result_has_rows(result._handle):
            self.rowcount = len(result)
            self._rows = (row for batch in result.batches() for row in rows_of(batch))
