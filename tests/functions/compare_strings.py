#!/usr/bin/env python3
"""Compares the string and pattern functions with DuckDB's, over random texts in a Parquet file.

    tests/functions/compare_strings.py --rows 2000 --rounds 20 --seed 7

Prints each difference with its statement and ends with exit code 1 if there was one.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

PROGRAM = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parents[2] / "build") / "lanewise"

PIECES = ["a", "b", "c", "A", "B", "Z", "z", "0", "9", " ", "-", "/", "%", "_", "\\", "ab", "abc", ".", "$", "aa", "\r", "\n",
          "\0", "ä", "Ä", "ß", "é", "e\u0301", "\u0301", "ÿ", "Ÿ", "İ", "ı", "ſ", "Ǆ", "ǅ", "Σ", "ς", "ж", "Ж", "\u212A", "ⱥ", "Ⱥ",
          "ﬁ", "漢", "字", "한", "각", "\u1100", "\u1161", "\u11A8", "क", "\u094D", "ष", "\u200D", "\u200C", "🙂", "👩", "🏽",
          "\U0001F1E9", "\U0001F1EA", "𐐀", "𐐨", "\u0600", "\u0903", "\u00A0", "\u3000", "\u2003", "\u0378"]
LIKE = ["a", "b", "ab", "ä", "Ä", "B", "%", "%", "_", "\n", "k", "\u212A"]
REGEX = ["a", "b", "ab", ".", "a*", "(a|b)", "(ab)+", "[a-c]", "ä", r"\b", "x?", "(?:b|)", "[^a]", ".*", r"\w", r"\d?", "(c)?", "$"]

# {t} and {u} are columns of texts, {w} of short ones, {n} of small numbers; capitals are random literals: {S} a short text,
# {N} a small number, {L} a LIKE pattern, {E} one with the escape $, {G} a GLOB, {R} a regular expression, {W} a rewrite.
# DuckDB answers substring() beyond a text's ends in two ways, depending on whether its statistics promise ASCII; a text
# that is not ASCII in each column settles that.
EXPRESSIONS = """
length({t}) | strlen({t}) | bit_length({t}) | octet_length(encode({t})) | length_grapheme({t}) | char_length({u})
lower({t}) | upper({t}) | lcase({u}) | ucase({u}) | reverse({t}) | trim({t}) | ltrim({t}) | rtrim({t})
trim({t}, {w}) | ltrim({t}, {S}) | rtrim({t}, {S}) | trim({t}, {S})
substring({t}, {n}) | substring({t}, {n}, {n}) | substring({t}, {N}, {N}) | substr({t}, {N}) | left({t}, {n}) | right({t}, {n})
left({t}, {N}) | right({t}, {N}) | array_extract({t}, {n}) | {t}[{N}]
{t} || {u} | {S} || {t} | concat({t}, {S}, {w}) | concat({t}, NULL, {u}) | concat_ws({S}, {t}, {u}, {w}) | concat_ws({w}, {t}, {u})
strpos({t}, {w}) | strpos({t}, {S}) | instr({t}, {S}) | position({S} IN {t})
split_part({t}, {w}, {n}) | split_part({t}, {S}, {N})
replace({t}, {S}, {w}) | replace({t}, {w}, {S}) | translate({t}, {u}, {w}) | translate({t}, {S}, {w})
repeat({w}, {n}) | lpad({t}, {N}, {S} || '·') | rpad({t}, {n}::INTEGER, {w} || '·') | ascii({t}) | unicode({t}) | ord({u})
chr(abs({n})::INTEGER * 57 + 32) | hex({t}) | to_hex({u}) | decode(encode({t})) | hex(unhex(hex({t}))) | hex(encode({t}) || encode({u}))
contains({t}, {S}) | contains({t}, {w}) | prefix({t}, {S}) | suffix({t}, {S}) | starts_with({t}, {w}) | ends_with({t}, {w}) | {t} ^@ {S}
{t} LIKE {L} | {t} NOT LIKE {L} | {t} ILIKE {L} | {t} NOT ILIKE {L} | {t} LIKE {w} | {t} ILIKE '%' || replace({w}, chr(0), '') || '%'
{t} LIKE {E} ESCAPE '$' | {t} NOT LIKE {E} ESCAPE '$' | {t} ILIKE {E} ESCAPE '$' | {t} NOT ILIKE {E} ESCAPE '$' | {t} GLOB {G}
regexp_matches({t}, {R}) | regexp_matches({t}, {R}, 'i') | regexp_full_match({t}, {R}) | {t} ~ {R} | {t} NOT SIMILAR TO {R}
regexp_extract({t}, {R}) | regexp_extract({t}, '(' || {R} || ')(.)', 2) | regexp_extract({t}, '(b)|' || {R}, 1, 'i')
regexp_replace({t}, {R}, {W}) | regexp_replace({t}, {R}, {W}, 'g') | regexp_replace({t}, '(' || {R} || ')', {w} || '<\\1>', 'gi')
"""


def pick(choices, most):
    return "".join(random.choice(choices) for _ in range(random.randint(0, most)))


def text(most=16):
    return pick(PIECES[:20] if random.random() < 0.35 else PIECES, most)


def quoted(value):
    return "'" + value.replace("'", "''") + "'"


def literals():
    return {
        "S": quoted(random.choice(["a", "ab", "/", "aa", "ä", "-", "漢", "", text(2).replace("\0", "")])),
        "N": str(random.randint(-12, 25)),
        "L": quoted(pick(LIKE, 6)),
        "E": quoted(pick([*LIKE, "$%", "$_", "$$"], 6)),
        "G": quoted(pick(["a", "b", "ä", "*", "*", "?", "[a-c]", "[!a]", "\\*", "-", "/"], 5)),
        "R": quoted(pick(REGEX, 4)),
        "W": quoted(pick(["-", "\\0", "<\\0>", "ä", "\\\\"], 3)),
    }


def write_table(connection, path, rows):
    def nullable(make):
        return None if random.random() < 0.06 else make()

    connection.execute("CREATE OR REPLACE TABLE texts (id BIGINT, t VARCHAR, u VARCHAR, w VARCHAR, n BIGINT)")
    values = [(i, nullable(text), nullable(text), nullable(lambda: text(2)), nullable(lambda: random.randint(-15, 20)))
              for i in range(rows)]
    values.append((rows, "ä", "漢", "é", 1))
    connection.executemany("INSERT INTO texts VALUES (?, ?, ?, ?, ?)", values)
    connection.execute(f"COPY texts TO '{path}' (ROW_GROUP_SIZE 2048)")


def statements(path):
    for line in EXPRESSIONS.strip().split("\n"):
        for template in line.split(" | "):
            expression = template.format(t="t", u="u", w="w", n="n", **literals())
            yield f"SELECT id, ({expression})::VARCHAR AS a FROM '{path}'"


def lanewise(queries, lanes):
    """The answers of one process; or the message that ended it, or None."""
    script = "".join(f"SELECT {k} AS k, * FROM ({query});\n" for k, query in enumerate(queries))
    result = subprocess.run([PROGRAM, "sql", "--format", "ndjson", "--lanes", lanes], input=script.encode(),
                            capture_output=True, timeout=600)
    answers = [[] for _ in queries]
    for line in result.stdout.decode(errors="surrogateescape").split("\n"):
        if line:
            row = json.loads(line)
            answers[row["k"]].append((row["id"], row["a"]))
    for answer in answers:
        answer.sort(key=lambda row: row[0])
    return answers, None if result.returncode == 0 else f"exit code {result.returncode}: {result.stderr.decode().strip()}"


def compare(rows, rounds, seed, lanes="simd"):
    """Differences as text, and the number of values that were compared."""
    random.seed(seed)
    found, compared = [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.parquet"
        connection = duckdb.connect()
        for _ in range(rounds):
            write_table(connection, path, rows)
            queries, expected = [], []
            for query in statements(path):
                try:
                    expected.append(connection.execute(query + " ORDER BY id").fetchall())
                    queries.append(query)
                except duckdb.Error:
                    continue  # such as a pattern that ends with its escape character
            answers, fault = lanewise(queries, lanes)
            if fault:
                at = next((k for k, answer in enumerate(answers) if len(answer) != rows + 1), 0)
                found.append(f"{queries[at]}\n  {fault}")
            for query, wanted, got in zip(queries, expected, answers):
                if fault and len(got) != len(wanted):
                    break
                compared += len(wanted)
                if got != wanted:
                    differing = [(w, g) for w, g in zip(wanted, got) if w != g]
                    row = connection.execute("SELECT * FROM texts WHERE id = ?", [differing[0][0][0]]).fetchone() if differing else ()
                    found.append(f"{query}\n  {len(differing)} rows differ; {row!r}: DuckDB {differing[:1]!r}")
    return found, compared


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--lanes", default="simd")
    options = parser.parse_args()
    found, compared = compare(options.rows, options.rounds, options.seed, options.lanes)
    print("\n".join(found))
    print(f"seed {options.seed}: {compared} values compared, {len(found)} statements differ")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
