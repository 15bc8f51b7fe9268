"""Writes DuckDB's answers to a file, for machines without DuckDB: to all of tests/sql, the join order benchmark, and random queries of tests/fuzz.

  python3 tests/gpu/gpu_answers.py [--random 1000] [--seed 1] [--joins] FILE

FILE is JSON, a list of units: the blocks of a statement file, tables and some of their queries, with the answers to the queries.
tests/gpu/gpu_differential.py reads it. Two kinds of random queries are left out: those with long answers, which would be most of the file, and
those where the CPU's answer differs from DuckDB's, which are a matter for ./dev fuzz sql.
"""

import argparse
import json
import os
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

os.environ["TZ"] = "UTC"
ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/sql"), str(ROOT / "tests/fuzz")]

import corpus  # noqa: E402
import duckdb  # noqa: E402
import engine  # noqa: E402
import job  # noqa: E402
import sql  # noqa: E402

QUERIES_AT_ONCE = 8  # of the benchmark: units run beside each other
MOST_ROWS = 1000  # characters of an answer to a random query: nine in ten have fewer


def unit(name, blocks, answers):
    """The answer as JSON; statements that must fail do not have one."""
    return {"name": name, "blocks": [asdict(block) for block in blocks],
            "answers": [asdict(answer) if isinstance(answer, corpus.Answer) else None for answer in answers]}


def statement_files():
    for path in sorted(corpus.FOLDER.glob("*.test")):
        blocks = corpus.read(path)
        with duckdb.connect() as connection:
            yield unit(path.name, blocks, corpus.duckdb_answers(connection, blocks))


def join_order_benchmark():
    made, queries, answers = job.blocks()
    for first in range(0, len(queries), QUERIES_AT_ONCE):
        part = slice(first, first + QUERIES_AT_ONCE)
        yield unit(f"join order benchmark {first}", made + queries[part], answers[part])


def random_queries(count, seed, joins=False):
    sql.PlanGenerator.joins = joins
    with tempfile.TemporaryDirectory() as folder:
        run = sql.Run(seed, Path(folder), 10 if joins else 0)
        while run.asked < count:
            number = run.asked // sql.QUERIES_PER_TABLE
            table, queries, answers, _ = run.next_batch(number, min(sql.QUERIES_PER_TABLE, count - run.asked))
            blocks = sql.blocks_of(replace(table, file=""), queries, answers)
            statements = [block for block in blocks if block.kind == "statement"]
            differ = {text.split(":")[0] for text in engine.failures(blocks, answers)}
            kept = [(block, answer) for block, answer in zip(blocks[len(statements):], answers)
                    if f"line {block.line}" not in differ and not (answer and len(answer.rows) > MOST_ROWS)]
            yield unit(f"random queries {number}", statements + [block for block, _ in kept], [answer for _, answer in kept])


def write(path, count=1000, seed=1, joins=False):
    files = [] if joins else [*statement_files(), *join_order_benchmark()]
    path.write_text(json.dumps([*files, *random_queries(count, seed, joins)], separators=(",", ":")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--random", type=int, default=1000, help="queries; 0: the statement files alone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--joins", action="store_true", help="random queries of several tables alone")
    arguments = parser.parse_args()
    write(arguments.file, arguments.random, arguments.seed, arguments.joins)


if __name__ == "__main__":
    main()
