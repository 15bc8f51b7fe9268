"""Tests compile and run the examples of the documentation."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.M | re.S)


def statements(code):
    """Lines without comments, and without lines that only a test needs."""
    lines = (re.sub(r"\s*//.*", "", line).strip() for line in code.splitlines())
    return [line for line in lines if line and not line.startswith("EXPECT_")]


# The examples of docs/use/ordered-index.md: the test that runs each, and lines that the test writes differently.
INDEX_EXAMPLES = {
    "engine/index/index_test.cc": set(),
    "engine/index/gpu/example_test.cc": {"DeviceIndex there(index, gpu::Driver::system().device(0));",
                                         "const size_t hits = there.find(asked, orders, found);",
                                         "{ const Index closed = std::move(index); }"},
}


@pytest.mark.parametrize(("block", "test"), list(enumerate(INDEX_EXAMPLES)))
def test_index_examples(block, test):
    page = (ROOT / "docs/use/ordered-index.md").read_text()
    shown = statements(re.findall(r"```cpp\n(.*?)```", page, re.S)[block])
    tested = statements((ROOT / test).read_text().split("// [example]")[1])
    assert len(shown) > 15 and INDEX_EXAMPLES[test] <= set(shown)
    at = 0
    for line in shown:
        if line not in INDEX_EXAMPLES[test]:
            assert line in tested[at:], f"an example of docs/use/ordered-index.md has a line that {test} does not run in this place: {line}"
            at = tested.index(line, at) + 1


@pytest.mark.parametrize("page", ["README.md", "docs/use/cpp.md"])
def test_consumer(page):
    """tests/consumer builds and runs the example of these pages."""
    blocks = re.findall(r"```(cpp|cmake)\n(.*?)```", (ROOT / page).read_text(), re.S)
    for kind, shown in blocks:
        assert shown == (ROOT / "tests/consumer" / {"cpp": "main.cc", "cmake": "CMakeLists.txt"}[kind]).read_text()
    assert ("cpp" in dict(blocks)) and (page == "README.md" or "cmake" in dict(blocks))


def commands(page):
    """Each command of a page's `console` blocks, with its output; lines that begin with > continue a command."""
    for block in BLOCK.findall(page.read_text()):
        for command, output in re.findall(r"^\$ (.*\n(?:> .*\n)*)((?:(?!\$ ).*\n)*)", block, re.M):
            yield command.replace("\n> ", "\n").rstrip("\n"), output


def run(command, folder):
    env = os.environ | {"PATH": f"{BUILD}:{os.environ['PATH']}", "XDG_CONFIG_HOME": str(folder), "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def prepare(folder):
    """Makes the repository's folders available under their names, and build/lanewise."""
    (folder / "engine").symlink_to(ROOT / "engine")
    (folder / "build").symlink_to(BUILD)


def matches(output, expected):
    """A line of three dots matches any lines, an ellipsis matches the rest of a word or line."""
    lines = ["(?:.*\n)*" if line == "..." else re.escape(line).replace("…", ".*") + "\n" for line in expected.splitlines()]
    return re.fullmatch("".join(lines), output) is not None


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=lambda page: str(page.relative_to(ROOT)))
def test_console(page, tmp_path):
    prepare(tmp_path)
    for command, expected in commands(page):
        output = run(command, tmp_path)
        assert matches(output, expected), f"{command}\n--- shown\n{expected}--- printed\n{output}"
        assert "This is a bug" not in output


def test_dots_stand_for_lines():
    assert matches("a.b\n1\n2\nc\n", "a.b\n...\nc\n") and matches("a 12 b\n", "a … b\n")
    assert not matches("axb\n", "a.b\n") and not matches("a\nb\n", "a\n")


# Blocks of users' pages that are not commands with output, and their tests.
TESTED_ELSEWHERE = {
    "README.md": {"sh": "./dev demo and ./dev test themselves", "cpp": "test_consumer", "pycon": "tests/python/test_docs_pages.py"},
    "docs/use/cpp.md": {"sh": "tests/packages", "cmake": "test_consumer", "cpp": "test_consumer"},
    "docs/use/gpu.md": {"cpp": "test_device_arrays", "text": "a plan and its estimates, which need a GPU"},
    "docs/use/install.md": {"sh": "tests/packages"},
    "docs/use/lab.md": {"sh": "./dev lab-test", "pram": "test_lab_program", "text": "an input of the lab"},
    "docs/use/python.md": {"pycon": "tests/python/test_docs_pages.py", "sh": "tests/python/test_wheel.py, with --all",
                           "python": "tests/python/test_scale_out.py, with --all", "ipython": "tests/python/test_notebook.py"},
    "docs/use/sql.md": {"sh": "an alias for the commands that follow"},
    "docs/use/ordered-index.md": {"cpp": "test_index_examples"},
    "docs/use/pram.md": {"pram": "tests/cli/test_pram.py", "": "tests/cli/test_pram.py"},
}


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent in {ROOT, ROOT / "docs/use"}], ids=lambda page: page.name)
def test_every_block_is_tested(page):
    kinds = set(re.findall(r"^```(\w*)\n.*?^```", page.read_text(), re.M | re.S)) - {"console"}
    assert kinds == set(TESTED_ELSEWHERE.get(str(page.relative_to(ROOT)), {}))


def test_device_arrays(tmp_path):
    """The C++ of the page on GPUs compiles."""
    shown = re.search(r"```cpp\n(.*?)```", (ROOT / "docs/use/gpu.md").read_text(), re.S)[1]
    (tmp_path / "shown.cc").write_text('#include "api/session.h"\nvoid f(ArrowDeviceArrayStream stream, ArrowDeviceArrayStream out) {\n' + shown + "}\n")
    subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-I", ROOT / "engine", tmp_path / "shown.cc"], check=True)


def test_lab_program():
    """The program of the page on the lab has the conflict that the page describes."""
    shown = re.search(r"```pram\n(.*?)```", (ROOT / "docs/use/lab.md").read_text(), re.S)[1]
    done = subprocess.run([BUILD / "lanewise", "pram", "run", "-", "-i", "A=1,2,3"], input=shown, capture_output=True, text=True)
    assert done.returncode == 2 and "which EREW forbids" in done.stderr
