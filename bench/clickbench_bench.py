"""ClickBench's 43 queries against DuckDB on made rows: the same database file, the same number of threads, hot, equal answers.

    ./dev bench clickbench --rounds 3             4 million rows, all cores
    ./dev bench clickbench --rounds 3 --threads 1
"""

import suite
import clickbench  # after suite, which sets the path

if __name__ == "__main__":
    parser = suite.parser("clickbench", __doc__)
    parser.add_argument("--rows", type=int, default=4_000_000, help="hits (default: 4 million)")
    arguments = parser.parse_args()
    database = suite.make_database(arguments.folder / f"clickbench-{arguments.rows}.duckdb", suite.run_statements(clickbench.tables(arguments.rows)))
    suite.compare(database, clickbench.queries(arguments.rows), arguments)
