"""Text files of graphs, numbers and programs: byte order marks, capitals, fractions, false sizes."""

import resource

import pytest
from outputs import PROGRAM_TEXT

MARK = "\ufeff"


def test_a_byte_order_mark_before_a_program(lanewise, tmp_path):
    (tmp_path / "a.pram").write_text(MARK + PROGRAM_TEXT)
    assert lanewise("pram", "run", "a.pram", "-i", "A=3,4") == (0, "B = 3 4\n", "")
    assert lanewise("pram", "run", "-", "-i", "A=3,4", stdin=MARK + PROGRAM_TEXT) == (0, "B = 3 4\n", "")
    (tmp_path / "a.pram").write_text(MARK + "mode EREW\noutput x : int\nx = \n")
    assert "a.pram:3:" in lanewise("pram", "check", "a.pram")[2]


def test_a_byte_order_mark_before_numbers(lanewise, tmp_path):
    (tmp_path / "a.pram").write_text(PROGRAM_TEXT)
    (tmp_path / "numbers").write_text(MARK + "3 4\n")
    assert lanewise("pram", "run", "a.pram", "-i", "A=@numbers") == (0, "B = 3 4\n", "")


GRAPHS = {
    "edges": "1 2\n2 3\n",
    "edges with a comment": "# a comment\n1 2\n2 3\n",
    "neighbours": "1 : 2\n2 : 3\n3 :\n",
    "a.mtx": "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n",
    "a.csv": "src,dst\n1,2\n2,3\n",
}


@pytest.mark.parametrize("name", GRAPHS)
def test_a_byte_order_mark_before_a_graph(lanewise, tmp_path, name):
    (tmp_path / name).write_text(MARK + GRAPHS[name])
    assert lanewise("graph", "components", f"./{name}") == (0, "1 component\n", "")


@pytest.mark.parametrize("head", ["%%MATRIXMARKET MATRIX COORDINATE PATTERN GENERAL", "%%matrixmarket matrix coordinate Pattern general",
                                  "%%MatrixMarket  matrix\tcoordinate pattern general  "])
def test_a_banner_in_any_case(lanewise, tmp_path, head):
    (tmp_path / "a.mtx").write_text(f"{head}\n4 4 2\n1 2\n2 3\n")
    assert lanewise("graph", "components", "a.mtx") == (0, "2 components\n", "")


BANNER = "%%MatrixMarket matrix coordinate pattern general\n"


def five_seconds():
    """A program that takes too much processor time is ended."""
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))


@pytest.mark.parametrize("command", ["components", "bfs"])
@pytest.mark.parametrize("sizes", ["3000000000 3000000000 1", "1 9223372036854775807 1"])
def test_a_small_file_that_claims_much(lanewise, tmp_path, sizes, command):
    (tmp_path / "a.mtx").write_text(f"{BANNER}{sizes}\n1 1\n")
    more = ["--root", "0"] if command == "bfs" else []
    code, _, error = lanewise("graph", command, "a.mtx", *more, "--memory-limit", "100MB", preexec_fn=five_seconds)
    assert code == 2 and "a.mtx:2: " in error and "memory" in error, (code, error)


@pytest.mark.parametrize("entries", ["9223372036854775807", "3000000000"])
def test_entries_that_are_not_there(lanewise, tmp_path, entries):
    (tmp_path / "a.mtx").write_text(f"{BANNER}3 3 {entries}\n1 1\n")
    code, _, error = lanewise("graph", "components", "a.mtx")
    assert code == 2 and f"the header states {entries} entries, and 1 were found" in error, error


@pytest.mark.parametrize("end, text", [
    ("csv", "src,dst\n1.5,2\n"), ("csv", "src,dst\n1,2\n0.5,2\n"), ("csv", "src,dst\n1,1e300\n"), ("csv", "src,dst\n1,x\n"),
    ("txt", "1.5 2\n"), ("txt", "1 2\n0.5 2\n"), ("txt", "1 : 2.5\n"), ("mtx", f"{BANNER}3 3 1\n1.5 2\n"),
])
def test_a_vertex_is_a_whole_number(lanewise, tmp_path, end, text):
    (tmp_path / f"a.{end}").write_text(text)
    bad = next(word for word in text.replace(",", " ").split() if word in ("1.5", "0.5", "2.5", "1e300", "x"))
    line = next(i for i, line in enumerate(text.splitlines(), 1) if bad in line.replace(",", " ").split())
    for command in (["graph", "components", f"a.{end}"], ["pram", "run", "components", "--graph", f"a.{end}"]):
        code, out, error = lanewise(*command)
        assert (code, out) == (2, "") and f"a.{end}:{line}: " in error and f"'{bad}'" in error, error


def test_whole_numbers_may_be_doubles(lanewise, tmp_path):
    """A column with 1.0 and 2.0 contains whole numbers."""
    (tmp_path / "a.csv").write_text("src,dst\n1.0,2\n2.0,3\n")
    assert lanewise("graph", "components", "a.csv") == (0, "1 component\n", "")


@pytest.mark.parametrize("value, column", [("1.5", "src"), ("1e300", "src"), ("'x'", "dst"), ("'x'", "weight")])
def test_the_row_of_a_parquet_file_is_named(lanewise, tmp_path, value, column):
    values = {"src": "1.0", "dst": "2", "weight": "3"}
    first = ", ".join(f"{v} AS {c}" for c, v in values.items())
    second = ", ".join(f"{value if c == column else v}" for c, v in values.items())
    if value == "'x'":
        first = first.replace(f"{values[column]} AS {column}", f"'{values[column]}' AS {column}")
    assert lanewise("sql", "-c", f"SELECT {first} UNION ALL SELECT {second}", "-o", "a.parquet")[0] == 0
    code, out, error = lanewise("graph", "components", "a.parquet")
    assert (code, out) == (2, "") and error.startswith("error: a.parquet: row 2: expected a"), error


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.txt"])
def test_a_graph_that_cannot_be_read(lanewise, tmp_path, name):
    assert lanewise("graph", "components", name) == (2, "", f"error: cannot read '{name}': No such file or directory\n")
    (tmp_path / name).mkdir()
    assert lanewise("graph", "components", name) == (2, "", f"error: cannot read '{name}': Is a directory\n")


def test_a_graph_of_several_files(lanewise, tmp_path):
    for i in range(2):
        (tmp_path / f"a{i}.csv").write_text(f"src,dst\n{i},{i + 1}\n")
    assert lanewise("graph", "components", "a*.csv") == (0, "1 component\n", "")
