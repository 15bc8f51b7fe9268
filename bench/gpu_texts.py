"""Strings for gpu_bench.py, and the queries over them.

Rows have three kinds of lengths: constant (64 bytes), uniform (8 to 120) and skewed (512 to 1,535 bytes in one row of 64, 8 to 40 in the others). They
are random over 40 characters. One row of ten contains 'google.d' if it has at least 12 bytes, and another one begins with PREFIX.
"""

ALPHABET = "abcdefghijklmnopqrstuvwxyz/.-_0123456789"
KINDS = {  # the length of row i, and the mean length
    "constant": ("64", 64),
    "uniform": ("8 + hash(i) % 113", 64),
    "skewed": ("CASE WHEN hash(i) % 64 = 0 THEN 512 + hash(i + 1) % 1024 ELSE 8 + hash(i + 1) % 33 END", 39.6),
}
PATTERNS = [r"google[.]d|yahoo|bing-", r"[0-9]{3}[a-f]+\.", r"(http|ftp)://[a-z]+\.", "[a-z]+[0-9]x*y"]
EXTRACTED = "([a-z]+)[0-9]{3}"
PREFIX = "http:" + "//www"
SAME = PREFIX + ".google.de/" + "0123456789" * 4 + "abc"  # 64 bytes

# Rows are cut out of this text: calling random() for each byte would take longer than everything else.
PIECES = f"""CREATE TABLE pieces AS SELECT p, array_to_string(list_transform(range(2048),
    lambda k: substr('{ALPHABET}', 1 + (hash(p * 2048 + k) % 40)::INT, 1)), '') t FROM range(4096) r(p)"""


def table(kind, numbers):
    """The query that creates a table of strings s, with an int32 n. `numbers` is a query for the i of each row."""
    size = KINDS[kind][0]
    return f"""SELECT (CASE WHEN h % 10 = 0 AND size >= 12 THEN
                substr(t, first, before) || 'google.d' || substr(t, first + before, size - before - 8)
            WHEN h % 10 = 1 THEN left('{PREFIX}' || substr(t, first, size), size) ELSE substr(t, first, size) END) s, (i % 1000)::INT n
        FROM (SELECT i, size, h, 1 + (hash(i + 3) >> 1)::BIGINT % (2049 - size) AS first, (hash(i + 4) >> 1)::BIGINT % (size - 7) AS before
            FROM (SELECT i, ({size})::BIGINT size, hash(i + 2) h FROM {numbers})) JOIN pieces ON p = i % 4096"""


def tables(numbers):
    """Name and query of each table."""
    return {**{kind: table(kind, numbers) for kind in KINDS}, "equal": f"SELECT '{SAME}' AS s FROM {numbers}"}


def queries(rows):
    """Name, query, bytes of text that it reads."""
    asked = []
    for kind, (_, mean) in KINDS.items():
        def ask(name, condition, kind=kind, size=round(rows * mean)):
            asked.append((f"{kind}: {name}", f"SELECT count(*) FROM {kind} WHERE {condition}", size))

        # %qz% is in 3.7 % of constant and uniform rows, in 2 % of skewed ones.
        for like in ["%google.d%", "%zzqzzqzz%", "%qz%"]:
            ask(f"LIKE '{like}'", f"s LIKE '{like}'")
        for pattern in PATTERNS:
            ask(pattern, f"regexp_matches(s, '{pattern}')")
        ask("extract", f"regexp_extract(s, '{EXTRACTED}', 1) > 'm'")
        if kind == "constant":
            ask("LIKE after a filter", "s LIKE '%google.d%' AND n < 100")
            ask("prefix of 10 bytes", f"s LIKE '{PREFIX}%'")
            ask("equality, soon decided", f"s = '{'a' * 64}'")
    return [*asked, ("equal: equality of 64 bytes", f"SELECT count(*) FROM equal WHERE s = '{SAME}'", rows * 64)]


def naive(rows):
    """The queries that run again over skewed rows, without new rows before the warp's longest one ends."""
    return [("skewed: naive, " + PATTERNS[0], f"SELECT count(*) FROM skewed WHERE regexp_matches(s, '{PATTERNS[0]}')",
             round(rows * KINDS["skewed"][1]))]
