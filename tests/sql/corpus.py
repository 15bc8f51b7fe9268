"""Reads the statement files and compares two answers.

A file holds blocks, separated by empty lines. The first line of a block is its kind:

    statement        runs, has no answer
    query            its rows are compared in any order
    query ordered    its rows are compared in their order
    error TEXT       must fail in both, and our message must contain TEXT (a regular expression; may be empty)

Answers are never written down: DuckDB gives them while the test runs. `--` begins a comment, as in SQL.
"""

import json
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Block:
    kind: str  # statement, query, error
    ordered: bool
    message: str
    sql: str
    line: int


def strip_comments(text):
    return "\n".join(line for line in text.split("\n") if not line.startswith("--"))


def statements_of(path):
    """The statements of a plain SQL file, without comments."""
    return [s.strip() for s in strip_comments(path.read_text()).split(";\n") if s.strip()]


def read(path):
    """The blocks of a file, after the statements that create the tables."""
    blocks = [Block("statement", False, "", sql, 0) for sql in statements_of(FOLDER / "tables.sql")]
    line = 1
    for chunk in path.read_text().split("\n\n"):
        body = strip_comments(chunk).strip("\n")
        if body:
            head, _, sql = body.partition("\n")
            kind, _, rest = head.partition(" ")
            if kind not in ("statement", "query", "error") or (kind == "query" and rest not in ("", "ordered")):
                raise ValueError(f"{path.name}:{line}: '{head}' begins no block")
            if not sql.strip():
                raise ValueError(f"{path.name}:{line}: a block without SQL")
            blocks.append(Block(kind, rest == "ordered", rest if kind == "error" else "", sql.rstrip("; \n"), line))
        line += chunk.count("\n") + 2
    return blocks


@dataclass(frozen=True)
class Answer:
    """Rows of strings and None, with DuckDB's type of each column."""
    rows: list
    types: list = None


def duckdb_answers(connection, blocks):
    """DuckDB's answer to each query; for an error block its error message."""
    answers = []
    for block in blocks:
        try:
            if block.kind == "statement":
                connection.execute(block.sql)
                continue
            relation = connection.sql(block.sql)
            types = [str(t) for t in relation.types]
            # DuckDB itself converts the values to text, so that Python's types do not interfere.
            rows = relation.project("COLUMNS(*)::VARCHAR").fetchall()
        except Exception as error:
            if block.kind != "error":
                raise AssertionError(f"line {block.line}: DuckDB fails: {error}\n{block.sql}") from error
            answers.append(str(error))
            continue
        if block.kind == "error":
            raise AssertionError(f"line {block.line}: DuckDB does not fail\n{block.sql}")
        answers.append(Answer(rows, types))
    return answers


class Number(str):
    """A JSON number as it was written."""


def json_answers(text):
    """The answers in the output of `lanewise sql --format json`: one array of objects for each query. Raises ValueError if it is not JSON; the
    error's `whole` has the complete arrays before that."""
    decoder = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number, object_pairs_hook=list)
    answers, at = [], 0
    while True:
        at = re.compile(r"\s*").match(text, at).end()
        if at == len(text):
            return answers
        try:
            rows, at = decoder.raw_decode(text, at)
        except ValueError as error:
            error.whole = answers
            raise
        answers.append(Answer([tuple(plain(value) for _, value in row) for row in rows]))


def plain(value):
    if value is None:
        return None
    if value is True or value is False:
        return "true" if value else "false"
    return str(value)


def number(text):
    """The float that a string represents, or None."""
    try:
        return float(text)
    except ValueError:
        return None


def equal(ours, theirs, kind):
    """Whether two strings represent the same value of the type: floats within a tolerance, everything else exactly."""
    if ours is None or theirs is None:
        return ours is theirs
    if kind in ("FLOAT", "DOUBLE"):
        a, b = number(ours), number(theirs)
        if a is None or b is None:
            return False
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return math.isclose(a, b, rel_tol=1e-5 if kind == "FLOAT" else 1e-9, abs_tol=1e-12)
    if kind.startswith("DECIMAL"):
        return Decimal(ours) == Decimal(theirs)
    return ours == theirs


def sort_key(row, types):
    """Exact columns first, so that floats within the tolerance seldom decide the order; NaN, which has no order, separately."""
    exact, rough = [], []
    for value, kind in zip(row, types):
        if kind in ("FLOAT", "DOUBLE"):
            size = (value and number(value)) or 0.0
            is_nan = math.isnan(size)
            rough.append((value is not None, is_nan, 0.0 if is_nan else size))
        elif value is not None and kind.startswith("DECIMAL"):
            exact.append((True, str(Decimal(value).normalize())))
        else:
            exact.append((value is not None, value or ""))
    return exact, [(*known, float(f"{f:.6g}")) for *known, f in rough], rough


def difference(ours, theirs, ordered):
    """The difference between our answer and DuckDB's, or None."""
    if len(ours.rows) != len(theirs.rows):
        return f"{len(ours.rows)} rows, DuckDB has {len(theirs.rows)}"
    for row in ours.rows[:1]:
        if len(row) != len(theirs.types):
            return f"{len(row)} columns, DuckDB has {len(theirs.types)}"
    mine, other = ours.rows, theirs.rows
    if not ordered:
        mine = sorted(mine, key=lambda row: sort_key(row, theirs.types))
        other = sorted(other, key=lambda row: sort_key(row, theirs.types))
    for index, (a, b) in enumerate(zip(mine, other)):
        for column, (x, y, kind) in enumerate(zip(a, b, theirs.types)):
            if not equal(x, y, kind):
                return f"row {index}, column {column} ({kind}): {x!r}, DuckDB has {y!r}\n  ours   {a}\n  DuckDB {b}"
    return None
