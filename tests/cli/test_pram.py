"""`lanewise pram`, and the examples of docs/use/pram.md."""

import json
import pathlib
import re
import shlex

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs" / "use" / "pram.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", DOCS.read_text(), re.M | re.S)


def test_programs_of_the_docs_have_no_warning(lanewise, tmp_path):
    programs = [text for kind, text in BLOCKS if kind == "pram"]
    assert len(programs) == 3
    for text in programs:
        (tmp_path / "p.pram").write_text(text)
        code, out, error = lanewise("pram", "check", "p.pram")
        assert (code, error) == (0, "") and "0 warnings" in out, out + error


def test_tutorial_word_by_word(lanewise, tmp_path):
    """Every command in order, with the output that the page shows; the edits between them are made as the text says."""
    tutorial = DOCS.read_text().split("## In fifteen minutes")[1].split("\n## ")[0]
    blocks = re.findall(r"^```(\w*)\n(.*?)^```|(^\*\*Conflicts)", tutorial, re.M | re.S)
    programs = iter(["neighbours.pram", "sum.pram"])
    commands = 0
    for kind, text, conflicts in blocks:
        if conflicts:
            lines = (tmp_path / "neighbours.pram").read_text().splitlines()
            (tmp_path / "neighbours.pram").write_text("\n".join([*lines[:-3], re.search(r"Replace the last three lines by `(.*?)`", tutorial)[1]]))
        elif kind == "pram":
            path = tmp_path / next(programs)
            assert not path.exists() or path.read_text() == text
            path.write_text(text)
        else:
            for command, expected in re.findall(r"^\$? ?(lanewise .*)\n((?:(?!\$? ?lanewise ).*\n)*)", text, re.M):
                code, out, error = lanewise(*shlex.split(command)[1:])
                assert code == (2 if "error:" in expected or "too weak" in expected else 0), command + error
                shown = [line.rstrip() for line in (out + error).strip().splitlines()]
                assert not expected or shown == expected.strip().splitlines(), command
                commands += 1
    assert commands == 11
    cost = json.loads(lanewise("pram", "run", "reduction", "-i", "A=ascending:1000", "--costs", "--format", "json")[1])
    assert cost["sum"] == 499500 and 2000 <= cost["cost"]["work"] < 2100 and 30 <= cost["cost"]["depth"] < 40
    fast = lanewise("pram", "run", "reduction", "-i", "A=ascending:1000000", "--executor", "cpu", "--costs", "--format", "json")[1]
    assert sum(line["launches"] for line in json.loads(fast)["kernels"]) == 21


def test_explanations_word_by_word(lanewise, tmp_path):
    """The commands after the tutorial, which explain its first program."""
    tutorial, rest = DOCS.read_text().split("\n## Modes")
    (tmp_path / "neighbours.pram").write_text(re.search(r"```pram\n(.*?)```", tutorial, re.S)[1])
    commands = re.findall(r"^```\n\$ (lanewise [^\n]*)\n(.*?)^```", rest, re.M | re.S)
    for command, expected in commands:
        code, out, error = lanewise(*shlex.split(command)[1:])
        assert (code, error) == (0, "")
        assert [line.rstrip() for line in out.strip().splitlines()] == expected.strip().splitlines(), command
    assert len(commands) == 3


def test_outputs(lanewise, tmp_path):
    product = ["pram", "run", "matrix_product", "-i", "A=1 2; 3 4", "-i", "B=1 0; 0 .5"]
    assert lanewise(*product) == (0, "C =\n1 1\n3 2\n", "")
    assert json.loads(lanewise(*product, "--format", "json")[1]) == {"C": [[1, 1], [3, 2]]}
    (tmp_path / "numbers").write_text("4 -1\n3")
    assert lanewise("pram", "run", "sort", "-i", "A=@numbers", "-o", "out") == (0, "", "")
    assert (tmp_path / "out").read_text() == "A = -1 3 4\n"
    assert lanewise("pram", "run", "-", "-i", "n=3", stdin="mode EREW input n : int output x : real x = n / 2.0")[1] == "x = 1.5\n"


