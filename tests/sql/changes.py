"""Statements that change rows which a query finds, by name. Each ends at ';' and a line's end; all tables are compared after each statement."""

TABLES = """
CREATE TABLE t (i INTEGER PRIMARY KEY, s VARCHAR, d DECIMAL(9, 2), l INTEGER[]);
INSERT INTO t SELECT i, 's' || i, i / 4, [i, NULL] FROM range(8) r(i);
CREATE TABLE u (i INTEGER, s VARCHAR, n INTEGER);
INSERT INTO u VALUES (2, 'two', NULL), (3, 'three', 30), (5, NULL, 50), (9, 'nine', 90), (NULL, 'none', 0);
"""

UPDATES = {
    "from": "UPDATE t SET s = u.s FROM u WHERE u.i = t.i",
    "from, several columns": "UPDATE t SET s = u.s || t.s, d = d + u.n, l = list_append(l, u.n) FROM u WHERE u.i = t.i",
    "from, returning": "UPDATE t SET s = u.s FROM u WHERE u.i = t.i RETURNING i, s, l, d + 1 AS more",
    "from, no match": "UPDATE t SET s = u.s FROM u WHERE u.i = t.i + 100 RETURNING *",
    "from an empty table": "CREATE TABLE e (i INTEGER);\nUPDATE t SET s = 'e' FROM e WHERE e.i = t.i;\nUPDATE e SET i = t.i FROM t RETURNING *",
    "from without a condition": "UPDATE t SET d = x.m FROM (SELECT max(n) AS m FROM u) x",
    "from never": "UPDATE t SET s = u.s FROM u WHERE false",
    "self join": "UPDATE t SET s = o.s FROM t AS o WHERE o.i = t.i + 1 RETURNING i, s",
    "aliases": "UPDATE t AS a SET s = b.s FROM u AS b WHERE a.i = b.i",
    "from two tables": "UPDATE t SET s = u.s || v.s FROM u JOIN u AS v ON u.n < v.n WHERE u.i = t.i AND v.i = 9",
    "from a left join": "UPDATE t SET s = v.s FROM u LEFT JOIN u AS v ON v.i = u.i + 4 WHERE u.i = t.i",
    "from values": "UPDATE t SET s = v.s FROM (VALUES (1, 'x'), (4, NULL)) v(i, s) WHERE v.i = t.i",
    "from groups": "UPDATE t SET d = g.n FROM (SELECT i % 4 AS k, sum(n) AS n FROM u GROUP BY k) g WHERE g.k = t.i",
    "from a window": "UPDATE t SET d = w.r FROM (SELECT i, row_number() OVER (ORDER BY s DESC) AS r FROM t) w WHERE w.i = t.i",
    "lateral": "UPDATE t SET s = x.s FROM u, LATERAL (SELECT u.s || u.i AS s) x WHERE u.i = t.i",
    "a subquery as a value": "UPDATE t SET d = (SELECT max(n) FROM u)",
    "a correlated subquery": "UPDATE t SET s = (SELECT s FROM u WHERE u.i = t.i)",
    "correlated count": "UPDATE t SET d = (SELECT count(*) FROM u WHERE u.i < t.i), s = (SELECT string_agg(s, '+' ORDER BY s) FROM u WHERE u.i <> t.i)",
    "a subquery of several rows": "UPDATE t SET s = (SELECT s FROM u)",
    "in": "UPDATE t SET s = upper(s) WHERE i IN (SELECT i FROM u)",
    "not in": "UPDATE t SET s = upper(s) WHERE i NOT IN (SELECT i FROM u WHERE i IS NOT NULL)",
    "not in with NULL": "UPDATE t SET s = upper(s) WHERE i NOT IN (SELECT i FROM u)",
    "exists": "UPDATE t SET s = upper(s) WHERE EXISTS (FROM u WHERE u.i = t.i AND u.n IS NULL) RETURNING *",
    "the target in a subquery": "UPDATE t SET d = d + (SELECT sum(d) FROM t)",
    "default": "CREATE TABLE f (i INTEGER, x INTEGER DEFAULT 7);\nINSERT INTO f VALUES (2, 1), (4, 1);\nUPDATE f SET x = DEFAULT FROM u WHERE u.i = f.i",
    "cte": "WITH c AS (SELECT i, n * 2 AS n FROM u) UPDATE t SET d = c.n FROM c WHERE c.i = t.i",
    "materialized cte": "WITH c AS MATERIALIZED (SELECT i, n * 2 AS n FROM u) UPDATE t SET d = c.n FROM c WHERE c.i = t.i RETURNING i, d",
    "cte of random values, read twice": "WITH c AS (SELECT i, random() AS r FROM u) UPDATE t SET s = (a.r = b.r)::VARCHAR FROM c a, c b WHERE a.i = t.i AND b.i = t.i",
    "two ctes": "WITH c AS MATERIALIZED (SELECT i, random() AS r FROM u), b AS MATERIALIZED (SELECT i, r AS q FROM c) UPDATE t SET s = (c.r = b.q)::VARCHAR FROM c, b WHERE c.i = t.i AND b.i = t.i",
    "recursive cte": "WITH RECURSIVE c AS (SELECT 0 AS i UNION ALL SELECT i + 2 FROM c WHERE i < 6) UPDATE t SET s = 'even' FROM c WHERE c.i = t.i",
    "columns of NULL": "UPDATE t SET s = x.a, d = x.a FROM (SELECT NULL AS a, 3 AS i) x WHERE x.i = t.i",
    "columns that fail but are not read": "UPDATE t SET s = x.s FROM (SELECT i, s, error('never') AS e FROM u) x WHERE x.i = t.i",
    "columns that fail": "UPDATE t SET s = x.e FROM (SELECT i, CASE WHEN i = 3 THEN error('failed') ELSE s END AS e FROM u) x WHERE x.i = t.i",
    "casts to the column's type": "UPDATE t SET d = u.n / 3.0, s = u.n, l = [u.n::VARCHAR] FROM u WHERE u.i = t.i",
    "a cast that fails": "UPDATE t SET d = u.s FROM u WHERE u.i = t.i",
    "a value that does not fit": "UPDATE t SET d = u.n * 1000000000 FROM u WHERE u.i = t.i",
    "nested": """CREATE TABLE n (i INTEGER, x STRUCT(a INTEGER, b VARCHAR[]), m MAP(INTEGER, VARCHAR), e ENUM('p', 'q'), j JSON, w UNION(k INTEGER, v VARCHAR), z INTEGER[2]);
INSERT INTO n SELECT i, {'a': i, 'b': [i::VARCHAR]}, MAP {i: 'm'}, 'p', '{"a": 1}', i, [i, i] FROM range(4) r(i);
UPDATE n SET x = {'a': u.n, 'b': [u.s, NULL]}, m = MAP {u.i: u.s}, e = 'q', j = to_json(u), w = u.s, z = [u.n, 1] FROM u WHERE u.i = n.i;
UPDATE n SET x = {'a': NULL, 'b': []}, m = MAP {}, w = NULL, z = NULL FROM u WHERE u.i = n.i RETURNING n.*;
UPDATE n SET x = ROW(u.n, [u.s]) FROM u WHERE u.i = n.i;
UPDATE n SET x = o.x, m = o.m, e = o.e, j = o.j, w = o.w, z = o.z FROM n AS o WHERE o.i = n.i + 1""",
    "many types": """CREATE TABLE y (i INTEGER, a UUID, b BLOB, c TIMESTAMPTZ, d INTERVAL, e HUGEINT, f BIT, g TIME, h DATE, k UHUGEINT, o TIMESTAMP_NS, p FLOAT, q BOOLEAN, r VARIANT);
INSERT INTO y SELECT i, ('00000000-0000-0000-0000-00000000000' || i)::UUID, 'a'::BLOB, '2020-01-01'::TIMESTAMPTZ, INTERVAL 1 MONTH, i, '101'::BIT, '01:02:03', '2020-02-29', i, '2020-01-01', i, true, i FROM range(3) r(i);
UPDATE y SET a = o.a, b = o.b || 'x'::BLOB, c = o.c, d = o.d * 2, e = o.e - 1, f = o.f, g = o.g, h = o.h + 1, k = o.k, o = o.o, p = o.p / 3, q = NOT o.q, r = [o.i] FROM y AS o WHERE o.i = y.i + 1""",
    "indexed columns": "CREATE INDEX k ON t (s);\nUPDATE t SET s = u.s, i = t.i + 100 FROM u WHERE u.i = t.i RETURNING *;\nDELETE FROM t WHERE s = 'three'",
    "the primary key, moved": "UPDATE t SET i = t.i + x.m FROM (SELECT max(i) AS m FROM t) x",
    "a unique value twice": "UPDATE t SET i = 1 FROM u WHERE u.i = t.i",
    "NULL in a key": "UPDATE t SET i = NULL FROM u WHERE u.i = t.i",
    "check": "CREATE TABLE c (i INTEGER, x INTEGER CHECK (x < 60));\nINSERT INTO c VALUES (2, 1), (3, 1), (9, 1);\nUPDATE c SET x = u.n FROM u WHERE u.i = c.i AND u.i < 9;\nUPDATE c SET x = u.n FROM u WHERE u.i = c.i",
    "not null": "CREATE TABLE c (i INTEGER, x INTEGER NOT NULL);\nINSERT INTO c VALUES (2, 1), (3, 1);\nUPDATE c SET x = u.n FROM u WHERE u.i = c.i",
    "foreign key": "CREATE TABLE c (i INTEGER REFERENCES t (i), x INTEGER);\nINSERT INTO c VALUES (2, 1), (3, 1);\nUPDATE c SET i = u.n FROM u WHERE u.i = c.i AND u.i = 3;\nUPDATE c SET i = u.i - 2 FROM u WHERE u.i = c.i",
    "generated columns": "CREATE TABLE g (i INTEGER, x INTEGER, y INTEGER AS (x * 2), z INTEGER);\nINSERT INTO g SELECT i, i, i FROM range(5) r(i);\nUPDATE g SET x = g.y + u.n, z = u.i FROM u WHERE u.i = g.i RETURNING *;\nUPDATE g SET y = 1 FROM u",
    "a view": "CREATE VIEW v AS SELECT * FROM t;\nUPDATE v SET s = u.s FROM u WHERE u.i = v.i",
    "names that are wrong": "UPDATE t SET s = u.nothing FROM u WHERE u.i = t.i;\nUPDATE t SET nothing = u.s FROM u;\nUPDATE nothing SET s = u.s FROM u;\nUPDATE t SET s = x.s FROM (SELECT t.s) x",
    "volatile values": "UPDATE t SET d = CASE WHEN random() < 2 THEN u.n END FROM u WHERE u.i = t.i",
    "a sequence": "CREATE SEQUENCE q;\nUPDATE t SET d = nextval('q') FROM u WHERE u.i = t.i AND u.i = 3;\nSELECT nextval('q') AS RETURNING",
    "the row's number": "UPDATE t SET d = t.rowid FROM u WHERE u.i = t.i",
    "pivot": "UPDATE t SET s = p.x FROM (PIVOT (SELECT 1 AS i, 'x' AS k, 'v' AS v) ON k USING first(v)) p WHERE p.i = t.i",
    "summary": "UPDATE t SET s = x.max FROM (SUMMARIZE u) x WHERE x.column_name = 'n'",
    "another schema": "CREATE SCHEMA other;\nCREATE TABLE other.t AS FROM t;\nUPDATE other.t SET s = u.s FROM u WHERE u.i = other.t.i",
    "a temporary table": "CREATE TEMPORARY TABLE w AS FROM t;\nUPDATE w SET s = u.s FROM u WHERE u.i = w.i;\nUPDATE t SET s = w.s || '!' FROM w WHERE w.i = t.i",
    "collation": "CREATE TABLE c (i INTEGER, x VARCHAR COLLATE NOCASE);\nINSERT INTO c VALUES (1, 'TWO'), (2, 'Nine');\nUPDATE c SET i = u.i, x = u.s FROM u WHERE u.s = c.x",
}

