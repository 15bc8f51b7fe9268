"""Suites of queries over rows made with SQL, against DuckDB: the same database file, the same number of threads, hot, equal answers.

    ssb          the star schema benchmark's 13 queries
    h2o          H2O.ai's db-benchmark: ten queries that group, five that join; answers of up to 10^7 rows are summed up, by the largest
                 text and the sum of the numbers of each column
    clickbench   ClickBench's 43 queries

Scale 1 is the star schema benchmark's scale factor 1, 10^7 rows of db-benchmark's larger tables, 4 million hits of ClickBench.

    ./dev bench suites --rounds 2                     all of them, all cores
    ./dev bench suites ssb --rounds 2 --threads 1
"""

import sys

import duckdb
import suite
import clickbench  # after suite, which sets the path
import h2o
import ssb


def summed_up(database, _):
    with duckdb.connect(str(database), read_only=True) as connection:
        return {name: h2o.summed_up(connection, query) for name, query in h2o.QUERIES.items()}


HITS = 4_000_000
# name: the statements that make the tables of a scale, the queries over a database of a scale
SUITES = {
    "ssb": (ssb.tables, lambda *_: ssb.QUERIES),
    "h2o": (lambda scale: h2o.tables(int(10_000_000 * scale)), summed_up),
    "clickbench": (lambda scale: clickbench.tables(int(HITS * scale)), lambda _, scale: clickbench.queries(int(HITS * scale))),
}


if __name__ == "__main__":
    parser = suite.parser("suites", __doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="ssb, h2o, clickbench (default: all)")
    arguments = parser.parse_args()
    unknown = set(arguments.suites) - set(SUITES)
    if unknown:
        parser.error(f"there is no suite '{min(unknown)}'; there are: {', '.join(SUITES)}")
    scale, wrong = float(arguments.scale), 0
    for name in arguments.suites or SUITES:
        tables, queries = SUITES[name]
        database = suite.make_database(arguments.folder / f"{name}-sf{scale:g}.duckdb", suite.run_statements(tables(scale)))
        print(name, flush=True)
        wrong += suite.compare(database, queries(database, scale), arguments)
    sys.exit(1 if wrong else 0)
