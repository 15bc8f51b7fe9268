"""DuckDB's answers to the statement files and to random queries, made once for a run."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def duckdb_answers(made_once):
    def make(folder):
        script = Path(__file__).with_name("gpu_answers.py")
        subprocess.run([sys.executable, script, "--random", "60", "--seed", "3", folder / "answers.json"], check=True)
    return made_once("answers", make) / "answers.json"
