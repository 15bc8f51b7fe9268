"""SQL in the cells of notebooks: `%load_ext lanewise`, then

    %lanewise SELECT 1          a line
    %%lanewise [-o NAME] [-c CONNECTION]
    SELECT ... FROM frame       a cell

Tables may be the notebook's variables, and so may CONNECTION, which `lanewise.connect` made. The rows are shown; -o keeps them as a
variable instead. A statement that takes more than a second shows its progress. Tab completes options and names of connections.
"""

from __future__ import annotations

import argparse
from typing import Any

from . import errors
from ._connection import Connection, shared
from ._result import Result

_OUTPUT, _CONNECTION = ("-o", "--output"), ("-c", "--connection")


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise errors.InterfaceError(f"%%lanewise: {message}")


def register(shell: Any) -> None:
    """Registers the magics in an IPython shell."""
    arguments = _Arguments("%%lanewise", add_help=False)
    arguments.add_argument(*_OUTPUT, metavar="NAME")
    arguments.add_argument(*_CONNECTION, metavar="CONNECTION")

    def lanewise(line: str, cell: str | None = None) -> Result | None:
        if cell is None:
            return shared()._run(line, None, (shell.user_ns,), True)
        given = arguments.parse_args(line.split())
        used = shell.user_ns.get(given.connection) if given.connection else shared()
        if not isinstance(used, Connection):
            raise errors.InterfaceError(f"%%lanewise: there is no connection '{given.connection}'")
        result = used._run(cell, None, (shell.user_ns,), True)
        if given.output is None:
            return result
        shell.user_ns[given.output] = result
        return None

    def complete(_shell: Any, event: Any) -> list[str]:
        before = event.text_until_cursor.removesuffix(event.symbol).split()[-1]
        if before in _CONNECTION:
            return [name for name, value in shell.user_ns.items() if isinstance(value, Connection) and not name.startswith("_")]
        return [] if before in _OUTPUT else [*_OUTPUT, *_CONNECTION]

    shell.register_magic_function(lanewise, "line_cell", "lanewise")
    shell.set_hook("complete_command", complete, str_key="%%lanewise")
