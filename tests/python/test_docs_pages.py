"""The Python examples of the documentation."""

import ast
import doctest
import graphlib
import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import BUILD

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/use/python.md"])
def test_page(page):
    """The blocks of a page are one session."""
    blocks = re.findall(r"^```pycon\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


@pytest.mark.parametrize("module", ["lanewise", "lanewise.compute", "lanewise.graph", "lanewise.pram", "lanewise._index", "lanewise._function", "lanewise.ibis"])
def test_docstrings(module):
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert (failed, tried > 0) == (0, True)


def test_the_reference_is_that_of_the_docstrings():
    sys.path.insert(0, str(ROOT / "tools"))
    from reference_python import python_page

    page = (ROOT / "docs/use/reference/python.md").read_text()
    assert page.startswith(python_page()), "stale: run ./dev docs"


def test_modules_name_each_other_in_one_direction():
    """Also those imported for types alone, or within a function."""
    folder = ROOT / "apps/python/lanewise"
    modules = {path.stem for path in folder.glob("*.py")}
    named = {name: set() for name in modules}
    for name in modules:
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                names = {alias.name for alias in node.names}
                named[name] |= {node.module} & modules if node.module else {each if each in modules else "__init__" for each in names}
    assert len(list(graphlib.TopologicalSorter(named).static_order())) == len(modules)


def test_types():
    """mypy finds no errors in the package and in a program that uses it."""
    example = ROOT / "tests/python/typed_example.py"
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", BUILD / "mypy", "--config-file", ROOT / "apps/python/mypy.ini",
                           ROOT / "apps/python/lanewise", example], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_by_pyright(tmp_path):
    """The same for pyright, if it is installed: pip install basedpyright==1.40.2 pyarrow-stubs==20.0.0.20260819."""
    pyright = shutil.which("basedpyright", path=str(Path(sys.executable).parent))
    if not pyright:
        pytest.skip("no basedpyright, which has 280 MB with its Node.js")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"include": [str(ROOT / "tests/python/typed_example.py")], "extraPaths": [str(ROOT / "apps/python")],
                                                              "typeCheckingMode": "strict"}))
    done = subprocess.run([pyright, "--project", tmp_path, "--pythonpath", sys.executable], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