DELETES = {
    "using": "DELETE FROM t USING u WHERE u.i = t.i",
    "using, returning": "DELETE FROM t USING u WHERE u.i = t.i RETURNING *",
    "using, several matches": "DELETE FROM t USING u, u AS v WHERE u.i <= t.i",
    "using two tables": "DELETE FROM t USING u, (VALUES (3), (5)) v(i) WHERE u.i = t.i AND v.i = u.i",
    "in": "DELETE FROM t WHERE i IN (SELECT i FROM u) RETURNING i",
    "correlated": "DELETE FROM t WHERE d < (SELECT count(*) FROM u WHERE u.i < t.i)",
    "all": "DELETE FROM t USING u",
    "cte": "WITH c AS MATERIALIZED (SELECT max(i) AS i FROM t) DELETE FROM t USING c WHERE c.i = t.i",
    "self join": "DELETE FROM t USING t AS o WHERE o.i = t.i * 2 RETURNING t.i",
    "from nothing": "CREATE TABLE e (i INTEGER);\nDELETE FROM e USING u WHERE u.i = e.i RETURNING *;\nDELETE FROM t USING e WHERE e.i = t.i",
    "foreign key": "CREATE TABLE c (i INTEGER REFERENCES t (i));\nINSERT INTO c VALUES (3);\nDELETE FROM t USING u WHERE u.i = t.i",
    "and inserted again": "DELETE FROM t WHERE i IN (SELECT i FROM u);\nINSERT INTO t SELECT i, s, n, [] FROM u WHERE i IS NOT NULL;\nFROM t WHERE i = 3 ORDER BY i",
    "rows of the index": "CREATE INDEX k ON t (s);\nDELETE FROM t USING u WHERE u.i = t.i;\nINSERT INTO t VALUES (3, 's3', 1, NULL)",
}

