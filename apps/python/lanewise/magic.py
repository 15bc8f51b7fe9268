"""SQL in the cells of notebooks: `%load_ext lanewise`, then

    %lanewise SELECT 1          a line
    %%lanewise [-o NAME] [-c CONNECTION]
    SELECT ... FROM frame       a cell

Tables may be the notebook's variables, and so may CONNECTION, which `lanewise.connect` made. The rows are shown; -o keeps them as a
variable instead.
"""

from __future__ import annotations

import argparse
from typing import Any

from . import connection, errors
from ._result import Result


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise errors.InterfaceError(f"%%lanewise: {message}")


def register(shell: Any) -> None:
    """Gives an IPython shell the magics."""
    arguments = _Arguments("%%lanewise", add_help=False)
    arguments.add_argument("-o", "--output", metavar="NAME")
    arguments.add_argument("-c", "--connection", metavar="CONNECTION")

    def lanewise(line: str, cell: str | None = None) -> Result | None:
        if cell is None:
            return connection()._run(line, None, (shell.user_ns,))
        given = arguments.parse_args(line.split())
        if given.connection and given.connection not in shell.user_ns:
            raise errors.InterfaceError(f"%%lanewise: there is no variable '{given.connection}'")
        used = shell.user_ns[given.connection] if given.connection else connection()
        result: Result = used._run(cell, None, (shell.user_ns,))
        if given.output is None:
            return result
        shell.user_ns[given.output] = result
        return None

    shell.register_magic_function(lanewise, "line_cell", "lanewise")