def test_an_output_file_may_be_json(lanewise, tmp_path):
    run = ["pram", "run", "sort", "-i", "A=3,1,2"]
    assert lanewise(*run, "-o", "out.json") == (0, "", "")
    assert json.loads((tmp_path / "out.json").read_text()) == {"A": [1, 2, 3]}
    assert lanewise(*run, "-o", "out.json", "--format", "text") == (0, "", "")
    assert (tmp_path / "out.json").read_text() == "A = 1 2 3\n"


def test_check_finds_programs_that_depend_on_the_draw(lanewise, tmp_path):
    text = "mode CRCW arbitrary\ninput n : int\noutput x : int\noutput y : int\noutput B[2, n] : int\nprocessors n\n"
    check = ["pram", "check", "a.pram", "-i", "n=50"]
    (tmp_path / "a.pram").write_text(text + "y = 1\nx = p\nx = x - x + y\nB[1, p] = p\n")
    code, out, error = lanewise(*check)
    assert (code, error) == (0, "") and out.endswith("fits\n7 other seeds, which let other writes win, gave the same result\n"), out
    (tmp_path / "a.pram").write_text(text + "x = p\nB[1, x] = 5\n")
    code, out, error = lanewise(*check)
    assert (code, error) == (0, "")
    first, second = re.search(r"the result depends on which writes win: B\[1, \d+\] = (\d) with seed 0, B\[1, \d+\] = (\d) with seed 1$", out.strip()).groups()
    assert {first, second} == {"0", "5"}
    (tmp_path / "a.pram").write_text(text + "x = p\n")
    third = json.loads(lanewise("pram", "run", "a.pram", "-i", "n=50", "--seed", "3", "--format", "json")[1])["x"]
    (tmp_path / "a.pram").write_text(text.replace("output x", "shared x") + f"x = p\ny = (x - {third}) / (x - {third})\n")
    code, out, error = lanewise(*check)
    assert (code, error) == (0, "") and "with seed 3 it fails" in out and "division by zero" in out, out
    (tmp_path / "a.pram").write_text(text.replace("arbitrary", "priority") + "x = p\nB[1, x] = 5\n")
    assert "draw" not in lanewise(*check)[1]


