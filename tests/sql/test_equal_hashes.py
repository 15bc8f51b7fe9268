"""Keys whose hashes are all equal, against DuckDB: groups, joins and the like then differ by the keys alone."""

import corpus
import duckdb
import engine
import pytest
from colliding import colliding
from corpus import Block

TABLE = f"""CREATE TABLE t AS SELECT i, k, k // 2 AS h, CASE WHEN i % 5 <> 0 THEN k END AS n FROM range(6000) r(i)
JOIN (SELECT unnest({colliding(1500)}) AS k, generate_subscripts({colliding(1500)}, 1) AS j) ON j = i * 7919 % 2000 + 1"""
QUERIES = [
    "SELECT k, count(*) AS c, min(i) AS a FROM t GROUP BY k",
    "SELECT n, sum(i) AS s FROM t GROUP BY n",
    "SELECT k, i % 3 AS m, count(*) AS c FROM t GROUP BY k, i % 3",
    "SELECT DISTINCT k FROM t",
    "SELECT i % 4 AS m, count(DISTINCT k) AS d FROM t GROUP BY m",
    "SELECT count(*) AS c, sum(a.i + b.i) AS s FROM t a JOIN t b USING (k)",
    "SELECT count(*) AS c, sum(b.i) AS s FROM t a LEFT JOIN (FROM t WHERE i < 900) b ON a.n = b.k AND a.i > b.i",
    "SELECT i FROM t WHERE k IN (SELECT n FROM t WHERE i % 11 = 0)",
    "SELECT i FROM t WHERE NOT EXISTS (SELECT 1 FROM t u WHERE u.n = t.k AND u.i % 7 = 0)",
    "SELECT k FROM t WHERE i < 4000 EXCEPT SELECT k FROM t WHERE i % 3 = 0",
    "SELECT i, row_number() OVER (PARTITION BY k ORDER BY i) AS a, sum(i) OVER (PARTITION BY n ORDER BY i) AS b FROM t",
]


@pytest.fixture(scope="module")
def expected():
    blocks = [Block("statement", False, "", TABLE, 0), *(Block("query", False, "", query, line) for line, query in enumerate(QUERIES, 1))]
    with duckdb.connect() as connection:
        return blocks, corpus.duckdb_answers(connection, blocks)


@pytest.mark.parametrize("settings", [{}, {"vector_size": 2, "threads": 7}, {"threads": 2, "memory": 8 << 20}, {"lanes": "scalar", "join_parts": 4}, {"join_lookup": "hash", "threads": 2}],
                         ids=lambda settings: "-".join(map(str, settings.values())) or "default")
def test_same_answers_as_duckdb(expected, settings):
    assert engine.failures(*expected, **settings) == []
