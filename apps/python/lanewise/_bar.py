"""The progress of a statement: a line on standard error in a terminal, a bar below the cell in a notebook."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from ._session import Session

_PATIENCE, _INTERVAL, _WIDTH = 1.0, 0.1, 24  # seconds, seconds, characters


class Bar:
    """Shows the progress of a session's statement, once it takes longer than a second."""

    def __init__(self, session: Session) -> None:
        self._session = session
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
        draw = _cell_output() or _terminal_line
        while not self._done.wait(_INTERVAL):
            draw(self._session.progress(), time.monotonic() - start)
        draw(None, None)


def _terminal_line(share: float | None, seconds: float | None) -> None:
    """Overwrites the line; without `seconds` it is cleared."""
    bar = "" if share is None else "━" * round(share * _WIDTH) + "╌" * (_WIDTH - round(share * _WIDTH)) + f" {share:4.0%} "
    sys.stderr.write("\r\033[K" + ("" if seconds is None else f"{bar}{seconds:.0f} s"))
    sys.stderr.flush()


def _cell_output() -> Callable[[float | None, float | None], None] | None:
    """The same below the running cell; None outside of notebooks."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if not hasattr(shell, "kernel"):
        return None
    shown = ipython.display.display({"text/plain": ""}, raw=True, display_id=True)

    def draw(share: float | None, seconds: float | None) -> None:
        done = "" if share is None else f' value="{share:.3f}"'
        html = "" if seconds is None else f"<progress{done}></progress> {'' if share is None else f'{share:.0%} '}{seconds:.0f} s"
        shown.update({"text/html": html, "text/plain": ""}, raw=True)

    return draw
