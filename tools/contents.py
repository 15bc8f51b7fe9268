"""Turns Debian's Contents files into one Parquet file: a row for each file that a package ships.

A line is `path  section/package,section/package`. usage: contents.py AMD64.txt ALL.txt OUT.parquet
"""

import os
import sys

import duckdb

amd64, everywhere, out = sys.argv[1:]


def rows(file, architecture):
    return f"""
        SELECT path, split_part(owner, '/', -2) AS section, split_part(owner, '/', -1) AS package,
               '{architecture}' AS architecture
        FROM (SELECT rtrim(regexp_extract(line, '^(.*)[ \t]', 1), ' \t') AS path,
                     unnest(string_split(regexp_extract(line, '[^ \t]+$'), ',')) AS owner
              FROM read_csv('{file}', columns = {{'line': 'VARCHAR'}}, delim = '\x01', quote = '', escape = '',
                            header = false, auto_detect = false))"""


duckdb.execute("SET preserve_insertion_order = true")
duckdb.execute(f"""
    COPY ({rows(amd64, 'amd64')} UNION ALL {rows(everywhere, 'all')})
    TO '{out}.part' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 245760)""")
os.rename(out + ".part", out)