GRAPHS = {
    "lines": "# from, to\n10 30 5\n30 20 1\n20 10 2\n7 7 1\n",
    "neighbours": "10 : 30\n30 : 20\n20 : 10\n7 :\n",
    "edges.csv": "src,dst,weight\n10,30,5\n30,20,1\n20,10,2\n7,7,1\n",
    "matrix.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n% a comment\n4 4 3\n2 4\n4 3\n3 2\n",
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs(lanewise, tmp_path, name):
    (tmp_path / name).write_text(GRAPHS[name])
    assert lanewise("pram", "run", "components", "--graph", f"./{name}")[:2] == (0, "label = 0 1 1 1\n")



def test_a_mistyped_program(lanewise):
    assert lanewise("pram", "run", "scn", "-i", "A=1")[2] == "error: there is no program 'scn' in the library; did you mean 'scan'?\n"
    assert "there are: all_pairs_distances, " in lanewise("pram", "run", "quicksort")[2]

def test_a_graph_may_be_parquet(lanewise, tmp_path):
    (tmp_path / "edges.csv").write_text(GRAPHS["edges.csv"])
    assert lanewise("sql", "-c", "SELECT * FROM 'edges.csv'", "-o", "edges.parquet")[0] == 0
    assert lanewise("pram", "run", "spanning_forest", "--graph", "edges.parquet")[:2] == (0, "tree = 0 1 1 0\n")


def test_generators(lanewise):
    for graph, count in [("random:50:20", None), ("grid:3:4", 1), ("kronecker:3", None), ("tree:30", 1), ("bipartite:9:5:200", 1)]:
        code, out, error = lanewise("pram", "run", "components", "--graph", graph, "--format", "json")
        assert code == 0, error
        if count is not None:
            assert len(set(json.loads(out)["label"])) == count
    values = json.loads(lanewise("pram", "run", "sort", "-i", "A=shuffle:100", "--format", "json")[1])["A"]
    assert values == list(range(100))


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["run", "reduction"], "the input 'A' is missing"),
        (["run", "reduction", "-i", "B=1"], "its inputs: A"),
        (["run", "reduction", "-i", "A=1,x"], "A:1: expected int, found 'x'"),
        (["run", "reduction", "-i", "A"], "expected NAME=VALUES"),
        (["run", "reduction", "-i", "A=@missing"], "cannot read 'missing'"),
        (["run", "reduction", "-i", "A=random:9999999999999"], "too many numbers"),
        (["run", "reduction", "-i", "A=odd:5"], "no generator 'odd'"),
        (["run", "reduction", "-i", "A=ascending:100000000", "--memory-limit", "1MB"], "--memory-limit"),
        (["run", "reductoin"], "did you mean 'reduction'?"),
        (["run", "components", "--graph", "odd:1"], "is not a graph"),
        (["run", "sort", "-i", "A=random:100", "--max-steps", "10"], "has not ended after 10 steps"),
        (["check", "missing.pram"], "cannot read"),
        (["explain", "scan", "--without", "lops"], "there are: host, in-place, merge, branches, loops, fuse, batch, all"),
    ],
)
def test_bad_input_is_named(lanewise, arguments, message):
    code, out, error = lanewise("pram", *arguments)
    assert (code, out) == (2, "") and error.startswith("error: ") and message in error, error


def test_explain_of_the_docs(lanewise, tmp_path):
    lanewise("pram", "new", "neighbours.pram")
    shown = [text.split("\n", 1) for kind, text in BLOCKS if text.startswith("$ lanewise pram explain")]
    assert len(shown) == 3
    for command, expected in shown:
        assert lanewise(*shlex.split(command)[2:]) == (0, expected, "")


def test_executor_gives_the_same(lanewise):
    run = ["pram", "run", "components", "--graph", "random:3000:3000", "--format", "json"]
    code, expected, error = lanewise(*run)
    assert (code, error) == (0, "")
    cpu = [*run, "--executor", "cpu"]
    for more in [[], ["--without", "all"], ["--without", "host", "--without", "merge"], ["--active", "list"], ["--active", "bitset"],
                 ["--check"], ["--threads", "3"]]:
        assert lanewise(*cpu, *more) == (0, expected, ""), more
    kernels = json.loads(lanewise(*cpu, "--costs")[1])["kernels"]
    assert [kernel["line"] for kernel in kernels] == sorted({kernel["line"] for kernel in kernels})
    assert kernels[0]["launches"] == 1 and kernels[0]["processors"] == 3000
    assert kernels[0]["occupancy"] == 1 and kernels[0]["bytes"] == 3000 * 8  # root[p] = p
    assert all(0 < kernel["occupancy"] <= 1 for kernel in kernels)
    assert "in all" in lanewise(*cpu[:-4], "--executor", "cpu", "--costs")[1]


def test_race_leaves_one_of_the_writers(lanewise, tmp_path):
    (tmp_path / "a.pram").write_text("mode CRCW arbitrary input n : int output x : int\nprocessors n\nx = p\n")
    code, out, error = lanewise("pram", "run", "a.pram", "-i", "n=9000", "--executor", "cpu", "--race", "--format", "json")
    assert (code, error) == (0, "") and 0 <= json.loads(out)["x"] < 9000


