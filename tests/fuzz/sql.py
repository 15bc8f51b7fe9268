"""./dev fuzz sql: random schemas, data and queries; Lanewise's answers against DuckDB's.

Ends with a table of what was hit how often: a function counts where it reads a column of rows that its query reaches, its
NULL where a column of these holds one. A run of 500 or more goes on where it has hit something less than 20 times, up to twice
its --count; what is short then makes it fail, as do answers of which more than half are empty. A difference prints the
smallest statement that still shows it, and the command that repeats the run. SIGTERM ends the run early, with its report.

Each table has settings of its own (oracle.py): a target, the size of a vector, 1 to 7 threads, sometimes 8 MB for the engine, of
which a query may run out. What DuckDB refuses must be refused here too. DuckDB answers some queries in two ways, of which either is right; the run says
how many there were. What its statistics of a column say decides between two versions of a function that differ
(substring('aa', -3, 1) is 'a' where all texts are ASCII, else ''), and its optimiser decides what is evaluated, and so whether
there is an error. It evaluates the second argument of an OR also for rows that the first has decided. Where DuckDB is wrong by its
own rules (docs/understand/decisions/0002-where-duckdb-is-wrong.md) it is counted too. Floats agree within the tolerance of
tests/sql/corpus.py, as sums depend on their order.

--plans N of 10 tables get queries of other shapes (plans.py), which the engine may refuse by name: these refusals are counted by
what is missing. Crashes and internal errors are reported first. --optimizers compares DuckDB with itself, without Lanewise.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import BoundedSemaphore, Event

import optimizers
from expressions import AGGREGATES, ENOUGH, FUNCTIONS, Generator, Node, null, takes_values
from odd_values import PLAN_SETTINGS, SETTINGS, odd_table, random_settings
from oracle import (answered_in_two_ways, ask, blocks_of, broken, connect, differs, duckdb_is_wrong, ends_duckdb, engine, failures, law,  # noqa: F401
                    minimal, passing, refused_calls, settings, took_too_long)
from outcomes import CRASH, INTERNAL, MEMORY, ORDER, REFUSED, missing, outcome, signature, without_literals
from plans import FEATURES, Plan, PlanGenerator, is_collated, random_plan
from queries import TYPES, random_query, random_table

QUERIES_PER_TABLE = 20
ENOUGH_FROM = 500  # queries; shorter runs need not use everything
PLANS_FROM = 2000  # the same for what only plans have
OPERATORS = ["where", "aggregate", "group by", "group by many", "having", "distinct", "union all", "cte", "cte read twice", "subquery", "aggregate over",
             "order by", "descending", "nulls first", "nulls last", "limit", "offset", "parquet"]
# The counted item, and whether a NULL can reach it.
COUNTED = {"function": sorted({e[0]: takes_values(e) for e in FUNCTIONS + AGGREGATES}.items()),
           "operator": [(name, False) for name in OPERATORS], "type of a column": [(f"type {name}", True) for name in TYPES]}
OF_PLANS = {"feature of a plan": [(f"plan {name}", False) for name in FEATURES], "setting": [(f"SET {name}", False) for name in PLAN_SETTINGS]}
WIDE_TABLES = 10  # one of so many tables is wide
PLANS = 4  # of 10 tables, unless --plans says otherwise
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)


class Run:
    """Counts of the whole run, which determine what is generated next."""

    def __init__(self, seed, folder, plans=0, without=()):
        self.seed, self.folder, self.plans, self.without = seed, folder, plans, set(without)
        self.counted = (COUNTED if plans < 10 else {}) | (OF_PLANS if plans else {})
        self.hits, self.refusals, self.missing = Counter(), Counter(), Counter()
        self.refused = self.filled = self.asked = self.two_ways = self.known = self.out_of_memory = self.spilled = self.broken = self.rewritten = 0
        self.wrong, self.other = [], []

    def next_batch(self, number, size):
        return self.plan_batch(number, size) if (number * 7 + 3) % 10 < self.plans else self.batch(number, size)

    def plan_batch(self, number, size):
        """Like batch, for queries that the engine may reject by name."""
        chooser = random.Random(f"{self.seed} {number}")
        table, queries, answers = odd_table(chooser, self.hits), [], []
        kinds, connection = table.kinds({c[0] for c in table.columns if c[3]}), connect(table)
        while sum(answer is not None for answer in answers) < size:
            query = random_plan(chooser, kinds, self.hits, self.refusals, is_collated(table))
            if self.without & set(query.features) or ends_duckdb(table, query):
                continue
            answer, error = ask(connection, query)
            if took_too_long(error):
                continue
            if broken(error):
                self.broken += 1
                connection = connect(table)
                continue
            self.refused += answer is None
            if answer is not None:
                plain = law(connection, query) or answer  # if it is too slow the second time
                self.rewritten += plain is not answer and not plain.rows == answer.rows
                answer = plain
                self.asked += 1
                self.filled += bool(answer.rows)
                self.hits.update([*(f"plan {name}" for name in query.features), *table.changed()])
            queries.append(query)
            answers.append(answer)
        connection.close()
        return table, queries, answers, settings(chooser, table)

    def batch(self, number, size):
        """A table, its queries and DuckDB's answers."""
        chooser = random.Random(f"{self.seed} {number}")
        table = random_table(chooser, self.hits, str(self.folder / f"{number}.parquet"))
        if number % WIDE_TABLES == WIDE_TABLES // 2:
            table = table.wide()
        if self.plans and chooser.random() < 0.25:
            table = replace(table, settings=random_settings(chooser, SETTINGS, self.hits))
        queries, answers = [], []
        with connect(table) as connection:
            counts = ", ".join(f"count(*) - count({name})" for name, *_ in table.columns)
            nulls = connection.execute(f"SELECT {counts} FROM t").fetchone()
            columns = table.kinds({c[0] for c, count in zip(table.columns, nulls) if count})
            generator = Generator(chooser, columns, self.hits, self.refusals)
            while sum(answer is not None for answer in answers) < size:
                query = random_query(chooser, generator)
                query = query.with_wide(chooser) if table.is_wide() else query
                if query.where and not passing(connection, query) and chooser.random() < 0.75:
                    query = replace(query, where=Node("bool", "({0} IS NOT TRUE)", (query.where,)))  # All rows pass this.
                answer, error = ask(connection, query)
                if broken(error):
                    break
                if took_too_long(error):
                    continue
                queries.append(query)
                answers.append(answer)
                self.count(connection, table, query, answers[-1])
        return table, queries, answers, settings(chooser, table)

    def count(self, connection, table, query, answer):
        if answer is None:
            self.refused += 1
            self.refusals.update(name for node in query.nodes() for name in refused_calls(connection, node))
            return
        self.asked += 1
        self.filled += bool(answer.rows)
        evaluated = [n for n in (query.where, query.union) if n and table.rows] + (query.items() if passing(connection, query) else [])
        found = set(query.features) | ({"parquet"} if table.file else set()) | set(table.changed())
        for node in evaluated:
            for name, has_null in node.calls():
                found.update([name, null(name)] if has_null else [name])
            for column in node.columns():
                name = f"type {column.type}"
                found.update([name, null(name)] if column.has_nulls else [name])
        self.hits.update(found)

    def compare(self, table, queries, answers, options):
        """Runs in a thread of the pool."""
        found = Counter(), [], [], Counter()
        counts, wrong, other, lacking = found
        spilled = [] if options["memory"] else None
        for text in failures(table, queries, answers, options, spilled):
            if not text.startswith("line "):
                other.append(text)
                continue
            query = queries[int(text.split(":")[0].removeprefix("line ")) - 1]
            kind = outcome(text)
            if kind == REFUSED and isinstance(query, Plan):
                lacking[missing(text)] += 1
            elif kind == MEMORY and options["memory"]:
                counts["out of memory"] += 1
            elif kind in (CRASH, INTERNAL):
                wrong.append((table, query, options, text))
            elif duckdb_is_wrong(table, query, options, text):
                counts["known"] += 1
            elif answered_in_two_ways(table, query, options, text):
                counts["two ways"] += 1
            else:
                wrong.append((table, query, options, text))
        if spilled:
            counts["in temporary files"] += sum(spilled)
        return found

    def take(self, counts, wrong, other, lacking):
        self.wrong += wrong
        self.other += other
        self.missing += lacking
        self.two_ways += counts["two ways"]
        self.known += counts["known"]
        self.out_of_memory += counts["out of memory"]
        self.spilled += counts["in temporary files"]


