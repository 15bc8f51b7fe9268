"""Values, patterns and settings at the edges of SQL, which a translation of DuckDB's plans easily misses."""

import sys
from pathlib import Path

from queries import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sql"))

from colliding import colliding  # noqa: E402

NULL_TYPES = {"bool": "BOOLEAN", "int": "BIGINT", "int32": "INTEGER", "exact": "DOUBLE", "inexact": "DOUBLE", "decimal": "DECIMAL(9, 2)", "text": "VARCHAR",
              "date": "DATE", "time": "TIME", "timestamp": "TIMESTAMP", "zoned": "TIMESTAMPTZ", "interval": "INTERVAL", "blob": "BLOB"}

FLOATS = ["0.0::DOUBLE", "-0.0::DOUBLE", "'nan'::DOUBLE", "'inf'::DOUBLE", "'-inf'::DOUBLE", "1e308::DOUBLE", "0.5::FLOAT", "-0.0::FLOAT"]
TEXTS = ["chr(0)", "'a' || chr(0) || 'b'", "'A'", "'É'", "'é'", "'e' || chr(769)", "'ab'", "'aB'", "'a%'", "'_'", r"'\'", "'ß'", "'İ'"]
INTS = ["9223372036854775807", "-9223372036854775808", "255", "-128", "2147483648"]
ODD = {"exact": FLOATS, "text": TEXTS, "int": INTS}

COLLATIONS = ["NOCASE", "NOCASE", "NOCASE", "NOACCENT", "NOACCENT", "NFC", "NOCASE.NOACCENT"]
COLUMN_COLLATIONS = ["", "", " COLLATE NOCASE", " COLLATE NOACCENT", " COLLATE NFC"]

# Settings that change answers, and values other than the default. Both sides use them.
SETTINGS = {
    "default_null_order": ["'nulls_first'", "'nulls_first_on_asc_last_on_desc'", "'nulls_last_on_asc_first_on_desc'"],
    "default_order": ["'desc'"], "integer_division": ["true"], "ieee_floating_point_ops": ["false"],
    "order_by_non_integer_literal": ["true"], "old_implicit_casting": ["true"], "scalar_subquery_error_on_multiple_rows": ["false"],
    "preserve_insertion_order": ["false"],
}
# These change DuckDB's plans so much that the engine does not support all of them. Without filter_pushdown DuckDB
# forgets WHERE false next to a scalar subquery.
PLAN_SETTINGS = SETTINGS | {
    "default_collation": ["'nocase'", "'noaccent'", "'nfc'"],
    "disabled_optimizers": [f"'{name}'" for name in (
        "expression_rewriter", "unused_columns", "statistics_propagation", "common_subexpressions", "common_aggregate",
        "compressed_materialization", "duplicate_groups", "cte_inlining", "top_n", "empty_result_pullup", "in_clause", "sum_rewriter",
        "regex_range", "limit_pushdown", "materialized_cte", "deliminator", "join_order")],
}


def random_settings(random, choices, hits, most=3):
    """Mostly those that were used least."""
    names = sorted(choices, key=lambda name: (hits[f"SET {name}"] // 20, random.random()))[:random.randint(1, most)]
    return tuple(f"SET {name} = {random.choice(choices[name])}" for name in names)


def one_of(values):
    return f"(CASE {{h}} % {len(values)} " + " ".join(f"WHEN {i} THEN {value}" for i, value in enumerate(values[:-1])) + f" ELSE {values[-1]} END)"


SHORT_TEXTS = ["''", "'a'", "'A'", "'b'", "'ab'", "'aB'", "'ba'", "'aab'", "'é'", "'É'", "'e' || chr(769)", "chr(0)", "'a' || chr(0) || 'b'", "'a%'",
               "'_'", "'b' || chr(10) || 'a'", "'ß'", "'abc'"]


def odd_table(random, hits):
    """Few rows with few values, so that many are equal, or the hashes of all are; a collation on a column."""
    collation = random.choice(COLUMN_COLLATIONS)
    specification = [
        ("INTEGER", "{h} % 7 - 3"), (random.choice(["BIGINT", "TINYINT", "UINTEGER", "HUGEINT"]), "{h} % 100"),
        (random.choice(["DOUBLE", "FLOAT"]), one_of(["0.0", "'-0.0'::DOUBLE", "'nan'::DOUBLE", "'inf'::DOUBLE", "'-inf'::DOUBLE", "1.5", "-2.25"])),
        (f"VARCHAR{collation}", one_of(SHORT_TEXTS)), ("VARCHAR", one_of(SHORT_TEXTS)), ("BOOLEAN", "{h} % 3 = 0"),
        (random.choice(["DECIMAL(4,1)", "DECIMAL(18,3)", "DECIMAL(38,0)"]), "{h} % 9 - 4"),
        ("DATE", "DATE '2000-02-27' + ({h} % 5)::INTEGER"), ("TIMESTAMP", "TIMESTAMP '1999-12-31 23:59:58' + to_seconds({h} % 4)"),
    ]
    if random.random() < 0.3:
        specification[1] = ("BIGINT", f"({colliding(60)})[{{h}} % 60 + 1]")
    if random.random() < 0.3:
        specification.append(("ENUM('a', 'B', 'b', 'é')", one_of(["'a'", "'B'", "'b'", "'é'"])))
    columns = [(f"c{i}", kind, value.format(h=f"(hash(i, {i}) % 1000003)::BIGINT"), random.choice([0, 2, 3, 6]))
               for i, (kind, value) in enumerate(specification)]
    rows = random.choice([0, 1, 2, 3, 5, 8, 20, 33, 70, 200])
    settings = random_settings(random, PLAN_SETTINGS, hits) if random.random() < 0.6 else ()
    return Table(rows, tuple(columns), settings=settings)
