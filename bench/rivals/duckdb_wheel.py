"""DuckDB's Python wheel as a rival; the protocol of duckdb.cc. usage: duckdb_wheel.py THREADS [cpu] < statements"""

import sys
import time

import duckdb

clock = time.process_time if sys.argv[2:] == ["cpu"] else time.perf_counter
connection = duckdb.connect(config={"threads": int(sys.argv[1])})
for statement in sys.stdin.read().split(";\n"):
    if not statement.strip():
        continue
    start = clock()
    rows = connection.execute(statement).fetchall()
    seconds = clock() - start
    print(f"{seconds:.6f}", ",".join("NULL" if value is None else str(value) for value in rows[0]) if rows else "", flush=True)
