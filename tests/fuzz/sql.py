"""./dev fuzz sql: random schemas, data and queries; Lanewise's answers against DuckDB's.

Ends with a table of what was hit how often. A difference prints the smallest statement that still shows it, and the
command that repeats the run.
"""

import argparse
import os
import random
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sql"))

import corpus  # noqa: E402
import duckdb  # noqa: E402
import engine  # noqa: E402
from corpus import Block  # noqa: E402
from expressions import AGGREGATES, FUNCTIONS, Generator  # noqa: E402
from queries import TYPES, Table, random_query, random_table  # noqa: E402

QUERIES_PER_TABLE = 40
ENOUGH = 20
OPERATORS = ["where", "aggregate", "group by", "having", "distinct", "union all", "nested", "order by", "limit", "offset"]


def settings(chooser):
    """Any target, vector size and thread count may answer."""
    lanes = chooser.choice(["simd", "simd", "scalar", "interleaved", "emulated"])
    return {"lanes": lanes, "vector_size": chooser.choice([None, None, 1, 2, 7]), "threads": chooser.choice([1, 2])}


def answer_of(connection, table, query):
    """DuckDB's answer, or None where DuckDB refuses."""
    try:
        return corpus.duckdb_answers(connection, [Block("query", query.ordered, "", query.text(), 0)])[0]
    except AssertionError:
        return None


def differs(table, query, options):
    """How the two differ on one query, or None."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(table.sql())
        expected = answer_of(connection, table, query)
    if expected is None:
        return None
    blocks = [Block("statement", False, "", table.sql(), 0), Block("query", query.ordered, "", query.text(), 1)]
    found = engine.failures(blocks, [expected], **options)
    return found[0] if found else None


def minimal(table, query, options, tries=300):
    """The smallest table and query that still differ."""
    reason, again = differs(table, query, options), True
    while again and tries > 0 and reason:
        again = False
        tables = [Table(rows, table.columns) for rows in (0, 1, 2, 5, 20, 100) if rows < table.rows]
        tables += [Table(table.rows, tuple(c for c in table.columns if c[0] != name)) for name, *_ in table.columns]
        for candidate in [(t, query) for t in tables] + [(table, q) for q in query.smaller()]:
            tries -= 1
            if not candidate[0].columns:
                continue
            found = differs(*candidate, options)
            if found:
                table, query, reason, again = *candidate, found, True
                break
            if tries <= 0:
                break
    return table, query, reason


def batch(seed, queries):
    """One table and its queries. Returns the counts, how many DuckDB refused, and the differences."""
    chooser = random.Random(seed)
    hits, refused, filled = Counter(), 0, 0
    table = random_table(chooser, hits)
    generator = Generator(chooser, table.kinds())
    # Every batch starts at another place, so that the least used functions differ.
    for entry in FUNCTIONS + AGGREGATES:
        generator.used[entry[0]] = chooser.randint(0, 3)
    asked, answers = [], []
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(table.sql())
        while len(asked) < queries:
            query = random_query(chooser, generator)
            expected = answer_of(connection, table, query)
            if expected is None:
                refused += 1
                continue
            asked.append(query)
            answers.append(expected)
            filled += bool(expected.rows)
            hits.update(query.features)
            for name, null in {n for node in query.nodes() for n in node.names()}:
                hits[name] += 1
                hits[f"NULL {name}"] += null
    options = settings(chooser)
    blocks = [Block("statement", False, "", table.sql(), 0)]
    blocks += [Block("query", q.ordered, "", q.text(), i + 1) for i, q in enumerate(asked)]
    found = engine.failures(blocks, answers, **options)
    wrong = [(table, asked[int(text.split(":")[0].removeprefix("line ")) - 1], options, text) for text in found
             if text.startswith("line ")]
    return hits, refused, filled, wrong, [f for f in found if not f.startswith("line ")]


def report(hits, total, refused, filled):
    """The table of hits; returns what was hit too seldom."""
    names = sorted({e[0] for e in FUNCTIONS + AGGREGATES})
    nullable = [e[0] for e in FUNCTIONS + AGGREGATES if any(not a.isupper() for a in e[3].split())]
    print(f"\n{total} queries, {filled} with rows; DuckDB refused {refused} more")
    print("\nfunction                  hits   with NULL")
    for name in names:
        print(f"{name:24}{hits[name]:6}{hits[f'NULL {name}']:12}")
    for title, listed in (("operator", OPERATORS), ("type of a column", [f"type {t}" for t in TYPES])):
        print(f"\n{title:24}  hits")
        for name in listed:
            print(f"{name.removeprefix('type '):24}{hits[name]:6}")
    seldom = [n for n in names + OPERATORS + [f"type {t}" for t in TYPES] if hits[n] < ENOUGH]
    return seldom + [f"{n} with NULL" for n in nullable if hits[f"NULL {n}"] < ENOUGH]


def main():
    parser = argparse.ArgumentParser(prog="./dev fuzz sql", description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="queries to compare")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--show", type=int, default=5, help="differences to make minimal")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)

    batches = [(options.seed * 100003 + i, min(QUERIES_PER_TABLE, options.count - i * QUERIES_PER_TABLE))
               for i in range(-(-options.count // QUERIES_PER_TABLE))]
    hits, refused, filled, wrong, other, done = Counter(), 0, 0, [], [], 0
    with ThreadPoolExecutor(int(os.environ.get("JOBS") or os.cpu_count() or 1)) as pool:
        for size, (h, r, f, w, o) in zip((b[1] for b in batches), pool.map(lambda b: batch(*b), batches)):
            hits.update(h)
            refused, filled, done = refused + r, filled + f, done + size
            wrong += w
            other += o
            if done % 400 < QUERIES_PER_TABLE:
                print(f"{done} of {options.count}, {len(wrong) + len(other)} differ", flush=True)

    seldom = report(hits, done, refused, filled)
    for table, query, run, first in wrong[:options.show]:
        small, less, reason = minimal(table, query, run)
        print(f"\nA difference ({run}):\n{small.sql()};\n{less.text()};\n"
              f"{reason or f'It is not seen when the statement runs alone. It was: {first}'}")
    for text in other:
        print(f"\n{text}")
    if wrong or other:
        print(f"\nrepeat with: ./dev fuzz sql --seed {options.seed} --count {options.count}")
    failed = len(wrong) + len(other)
    if done >= 5000:
        for name in seldom:
            print(f"hit less than {ENOUGH} times: {name}")
        if filled * 2 < done:
            print("more than half of the results are empty")
        failed += len(seldom) + (filled * 2 < done)
    print(f"{done - len(wrong)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
