"""The English check finds foreign words and word orders, in pages and in the program's help."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_english  # noqa: E402
import pytest  # noqa: E402

BAD = [
    ("It is twice as fast beside DuckDB.", "'beside'"),
    ("Bytes behind the last row are zero.", "'behind'"),
    ("It looks up all texts.", "'texts'"),
    ("The filter asks the index.", "'asks'"),
    ("The profile tells how busy lanes were.", "'tells'"),
    ("This way is dearer.", "'dearer'"),
    ("It reads the present batch.", "'the present batch'"),
    ("The index refuses it.", "'refuses'"),
    ("This is no error.", "'is no'"),
    ("Limits that are no constants are rejected.", "'are no'"),
    ("The page has not the heading.", "'has not'"),
    ("It loads less rows.", "'less rows'"),
    ("Predicted was a second.", "'Predicted was'"),
    ("What the filter leaves is a bitmap.", "a subject that is a noun"),
    ("Of the output; default: table", "head noun first"),
    ("word " * 26 + "end.", "a sentence of 27 words"),
]


@pytest.mark.parametrize("text, fault", BAD)
def test_finds(text, fault):
    assert any(fault in found for found in check_english.faults(text)), list(check_english.faults(text))


@pytest.mark.parametrize("text", [
    "There is no limit. It is no longer needed. The file has not been read, the program has not ended. There are no rows.",
    "What is a lane?",
    "Use `texts beside behind` and [links](asks.md).",
    "word " * 20 + "end. " + "word " * 20 + "end.",
    "What it holds",  # a table cell or a heading
])
def test_leaves_alone(text):
    assert list(check_english.faults(text)) == []


def test_names_the_line(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.md").write_text("# behind\n\n```\nbehind\n```\n\n- fine\n- a line\n  behind it\n\n| texts | fine |\n")
    (tmp_path / "apps/cli").mkdir(parents=True)
    (tmp_path / "apps/cli/x_command.cc").write_text('int behind;\nadd("--x", x, "Lines "\n    "behind it");\nR"(Fine.\n\n  lanewise x behind\n)";\n')
    (tmp_path / "engine/a").mkdir(parents=True)
    (tmp_path / "engine/a/x.h").write_text('int behind;  // `behind` the last\n/// Bytes behind it.\nint b = 1;  ///< nobody reads it\ncall("// texts");\n')
    assert [problem.split(": '")[0] for problem in check_english.check(tmp_path)] == [
        "a.md:8", "a.md:11", "apps/cli/x_command.cc:2", "engine/a/x.h:2", "engine/a/x.h:3"]
