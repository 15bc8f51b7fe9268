"""A short run of compare_values.py, and the example of each function in its documentation."""

import re
import subprocess

import compare_values
import duckdb

LITERAL = re.compile(
    r"((?:DATE|TIMESTAMPTZ|TIMESTAMP|TIME|INTERVAL)\s+'[^']*'|INTERVAL\s+\d+\s+\w+|'(?:[^']|'')*'|(?<![\w.])-?\d+(?:\.\d+)?|(?<!IS )(?<!NOT )\bNULL\b"
    r"|\btrue\b|\bfalse\b)((?:::\w+)?)")
# DuckDB requires constants for their later arguments: digits of decimals, a pattern's group.
CONSTANT_FROM_SECOND = {"round", "trunc", "regexp_extract", "struct_extract_at"}
# DuckDB's optimiser splits a constant string into a list; lists are not supported.
SPLIT = {"split_part", "string_split_extract"}


def over_a_column(name, example):
    """The example with its literals as columns, so that they are not folded before a function sees them; words next to literals stay."""
    found = list(LITERAL.finditer(example))
    values = [m for m in found if not m.group(1).startswith("'") or m.group(2)]
    if name in CONSTANT_FROM_SECOND | SPLIT or not values:
        values = found[:1]
    columns, text, end = [], "", 0
    for match in values:
        text += example[end:match.start()] + f"c{len(columns)}"
        columns.append(f"{match.group(0)} AS c{len(columns)}")
        end = match.end()
    source = ", ".join(["i", *columns])
    return f"SELECT i AS id, ({text + example[end:]})::VARCHAR AS a FROM (SELECT {source} FROM range(3) t(i))"


def test_values_answer_as_duckdb(level):
    share = 0.1 if level == "simd" else 0.02
    found, compared, missed = compare_values.compare(rows=60, seed=5, lanes=level, share=share)
    assert not found, "\n".join(found[:5])
    assert compared > 200_000 * share
    assert not missed


def test_edges_answer_as_duckdb():
    found, compared, _ = compare_values.compare(rows=4, seed=6, share=0.15, edges=True)
    assert not found, "\n".join(found[:5])
    assert compared > 2_000


def test_examples_answer_as_duckdb():
    lines = subprocess.run([compare_values.EXAMPLES], capture_output=True, text=True, check=True).stdout.splitlines()
    examples = [line.split("\t")[:2] for line in lines]
    assert len(examples) > 250
    queries = [over_a_column(name, example) for name, example in examples]
    connection = duckdb.connect()
    answers = compare_values.lanewise(queries, "simd")
    different = []
    for (name, example), query, got in zip(examples, queries, answers):
        wanted = connection.execute(query + " ORDER BY id").fetchall()
        if got != wanted:
            different.append(f"{name}: {example}\n  {query}\n  DuckDB {wanted!r}, here {got!r}")
    assert not different, "\n".join(different)
