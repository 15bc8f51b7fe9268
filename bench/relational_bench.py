"""Windows, set operations, recursion, nested values, an outer join with a condition of one side, and planning against DuckDB: the same database file, hot, equal answers.

    ./dev bench relational --threads 1              10^7 rows
    ./dev bench relational --threads 1 --scale 0.1
"""

import sys

import suite

JOINED = 10  # joins of the statement that is planned
COLUMNS = 100


def tables(rows):
    yield f"CREATE TABLE t AS SELECT i, (hash(i) % 1000)::INT AS few, (hash(i + 3) % 100000)::INT AS many, (hash(i + 7) // 2)::BIGINT AS x FROM range({rows}) r(i)"
    yield f"CREATE TABLE a AS SELECT (hash(i) % {rows})::BIGINT AS x FROM range({rows}) r(i)"
    yield f"CREATE TABLE b AS SELECT (hash(i + 5) % {rows})::BIGINT AS x FROM range({rows}) r(i)"
    yield f"CREATE TABLE lists AS SELECT [i, few, many, NULL, x % 1000000, i, few, many, i, 1]::BIGINT[] AS l, few FROM t LIMIT {rows // 10}"
    columns = ", ".join(f"i + {c} AS c{c}" for c in range(COLUMNS // (JOINED + 1) + 1))
    for table in range(JOINED + 1):
        yield f"CREATE TABLE j{table} AS SELECT i, {columns} FROM range(10) r(i)"


def window(function, over):
    return f"SELECT count(w), sum(w), max(w) FROM (SELECT {function} OVER ({over}) AS w FROM t)"


def queries(rows):
    frame = "ORDER BY i ROWS BETWEEN 99 PRECEDING AND CURRENT ROW"
    columns = [f"j{table}.c{c} + {c} AS j{table}_c{c}" for table in range(JOINED + 1) for c in range(COLUMNS // (JOINED + 1) + 1)][:COLUMNS]
    joins = " ".join(f"JOIN j{table} ON j{table}.i = j{table - 1}.i" for table in range(1, JOINED + 1))
    recursive = "WITH RECURSIVE r(i, n) AS"
    return {
        "rank": window("rank()", "PARTITION BY many ORDER BY x"),
        "sum": window("sum(few)", frame),
        "median": window("median(few)", frame),
        "lag": window("lag(few)", "ORDER BY i"),
        "top 3": "SELECT count(*), sum(few) FROM (SELECT few FROM t QUALIFY row_number() OVER (PARTITION BY many ORDER BY x) <= 3)",
        "except": "SELECT count(*), sum(x) FROM (SELECT x FROM a EXCEPT SELECT x FROM b)",
        "intersect": "SELECT count(*), sum(x) FROM (SELECT x FROM a INTERSECT SELECT x FROM b)",
        "steps": f"{recursive} (SELECT 1, 1 UNION ALL SELECT i + 1, n FROM r WHERE i < {rows // 10}) SELECT count(*), sum(i) FROM r",
        "steps, ∪": f"{recursive} (SELECT 1, 1 UNION SELECT i + 1, n FROM r WHERE i < {rows // 10}) SELECT count(*), sum(i) FROM r",
        "rounds": f"{recursive} (SELECT i, 1 FROM range({rows // 10}) s(i) UNION ALL SELECT i, n + 1 FROM r WHERE n < 10) SELECT count(*), sum(i), sum(n) FROM r",
        "rounds, ∪": f"{recursive} (SELECT i, 1 FROM range({rows // 10}) s(i) UNION SELECT i, n + 1 FROM r WHERE n < 10) SELECT count(*), sum(i), sum(n) FROM r",
        "by key": f"WITH RECURSIVE r(i, n) USING KEY (i) AS (SELECT i, 1 FROM range({rows // 10}) s(i) UNION SELECT i, n + 1 FROM r WHERE n < 10) SELECT count(*), sum(i), sum(n) FROM r",
        "unnest": "SELECT count(*), sum(v) FROM (SELECT unnest(l) AS v FROM lists)",
        "transform": "SELECT sum(v[1]), sum(len(v)) FROM (SELECT list_transform(l, e -> e * 2 + 1) AS v FROM lists)",
        "list sum": "SELECT sum(list_sum(l)), max(list_max(l)), sum(list_unique(l)) FROM lists",
        "struct": "SELECT count(*), max(n) FROM (SELECT {'f': few, 'm': many} AS k, count(*) AS n FROM t GROUP BY k)",
        "map": "SELECT count(*), max(n) FROM (SELECT map([few], [few + 1]) AS k, count(*) AS n FROM t GROUP BY k)",
        "outer join": f"SELECT count(*), sum(b.x) FROM (FROM a LIMIT {rows // 1000}) a LEFT JOIN (FROM b LIMIT {rows // 100}) b ON a.x = b.x AND a.x % 2 = 0",
        "plan": f"SELECT {', '.join(columns)} FROM j0 {joins} ORDER BY ALL",
    }


if __name__ == "__main__":
    arguments = suite.parser("relational", __doc__).parse_args()
    rows = int(10_000_000 * float(arguments.scale))
    database = suite.make_database(arguments.folder / f"relational-{rows}.duckdb", suite.run_statements(tables(rows)))
    sys.exit(1 if suite.compare(database, queries(rows), arguments) else 0)
