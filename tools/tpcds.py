"""Makes TPC-DS's tables at a scale factor, a Parquet file each, and its 99 queries: tpcds.py SCALE FOLDER."""

import sys
from pathlib import Path

import duckdb
import duckdb_extension_tpcds

scale, folder = float(sys.argv[1]), Path(sys.argv[2])
extension = next(Path(duckdb_extension_tpcds.__file__).parent.rglob("tpcds.duckdb_extension"))
folder.mkdir(parents=True)
with duckdb.connect() as connection:
    connection.execute(f"LOAD '{extension}'")
    connection.execute(f"CALL dsdgen(sf = {scale})")
    for (table,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        connection.execute(f"COPY {table} TO '{folder / table}.parquet'")
    for number, query in connection.execute("FROM tpcds_queries()").fetchall():
        (folder / f"q{number:02}.sql").write_text(query)