def test_executor_fails_as_the_interpreter_does(lanewise, tmp_path):
    (tmp_path / "a.pram").write_text("mode CREW output A[4] : int processors 4\nA[p / 2] = p\nA[p] = 6 / (p - 2)\n")
    (tmp_path / "b.pram").write_text("mode CREW output A[4] : int processors 4\nA[p] = 6 / (p - 2)\n")
    for file, options in [("a.pram", ["--check"]), ("b.pram", [])]:
        expected = lanewise("pram", "run", file)
        assert expected[0] == 2 and ":2:" in expected[2]
        assert lanewise("pram", "run", file, "--executor", "cpu", *options) == expected


@pytest.mark.parametrize("executor", ["cuda", "opencl"])
def test_devices_give_the_same_or_are_not_here(lanewise, executor):
    run = ["pram", "run", "reduction", "-i", "A=random:1000"]
    code, out, error = lanewise(*run, "--executor", executor, "--costs")
    if code == 0:
        assert out.startswith(lanewise(*run)[1]) and "in all" in out
    else:
        assert code == 2 and ("NVIDIA driver" in error or "NVRTC" in error or "OpenCL" in error), error


def test_kernels_are_whole_sources(lanewise):
    c = lanewise("pram", "explain", "scan", "--kernels", "c")[1]
    for dialect, word in [("cuda", "__global__"), ("opencl", "__kernel")]:
        code, out, error = lanewise("pram", "explain", "scan", "--kernels", dialect)
        assert (code, error) == (0, "") and out.endswith(c) and word in out


def test_trace_leads_to_the_outputs_and_back(lanewise):
    inputs = ["-i", "A=5,3,9,1,1"]
    code, out, error = lanewise("pram", "trace", "sort", *inputs)
    lines = [json.loads(line) for line in out.splitlines()]
    assert (code, error) == (0, "") and lines[0]["parameters"] == {"n": 5}
    start = {v["name"]: v["values"] for v in lines[0]["variables"]}
    state = {name: list(values) for name, values in start.items()}
    changes = [change for line in lines[1:-1] for change in line["changes"] if "variable" in change]
    for change in changes:
        assert state[change["variable"]][change["cell"][0]] == change["before"]
        state[change["variable"]][change["cell"][0]] = change["after"]
    result = json.loads(lanewise("pram", "run", "sort", *inputs, "--costs", "--format", "json")[1])
    assert state["A"] == result["A"] == [1, 1, 3, 5, 9]
    for change in reversed(changes):
        state[change["variable"]][change["cell"][0]] = change["before"]
    assert state == start
    assert [line["step"] for line in lines[1:-1]] == list(range(1, result["cost"]["steps"] + 1))
    assert lines[-1] == {"end": True, **{k: result["cost"][k] for k in ("steps", "work", "depth", "peak")}}


PROGRAMS = {
    "sort": ["-i", "A=5,3,9,1,1,7"],
    "scan": ["-i", "A=ascending:9"],
    "reduction": ["-i", "A=random:13"],
    "maximum": ["-i", "A=4,8,8,1"],
    "matrix_product": ["-i", "A=1 2; 3 4", "-i", "B=1 0; 0 .5"],
    "components": ["--graph", "random:12:9"],
    "spanning_forest": ["--graph", "random:12:14"],
    "breadth_first_search": ["--graph", "grid:3:4", "-i", "root=2"],
}


def replay(lines):
    """The shared variables after the changes of a trace; each change must fit the current values."""
    state = {v["name"]: (v["extents"], list(v["values"])) for v in lines[0]["variables"]}
    for line in lines[1:-1]:
        for change in line["changes"]:
            if "variable" not in change:
                continue
            extents, values = state[change["variable"]]
            cell = 0
            for index, extent in zip(change["cell"], extents):
                cell = cell * extent + index
            assert values[cell] == change["before"] != change["after"]
            values[cell] = change["after"]
    return {name: values for name, (_, values) in state.items()}