def seldom(run):
    """The entries with fewer than ENOUGH uses."""
    sections = run.counted if run.asked >= PLANS_FROM else {title: run.counted[title] for title in run.counted if title in COUNTED}
    every = [entry for listed in sections.values() for entry in listed]
    left_out = {f"plan {name}" for name in run.without}
    return [n for n, _ in every if run.hits[n] < ENOUGH and n not in left_out] + [f"{n} with NULL" for n, nullable in every if nullable and run.hits[null(n)] < ENOUGH]


def left(run, count):
    """The number of further queries: `count` in all, or up to twice as many while an entry has too few uses."""
    short = run.asked >= max(count, ENOUGH_FROM) and seldom(run)
    return (2 * count if short else count) - run.asked


def report(run):
    """The table of uses, and the classes of outcomes."""
    kinds = Counter(outcome(text) for *_, text in run.wrong)
    refused = sum(run.missing.values())
    equal = run.asked - refused - run.two_ways - run.known - run.out_of_memory - sum(kinds.values())
    print(f"\n{run.asked} queries, {run.filled} with rows; DuckDB refused {run.refused} more; {run.two_ways} have two answers; "
          f"in {run.known} DuckDB is wrong")
    print(f"equal: {equal}; refused by name: {refused}; out of 8 MB: {run.out_of_memory}; " +
          "; ".join(f"{kind}: {kinds[kind]}" for kind in ORDER if kind not in (REFUSED, MEMORY)))
    print(f"{run.spilled} statements used temporary files")
    if run.broken or run.rewritten:
        print(f"DuckDB has an internal error in {run.broken} more, its optimiser rewrites a pattern wrongly in {run.rewritten}")
    for name, count in run.missing.most_common(15):
        print(f"not supported yet: {count:5} {name}")
    for title, listed in run.counted.items():
        print(f"\n{title:24}  hits   with NULL")
        for name, nullable in listed:
            with_null = f"{run.hits[null(name)]:12}" if nullable else ""
            print(f"{name.removeprefix('type ').removeprefix('plan '):24}{run.hits[name]:6}{with_null}")


