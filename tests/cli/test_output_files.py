"""Names of output files: the format that an extension chooses, and names that are rejected before any work is done."""

import json
import os
import subprocess

import pyarrow.parquet
import pytest
from conftest import PROGRAM, processor_seconds

FORMATS = ".csv, .json, .ndjson, .jsonl, .md, .markdown, .parquet, .arrow, .feather, .arrows or .txt"
RESULTS = {
    "sql": ["sql", "-c", "SELECT 1 AS i"],
    "index query": ["index", "query", "a.index", "--keys", "a.csv"],
    "graph": ["graph", "components", "./graph"],
}
TEXTS = {
    "pram run": ["pram", "run", "a.pram", "-i", "A=1,2"],
    "pram trace": ["pram", "trace", "a.pram", "-i", "A=1,2"],
}


@pytest.mark.parametrize("case", RESULTS)
@pytest.mark.parametrize("name", ["x.foo", "x.CVS", "a.csv.gz", "x.", "x.orc", "../x.xlsx"])
def test_an_ending_that_no_format_has(lanewise, files, case, name):
    before = sorted(path.name for path in files.iterdir())
    code, out, error = lanewise(*RESULTS[case], "-o", name)
    assert (code, out) == (2, "")
    assert f"'{name}'" in error and "no format has the extension" in error and FORMATS in error, error
    assert sorted(path.name for path in files.iterdir()) == before


@pytest.mark.parametrize("case", TEXTS)
@pytest.mark.parametrize("name", ["x.parquet", "x.csv", "x.md", "x.foo"])
def test_programs_write_text_or_json(lanewise, files, case, name):
    code, out, error = lanewise(*TEXTS[case], "-o", name)
    assert (code, out) == (2, "") and f"'{name}'" in error and "JSON" in error, error
    assert not (files / name).exists()


@pytest.mark.parametrize("case", RESULTS)
@pytest.mark.parametrize("name", ["out", "./out", "../out", "a.b/out", ".out", "out.txt", "x.y.csv"])
def test_names_that_are_right(lanewise, files, case, name):
    (files / "a.b").mkdir()
    assert lanewise(*RESULTS[case], "-o", name)[::2] == (0, "")
    assert ("──" in (files / name).read_text()) == (not name.endswith(".csv"))
    (files / name).unlink()


def test_a_format_that_is_given_decides(lanewise, files):
    assert lanewise(*RESULTS["sql"], "--format", "json", "-o", "x.foo") == (0, "", "")
    assert json.loads((files / "x.foo").read_text()) == [{"i": 1}]
    assert lanewise(*TEXTS["pram run"], "--format", "json", "-o", "x.out") == (0, "", "")
    assert json.loads((files / "x.out").read_text()) == {"B": [1, 2]}


@pytest.mark.parametrize("case", RESULTS)
def test_an_index_is_not_replaced_by_a_result(lanewise, files, case):
    """Text must not overwrite an index, even if the command did not create it."""
    (files / "old").write_bytes((files / "a.index").read_bytes())
    code, _, error = lanewise(*RESULTS[case], "-o", "old")
    assert code == 2 and "'old' is an index" in error, error
    assert (files / "old").read_bytes() == (files / "a.index").read_bytes()


def test_an_index_may_be_built_again(lanewise, files):
    (files / "b.csv").write_text("k\n7\n8\n9\n")
    assert lanewise("index", "build", "b.csv", "--key", "k", "-o", "a.index") == (0, "", "")
    assert lanewise("index", "verify", "a.index")[1].startswith("3 entries")


@pytest.mark.parametrize("output", ["p.json", "new/deep/p.json"])
def test_tune_writes_any_path(lanewise, tmp_path, output):
    code, out, error = lanewise("tune", "--output", output)
    assert (code, error) == (0, "") and out.endswith(f"Stored in {output}\n"), error
    assert json.loads((tmp_path / output).read_text())["version"]
    assert [path.name for path in (tmp_path / output).parent.iterdir()] == ["p.json"]


def test_tune_says_at_once_that_it_cannot_write(lanewise, tmp_path):
    """At once, not after a minute of measuring."""
    (tmp_path / "folder").mkdir()
    before = processor_seconds()
    code, out, error = lanewise("tune", "--output", "folder")
    assert (code, out) == (2, "") and "cannot write 'folder'" in error, error
    assert processor_seconds() - before < 0.5


WRITERS = {**RESULTS, **TEXTS, "index build": ["index", "build", "a.csv", "--key", "k"]}


@pytest.mark.parametrize("case", WRITERS)
@pytest.mark.parametrize("output", ["folder", "folder/", "missing/out", "a.csv/out", "x" * 300])
def test_outputs_that_cannot_be(lanewise, files, case, output):
    (files / "folder").mkdir()
    before = sorted(path.name for path in files.iterdir())
    code, out, error = lanewise(*WRITERS[case], "-o", output)
    assert (code, out) == (2, "") and error.startswith(f"error: cannot write '{output}': "), error
    assert sorted(path.name for path in files.iterdir()) == before


@pytest.mark.parametrize("end", ["csv", "parquet", "json"])
def test_names_that_are_not_utf8(files, end):
    """A file name may have any bytes; DuckDB, which writes Parquet, accepts UTF-8 only."""
    name = b"caf\xe9." + end.encode()
    done = subprocess.run([PROGRAM, "sql", "-c", "SELECT 1 AS i", "-o", name], cwd=files, capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done
    path = os.path.join(os.fsencode(files), name)
    with open(path, "rb") as file:
        if end == "parquet":
            assert pyarrow.parquet.read_table(file).to_pylist() == [{"i": 1}]
        else:
            assert b"1" in file.read()


FOLDERS = {
    "sql -f": ["sql", "-f", "/etc"],
    "sql --db": ["sql", "--db", "/etc", "-c", "SELECT 1"],
    "sql FROM": ["sql", "-c", "FROM '/etc'"],
    "grep -f": ["grep", "-f", "/etc", "a.csv"],
    "index build": ["index", "build", "/etc", "--key", "k", "-o", "b.index"],
    "index query": ["index", "query", "/etc", "--keys", "a.csv"],
    "index query keys": ["index", "query", "a.index", "--keys", "/etc"],
    "index insert": ["index", "insert", "/etc", "--from", "a.csv"],
    "pram run": ["pram", "run", "/etc"],
    "pram run numbers": ["pram", "run", "a.pram", "-i", "A=@/etc"],
    "pram run graph": ["pram", "run", "components", "--graph", "/etc"],
    "pram check": ["pram", "check", "/etc"],
    "pram explain": ["pram", "explain", "/etc"],
    "pram trace": ["pram", "trace", "/etc"],
    "pram fmt": ["pram", "fmt", "/etc"],
    "graph": ["graph", "components", "/etc"],
}


@pytest.mark.parametrize("case", FOLDERS)
def test_a_folder_is_not_a_file(lanewise, files, case):
    code, out, error = lanewise(*FOLDERS[case])
    assert (code, out) == (2, "") and error.startswith("error: ") and "/etc" in error, (code, error)
    if case in ("sql -f", "grep -f") or case.startswith(("pram", "graph")):
        assert error == "error: cannot read '/etc': Is a directory\n"
