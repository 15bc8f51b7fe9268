"""The text check finds text that does not belong in the repository."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_text  # noqa: E402
import pytest  # noqa: E402


def problems(tmp_path, name, text):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    return check_text.check(tmp_path)


SLASH = "/"
BAD = [
    ("a.cc", f"// see {SLASH}home/me/notes", "a path of somebody's machine"),
    ("a.cc", f"// see {SLASH}root/notes", "a path of somebody's machine"),
    ("a.md", "see ../" + "elsewhere/notes.md", "leaves the repository"),
    ("a.py", "# TO" + "DO: later", "work left to be done"),
    ("a.sh", "curl http" + "://example.com/x", "an address"),
    ("a.md", "as iss" + "ue 12 says", "a ticket"),
    ("a.md", "[more](gone.md)", "leads nowhere"),
    ("a.md", "# Here\n[more](#there)", "does not have a heading #there"),
    ("a.md", "as engine/base/" + "gone.h says", "is not there"),
]


@pytest.mark.parametrize("lines", [8, 9])
def test_a_readme_of_the_engine_is_short(tmp_path, lines):
    found = problems(tmp_path, "engine/a/README.md", "# a\n" + "\nOne line.\n" * lines)
    assert found == ([f"engine/a/README.md: {lines} lines, of 8 at most: how it works belongs into docs/understand"] if lines > 8 else [])


@pytest.mark.parametrize("name, text, rule", BAD)
def test_names_the_line_and_the_rule(tmp_path, name, text, rule):
    found = problems(tmp_path, name, f"first line\n{text}\n")
    assert found and found[0].startswith(f"{name}:{2 + text.count(chr(10))}: ") and rule in found[0]


def test_good_text(tmp_path):
    (tmp_path / "b.md").write_text("more")
    assert problems(tmp_path, "a.md", "# A `b` - c\n[more](b.md), [here](#a-b---c), https://doi.org/10.1/x, a homework, 1/2\n") == []


def test_git_ignores_are_ours_too(tmp_path):
    (tmp_path / ".gitignore").write_text("a.md\n")
    assert problems(tmp_path, "a.md", "TO" + "DO\n") == []
