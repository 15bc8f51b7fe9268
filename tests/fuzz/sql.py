"""./dev fuzz sql: random schemas, data and queries; Lanewise's answers against DuckDB's.

Ends with a table of what was hit how often: a function counts where it reads a column of rows that its query reaches, its
NULL where a column of these holds one. A run of 500 or more goes on where it has hit something less than 20 times, up to twice
its --count; what is short then makes it fail, as do answers of which more than half are empty. A difference prints the
smallest statement that still shows it, and the command that repeats the run.

What DuckDB refuses must be refused here too. DuckDB answers some queries in two ways, of which either is right; the run says
how many there were. What its statistics of a column say decides between two versions of a function that differ
(substring('aa', -3, 1) is 'a' where all texts are ASCII, else ''), and its optimiser decides what is evaluated, and so whether
there is an error. It evaluates the second argument of an OR also for rows that the first has decided. Where DuckDB is wrong by its
own rules (docs/decisions/0002-where-duckdb-is-wrong.md) it is counted too. Floats agree within the tolerance of
tests/sql/corpus.py, as sums depend on their order.
"""

import argparse
import os
import random
import re
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import BoundedSemaphore

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sql"))

import corpus  # noqa: E402
import duckdb  # noqa: E402
import engine  # noqa: E402
from corpus import Block  # noqa: E402
from expressions import AGGREGATES, BY_RULE, ENOUGH, FUNCTIONS, LAZY, Generator, Node, null, takes_values  # noqa: E402
from queries import TYPES, Query, Table, random_query, random_table  # noqa: E402

QUERIES_PER_TABLE = 20
ENOUGH_FROM = 500  # queries
OPERATORS = ["where", "aggregate", "group by", "group by many", "having", "distinct", "union all", "cte", "cte read twice", "subquery", "aggregate over",
             "order by", "descending", "nulls first", "nulls last", "limit", "offset", "parquet"]
# What is counted, and whether a NULL can reach it.
COUNTED = {"function": sorted({e[0]: takes_values(e) for e in FUNCTIONS + AGGREGATES}.items()),
           "operator": [(name, False) for name in OPERATORS], "type of a column": [(f"type {name}", True) for name in TYPES]}
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)


def settings(chooser):
    """Any target, vector size and thread count may answer."""
    lanes = chooser.choice(["simd", "simd", "branching", "scalar", "auto", "interleaved", "emulated"])
    return {"lanes": lanes, "vector_size": chooser.choice([None, None, 1, 2, 7]), "threads": chooser.choice([1, 2])}


# Other ways of DuckDB: a setting, another spelling (LAZY: AND, OR and BETWEEN leave out what does not matter), and whether the way
# counts only where one of the two has an error.
OTHER_WAYS = [("SET disabled_optimizers = 'statistics_propagation'", {}, False), ("PRAGMA disable_optimizer", {}, True), ("", LAZY, True)]


def connect(table, setting=""):
    connection = duckdb.connect(config={"threads": 1})
    for statement in [*table.statements(), setting]:
        connection.execute(statement)
    return connection


def answer_of(connection, query, spelling={}):
    """DuckDB's answer, or None where DuckDB refuses."""
    try:
        return corpus.duckdb_answers(connection, [Block("query", query.ordered, "", query.text(spelling), 0)])[0]
    except AssertionError:
        return None


def passing(connection, query):
    """How many rows the query's WHERE leaves; 0 where it fails."""
    try:
        condition = f"WHERE {query.where.text()}" if query.where else ""
        return connection.execute(f"SELECT count(*) FROM t {condition}").fetchone()[0]
    except duckdb.Error:
        return 0  # The whole query does not evaluate the condition, so nobody knows.


def refused_calls(connection, node):
    """The innermost calls that DuckDB refuses also alone."""
    if answer_of(connection, Query((node,))) is not None:
        return []
    return [name for child in node.children for name in refused_calls(connection, child)] or [node.name]


