"""The star schema benchmark's 13 queries against DuckDB: the same database file, the same number of threads, hot, equal answers.

    ./dev bench ssb --rounds 3                    scale factor 1, all cores
    ./dev bench ssb --rounds 3 --threads 1
"""

import suite
import ssb  # after suite, which sets the path

if __name__ == "__main__":
    arguments = suite.parser("ssb", __doc__).parse_args()
    database = suite.make_database(arguments.folder / f"ssb-sf{arguments.scale}.duckdb", suite.run_statements(ssb.tables(float(arguments.scale))))
    suite.compare(database, ssb.QUERIES, arguments)
