"""The file for machines without DuckDB holds the statements and their answers."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/gpu"), str(ROOT / "tests/sql")]

import corpus  # noqa: E402
import engine  # noqa: E402
import gpu_differential  # noqa: E402


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("answers") / "answers.json"
    subprocess.run([sys.executable, ROOT / "tests/gpu/gpu_answers.py", "--random", "60", "--seed", "3", path], check=True)
    return path


def test_all_statement_files_and_random_queries(file, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")  # as on the machine that gave the answers
    units = {name: (blocks, answers) for name, blocks, answers in gpu_differential.read(file, 1)}
    for path in corpus.FOLDER.glob("*.test"):
        blocks, answers = units.pop(path.name)
        assert blocks == corpus.read(path) and len(answers) == sum(block.kind != "statement" for block in blocks)
    benchmark = [units.pop(name) for name in sorted(units) if name.startswith("join order benchmark ")]
    assert sum(len(answers) for _, answers in benchmark) == 113
    assert engine.failures(*benchmark[0]) == []
    assert sorted(units) == [f"random queries {i}" for i in range(3)]
    answered = [answer for _, answers in units.values() for answer in answers if answer]
    assert 40 <= len(answered) <= 60 and max(len(answer.rows) for answer in answered) <= 1000
    for blocks, answers in units.values():
        assert not any(".parquet" in block.sql for block in blocks)
        assert engine.failures(blocks, answers) == []


def test_a_part_has_all_statements(file):
    whole, part = gpu_differential.read(file, 1), gpu_differential.read(file, 8)
    assert sum(len(answers) for *_, answers in part) == -(-sum(len(answers) for *_, answers in whole) // 8)
    kept = {name: [block for block in blocks if block.kind == "statement"] for name, blocks, _ in whole}
    assert all([block for block in blocks if block.kind == "statement"] == kept[name] for name, blocks, _ in part)
