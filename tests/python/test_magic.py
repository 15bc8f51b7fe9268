"""%%lanewise in IPython."""

import lanewise as lw
import pyarrow as pa
import pytest
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def shell():
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.user_ns["rows"] = pa.table({"x": [1, 2]})
    shell.run_line_magic("load_ext", "lanewise")
    yield shell
    InteractiveShell.clear_instance()


def test_lines_and_cells(shell):
    assert shell.run_line_magic("lanewise", "SELECT max(x) FROM rows").fetchall() == [(2,)]
    assert shell.run_cell_magic("lanewise", "", "SELECT min(x)\nFROM rows").fetchall() == [(1,)]
    assert shell.run_cell_magic("lanewise", "-o found", "SELECT sum(x) AS s FROM rows") is None and shell.user_ns["found"].fetchall() == [(3,)]
    with lw.connect() as shell.user_ns["mine"]:
        shell.user_ns["mine"].execute("CREATE TABLE own AS SELECT 7 AS x")
        assert shell.run_cell_magic("lanewise", "-c mine", "SELECT x FROM own").fetchall() == [(7,)]


def test_errors(shell):
    with pytest.raises(lw.InterfaceError, match="'nix'"):
        shell.run_cell_magic("lanewise", "-c nix", "SELECT 1")
    with pytest.raises(lw.InterfaceError, match="'rows'"):
        shell.run_cell_magic("lanewise", "-c rows", "SELECT 1")
    with pytest.raises(lw.InterfaceError, match="-x"):
        shell.run_cell_magic("lanewise", "-x", "SELECT 1")
    with pytest.raises(lw.SqlError):
        shell.run_line_magic("lanewise", "SELEC 1")


@pytest.mark.filterwarnings("ignore:.*complete. is pending deprecation")
def test_completion(shell):
    with lw.connect() as shell.user_ns["mine"]:
        completed = {line: sorted(shell.complete(line.split(" ")[-1], line, len(line))[1])
                     for line in ("%%lanewise -", "%%lanewise --c", "%%lanewise -c ", "%%lanewise -c m", "%%lanewise -o found -")}
    assert completed == {"%%lanewise -": ["--connection", "--output", "-c", "-o"], "%%lanewise --c": ["--connection"], "%%lanewise -c ": ["mine"],
                         "%%lanewise -c m": ["mine"], "%%lanewise -o found -": ["--connection", "--output", "-c", "-o"]}


def test_tables_of_a_result():
    shown = lw.sql("SELECT '<b>' AS \"a&b\", NULL AS n FROM range(30)")._repr_html_()
    assert "<th>a&amp;b</th>" in shown and shown.count("<td>&lt;b&gt;</td><td>NULL</td>") == 20 and "30 rows, the first 20 are shown" in shown
