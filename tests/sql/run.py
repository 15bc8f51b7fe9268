"""Runs statement files by hand: run.py [FILE...] [--lanes NAME] [--vector-size N] [--threads N]"""

import argparse

import corpus
import duckdb
import engine

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", default=sorted(p.stem for p in corpus.FOLDER.glob("*.test")))
parser.add_argument("--lanes", default="simd")
parser.add_argument("--vector-size", type=int)
parser.add_argument("--threads", type=int, default=1)
arguments = parser.parse_args()

statements = wrong = 0
for name in arguments.files:
    blocks = corpus.read(corpus.FOLDER / f"{name.removesuffix('.test')}.test")
    with duckdb.connect() as connection:
        answers = corpus.duckdb_answers(connection, blocks)
    found = engine.failures(blocks, answers, lanes=arguments.lanes, vector_size=arguments.vector_size,
                            threads=arguments.threads)
    for problem in found:
        print(f"{name}.test, {problem}\n")
    statements += len(answers)
    wrong += len(found)
    print(f"{name}: {len(answers) - len(found)} of {len(answers)} equal", flush=True)
print(f"{statements - wrong} passed, {wrong} failed")
raise SystemExit(1 if wrong else 0)