def blocks_of(table, queries, answers):
    """The number of each query, from 1 on, is its line."""
    return [Block("statement", False, "", sql, 0) for sql in table.statements()] + [
        Block("query" if answer else "error", query.ordered, "", query.text(), i)
        for i, (query, answer) in enumerate(zip(queries, answers), 1)]


def failures(table, queries, answers, options):
    """How our answers differ."""
    return engine.failures(blocks_of(table, queries, answers), answers, **options)


def differs(table, query, options, setting="", spelling={}):
    """How the two differ on one query, or None."""
    with connect(table, setting) as connection:
        found = failures(table, [query], [answer_of(connection, query, spelling)], options)
    return found[0] if found else None


def answered_in_two_ways(table, query, options, reason):
    """Whether another way of DuckDB is ours."""
    return any(not differs(table, query, options, setting, spelling) for setting, spelling, for_errors in OTHER_WAYS
               if not for_errors or "exit code" in reason)


OVERFLOW = re.compile(r"Overflow in subtraction of UINT128 \((\d+) - (\d+)\)")


def lets_wrap(reason):
    """Whether ours is the error for what DuckDB lets wrap: a UHUGEINT less one of the 2^64 largest, borrowing from the upper half."""
    found = OVERFLOW.search(reason)
    if not found:
        return False
    (_, low), (high, borrowed) = (divmod(int(number), 1 << 64) for number in found.groups())
    return high == (1 << 64) - 1 and borrowed > low


def duckdb_is_wrong(table, query, options, reason):
    """Whether this is one of the cases of decision 2."""
    return lets_wrap(reason) or (query.text(BY_RULE) != query.text() and not differs(table, query, options, spelling=BY_RULE))


def minimal(table, query, options, tries=200):
    """The smallest table and query that still differ."""
    reason, again = differs(table, query, options), True
    while again and tries > 0 and reason:
        again = False
        tables = [Table(table.rows, table.columns)] if table.file else []
        tables += [Table(rows, table.columns, table.file) for rows in (0, 1, 2, 5, 20, 100) if rows < table.rows]
        tables += [Table(table.rows, tuple(c for c in table.columns if c[0] != name), table.file) for name, *_ in table.columns]
        for candidate in [(t, query) for t in tables] + [(table, q) for q in query.smaller()]:
            tries -= 1
            if not candidate[0].columns:
                continue
            found = differs(*candidate, options)
            if found and not duckdb_is_wrong(*candidate, options, found) and not answered_in_two_ways(*candidate, options, found):
                table, query, reason, again = *candidate, found, True
                break
            if tries <= 0:
                break
    return table, query, reason


class Run:
    """Counts of the whole run, which decide what is generated next."""

    def __init__(self, seed, folder):
        self.seed, self.folder = seed, folder
        self.hits, self.refusals = Counter(), Counter()
        self.refused = self.filled = self.asked = self.two_ways = self.known = 0
        self.wrong, self.other = [], []

    def batch(self, number, size):
        """A table, its queries and DuckDB's answers."""
        chooser = random.Random(f"{self.seed} {number}")
        table = random_table(chooser, self.hits, str(self.folder / f"{number}.parquet"))
        queries, answers = [], []
        with connect(table) as connection:
            counts = ", ".join(f"count(*) - count({name})" for name, *_ in table.columns)
            nulls = connection.execute(f"SELECT {counts} FROM t").fetchone()
            columns = table.kinds({c[0] for c, count in zip(table.columns, nulls) if count})
            generator = Generator(chooser, columns, self.hits, self.refusals)
            while sum(answer is not None for answer in answers) < size:
                query = random_query(chooser, generator)
                if query.where and not passing(connection, query) and chooser.random() < 0.75:
                    query = replace(query, where=Node("bool", "({0} IS NOT TRUE)", (query.where,)))  # All rows pass this.
                queries.append(query)
                answers.append(answer_of(connection, query))
                self.count(connection, table, query, answers[-1])
        return table, queries, answers, settings(chooser)

    def count(self, connection, table, query, answer):
        if answer is None:
            self.refused += 1
            self.refusals.update(name for node in query.nodes() for name in refused_calls(connection, node))
            return
        self.asked += 1
        self.filled += bool(answer.rows)
        evaluated = [n for n in (query.where, query.union) if n and table.rows] + (query.items() if passing(connection, query) else [])
        found = set(query.features) | ({"parquet"} if table.file else set())
        for node in evaluated:
            for name, has_null in node.calls():
                found.update([name, null(name)] if has_null else [name])
            for column in node.columns():
                name = f"type {column.type}"
                found.update([name, null(name)] if column.has_nulls else [name])
        self.hits.update(found)

    def compare(self, table, queries, answers, options):
        """Runs in a thread of the pool."""
        wrong, other, two_ways, known = [], [], 0, 0
        for text in failures(table, queries, answers, options):
            if not text.startswith("line "):
                other.append(text)
                continue
            query = queries[int(text.split(":")[0].removeprefix("line ")) - 1]
            if duckdb_is_wrong(table, query, options, text):
                known += 1
            elif answered_in_two_ways(table, query, options, text):
                two_ways += 1
            else:
                wrong.append((table, query, options, text))
        return wrong, other, two_ways, known

    def take(self, wrong, other, two_ways, known):
        self.wrong += wrong
        self.other += other
        self.two_ways += two_ways
        self.known += known


