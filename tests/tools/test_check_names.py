"""The check of names finds planted comparisons."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_names  # noqa: E402
import pytest  # noqa: E402


def problems(tmp_path, name, line):
    path = tmp_path / "engine" / name
    path.parent.mkdir(parents=True)
    path.write_text(f"#pragma once\n{line}\n")
    return check_names.check(tmp_path)


@pytest.mark.parametrize("line", [
    'if (name == "sum") return 1;',
    'return function_of(call).name != "avg";',
    'const bool counts = call.function == "count";',
    'if (call_.function != "sum") return;',
    'if ("sum" == call.function) return;',
    'return call.function.ends_with("_of_parts");',
    'return expr.function->name.starts_with("epoch");',
    'if (standard_name == "list") return;',
])
def test_finds_comparisons(tmp_path, line):
    found = problems(tmp_path, "ops/a/a.cc", line)
    assert len(found) == 1
    assert found[0].startswith("engine/ops/a/a.cc:2: ")


@pytest.mark.parametrize("name, line", [
    ("ops/a/a.cc", 'if (names == 2) call.function = "sum";'),
    ("ops/a/a.cc", "if (function.name == name) return;"),
    ("expr/a.cc", 'return text == "Interval";  // as name == "x" would'),
    ("ops/a/a_test.cc", 'if (name == "sum") return 1;'),
    ("ops/a/testing/a.h", 'if (name == "sum") return 1;'),
    ("sql/a.cc", 'if (name == "sum") return 1;'),
])
def test_leaves_the_rest(tmp_path, name, line):
    assert problems(tmp_path, name, line) == []
