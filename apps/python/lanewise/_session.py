"""What the parts of a connection share: the session of C, and who may use it."""

from __future__ import annotations

import atexit
import contextlib
import threading
import weakref
from typing import Any

from . import errors
from ._function import Call
from ._library import check, ffi, lib

_open: weakref.WeakSet[Session] = weakref.WeakSet()


class Session:
    """A session of C. Within `with` it is open, and no other thread uses it."""

    def __init__(self, handle: Any) -> None:
        self._handle: Any = ffi.gc(handle, lib.lw_session_close)
        self._lock = threading.RLock()
        self.functions: dict[str, Call] = {}  # by names in lower case; C has their addresses
        self.raised: list[BaseException] = []  # raised by functions of the running statement
        _open.add(self)

    @property
    def is_open(self) -> bool:
        return self._handle is not None

    def live(self) -> Any:
        """The handle, for one call: a variable would keep the session open. Raises InterfaceError: it cannot be used."""
        self.check_caller()
        handle = self._handle
        if handle is None:
            raise errors.InterfaceError("the connection is closed")
        return handle

    def __enter__(self) -> None:
        self.check_caller()  # before it waits: the statement that called the function has the lock
        self._lock.acquire()
        if self._handle is None:
            self._lock.release()
            raise errors.InterfaceError("the connection is closed")

    def __exit__(self, *ignored: object) -> None:
        self._lock.release()

    def check(self, code: int, error: Any, query: str) -> None:
        """check() for a statement that may have called functions."""
        causes = sorted(self.raised, key=lambda raised: isinstance(raised, Exception))  # KeyboardInterrupt comes first
        self.raised.clear()
        if code == lib.LW_OK:
            return
        if causes and not isinstance(causes[0], Exception):
            lib.lw_error_release(error)
            raise causes[0]
        check(code, error, query, causes[-1] if causes else None)

    def cancel(self) -> None:
        lib.lw_session_cancel(self.live())

    def progress(self) -> float | None:
        """The finished share of the running statement; None if it is unknown."""
        share = lib.lw_session_progress(self.live())
        return share if share >= 0 else None

    def close(self) -> None:
        self.check_caller()
        with self._lock:
            self._handle = None  # not ffi.release(): another thread may be in cancel()

    def check_caller(self) -> None:
        if Call.runs_for(self.raised):
            raise errors.InterfaceError("a function cannot use the connection that calls it")


@atexit.register
def _end_calls() -> None:
    """Ends statements of daemon threads that call functions: a later call of a function would abort the process."""
    for session in list(_open):
        for _ in range(200 if session.functions else 0):  # two seconds, since a function may never return
            if session._lock.acquire(timeout=0.01) or not session.is_open:
                break
            with contextlib.suppress(errors.InterfaceError):  # closed meanwhile
                session.cancel()
