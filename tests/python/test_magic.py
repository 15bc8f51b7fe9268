"""%%lanewise, in IPython where it is installed, else in what it needs of it."""

from types import SimpleNamespace

import lanewise as lw
import pyarrow as pa
import pytest


@pytest.fixture
def magic():
    shell = SimpleNamespace(user_ns={"rows": pa.table({"x": [1, 2]})}, magics={})
    shell.register_magic_function = lambda function, kind, name: shell.magics.update({(kind, name): function})
    lw.load_ipython_extension(shell)
    return shell, shell.magics["line_cell", "lanewise"]


def test_lines_and_cells(magic):
    shell, lanewise = magic
    assert lanewise("SELECT max(x) FROM rows").fetchall() == [(2,)]
    assert lanewise("", "SELECT min(x)\nFROM rows").fetchall() == [(1,)]
    assert lanewise("-o found", "SELECT sum(x) AS s FROM rows") is None and shell.user_ns["found"].fetchall() == [(3,)]
    with lw.connect() as shell.user_ns["mine"]:
        shell.user_ns["mine"].execute("CREATE TABLE own AS SELECT 7 AS x")
        assert lanewise("-c mine", "SELECT x FROM own").fetchall() == [(7,)]


def test_errors(magic):
    _, lanewise = magic
    with pytest.raises(lw.InterfaceError, match="'nix'"):
        lanewise("-c nix", "SELECT 1")
    with pytest.raises(lw.InterfaceError, match="-x"):
        lanewise("-x", "SELECT 1")
    with pytest.raises(lw.SqlError):
        lanewise("SELEC 1")


def test_a_real_shell():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    shell.run_cell("import pyarrow as pa\nrows = pa.table({'x': [1, 2]})\n%load_ext lanewise")
    assert shell.run_line_magic("lanewise", "SELECT max(x) FROM rows").fetchall() == [(2,)]
    assert shell.run_cell_magic("lanewise", "", "SELECT min(x) FROM rows").fetchall() == [(1,)]
