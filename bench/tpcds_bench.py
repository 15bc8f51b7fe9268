"""TPC-DS's 99 queries against DuckDB: the same database file, the same number of threads, hot, equal answers.

Each engine runs every query RUNS times in one process; the median of the runs after the first one counts, planning included. The first run is shown
separately.

    ./dev bench tpcds --threads 1            scale factor 1
    ./dev bench tpcds --scale 10             all cores
"""

import subprocess
import sys

import suite

if __name__ == "__main__":
    arguments = suite.parser("tpcds", __doc__).parse_args()
    data = arguments.folder / f"tpcds-sf{arguments.scale}"
    if not data.exists():
        subprocess.run(["bash", "tools/data.sh", data.name], cwd=suite.ROOT, check=True)
    database = suite.make_database(data / "tpcds.duckdb", suite.read_parquet(data))
    sys.exit(suite.compare(database, suite.read_queries(data.glob("q*.sql")), arguments) > 0)