def to_show(wrong, most):
    """At most this many of each kind, the worst kind first, and each message once."""
    shown = Counter()
    seen = set()
    for failure in sorted(wrong, key=lambda failure: ORDER.index(outcome(failure[3]))):
        kind, mark = outcome(failure[3]), signature(failure[3])
        if shown[kind] < most and mark not in seen:
            shown[kind] += 1
            if kind == INTERNAL:
                seen.add(mark)
            yield kind, failure


def main():
    parser = argparse.ArgumentParser(prog="./dev fuzz sql", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000, help="queries to compare")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--show", type=int, default=5, help="failures of each kind to make minimal")
    parser.add_argument("--plans", type=int, default=PLANS, choices=range(11), metavar="N", help="tables of 10 that get odd plans (default: %(default)s)")
    parser.add_argument("--without", action="append", default=[], choices=FEATURES, metavar="FEATURE", help="leave out plans with this feature")
    parser.add_argument("--optimizers", action="store_true", help="compare DuckDB with itself, each optimizer switched off in turn")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    PlanGenerator.joins = options.plans == 10
    if options.optimizers:
        sys.exit(optimizers.main(options.seed, options.count, options.show))

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(JOBS) as pool:
        run, waiting = Run(options.seed, Path(folder), options.plans, options.without), BoundedSemaphore(2 * JOBS)

        def compare(batch):
            try:
                return run.compare(*batch)
            finally:
                waiting.release()

        results, ended = [], Event()
        signal.signal(signal.SIGTERM, lambda *_: ended.set())
        while not ended.is_set() and (size := min(QUERIES_PER_TABLE, left(run, options.count))) > 0:
            batch = run.next_batch(len(results), size)
            waiting.acquire()
            results.append(pool.submit(compare, batch))
            if run.asked % 500 < QUERIES_PER_TABLE:
                print(f"{run.asked} of {options.count} asked", flush=True)
        for result in results:
            run.take(*result.result())

        report(run)
        printed = set()
        for kind, (table, query, used, first) in to_show(run.wrong, options.show):
            small, less, reason = minimal(table, query, used)
            if (kind, without_literals(less.text())) in printed:
                continue
            printed.add((kind, without_literals(less.text())))
            print(f"\nA difference ({kind}; {used}):\n" + "".join(f"{sql};\n" for sql in small.statements()) + f"{less.text()};\n"
                  f"{reason or f'It is not seen when the statement runs alone. It was: {first}'}\nMade of: {query.text()}")
    for text in run.other:
        print(f"\n{text}")
    if run.wrong or run.other:
        print(f"\nrepeat with: ./dev fuzz sql --seed {options.seed} --count {options.count}" + (f" --plans {options.plans}" if options.plans != PLANS else "") +
              "".join(f" --without '{name}'" for name in options.without))
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