MERGES = {
    "update and insert": "MERGE INTO t USING u ON u.i = t.i WHEN MATCHED THEN UPDATE SET s = u.s WHEN NOT MATCHED AND u.i IS NOT NULL THEN INSERT (i, s) VALUES (u.i, u.s)",
    "returning": "MERGE INTO t USING u ON u.i = t.i WHEN MATCHED THEN UPDATE SET s = u.s WHEN NOT MATCHED AND u.i > 0 THEN INSERT (i, s) VALUES (u.i, u.s) RETURNING merge_action, i, s, l",
    "conditions": """MERGE INTO t USING u ON u.i = t.i WHEN MATCHED AND u.n IS NULL THEN DELETE WHEN MATCHED AND u.n > 40 THEN UPDATE SET d = u.n, s = DEFAULT WHEN MATCHED THEN DO NOTHING
WHEN NOT MATCHED AND u.i IS NULL THEN DO NOTHING WHEN NOT MATCHED THEN INSERT VALUES (u.i, u.s, u.n, [u.n]) RETURNING merge_action, *""",
    "by source": "MERGE INTO t USING u ON u.i = t.i WHEN NOT MATCHED BY SOURCE AND t.i > 5 THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET s = 'gone' WHEN NOT MATCHED BY TARGET THEN DO NOTHING",
    "by source and target": "MERGE INTO t USING u ON u.i = t.i WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE THEN UPDATE SET d = -t.i WHEN NOT MATCHED BY TARGET AND u.i = 9 THEN INSERT (i, d) VALUES (u.i, u.n)",
    "error": "MERGE INTO t USING u ON u.i = t.i WHEN MATCHED AND u.i = 5 THEN ERROR WHEN MATCHED THEN UPDATE SET s = u.s",
    "error with a message": "MERGE INTO t USING u ON u.i = t.i WHEN NOT MATCHED THEN ERROR concat('no ', u.s)",
    "error that is not reached": "MERGE INTO t USING u ON u.i = t.i WHEN MATCHED AND u.i > 100 THEN ERROR WHEN MATCHED THEN UPDATE SET s = u.s",
    "nothing": "MERGE INTO t USING u ON u.i = t.i WHEN MATCHED THEN DO NOTHING RETURNING merge_action",
    "using columns": "MERGE INTO t USING (SELECT i, s FROM u WHERE i > 0) x USING (i) WHEN MATCHED THEN UPDATE WHEN NOT MATCHED THEN INSERT BY NAME",
    "update by name": "MERGE INTO t USING (SELECT i, s, n::DECIMAL(9, 2) AS d, [n] AS l FROM u WHERE i > 0) x ON x.i = t.i WHEN MATCHED THEN UPDATE BY NAME WHEN NOT MATCHED THEN INSERT BY NAME RETURNING merge_action, *",
    "update by position": "MERGE INTO t USING (SELECT i, s, n::DECIMAL(9, 2) AS d, [n] AS l FROM u WHERE i > 0) x ON x.i = t.i WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
    "default values": "CREATE TABLE f (i INTEGER DEFAULT 5, x VARCHAR DEFAULT 'x');\nMERGE INTO f USING u ON u.i = f.i WHEN NOT MATCHED THEN INSERT DEFAULT VALUES",
    "values": "MERGE INTO t USING (VALUES (1, 'one'), (20, 'twenty')) v(i, s) ON v.i = t.i WHEN MATCHED THEN UPDATE SET s = v.s WHEN NOT MATCHED THEN INSERT (i, s) VALUES (v.i, v.s)",
    "a query": "MERGE INTO t USING (SELECT i % 4 AS i, sum(n) AS n, NULL AS z FROM u WHERE i > 0 GROUP BY ALL) x ON x.i = t.i WHEN MATCHED THEN UPDATE SET d = x.n, s = x.z WHEN NOT MATCHED THEN INSERT (i, d) VALUES (x.i, x.n)",
    "cte": "WITH c AS MATERIALIZED (SELECT i, random() AS r FROM u) MERGE INTO t USING (SELECT a.i, (a.r = b.r)::VARCHAR AS s FROM c a JOIN c b USING (i)) x ON x.i = t.i WHEN MATCHED THEN UPDATE SET s = x.s",
    "an expression over both": "MERGE INTO t USING u ON u.i = t.i AND length(t.s) < 3 WHEN MATCHED THEN UPDATE SET s = concat(t.s, u.s, t.i + u.n)",
    "not by equality": "MERGE INTO t USING (SELECT 4 AS i) x ON t.i > x.i WHEN MATCHED THEN UPDATE SET s = x.i WHEN NOT MATCHED BY SOURCE THEN DELETE RETURNING merge_action, i",
    "a subquery in a value": "MERGE INTO t USING u ON u.i = t.i WHEN MATCHED THEN UPDATE SET s = (SELECT min(s) FROM u)",
    "an empty target": "CREATE TABLE e (i INTEGER, s VARCHAR);\nMERGE INTO e USING u ON u.i = e.i WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (u.i, u.s) RETURNING merge_action, *",
    "an empty source": "CREATE TABLE e (i INTEGER, s VARCHAR);\nMERGE INTO t USING e ON e.i = t.i WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.i = 3 THEN DELETE RETURNING merge_action, i",
    "the target as the source": "MERGE INTO t USING (SELECT i + 5 AS i, s FROM t) x ON x.i = t.i WHEN MATCHED THEN UPDATE SET s = x.s WHEN NOT MATCHED THEN INSERT (i, s) VALUES (x.i, x.s)",
    "a key twice": "MERGE INTO t USING (VALUES (50, 'a'), (50, 'b')) v(i, s) ON v.i = t.i WHEN NOT MATCHED THEN INSERT (i, s) VALUES (v.i, v.s)",
    "indexed columns": "CREATE INDEX k ON t (s);\nMERGE INTO t USING u ON u.i = t.i WHEN MATCHED AND u.i <> 3 THEN UPDATE SET s = u.s WHEN MATCHED THEN DELETE WHEN NOT MATCHED AND u.i > 0 THEN INSERT (i, s) VALUES (u.i, u.s)",
    "generated columns": "CREATE TABLE g (i INTEGER, x INTEGER, y INTEGER AS (x * 2));\nINSERT INTO g SELECT i, i FROM range(4) r(i);\nMERGE INTO g USING u ON u.i = g.i WHEN MATCHED THEN UPDATE SET x = u.n WHEN NOT MATCHED THEN INSERT (i, x) VALUES (u.i, u.n) RETURNING merge_action, *",
    "check": "CREATE TABLE c (i INTEGER, x INTEGER CHECK (x < 60));\nMERGE INTO c USING u ON u.i = c.i WHEN NOT MATCHED AND u.n < 60 THEN INSERT VALUES (u.i, u.n);\nMERGE INTO c USING u ON u.i = c.i WHEN NOT MATCHED THEN INSERT VALUES (u.i, u.n)",
    "nested": "CREATE TABLE n (i INTEGER, x STRUCT(a INTEGER, b VARCHAR[]));\nINSERT INTO n VALUES (2, ROW(1, ['q'])), (3, NULL);\nMERGE INTO n USING u ON u.i = n.i WHEN MATCHED THEN UPDATE SET x = {'a': u.n, 'b': [u.s]} WHEN NOT MATCHED THEN INSERT VALUES (u.i, ROW(u.n, []))",
    "structs without names in the source": "MERGE INTO t USING (SELECT i, ROW(n, s) AS r FROM u WHERE i > 0) x ON x.i = t.i WHEN MATCHED THEN UPDATE SET s = x.r::VARCHAR WHEN NOT MATCHED THEN INSERT (i, s) VALUES (x.i, x.r::VARCHAR)",
}

