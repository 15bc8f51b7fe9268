"""The progress of a statement, as a line on standard error."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._connection import Connection

_PATIENCE, _INTERVAL, _WIDTH = 1.0, 0.1, 24  # seconds, seconds, characters


class Bar:
    """Shows how much of a connection's statement is done, once it takes longer than a second."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *ignored: object) -> None:
        self._done.set()
        self._thread.join()

    def _show(self) -> None:
        start = time.monotonic()
        if self._done.wait(_PATIENCE):
            return
        while not self._done.wait(_INTERVAL):
            share = self._connection.progress
            bar = "" if share is None else "━" * round(share * _WIDTH) + "╌" * (_WIDTH - round(share * _WIDTH)) + f" {share:4.0%} "
            sys.stderr.write(f"\r\033[K{bar}{time.monotonic() - start:.0f} s")
            sys.stderr.flush()
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
