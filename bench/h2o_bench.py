"""H2O.ai's db-benchmark against DuckDB: ten queries that group, five that join; the same database file, the same number of threads, hot.

Answers of up to 10^7 rows are not printed: each query is summed up, by the largest text and the sum of the numbers of each column.

    ./dev bench h2o --rounds 3                    10^7 rows, all cores
    ./dev bench h2o --rounds 3 --threads 1
"""

import duckdb
import suite
import h2o  # after suite, which sets the path


if __name__ == "__main__":
    parser = suite.parser("h2o", __doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="of the larger tables (default: 10^7)")
    arguments = parser.parse_args()
    database = suite.make_database(arguments.folder / f"h2o-{arguments.rows}.duckdb", suite.run_statements(h2o.tables(arguments.rows)))
    with duckdb.connect(str(database), read_only=True) as connection:
        queries = {name: h2o.summed_up(connection, query) for name, query in h2o.QUERIES.items()}
    suite.compare(database, queries, arguments)
