"""The statement files against DuckDB: each on `simd` and on half of the other targets, at one vector size after the other, with one thread or two; at
some of the sizes joins run in parts, or everything in little memory, most of it in temporary files.

With LANEWISE_TEST_ALL every target at all sizes, with both. Under a sanitizer each file on one target.
"""

import functools
import itertools
import os
import re

import corpus
import duckdb
import engine
import pytest

FILES = sorted(path.stem for path in corpus.FOLDER.glob("*.test"))
VECTOR_SIZES = [None, 1, 2, 7]
THREADS = [1, 2]
SIZES = list(itertools.product(VECTOR_SIZES, THREADS))
LITTLE_MEMORY = 600_000
MANY_ROWS = re.compile(r"range\([1-9][0-9]{4}")


def settings(file):
    """(target, vector size, threads) for the file of this number."""
    if "san" in os.environ.get("LANEWISE_BUILD", ""):
        turn, target = divmod(file, len(engine.TARGETS))
        return [(engine.TARGETS[target], [None, 7, 2][turn % 3], THREADS[file % 2])]  # Vectors of one row would take minutes here.
    if "LANEWISE_TEST_ALL" in os.environ:
        return [(lanes, *sizes) for lanes in engine.TARGETS for sizes in SIZES]
    return [(lanes, *SIZES[(i + file) % len(SIZES)]) for i, lanes in enumerate(engine.TARGETS)
            if lanes == "simd" or (i + file // 2) % 2]


CASES = [(name, *setting) for file, name in enumerate(FILES) for setting in settings(file)]


@functools.lru_cache(maxsize=None)
def expected(name):
    blocks = corpus.read(corpus.FOLDER / f"{name}.test")
    if "equal-hashes" in os.environ.get("LANEWISE_BUILD", ""):  # the time for groups is the square of their number
        blocks = [block for block in blocks if block.kind == "statement" or not MANY_ROWS.search(block.sql)]
    with duckdb.connect() as connection:
        return blocks, corpus.duckdb_answers(connection, blocks)


@functools.lru_cache(maxsize=None)
def refusal(lanes):
    """The error if this machine does not support a target; else empty."""
    error = engine.run("SELECT 1 AS x;", lanes=lanes).stderr.strip()
    return error if "does not support the lanes" in error else ""


def test_every_target_is_compared(levels):
    """But for neon: no machine here runs the program on it (`./dev aarch64` runs tests of layers)."""
    known = engine.run("SELECT 1;", lanes="none").stderr.strip().partition("known are ")[2].split(", ")
    assert sorted(known) == sorted([*engine.TARGETS, "neon"]) == sorted([*levels, "neon"])


@pytest.mark.parametrize("name, lanes, vector_size, threads", CASES)
def test_same_answers_as_duckdb(name, lanes, vector_size, threads):
    if refusal(lanes):
        pytest.skip(refusal(lanes))
    blocks, answers = expected(name)
    # What fails does so before lanes matter much: at one size is enough.
    with_errors = vector_size is None
    join_parts = 3 if vector_size == 7 else None
    memory = LITTLE_MEMORY if vector_size == 2 else None
    found = engine.failures(blocks, answers, with_errors, lanes=lanes, vector_size=vector_size, threads=threads, join_parts=join_parts, memory=memory,
                            semi_joins_first=vector_size == 2)
    assert not found, f"{len(found)} of {len(answers)} differ\n" + "\n".join(found)
