"""Joins that read one short value of a large build side: its hash table then holds the values instead of rows."""

import json

import engine
import pytest

# Of row i; whether the table holds them: not what has NULLs, more than 32 bits, or a value like the mark of no row.
VALUES = {"TINYINT": ("(i % 250 - 128)::TINYINT", True), "USMALLINT": ("(i % 65536)::USMALLINT", True), "INTEGER": ("i::INT", True), "FLOAT": ("(i / 7)::FLOAT", True),
          "DATE": ("DATE '1990-01-01' + i::INT", True), "BOOLEAN": ("i % 3 = 0", True), "DECIMAL(9, 2)": ("(i / 100)::DECIMAL(9, 2)", False), "ENUM": ("['a', 'bb', 'ccc'][1 + i % 3]::ENUM ('a', 'bb', 'ccc')", False),
          "-1 among them": ("(i - 5000)::INT", False), "BIGINT": ("i", False), "with NULLs": ("nullif(i % 7, 3)::INT", False), "long texts": ("'a text of more than twelve bytes ' || i", False)}
# The key's columns, of row i.
KEYS = {"INTEGER": {"k": "(i * 10000 - 2000000000)::INT"}, "BIGINT": {"k": "i * 123456789012"}, "two columns": {"k": "(i * 10000 - 2000000000)::INT", "k2": "i % 4"}}


@pytest.mark.parametrize("name, key", [(name, key) for name in VALUES for key in KEYS if key == "INTEGER" or name in ("TINYINT", "-1 among them")])
def test_values(name, key):
    (value, holds), columns = VALUES[name], KEYS[key]
    of_build = ", ".join(f"{expr} AS {k}" for k, expr in columns.items())
    of_probe = ", ".join(f"CASE WHEN i >= 10 THEN {expr} END AS {k}" for k, expr in columns.items())
    left, join = f"FROM l LEFT JOIN r USING ({', '.join(columns)})", f"FROM l JOIN r USING ({', '.join(columns)})"
    done = engine.run(f"""CREATE TABLE r AS SELECT {of_build}, {value} AS v FROM range(150000) n(i);
      CREATE TABLE l AS SELECT {of_probe}, i FROM (SELECT (x * 7919) % 300000 AS i FROM range(300000) n(x));
      SELECT count(*) AS n, count(*) FILTER (v IS DISTINCT FROM {value}) AS wrong {join};
      SELECT count(*) AS n, count(*) FILTER (v IS DISTINCT FROM CASE WHEN i >= 10 AND i < 150000 THEN {value} END) AS wrong {left};
      EXPLAIN ANALYZE SELECT count(*), count(v), max(v) {left};""", threads=2)
    assert done.returncode == 0, done.stderr
    inner, outer, profile = [json.loads(table) for table in done.stdout.replace("]\n[", "]\0[").split("\0")]
    assert inner == [{"n": 149990, "wrong": 0}] and outer == [{"n": 300000, "wrong": 0}], (inner, outer)
    keys = " ".join(row["details"] for row in profile)
    assert "hash table of" in keys and ("keys and values" in keys) == holds, keys
