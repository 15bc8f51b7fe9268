"""The layer check finds planted faults."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_layers  # noqa: E402
import pytest  # noqa: E402


def problems(tmp_path, files):
    for name, text in files.items():
        path = tmp_path / "engine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return check_layers.check(tmp_path)


@pytest.mark.parametrize("name, line, rule", [
    ("base/a.h", '#include "plan/p.h"', "base may not include plan"),
    ("text/a.cc", '#  include "expr/e.h"', "text may not include expr"),
    ("graph/a.cc", '#include "plan/p.h"', "graph may not include plan"),
    ("pram/a.cc", '#include "expr/e.h"', "pram may not include expr"),
    ("plan/a.cc", '#include "index/i.h"', "plan may not include index"),
    ("exec/a.cc", '#include "duckdb.hpp"', "DuckDB's headers belong to engine/sql"),
    ("api/a.cc", "#include <duckdb/main/connection.hpp>", "DuckDB's headers belong to engine/sql"),
    ("exec/a.cc", "#include <cuda.h>", "CUDA and OpenCL belong to engine/gpu"),
    ("ops/a.cc", "#include <CL/cl.h>", "CUDA and OpenCL belong to engine/gpu"),
    ("lanes/walk-inl.h", "#include <vector>", "lane headers include nothing of the standard library"),
    ("ops/filter/filter.h", '#include "ops/sort/sort.h"', "operators do not include each other"),
    ("data/a.h", '#include "vector"', "includes are written from engine/"),
    ("util/a.h", "", "util is not a layer"),
])
def test_names_file_line_and_rule(tmp_path, name, line, rule):
    files = {"plan/p.h": "", "expr/e.h": "", "index/i.h": "", "ops/sort/sort.h": "", name: f"#pragma once\n{line}\n"}
    found = problems(tmp_path, files)
    assert len(found) == 1
    assert found[0].startswith(f"engine/{name}:{2 if line else 1}: ")
    assert rule in found[0]


def test_missing_file(tmp_path):
    assert "which is not there" in problems(tmp_path, {"data/a.h": '#include "base/gone.h"\n'})[0]


def test_a_good_tree_has_no_problem(tmp_path):
    assert problems(tmp_path, {
        "base/error.h": "#include <string>\n",
        "lanes/walk-inl.h": '#include "lanes/lane.h"\n#include <immintrin.h>\n',
        "lanes/lane.h": "",
        "ops/sort/sort.h": '#include "ops/sort/merge.h"\n#include "ops/operator.h"\n#include "base/error.h"\n',
        "ops/sort/merge.h": "",
        "ops/operator.h": "",
        "sql/a.cc": '#include "duckdb.hpp"\n#include <duckdb/main/connection.hpp>\n',
        "gpu/a.cc": "#include <cuda.h>\n",
    }) == []


@pytest.mark.parametrize("files", [
    {"text/a/a.h": '#include "text/b/b.h"\n', "text/b/b.h": "", "text/b/b.cc": '#include "text/a/a.h"\n'},
    {"text/top.h": '#include "text/b/b.h"\n', "text/b/b.h": '#include "text/low.h"\n', "text/low.h": ""},
    {"text/a/a.h": '#include "text/b/b-inl.h"\n', "text/b/b-inl.h": '#include "text/c/c.h"\n', "text/c/c.h": '#include "text/a/d.h"\n',
     "text/a/d.h": ""},
])
def test_folders_in_a_circle(tmp_path, files):
    found = problems(tmp_path, files)
    assert len(found) == len({Path(name).parent for name in files})
    assert all("folders include each other in one direction only" in problem for problem in found)


def test_tests_may_close_a_circle(tmp_path):
    assert problems(tmp_path, {
        "text/a/a.h": '#include "text/b/b.h"\n',
        "text/b/b.h": "",
        "text/b/b_test.cc": '#include "text/a/a.h"\n',
        "text/b/b_bench.cc": '#include "text/a/a.h"\n',
        "text/testing/every.h": '#include "text/a/a.h"\n',
        "text/a/a_test.cc": '#include "text/testing/every.h"\n',
    }) == []


def test_circles_of_the_program(tmp_path):
    for name, target in (("grep/run.h", "shell/shell.h"), ("shell/shell.h", "grep/run.h")):
        path = tmp_path / "apps/cli" / name
        path.parent.mkdir(parents=True)
        path.write_text(f'#include "{target}"\n')
    assert len(check_layers.check(tmp_path)) == 2


def test_the_table_has_no_circle():
    layers = list(check_layers.INCLUDES)
    for layer, included in check_layers.INCLUDES.items():
        assert all(layers.index(other) < layers.index(layer) for other in included)


def test_every_edge_of_the_table_is_used():
    engine = ROOT / "engine"
    used = {(path.relative_to(engine).parts[0], Path(match[2]).parts[0]) for path in check_layers.sources(engine)
            for match in map(check_layers.INCLUDE.match, path.read_text(errors="replace").splitlines()) if match and match[1] == '"'}
    assert [(layer, other) for layer, included in check_layers.INCLUDES.items() for other in included if (layer, other) not in used] == []


def test_this_repository():
    assert check_layers.check(ROOT) == []
