"""./dev fuzz types: every type in every clause of a query, and every cast, against DuckDB's answers.

    tests/fuzz/typed.py --rounds 1 --seed 1

What Lanewise rejects by name counts as a failure: of the types in the table there is none.
"""

import all_types
from all_types import COLUMNS, VALUES

# {a} and {b} are columns of one type, {c} is a constant of it.
SHAPES = """
SELECT {a} = {b}, {a} <> {b}, {a} < {b}, {a} <= {c}, {c} > {b}, {a} IS DISTINCT FROM {b}, {a} IS NULL AS x FROM t ORDER BY rid
SELECT {a} BETWEEN {b} AND {c} AS x FROM t ORDER BY rid
SELECT {a} IN ({b}, {c}), {a} NOT IN ({c}) AS x FROM t ORDER BY rid
SELECT CASE WHEN rid % 2 = 0 THEN {a} ELSE {b} END AS x FROM t ORDER BY rid
SELECT CASE {a} WHEN {b} THEN 1 WHEN {c} THEN 2 END AS x FROM t ORDER BY rid
SELECT coalesce({a}, {b}, {c}) AS x FROM t ORDER BY rid
SELECT nullif({a}, {b}) AS x FROM t ORDER BY rid
SELECT {a} AS x FROM t WHERE {b} = {c} ORDER BY rid
SELECT {a} AS x FROM t WHERE {b} < {c} OR {a} IS NULL ORDER BY rid
SELECT ({a})::VARCHAR AS x FROM t ORDER BY rid
SELECT [{a}, {b}, {c}] AS x FROM t ORDER BY rid
SELECT {{'k': {a}, 'l': [{b}]}} AS x FROM t ORDER BY rid
SELECT [{a}, {b}] = [{b}, {a}], {{'k': {a}}} < {{'k': {b}}} AS x FROM t ORDER BY rid
SELECT list_contains([{a}, {b}], {c}) AS x FROM t ORDER BY rid
SELECT list_transform(list_sort([{a}, {b}, {c}]), lambda e: e = {b}) AS x FROM t ORDER BY rid
SELECT map([rid], [{a}]) AS x FROM t ORDER BY rid
SELECT rid, unnest([{a}, {b}]) AS x FROM t WHERE rid < 9 ORDER BY rid
SELECT list_transform([{a}, {b}], lambda e: e IS NULL) AS x FROM t ORDER BY rid
SELECT count(*) AS n, count({a}) AS m FROM t GROUP BY {b} ORDER BY n, m
SELECT {a}::VARCHAR AS x, count(*) AS n FROM t GROUP BY {a}
SELECT {a}::VARCHAR AS x, {b}::VARCHAR AS y, count(*) AS n FROM t GROUP BY {a}, {b}
SELECT DISTINCT {a} AS x FROM t
SELECT count(DISTINCT {a}) AS n, count(DISTINCT ({a}, {b})) AS m FROM t
SELECT DISTINCT ON ({a}) {a} AS x, rid FROM t ORDER BY {a}, rid
SELECT {a} AS x, rid FROM t ORDER BY {a}, rid
SELECT {a} AS x, rid FROM t ORDER BY {a} DESC NULLS LAST, {b} NULLS FIRST, rid LIMIT 17
SELECT min({a}) AS x FROM t
SELECT max({a}) AS x FROM t
SELECT rid % 5 AS g, max({a}) AS x FROM t GROUP BY g ORDER BY g
SELECT first({a} ORDER BY rid) AS x FROM t
SELECT last({a} ORDER BY {b}, rid) AS x FROM t
SELECT list({a} ORDER BY rid) AS x FROM t
SELECT list(rid ORDER BY {a} DESC, rid) AS x FROM t
SELECT rid % 3 AS g, list({a} ORDER BY rid) FILTER (WHERE {b} IS NOT NULL) AS x FROM t GROUP BY g ORDER BY g
SELECT count(DISTINCT [{a}]) AS n, count(DISTINCT {{'k': {a}, 'l': {b}}}) AS m FROM t
SELECT mode({a}) IS NULL AS x, entropy({a}) AS y, entropy([{a}]) AS z FROM t
SELECT count(*) AS n FROM t JOIN t AS u ON [t.{a}] = [u.{b}]
SELECT count(*) AS n FROM (SELECT {{'k': {a}}} AS x FROM t UNION SELECT {{'k': {b}}} FROM t)
SELECT count(*) AS n, max(m) AS m FROM (SELECT [{a}] AS x, count(*) AS m FROM t GROUP BY x)
SELECT rid, dense_rank() OVER (ORDER BY [{a}]) AS x, count(DISTINCT [{a}]) OVER () AS n FROM t ORDER BY rid
SELECT arg_min(rid, {a}) IS NULL AS x, arg_max({a}, rid) AS y FROM t
SELECT count(*) AS n FROM t JOIN t AS u ON t.{a} = u.{b}
SELECT t.rid, u.rid AS r FROM t LEFT JOIN t AS u ON t.{a} = u.{b} AND u.rid % 3 = 0 ORDER BY ALL
SELECT count(*) AS n FROM t FULL JOIN t AS u ON t.{a} IS NOT DISTINCT FROM u.{b}
SELECT count(*) AS n FROM t JOIN t AS u ON t.{a} < u.{b}
SELECT rid FROM t WHERE {a} IN (SELECT {b} FROM t) ORDER BY rid
SELECT rid FROM t WHERE {a} NOT IN (SELECT {b} FROM t WHERE {b} IS NOT NULL AND rid < 5) ORDER BY rid
SELECT rid, (SELECT count(*) FROM t AS u WHERE u.{b} = t.{a}) AS n FROM t ORDER BY rid
SELECT rid, (SELECT min(u.rid) FROM t AS u WHERE u.{b} > t.{a}) AS x FROM t ORDER BY rid
SELECT {a} AS x FROM t EXCEPT SELECT {b} FROM t WHERE rid < 20
SELECT {a} AS x FROM t INTERSECT SELECT {b} FROM t
SELECT {a} AS x FROM t INTERSECT ALL SELECT {b} FROM t
SELECT {a} AS x FROM t UNION SELECT {b} FROM t
SELECT {a} AS x FROM t UNION ALL SELECT NULL UNION ALL SELECT {c}
SELECT rid, lag({a}, 2, {c}) OVER (ORDER BY rid) AS x FROM t ORDER BY rid
SELECT rid, first_value({a}) OVER (PARTITION BY rid % 3 ORDER BY rid) AS x, last_value({b} IGNORE NULLS) OVER (ORDER BY rid) AS y FROM t ORDER BY rid
SELECT rid, rank() OVER (ORDER BY {a}) AS x, count(*) OVER (PARTITION BY {a}) AS n FROM t ORDER BY rid
SELECT rid, min({a}) OVER (ORDER BY rid ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING) AS x FROM t ORDER BY rid
SELECT rid, count(DISTINCT {a}) OVER (ORDER BY rid ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS x FROM t ORDER BY rid
SELECT rid, list({a}) OVER (ORDER BY rid ROWS 2 PRECEDING) AS x FROM t ORDER BY rid
SELECT rid % 2 AS g, grouping({a}) AS h, count(*) AS n FROM t GROUP BY ROLLUP (rid % 2, {a}) ORDER BY ALL
WITH RECURSIVE r AS (SELECT rid, {a} AS x FROM t WHERE rid < 3 UNION SELECT rid + 10, x FROM r WHERE rid < 30) SELECT rid, x FROM r ORDER BY rid
PIVOT (SELECT rid % 2 AS g, {a} AS x FROM t) ON g USING count(x)
SELECT * FROM (SELECT rid, {a} AS x, {b} AS y FROM t) UNPIVOT INCLUDE NULLS (v FOR name IN (x, y)) ORDER BY rid, name
SELECT to_json({a}) AS x FROM t ORDER BY rid
SELECT typeof({a}) AS x, hash({a}) = hash({a}) AS y FROM t ORDER BY rid
""".strip().split("\n")


def queries(chooser):
    """Each shape with each type, and each cast."""
    for kind, values in VALUES.items():
        a, b = (name for name, of in COLUMNS if of == kind)
        for shape in SHAPES:
            yield [shape.format(a=a, b=b, c=f"({chooser.choice(values)})::{kind}")]
        for other in VALUES:
            yield [f"SELECT TRY_CAST({a} AS {other}) AS x FROM t ORDER BY rid"]
            yield [f"SELECT {b}::{other} AS x FROM t WHERE rid % 7 = {chooser.randrange(7)} ORDER BY rid"]


if __name__ == "__main__":
    all_types.main(queries, "types", __doc__)
