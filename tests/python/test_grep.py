"""lw.grep against `re` and the program."""

import re
import subprocess
from pathlib import Path

import lanewise as lw
import pytest
from conftest import BUILD

ROOT = Path(__file__).resolve().parents[2]


def test_lines_are_those_of_re():
    pattern = r"class \w+ (?:final )?:"
    expected = []
    for path in sorted((ROOT / "engine/text").rglob("*.h")):
        for number, line in enumerate(path.read_text().split("\n"), 1):
            if re.search(pattern, line):
                expected.append((str(path), number, line, re.findall(pattern, line)))
    found = lw.grep(pattern, ROOT / "engine/text", glob="*.h").to_pylist()
    assert expected and [(row["path"], row["line"], row["text"], row["matches"]) for row in found] == expected
    for row in found:
        assert Path(row["path"]).read_bytes()[row["offset"] :].startswith(row["text"].encode())


def test_options(tmp_path):
    (tmp_path / "a.txt").write_text("Apple\nb.n\nban\n")
    (tmp_path / ".hidden.txt").write_text("apple\n")
    (tmp_path / "b.md").write_bytes(b"apple \xff\n")

    def texts(pattern, **options):
        return lw.grep(pattern, tmp_path, **options).column("text").to_pylist()

    assert texts("apple") == ["apple \ufffd"] and texts("apple", ignore_case=True) == ["Apple", "apple \ufffd"]
    assert texts("apple", hidden=True, glob="!*.md") == ["apple"] and texts("b.n", fixed=True) == ["b.n"] and texts(["Ap", "ban"]) == ["Apple", "ban"]
    assert lw.grep("b", tmp_path / "a.txt", invert=True, max_count=1).column("text").to_pylist() == ["Apple"] and texts("b.n", word=True) == ["b.n", "ban"] and texts("nix") == []
    assert texts("Apple\nb", multiline=True) == ["Apple\nb.n"] and texts("ban", file_type="txt") == ["ban"]


def test_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "x").write_text("needle\n")
    monkeypatch.chdir(tmp_path)
    assert lw.grep("needle").column("path").to_pylist() == [subprocess.run([BUILD / "lanewise", "grep", "-l", "needle", "."], capture_output=True, text=True).stdout.strip()]


def test_errors():
    with pytest.raises(lw.PatternError, match="missing closing"):
        lw.grep("(", ROOT / "README.md")
    with pytest.raises(lw.OperationalError, match="/no/such/file"):
        lw.grep("x", "/no/such/file")
    with pytest.raises(lw.InterfaceError, match="NUL"):
        lw.grep("a\0b", ROOT / "README.md")
