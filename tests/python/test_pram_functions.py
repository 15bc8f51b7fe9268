"""lanewise.pram against the program `lanewise pram`."""

import json
import os
import signal
import subprocess
import sys
import threading

import lanewise as lw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from conftest import BUILD
from lanewise import pram

CONFLICT = "mode EREW\ninput A[n] : int\noutput s : int\nprocessors n\ns = A[p]\n"
FOREVER = "mode EREW\noutput s : int\nprocessors 1\nwhile true { s = s + 1 }\n"


def program(*words):
    return subprocess.run([BUILD / "lanewise", "pram", *words], capture_output=True, text=True)


def test_outputs_and_costs():
    ran = pram.run("scan", A=np.arange(100))
    told = json.loads(program("run", "scan", "-i", "A=ascending:100", "--costs", "--format", "json").stdout)
    cost = told.pop("cost")
    assert {name: np.asarray(value).tolist() for name, value in ran.items()} == told
    assert ran.lines.to_pylist() == cost.pop("lines") and ran.cost._asdict() == cost


@pytest.mark.parametrize("array", [[3, 1, 2], np.array([3, 1, 2], np.uint8), pa.array([3, 1, 2]), pl.Series([3, 1, 2])], ids=["list", "numpy", "arrow", "polars"])
def test_inputs(array):
    assert pram.run("reduction", A=array)["sum"] == 6 and pram.run("reduction", {"A": array}, executor="cpu", threads=2)["sum"] == 6


def test_matrices_and_reals():
    a, b = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    assert np.array_equal(pram.run("matrix_product", A=a, B=b)["C"], a @ b)
    text = "mode EREW\ninput A[n] : real\noutput B[n] : real\noutput C[n] : bool\nprocessors n\nB[p] = A[p] * 0.5\nC[p] = A[p] > 1.0\n"
    halves = pram.run(text, A=[1.0, 3.0])
    assert halves["B"].tolist() == [0.5, 1.5] and halves["C"].tolist() == [False, True] and halves["C"].dtype == bool


def test_trace_and_explain(tmp_path):
    assert pram.trace("reduction", A=[1, 2, 3]) == [json.loads(line) for line in program("trace", "reduction", "-i", "A=1,2,3").stdout.splitlines()]
    assert pram.explain("reduction") == program("explain", "reduction").stdout
    file = tmp_path / "mine.pram"
    file.write_text(CONFLICT)
    assert pram.explain(file) == program("explain", file).stdout and pram.explain(str(file), without="all") == program("explain", file, "--without", "all").stdout
    with pytest.raises(lw.ProgramError, match="processors 0 and 1") as caught:
        pram.trace(file, A=[1, 1])
    assert len(caught.value.trace) >= 2 and "error" in json.dumps(caught.value.trace[-1])


def test_check():
    found = pram.check(CONFLICT, A=[1, 2])
    assert (found.mode, found.needs) == ("EREW", "CRCW arbitrary") and "processors 0 and 1" in found.conflicts and "^" in found.conflicts
    assert pram.check(CONFLICT).needs == "" and "s" in pram.check("mode EREW\nprocessors 1\nprivate s = 1\n").warnings


@pytest.mark.parametrize("use, kind, message", [
    (lambda: pram.run("nix"), lw.OperationalError, "there are: .*reduction"), (lambda: pram.run("no/such.pram"), lw.OperationalError, "no/such.pram"),
    (lambda: pram.run("mode EREW\nA = 1\n"), lw.ProgramError, r"2:1"), (lambda: pram.run("reduction"), lw.OperationalError, "'A' is missing"),
    (lambda: pram.run("reduction", A=[1.5]), lw.OperationalError, "A"), (lambda: pram.run("reduction", A=["x"]), lw.InterfaceError, "'A'"), (lambda: pram.run("reduction", A=pa.array([1, None])), lw.InterfaceError, "NULL"),
    (lambda: pram.run("reduction", A=[1], executor="abacus"), lw.OperationalError, "abacus"), (lambda: pram.run(FOREVER, max_steps=100), lw.ProgramError, "100"),
    (lambda: pram.run("reduction", A=np.zeros((2, 2, 2))), lw.InterfaceError, "3 dimensions"), (lambda: pram.explain("scan", without="nix"), lw.OperationalError, "nix"),
])
def test_wrong_use(use, kind, message):
    with pytest.raises(kind, match=message):
        use()


def test_control_c_ends_a_run():
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        pram.run(FOREVER, max_steps=4_000_000_000)


def test_programs_are_listed():
    assert {row["name"] for row in pram.programs().to_pylist()} >= {"reduction", "scan", "components"}


def test_recordings_are_those_of_a_trace():
    """The widget's contents: each step's line, active processors and changes."""
    program, inputs = pram._open("scan"), {"A": np.arange(9)}
    text, arrays = pram._recorded(program, inputs)
    summary, trace = json.loads(text), pram.trace("scan", inputs)
    names = [variable["name"] for variable in summary["variables"]]
    assert names == [variable["name"] for variable in trace[0]["variables"]]
    initial, steps, work, _, changed, before, after, *_ = (np.frombuffer(array, kind) for array, kind in zip(arrays, ["i8", "u4", "f8", "f8", "u4", "i8", "i8", "u4", "u4"]))
    assert initial.tolist() == [value for variable in trace[0]["variables"] for value in variable["values"]]
    rows, shared = steps.reshape(-1, 10), changed.reshape(-1, 2)[:, 0] < 2**31
    assert rows[:, 0].tolist() == [step["line"] for step in trace[1:-1]] and rows[:, 6].tolist() == [step["active"] for step in trace[1:-1]]
    assert work.tolist() == [step["work"] for step in trace[1:-1]]
    changes = [(change["variable"], change["before"], change["after"]) for step in trace[1:-1] for change in step["changes"] if "variable" in change]
    assert changes and [(names[of], a, b) for (of, _), a, b in zip(changed.reshape(-1, 2)[shared], before[shared], after[shared])] == changes


def test_the_widget(monkeypatch, tmp_path):
    monkeypatch.setattr(pram, "_WIDGET", tmp_path / "pram_widget.js")
    with pytest.raises(lw.InterfaceError, match="./dev wheel"):
        pram.widget("reduction", A=[1, 2])
    (tmp_path / "pram_widget.js").write_text("export default { render() {} }")
    shown = pram.widget("mode EREW\ninput A[n] : int\noutput s : int\nprocessors n\ns = A[p]\n", A=[1, 2])
    assert json.loads(shown.summary)["end"]["conflict"]["needs"] == "CRCW arbitrary" and shown.source.startswith("mode EREW") and len(shown.arrays) == 9
    with pytest.raises(lw.ProgramError):
        pram.widget("mode EREW\noutput\n")
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(lw.InterfaceError, match="pip install anywidget"):
        pram.widget("reduction", A=[1, 2])