INSERTS = {
    "values of subqueries": "INSERT INTO t VALUES ((SELECT max(i) + 1 FROM t), 'new', DEFAULT, [(SELECT min(n) FROM u)]) RETURNING *",
    "several rows": "INSERT INTO u VALUES ((SELECT max(i) FROM u), 'a', 1), (DEFAULT, (SELECT min(s) FROM u), (SELECT count(*) FROM t))",
    "on conflict": "INSERT INTO t (i, s) VALUES ((SELECT max(i) FROM t), 'again') ON CONFLICT DO UPDATE SET s = excluded.s || t.s RETURNING i, s",
    "a key twice": "INSERT INTO t (i) VALUES ((SELECT max(i) FROM t))",
    "a struct without names": "CREATE TABLE n (x STRUCT(a INTEGER, b VARCHAR));\nINSERT INTO n SELECT ROW(i, s) FROM u;\nINSERT INTO n SELECT ROW(NULL, NULL);\nINSERT INTO n VALUES (ROW((SELECT 1), 'a'))",
    "a table of a struct without names": "CREATE TABLE n AS SELECT ROW(i, s) AS x FROM u",
    "a query, on conflict": "INSERT INTO t SELECT i, s, n, NULL FROM u WHERE i > 0 ON CONFLICT DO UPDATE SET s = excluded.s RETURNING i, s",
}

