"""DuckDB's Python wheel as a rival; the protocol of duckdb.cc. usage: duckdb_wheel.py THREADS < statements"""

import sys
import time

import duckdb

connection = duckdb.connect(config={"threads": int(sys.argv[1])})
for statement in sys.stdin.read().split(";\n"):
    if not statement.strip():
        continue
    start = time.perf_counter()
    rows = connection.execute(statement).fetchall()
    seconds = time.perf_counter() - start
    print(f"{seconds:.6f}", ",".join("NULL" if value is None else str(value) for value in rows[0]) if rows else "", flush=True)
