#!/usr/bin/env python3
"""Compares the functions on numbers, dates and times, and the casts, with DuckDB's, over random values in a table.

    tests/functions/compare_values.py --rows 2000 --seed 7

Each function is tried on each column and on pairs of columns; what DuckDB takes and answers without an error is compared,
what ends in an error there must do so here. Prints each difference with its statement and ends with exit code 1 if there
was one.
"""

import argparse
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

BUILD = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parents[2] / "build")
PROGRAM = BUILD / "lanewise"
EXAMPLES = BUILD / "tests" / "lanewise_function_examples"

INTEGERS = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63, "HUGEINT": 127,
            "UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64, "UHUGEINT": 128}
DECIMALS = [(4, 1), (15, 2), (18, 6), (30, 10), (38, 0)]
TIMES = ["DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "INTERVAL"]
TYPES = [*INTEGERS, "FLOAT", "DOUBLE", *(f"DECIMAL({p},{s})" for p, s in DECIMALS), *TIMES, "BOOLEAN", "VARCHAR"]
WORDS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "ms", "us", "decade", "century", "millennium"]
INFIX = {"+", "-", "*", "/", "//", "%", "&", "|", "<<", ">>", "=", "<>", "<", ">", "<=", ">=", "IS DISTINCT FROM",
         "IS NOT DISTINCT FROM", "||", "^@", "~~", "!~~", "~~*", "!~~*", "~~~"}
# Functions with more than two arguments, or of strings: compare_strings.py compares those.
OTHERS = {"BETWEEN", "NOT", "IS NULL", "IS NOT NULL", "strftime", "constant_or_null", "error", "like_escape", "not_like_escape",
          "ilike_escape", "not_ilike_escape", "lpad", "rpad", "repeat", "position", "replace", "regexp_replace", "split_part",
          "string_split_extract", "translate"}
# age(x) begins at the current day, which changes between two runs.
PRESENT = {"age"}
# If the result does not fit, DuckDB wraps around, "-" only for UHUGEINT; here that is an error.
WRAPPING = {"round": "Overflow", "-": "Overflow in subtraction of UINT128"}
# DuckDB raises an error despite TRY, for infinite timestamps and those out of range; here they are NULL.
NO_TRY = re.compile(r"TRY_CAST\(timestamp\w* AS TIME(STAMP_NS)?\)")
# Random values mostly give errors, or the types are not among the pairs.
SPELLED_OUT = {
    "factorial": "factorial((abs(smallint_x::INTEGER) % 34)::INTEGER)",
    "make_time": "make_time(utinyint_x % 24, utinyint_y % 60, (usmallint_x % 60000) / 1000)",
    "make_date": "make_date(1900 + utinyint_x, 1 + usmallint_x % 12, 1 + usmallint_y % 28)",
    "make_timestamp": "make_timestamp(1900 + utinyint_x, 1 + usmallint_x % 12, 1 + usmallint_y % 28, 23, 59, (usmallint_x % 60000) / 1000)",
    "pi": "pi() * double_x",
    "unhex": "decode(unhex(hex(varchar_x)))",
    "from_hex": "decode(from_hex(to_hex(varchar_x)))",
    "decode": "decode(encode(varchar_x))",
    "octet_length": "octet_length(encode(varchar_x))",
}


def number(bits, signed):
    bits = random.choice([3, 7, min(bits, 20), bits])
    return random.randint(-(2**bits) if signed else 0, 2**bits - 1)


def clock():
    fraction = random.choice(["", ".5", f".{random.randint(0, 999999):06}"])
    return f"{random.randint(0, 23):02}:{random.randint(0, 59):02}:{random.randint(0, 59):02}{fraction}"


def day(first=1700, last=2250):
    return f"{random.randint(first, last):04}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"


def value(kind):
    """A value of the type, as text."""
    if kind in INTEGERS:
        return str(number(INTEGERS[kind], not kind.startswith("U")))
    if kind in ("FLOAT", "DOUBLE"):
        return random.choice(["nan", "inf", "-0.0", "0.5", "-2.5", str(random.randint(-50, 50)), repr(random.uniform(-1e6, 1e6))])
    if kind.startswith("DECIMAL"):
        precision, scale = map(int, kind[8:-1].split(","))
        digits = random.randint(1, precision)
        sign = random.choice(["", "-"])
        text = str(random.randint(0, 10**digits - 1)).rjust(scale + 1, "0")
        return sign + (f"{text[:-scale]}.{text[-scale:]}" if scale else text)
    if kind == "BOOLEAN":
        return random.choice(["true", "false"])
    if kind == "INTERVAL":
        return f"{random.randint(-30, 30)} months {random.randint(-50, 50)} days {random.choice(['', '-'])}{clock()}"
    if kind == "DATE":
        return random.choice([day(), day(), "infinity", "2000-02-29", "1969-12-31"])
    if kind == "TIME":
        return clock()
    if kind == "VARCHAR":
        return random.choice([value(random.choice(TYPES[:-1])), "x", "", " 12 ", "1e3", "0x1F", "1_000", "true"])
    return f"{day()} {clock()}" + ("+00" if kind == "TIMESTAMPTZ" else "")