TRANSACTIONS = {
    "rolled back": "BEGIN;\nINSERT INTO t VALUES (9, 'own', 1, NULL);\nUPDATE t SET s = u.s || '!' FROM u WHERE u.i = t.i RETURNING i, s;\nROLLBACK",
    "committed": "BEGIN;\nINSERT INTO t VALUES (9, 'own', 1, NULL);\nUPDATE t SET s = u.s || '!' FROM u WHERE u.i = t.i;\nDELETE FROM t USING u WHERE u.i = t.i AND u.n > 40;\nCOMMIT;\nINSERT INTO t VALUES (9, 'again', 1, NULL)",
    "own changes": """BEGIN;
DELETE FROM t WHERE i = 3;
UPDATE u SET i = 4 WHERE i = 3;
UPDATE t SET s = u.s FROM u WHERE u.i = t.i RETURNING i, s;
UPDATE t SET s = t.s || o.i FROM t AS o WHERE o.s = t.s;
MERGE INTO t USING u ON u.i = t.i WHEN MATCHED THEN UPDATE SET d = u.n WHEN NOT MATCHED AND u.i > 0 THEN INSERT (i, s) VALUES (u.i, u.s);
MERGE INTO t USING u ON u.i = t.i WHEN MATCHED THEN DELETE;
ALTER TABLE u ADD COLUMN extra INTEGER DEFAULT 4;
UPDATE t SET d = u.extra FROM u WHERE u.n = 0;
COMMIT""",
    "aborted by the query": "BEGIN;\nUPDATE t SET s = 'a' WHERE i = 1;\nUPDATE t SET s = error('x') FROM u WHERE u.i = t.i;\nUPDATE t SET s = u.s FROM u WHERE u.i = t.i;\nROLLBACK;\nUPDATE t SET s = u.s FROM u WHERE u.i = t.i",
    "aborted by a constraint": "BEGIN;\nUPDATE t SET s = 'a' WHERE i = 1;\nUPDATE t SET i = 1 FROM u WHERE u.i = t.i;\nCOMMIT;\nUPDATE t SET s = u.s FROM u WHERE u.i = t.i",
    "a wrong name": "BEGIN;\nUPDATE t SET s = 'a' WHERE i = 1;\nUPDATE t SET s = u.x FROM u WHERE u.i = t.i;\nCOMMIT",
    "prepared": "PREPARE p AS UPDATE t SET s = u.s || $1 FROM u WHERE u.i = t.i AND u.i > $2;\nEXECUTE p('!', 2);\nEXECUTE p(2, 3);\nEXECUTE p('a', 'b');\nDEALLOCATE p",
    "prepared, others": """PREPARE d AS DELETE FROM t USING u WHERE u.i = t.i AND u.i = ?;
EXECUTE d(3);
PREPARE i AS INSERT INTO t (i, s) VALUES ((SELECT max(i) + $1 FROM t), $2) RETURNING *;
EXECUTE i(1, 'inserted') -- RETURNING;
PREPARE q AS INSERT INTO u SELECT i + $1, s, d FROM t WHERE i > $2;
EXECUTE q(100, 4);
EXECUTE q(NULL, 100);
PREPARE c AS WITH x AS (SELECT i FROM t WHERE i > $1) INSERT INTO t (i, s) SELECT i, 'c' FROM x ON CONFLICT DO UPDATE SET s = excluded.s RETURNING i, s;
EXECUTE c(3) -- RETURNING""",
    "a constant transaction time": "BEGIN;\nUPDATE t SET d = CASE WHEN now() = (SELECT min(now()) FROM u) THEN 1 ELSE 2 END FROM u WHERE u.i = t.i;\nCOMMIT",
}

