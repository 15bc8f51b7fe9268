"""The file for machines without DuckDB holds the statements and their answers."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/gpu"), str(ROOT / "tests/sql")]

import corpus  # noqa: E402
import engine  # noqa: E402
import gpu_differential  # noqa: E402


def test_all_statement_files_and_random_queries(duckdb_answers, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")  # as on the machine that gave the answers
    units = {name: (blocks, answers) for name, blocks, answers in gpu_differential.read(duckdb_answers, 1)}
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


def test_a_part_has_all_statements(duckdb_answers):
    whole, part = [gpu_differential.read(duckdb_answers, every) for every in (1, 8)]
    assert sum(len(answers) for *_, answers in part) == -(-sum(len(answers) for *_, answers in whole) // 8)
    kept = {name: [block for block in blocks if block.kind == "statement"] for name, blocks, _ in whole}
    assert all([block for block in blocks if block.kind == "statement"] == kept[name] for name, blocks, _ in part)
