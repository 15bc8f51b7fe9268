"""./dev bench paired: it reports a slower program and other answers, and measures lines of every kind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build") / "lanewise"
sys.path.insert(0, str(ROOT / "bench"))

import paired_bench  # noqa: E402


def run(tmp_path, *arguments):
    command = [sys.executable, ROOT / "bench" / "paired_bench.py", "--old", PROGRAM, "--rows", "1000", "--runs", "2", "--repeat", "1", "--folder", tmp_path]
    return subprocess.run([*command, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("ratios, slower", [
    ([1, 1, 1, 1, 1], False),
    ([0.9, 0.9, 0.9, 0.9, 0.9], True),
    ([0.9, 0.91, 0.9, 0.89, 3], True),  # one disturbed pair changes nothing
    ([0.8, 0.9, 0.96, 1.05, 1.1], False),  # within the noise
    ([0.98, 0.98, 0.98, 0.98, 0.98], False),
])
def test_slower(ratios, slower):
    assert paired_bench.is_slower([(ratio * 10, 10) for ratio in ratios]) == slower


def test_answers_are_equal_in_any_order_up_to_the_last_digits():
    assert paired_bench.same([("1", "0.3"), ("2", "a")], [("2", "a"), ("1", "0.30000000000000004")])
    assert not paired_bench.same([("1", "0.3")], [("1", "0.4")])
    assert not paired_bench.same([("1",)], [("1",), ("1",)])
    assert not paired_bench.same(["1 component"], ["2 components"])


def test_forty_lines_of_all_kinds():
    _, lines = paired_bench.read_lines(ROOT / "bench" / "paired.txt", 1000)
    assert len(lines) == 40 == len({name for name, _, _ in lines})
    assert {kind for _, kind, _ in lines} == set(paired_bench.KINDS)


def test_a_program_compared_with_itself(tmp_path):
    for only in ("GROUP BY two int32", "grep README"):
        done = run(tmp_path, "--only", only)
        row = [line for line in done.stdout.splitlines() if line.startswith(f"| {only}")]
        assert done.returncode in (0, 1) and len(row) == 1 and " ± " in row[0], done.stdout + done.stderr  # so small a run may seem slower


def test_another_answer_and_a_failure_are_reported(tmp_path):
    new = tmp_path / "new"
    for script, message in ((f'"{PROGRAM}" "$@" | sed s/^/1/', "new: another answer"), ("echo no memory >&2; exit 3", "new: no memory")):
        new.write_text(f"#!/bin/sh\n{script}\n")
        new.chmod(0o755)
        done = run(tmp_path, "--new", new, "--only", "grep README")
        assert done.returncode == 1 and message in done.stdout and "FAILED" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("arguments, message", [
    (["--only", "nothing of this name"], "no line's name contains"),
    (["--old", "no-such-commit"], "neither a commit nor a program"),
])
def test_bad_arguments(tmp_path, arguments, message):
    done = run(tmp_path, *arguments)
    assert done.returncode == 1 and message in done.stderr