LARGE = """
CREATE TABLE big AS SELECT i::INTEGER AS i, i % 1000 AS k, 'v' || i AS s FROM range(400000) r(i);
CREATE TABLE keys AS SELECT k, k * 3 AS x FROM range(0, 1000, 7) r(k);
UPDATE big SET s = s || x FROM keys WHERE keys.k = big.k;
BEGIN;
INSERT INTO big SELECT i, i % 1000, 'own' FROM range(400000, 600000) r(i);
UPDATE big SET k = x FROM keys WHERE keys.k = big.k AND i % 2 = 0;
DELETE FROM big USING keys WHERE keys.x = big.k AND big.i % 3 = 0;
MERGE INTO big USING (SELECT i * 2 AS i, 'm' || i AS s FROM range(350000) r(i)) m ON m.i = big.i WHEN MATCHED AND m.i % 5 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET s = m.s WHEN NOT MATCHED THEN INSERT (i, s) VALUES (m.i, m.s);
COMMIT;
UPDATE big SET s = NULL WHERE k IN (SELECT x FROM keys);
CREATE UNIQUE INDEX by_i ON big (i);
UPDATE big SET i = -big.i - 1, s = x FROM keys WHERE keys.k = big.k;
DELETE FROM big WHERE i < (SELECT avg(i) FROM big);
"""