def seldom(run):
    """What was hit less than ENOUGH times."""
    every = [entry for listed in COUNTED.values() for entry in listed]
    return [n for n, _ in every if run.hits[n] < ENOUGH] + [f"{n} with NULL" for n, nullable in every if nullable and run.hits[null(n)] < ENOUGH]


def left(run, count):
    """How many queries to ask still: `count` in all, or up to twice as many while something is hit too seldom."""
    short = run.asked >= max(count, ENOUGH_FROM) and seldom(run)
    return (2 * count if short else count) - run.asked


def report(run):
    """The table of hits."""
    print(f"\n{run.asked} queries, {run.filled} with rows; DuckDB refused {run.refused} more; {run.two_ways} have two answers; in {run.known} DuckDB is wrong")
    for title, listed in COUNTED.items():
        print(f"\n{title:24}  hits   with NULL")
        for name, nullable in listed:
            with_null = f"{run.hits[null(name)]:12}" if nullable else ""
            print(f"{name.removeprefix('type '):24}{run.hits[name]:6}{with_null}")


def main():
    parser = argparse.ArgumentParser(prog="./dev fuzz sql", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000, help="queries to compare")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--show", type=int, default=5, help="differences to make minimal")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(JOBS) as pool:
        run, waiting = Run(options.seed, Path(folder)), BoundedSemaphore(2 * JOBS)

        def compare(batch):
            try:
                return run.compare(*batch)
            finally:
                waiting.release()

        results = []
        while (size := min(QUERIES_PER_TABLE, left(run, options.count))) > 0:
            batch = run.batch(len(results), size)
            waiting.acquire()
            results.append(pool.submit(compare, batch))
            if run.asked % 500 < QUERIES_PER_TABLE:
                print(f"{run.asked} of {options.count} asked", flush=True)
        for result in results:
            run.take(*result.result())

        report(run)
        for table, query, used, first in run.wrong[:options.show]:
            small, less, reason = minimal(table, query, used)
            print(f"\nA difference ({used}):\n" + "".join(f"{sql};\n" for sql in small.statements()) + f"{less.text()};\n"
                  f"{reason or f'It is not seen when the statement runs alone. It was: {first}'}")
    for text in run.other:
        print(f"\n{text}")
    if run.wrong or run.other:
        print(f"\nrepeat with: ./dev fuzz sql --seed {options.seed} --count {options.count}")
    failed = len(run.wrong) + len(run.other)
    if run.asked >= ENOUGH_FROM:
        short = seldom(run)
        for name in short:
            print(f"hit less than {ENOUGH} times: {name}")
        if run.filled * 2 < run.asked:
            print("more than half of the answers are empty")
        failed += len(short) + (run.filled * 2 < run.asked)
    print(f"{run.asked - len(run.wrong)} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
