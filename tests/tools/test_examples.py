"""Examples in READMEs are those that tests compile and run."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def statements(code):
    """Lines without comments and without what only a test says."""
    lines = (re.sub(r"\s*//.*", "", line).strip() for line in code.splitlines())
    return [line for line in lines if line and not line.startswith("EXPECT_")]


def test_index_readme():
    shown = statements(re.search(r"```cpp\n(.*?)```", (ROOT / "engine/index/README.md").read_text(), re.S)[1])
    tested = statements((ROOT / "engine/index/index_test.cc").read_text().split("// [example]")[1])
    assert len(shown) > 15
    at = 0
    for line in shown:
        assert line in tested[at:], f"the example of engine/index/README.md has a line that no test runs in this place: {line}"
        at = tested.index(line, at) + 1