def edge(kind):
    """The same, closer to the limits of the type, where functions raise errors more often."""
    if kind in INTEGERS:
        bits, signed = INTEGERS[kind], not kind.startswith("U")
        return str(random.choice([2**bits - 1, -(2**bits) if signed else 0, 2 ** (bits // 2), -1 if signed else 1, number(bits, signed)]))
    if kind in ("FLOAT", "DOUBLE"):
        return random.choice(["-inf", "1e-45", "3.4e38", str(random.randint(-99999, 99999) / 2), repr(2.0 ** random.randint(-70, 130)),
                              repr(random.randint(-2**70, 2**70) / 2 ** random.randint(0, 60)),
                              f"{random.uniform(-10, 10)}e{random.randint(-38, 37)}"])
    if kind == "INTERVAL":
        months, days = ([0, random.randint(-1000, 1000), random.randint(-2**31, 2**31 - 1)] for _ in "md")
        micros = [0, random.randint(-10**12, 10**12), random.randint(-2**63, 2**63 - 1)]
        return f"{random.choice(months)} months {random.choice(days)} days {random.choice(micros)} microseconds"
    if kind == "DATE":
        return random.choice(["-infinity", day(1, 9999), day(1, 3000) + " (BC)", day(9999, 290000)])
    if kind in ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS"):
        return random.choice(["infinity", "-infinity", f"{day(1, 9999)} {clock()}", f"{day(1, 3000)} (BC) {clock()}"])
    if kind == "TIMESTAMPTZ":
        # DuckDB counts years before Christ in two ways, and fails near infinity.
        return f"{day(1, 9999)} {clock()}+00"
    if kind == "VARCHAR":
        return random.choice([value(random.choice(TYPES[:-1])), edge(random.choice(TYPES[:-1])), f"{random.randint(-10**6, 10**6)}e{random.randint(-9, 30)}"])
    return value(kind)


def column(kind, suffix):
    return "".join(c if c.isalnum() else "_" for c in kind.lower()) + "_" + suffix


def make_table(connection, rows, make):
    names = [(column(kind, suffix), kind) for kind in TYPES for suffix in "xy"]
    texts = ", ".join(f"{name} VARCHAR" for name, _ in names)
    connection.execute(f"CREATE TEMP TABLE texts (id BIGINT, {texts})")
    lines = [[i, *(None if random.random() < 0.06 else make(kind) for _, kind in names)] for i in range(rows)]
    connection.executemany(f"INSERT INTO texts VALUES ({', '.join('?' * (len(names) + 1))})", lines)
    casts = ", ".join(f"{name}::{kind} AS {name}" for name, kind in names)
    connection.execute(f"CREATE TABLE numbers AS SELECT id, {casts} FROM texts")


def functions():
    lines = subprocess.run([EXAMPLES], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split("\t") for line in lines]
    return sorted({name for name, *_, where in rows if where != "cores"} - OTHERS)  # tests/sql/nested.test compares the others


def expressions():
    pairs = [(a, b) for a in TYPES for b in ("INTEGER", "BIGINT", "DOUBLE", "INTERVAL", "DATE", "TIME", "VARCHAR")]
    pairs += [(b, a) for a, b in pairs] + [(a, a) for a in TYPES]
    for name in functions():
        for kind in TYPES:
            x = column(kind, "x")
            # hex() takes floats as BIGNUM, which is not supported. Dates have no zone, but infinite ones are accepted.
            odd = "hex" in name and kind in ("FLOAT", "DOUBLE") or name.startswith("timezone") and kind == "DATE"
            if name not in PRESENT and not odd:
                yield name, f"{name}({x})" if name.isidentifier() else f"{name} {x}"
            if name.isidentifier() and "hex" not in name and kind in ("BIGINT", "FLOAT", "DOUBLE"):
                yield name, f"{name}(abs({x}::DOUBLE) + 1)"  # an error for other types
                yield name, f"{name}(1 / (abs({x}::DOUBLE) + 1))"
        for a, b in dict.fromkeys(pairs):
            if name == "timezone":
                continue  # timezone(zone, x): UTC is the only zone
            x, y = column(a, "x"), column(b, "y")
            yield name, f"{x} {name} {y}" if name in INFIX else f"{name}({x}, {y})"
    yield from SPELLED_OUT.items()
    for kind in TIMES:
        x, y = column(kind, "x"), column(kind, "y")
        for word in WORDS:
            yield "date_part", f"date_part('{word}', {x})"
            yield "date_trunc", f"date_trunc('{word}', {x})"
            yield "date_diff", f"date_diff('{word}', {x}, {y})"
            yield "date_sub", f"date_sub('{word}', {x}, {y})"
        if kind != "TIMESTAMPTZ":  # not supported
            yield "strftime", f"strftime({x}, '%a %A %b %B %-d %d %-m %m %y %-y %Y %H %-H %I %-I %p %M %-M %S %-S %f %g %j %-j %U %W %V %u %w')"
    for kind in TYPES:
        x = column(kind, "x")
        for digits in (-2, 0, 1, 3):
            yield "round", f"round({x}, {digits})"
            yield "trunc", f"trunc({x}, {digits})"
        for target in TYPES:
            yield "CAST", f"CAST({x} AS {target})"
            yield "TRY_CAST", f"TRY_CAST({x} AS {target})"


def alike(expression, wanted, got):
    """Whether two rows are equal, or DuckDB's is wrong: docs/understand/decisions/0002-where-duckdb-is-wrong.md."""
    if wanted == got:
        return True
    if wanted[1] is None or got[1] is None:
        # The age of infinity is some hundred thousand years if the other time has a zone.
        return got[1] is None and expression.startswith("age(") and abs(int(wanted[1].split()[0])) > 200_000
    try:
        # Large powers of two are printed with wrong digits.
        fraction, exponent = math.frexp(float(got[1]))
        return abs(fraction) == 0.5 and exponent > 52
    except ValueError:
        return False


def lanewise(queries, lanes, database=":memory:"):
    """The answer of each query, as (id, text) rows; or the message if it failed."""
    answers = []
    todo = list(queries)
    while todo:
        script = "".join(f"SELECT {k} AS k, * FROM ({query});\n" for k, query in enumerate(todo))
        result = subprocess.run([PROGRAM, "sql", "--format", "ndjson", "--lanes", lanes, "--db", database], input=script, capture_output=True,
                                text=True, timeout=900, env={**os.environ, "TZ": "UTC"})
        rows = [[] for _ in todo]
        for line in result.stdout.split("\n")[:-1]:  # strings may contain other line ends
            row = json.loads(line)
            rows[row["k"]].append((row["id"], row["a"]))
        if result.returncode == 0:
            answers += rows
            break
        done = next((k for k, answer in enumerate(rows) if not answer), len(todo) - 1)
        answers += rows[:done] + [result.stderr.strip()]
        todo = todo[done + 1:]
    return [answer if isinstance(answer, str) else sorted(answer) for answer in answers]


def compare(rows, seed, lanes="simd", share=1.0, edges=False):
    """Differences as text, the number of values that were compared, and the functions that were not."""
    random.seed(seed)
    found, compared, reached = [], 0, set()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "values.db")
        connection = duckdb.connect(path)
        make_table(connection, rows, edge if edges else value)
        kept = []
        for name, expression in expressions():
            if random.random() > share and name in reached:
                continue
            query = f"SELECT id, ({expression})::VARCHAR AS a FROM numbers"
            try:
                wanted = connection.execute(query + " ORDER BY id").fetchall()
            except (duckdb.BinderException, duckdb.NotImplementedException, duckdb.CatalogException, duckdb.ParserException):
                continue
            except (duckdb.InternalException, duckdb.FatalException):
                connection.close()  # it no longer answers
                connection = duckdb.connect(path)
                continue
            except duckdb.Error as error:
                wanted = None if random.random() < 0.1 else ...
                if "Unimplemented" in str(error):
                    continue
            if wanted is not ...:
                kept.append((name, expression, query, wanted))
                reached.add(name)
        connection.close()
        answers = lanewise([query for *_, query, _ in kept], lanes, path)
        for (name, expression, query, wanted), got in zip(kept, answers):
            if isinstance(got, str) and wanted is not None:
                if name not in WRAPPING or WRAPPING[name] not in got:
                    found.append(f"{query}\n  {got}")
            elif wanted is None:
                if not isinstance(got, str) and not NO_TRY.fullmatch(expression):
                    found.append(f"{query}\n  answers where DuckDB raises")
            else:
                compared += len(wanted)
                differing = [(w, g) for w, g in zip(wanted, got) if not alike(expression, w, g)]
                if differing or len(got) != len(wanted):
                    found.append(f"{query}\n  {len(differing)} rows differ: DuckDB {differing[:1]!r}")
    return found, compared, set(functions()) - reached


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lanes", default="simd")
    parser.add_argument("--edges", action="store_true", help="values near the ends of their ranges; best with few rows, as many raise")
    options = parser.parse_args()
    found, compared, missed = compare(options.rows, options.seed, options.lanes, edges=options.edges)
    print("\n".join(found))
    print(f"{compared} values compared, {len(found)} statements differ, not reached: {' '.join(sorted(missed))}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
