"""The statement files against DuckDB: on every target, at several vector sizes, with one thread and two."""

import functools
import os

import corpus
import duckdb
import engine
import pytest

FILES = sorted(path.stem for path in corpus.FOLDER.glob("*.test"))
VECTOR_SIZES = [None, 1, 2, 7]
THREADS = [1, 2]
ALL = [(lanes, size, threads) for lanes in engine.TARGETS for size in VECTOR_SIZES for threads in THREADS]
# Under a sanitizer each target once, with a size and thread count of its own.
FEW = [(lanes, VECTOR_SIZES[i % 4], THREADS[i % 2]) for i, lanes in enumerate(engine.TARGETS)]
SETTINGS = FEW if "san" in os.environ.get("LANEWISE_BUILD", "") else ALL


@functools.lru_cache(maxsize=None)
def expected(name):
    blocks = corpus.read(corpus.FOLDER / f"{name}.test")
    with duckdb.connect() as connection:
        return blocks, corpus.duckdb_answers(connection, blocks)


@functools.lru_cache(maxsize=None)
def refusal(lanes):
    """Why this machine does not support a target; empty where it does."""
    result = engine.run("SELECT 1 AS x;", lanes=lanes)
    return "" if result.returncode == 0 else result.stderr.strip() or f"exit code {result.returncode}"


@pytest.mark.parametrize("lanes, vector_size, threads", SETTINGS)
@pytest.mark.parametrize("name", FILES)
def test_same_answers_as_duckdb(name, lanes, vector_size, threads):
    if lanes in ("avx2", "avx512") and refusal(lanes):
        pytest.skip(refusal(lanes))
    blocks, answers = expected(name)
    # What fails does so before lanes matter much: once for each target is enough.
    with_errors = vector_size is None and threads == 1
    found = engine.failures(blocks, answers, with_errors, lanes=lanes, vector_size=vector_size, threads=threads)
    assert not found, f"{len(found)} of {len(answers)} differ\n" + "\n".join(found)
