"""db-benchmark of H2O.ai, now DuckDB's: SQL that makes its tables, ten queries that group and five that join.

Tables without NULLs and unsorted, 100 groups (K). Texts are numbers after "id".
"""

GROUPS = 100


def random(low, high, seed):
    """SQL for a number of row i. The hash of several values is their hashes' XOR, so it is hashed again."""
    return f"({low} + hash(hash(i, '{seed}')) % {high - low + 1})::INTEGER"


def group_table(rows):
    few, many = [random(1, GROUPS, seed) for seed in "1245"], [random(1, max(rows // GROUPS, 1), seed) for seed in "36"]
    return f"""CREATE TABLE x AS
SELECT printf('id%03d', {few[0]}) AS id1, printf('id%03d', {few[1]}) AS id2, printf('id%010d', {many[0]}) AS id3, {few[2]} AS id4, {few[3]} AS id5,
  {many[1]} AS id6, {random(1, 5, 'v1')} AS v1, {random(1, 15, 'v2')} AS v2, {random(0, 99_999_999, 'v3')} / 1e6 AS v3
FROM range({rows}) r(i)"""


def shared(row, keys):
    """A key of the table in which the row is number `row`: nine tenths of the keys are those of `lhs`."""
    return f"({row} + 1 + CASE WHEN {row} >= {keys * 9 // 10} THEN {keys - keys * 9 // 10} ELSE 0 END)::INTEGER"


def join_tables(rows):
    sizes = {"small": max(rows // 1_000_000, 10), "medium": max(rows // 1000, 10), "big": rows}
    ids = list(zip("123", sizes.values()))
    made = []
    for table, size in [("lhs", rows), *sizes.items()]:
        last = 3 if table in ("lhs", "big") else 1 if table == "small" else 2
        columns = []
        for number, keys in ids[:last]:
            row = "i" if keys == size else random(0, keys - 1, table + number)
            columns.append(f"({row} + 1)::INTEGER AS id{number}" if table == "lhs" else f"{shared(row, keys)} AS id{number}")
        texts = [f"'id' || id{number} AS id{int(number) + 3}" for number, _ in ids[:last]]
        value = f"{random(0, 99_999_999, table)} / 1e6 AS {'v1' if table == 'lhs' else 'v2'}"
        names = [f"id{number}" for number, _ in ids[:last]]
        made.append(f"CREATE TABLE {table} AS SELECT {', '.join([*names, *texts, value])} FROM (SELECT i, {', '.join(columns)} FROM range({size}) r(i))"
                    f" ORDER BY hash(hash(i, '{table}'))")  # fmt: skip
    return made


def tables(rows):
    return [group_table(rows), *join_tables(rows)]


MEDIUM = "lhs.*, medium.id1 AS medium_id1, medium.id4 AS medium_id4, medium.id5 AS medium_id5, v2"
GROUP_QUERIES = {
    "group 1": "SELECT id1, sum(v1) AS v1 FROM x GROUP BY id1",
    "group 2": "SELECT id1, id2, sum(v1) AS v1 FROM x GROUP BY id1, id2",
    "group 3": "SELECT id3, sum(v1) AS v1, mean(v3) AS v3 FROM x GROUP BY id3",
    "group 4": "SELECT id4, mean(v1) AS v1, mean(v2) AS v2, mean(v3) AS v3 FROM x GROUP BY id4",
    "group 5": "SELECT id6, sum(v1) AS v1, sum(v2) AS v2, sum(v3) AS v3 FROM x GROUP BY id6",
    "group 6": "SELECT id4, id5, quantile_cont(v3, 0.5) AS median_v3, stddev(v3) AS sd_v3 FROM x GROUP BY id4, id5",
    "group 7": "SELECT id3, max(v1) - min(v2) AS range_v1_v2 FROM x GROUP BY id3",
    "group 8": "SELECT id6, unnest(max(v3, 2)) AS largest2_v3 FROM x WHERE v3 IS NOT NULL GROUP BY id6",
    "group 9": "SELECT id2, id4, pow(corr(v1, v2), 2) AS r2 FROM x GROUP BY id2, id4",
    "group 10": "SELECT id1, id2, id3, id4, id5, id6, sum(v3) AS v3, count(*) AS count FROM x GROUP BY id1, id2, id3, id4, id5, id6",
}  # fmt: skip
JOIN_QUERIES = {
    "join 1": "SELECT lhs.*, small.id4 AS small_id4, v2 FROM lhs JOIN small USING (id1)",
    "join 2": f"SELECT {MEDIUM} FROM lhs JOIN medium USING (id2)",
    "join 3": f"SELECT {MEDIUM} FROM lhs LEFT JOIN medium USING (id2)",
    "join 4": f"SELECT {MEDIUM} FROM lhs JOIN medium USING (id5)",
    "join 5": "SELECT lhs.*, big.id1 AS big_id1, big.id2 AS big_id2, big.id4 AS big_id4, big.id5 AS big_id5, big.id6 AS big_id6, v2 FROM lhs JOIN big USING (id3)",
}  # fmt: skip
QUERIES = GROUP_QUERIES | JOIN_QUERIES


def summed_up(connection, query):
    """The number of rows of the answer, the largest text of each column of texts, the sum of each column of numbers."""
    columns = [(name, kind == "VARCHAR") for name, kind, *_ in connection.execute(f"DESCRIBE {query}").fetchall()]
    sums = ", ".join(f"{'max' if text else 'sum'}(answer.{name})" for name, text in columns)
    return f"SELECT count(*), {sums} FROM ({query}) answer"