@pytest.mark.parametrize("program", PROGRAMS)
def test_traces_by_kernel_lead_to_the_same(lanewise, program):
    def trace(*options):
        code, out, error = lanewise("pram", "trace", program, *PROGRAMS[program], "--seed", "3", *options)
        assert (code, error) == (0, ""), error
        return [json.loads(line) for line in out.splitlines()]

    steps = trace()
    expected = replay(steps)
    cost = {key: steps[-1][key] for key in ("steps", "work", "depth", "peak")}
    assert (steps[0]["by"], cost["steps"]) == ("statement", len(steps) - 2)
    units = {}
    for options in [[], ["--without", "all"]]:
        for executor in ["interpreter", "cpu"]:
            lines = trace("--by", "kernel", "--executor", executor, *options)
            assert lines[0]["by"] == "kernel" and lines[0]["variables"] == steps[0]["variables"]
            assert replay(lines) == expected
            assert [line["kernel"] for line in lines[1:-1]] == list(range(1, len(lines) - 1))
            assert lines[-1]["end"] and (executor == "cpu" or {key: lines[-1][key] for key in cost} == cost)
            units[executor] = [((line["lines"], line["kind"], line.get("set")), line["changes"]) for line in lines[1:-1]]
        ran = iter(units["cpu"])
        for unit, _ in units["interpreter"]:  # an executor's kernel may have a condition that no processor satisfies
            assert next(what for what, changes in ran if what == unit or changes) == unit
        assert not any(changes for _, changes in ran)
    assert len(units["cpu"]) == cost["steps"]  # without optimisations
    assert any("private" in change for line in lines for change in line.get("changes", [])) or program in ("maximum", "components")


@pytest.mark.parametrize("executor", ["cuda", "opencl"])
def test_devices_trace_too_or_are_not_here(lanewise, executor):
    trace = ["pram", "trace", "reduction", "-i", "A=random:20", "--by", "kernel", "--executor"]
    code, out, error = lanewise(*trace, executor)
    if code == 0:
        lines, expected = ([json.loads(line) for line in text.splitlines()] for text in (out, lanewise(*trace, "cpu")[1]))
        assert replay(lines) == replay(expected) and lines[-1] == expected[-1]
    else:
        assert code == 2 and ("NVIDIA driver" in error or "NVRTC" in error or "OpenCL" in error), error


def test_executors_have_no_statements_to_trace(lanewise):
    code, out, error = lanewise("pram", "trace", "sort", "-i", "A=2,1", "--executor", "cpu", "--by", "statement")
    assert (code, out) == (2, "") and "--by statement needs the interpreter" in error


def test_trace_ends_with_the_error(lanewise):
    text = "mode EREW output A[3] : real processors 4 A[p] = infinity"
    code, out, error = lanewise("pram", "trace", "-", stdin=text)
    assert code == 2 and "[3] is out of range" in error
    last = json.loads(out.splitlines()[-1])
    assert last["step"] == 1 and last["processor"] == 3 and "out of range" in last["error"]
    code, out, again = lanewise("pram", "trace", "-", "--executor", "cpu", stdin=text)
    assert (code, again, json.loads(out.splitlines()[-1])) == (2, error, last)


def test_format_writes_only_what_changes(lanewise, tmp_path):
    (tmp_path / "a.pram").write_text("mode EREW\noutput x:int\nx=1+2 # three\n")
    formatted = "mode EREW\noutput x : int\nx = 1 + 2  # three\n"
    assert lanewise("pram", "fmt", "a.pram") == (0, formatted, "")
    assert lanewise("pram", "fmt", "-w", "a.pram") == (0, "a.pram\n", "")
    assert (tmp_path / "a.pram").read_text() == formatted
    assert lanewise("pram", "fmt", "-w", "a.pram") == (0, "", "nothing to change\n")
    assert lanewise("pram", "new", "a.pram")[0] == 2
