"""Random typed expressions over a table's columns. What can be generated is one table; each entry's use is counted.

Kinds of values: bool, int, exact (floats with few bits, so that sums and comparisons are exact), decimal, text, date,
time, timestamp, interval, blob, and inexact (results of rounding: printed, never compared or grouped by)."""

from collections import Counter
from dataclasses import dataclass, field, replace

# name, SQL with {0}, {1}, ... for the arguments, kind of the result, kinds of the arguments.
# The kinds in capitals are literals, listed in LITERALS.
FUNCTIONS = [
    ("+", "({0} + {1})", "int", "int int"), ("-", "({0} - {1})", "int", "int int"),
    ("*", "({0} * {1})", "int", "int SMALL"), ("//", "({0} // {1})", "int", "int int"),
    ("%", "({0} % {1})", "int", "int int"), ("/", "({0} / {1})", "inexact", "int int"),
    ("negate", "(-{0})", "int", "int"), ("abs", "abs({0})", "int", "int"), ("sign", "sign({0})", "int", "int"),
    ("&", "({0} & {1})", "int", "int32 int32"), ("|", "({0} | {1})", "int", "int32 int32"), ("xor", "xor({0}, {1})", "int", "int32 int32"),
    ("+ float", "({0} + {1})", "exact", "exact exact"), ("- float", "({0} - {1})", "exact", "exact exact"),
    ("* float", "({0} * {1})", "exact", "exact SMALL"), ("/ float", "({0} / {1})", "inexact", "exact exact"),
    ("abs float", "abs({0})", "exact", "exact"), ("floor", "floor({0})", "exact", "exact"), ("ceil", "ceil({0})", "exact", "exact"),
    ("round", "round({0})", "exact", "exact"), ("round digits", "round({0}, {1})", "inexact", "exact SMALL"),
    ("trunc", "trunc({0})", "exact", "exact"), ("sqrt", "sqrt(abs({0}))", "inexact", "exact"),
    ("ln", "ln(abs({0}) + 1)", "inexact", "exact"), ("exp", "exp({0} / 1000)", "inexact", "exact"),
    ("power", "power({0}, {1})", "inexact", "exact SMALL"), ("mod", "mod({0}, {1})", "int", "int int"),
    ("+ decimal", "({0} + {1})", "decimal", "decimal decimal"), ("- decimal", "({0} - {1})", "decimal", "decimal decimal"),
    ("* decimal", "({0} * {1})", "decimal", "decimal SMALL"), ("abs decimal", "abs({0})", "decimal", "decimal"),
    ("round decimal", "round({0}, 1)", "decimal", "decimal"), ("floor decimal", "floor({0})", "decimal", "decimal"),
    ("ceil decimal", "ceil({0})", "decimal", "decimal"),
    ("greatest", "greatest({0}, {1})", "int", "int int"), ("least", "least({0}, {1})", "int", "int int"),
    ("greatest text", "greatest({0}, {1})", "text", "text text"), ("least date", "least({0}, {1})", "date", "date date"),
    *[(f"{op} {kind}", f"({{0}} {op} {{1}})", "bool", f"{kind} {kind}")
      for kind in ("int", "exact", "decimal", "text", "date", "timestamp", "time", "interval", "blob", "bool")
      for op in ("=", "<>", "<", ">=")],
    ("= int decimal", "({0} = {1})", "bool", "int decimal"), ("< int float", "({0} < {1})", "bool", "int32 exact"),
    ("distinct from", "({0} IS DISTINCT FROM {1})", "bool", "int int"),
    ("not distinct from", "({0} IS NOT DISTINCT FROM {1})", "bool", "text text"),
    ("between", "({0} BETWEEN {1} AND {2})", "bool", "int int int"),
    ("between text", "({0} BETWEEN {1} AND {2})", "bool", "text text text"),
    ("in", "({0} IN (1, 2, 5, {1}))", "bool", "int INT"), ("not in", "({0} NOT IN ({1}, {2}))", "bool", "int INT INT"),
    ("in null", "({0} IN ({1}, NULL))", "bool", "int INT"), ("in text", "({0} IN ({1}, {2}, 'a'))", "bool", "text TEXT TEXT"),
    ("and", "({0} AND {1})", "bool", "bool bool"), ("or", "({0} OR {1})", "bool", "bool bool"), ("not", "(NOT {0})", "bool", "bool"),
    ("is true", "({0} IS TRUE)", "bool", "bool"), ("is not false", "({0} IS NOT FALSE)", "bool", "bool"),
    *[(f"is null {k}", "({0} IS NULL)", "bool", k) for k in ("int", "text", "exact", "decimal", "date", "bool")],
    *[(f"case {k}", "(CASE WHEN {0} THEN {1} WHEN {2} THEN {3} ELSE {4} END)", k, f"bool {k} bool {k} {k}")
      for k in ("int", "text", "exact", "date", "decimal")],
    *[(f"coalesce {k}", "coalesce({0}, {1})", k, f"{k} {k}") for k in ("int", "text", "exact", "date", "timestamp", "decimal")],
    ("nullif", "nullif({0}, {1})", "int", "int int"), ("nullif text", "nullif({0}, {1})", "text", "text text"),
    ("cast int text", "({0})::VARCHAR", "text", "int"), ("cast exact text", "({0})::VARCHAR", "text", "exact"),
    ("cast decimal text", "({0})::VARCHAR", "text", "decimal"), ("cast date text", "({0})::VARCHAR", "text", "date"),
    ("cast timestamp text", "({0})::VARCHAR", "text", "timestamp"), ("cast bool int", "({0})::INTEGER", "int", "bool"),
    ("cast int exact", "({0})::DOUBLE", "exact", "int32"), ("cast exact int", "({0})::BIGINT", "int", "exact"),
    ("cast int decimal", "({0})::DECIMAL(18, 2)", "decimal", "int32"), ("cast decimal int", "({0})::BIGINT", "int", "decimal"),
    ("cast date timestamp", "({0})::TIMESTAMP", "timestamp", "date"), ("cast timestamp date", "({0})::DATE", "date", "timestamp"),
    ("try_cast text int", "TRY_CAST({0} AS INTEGER)", "int", "text"), ("try_cast text float", "TRY_CAST({0} AS DOUBLE)", "inexact", "text"),
    ("try_cast text date", "TRY_CAST({0} AS DATE)", "date", "text"), ("try_cast int8", "TRY_CAST({0} AS TINYINT)", "int", "int"),
    *[(f"extract {p}", f"extract({p} FROM {{0}})", "int", "timestamp")
      for p in ("year", "quarter", "month", "week", "day", "dow", "doy", "hour", "minute", "second")],
    ("extract date", "extract({0} FROM {1})", "int", "PART date"),
    ("date_trunc", "date_trunc({0}, {1})", "timestamp", "UNIT timestamp"), ("date_trunc date", "date_trunc({0}, {1})::DATE", "date", "UNIT date"),
    ("date_diff", "date_diff({0}, {1}, {2})", "int", "UNIT timestamp timestamp"),
    ("date_diff date", "date_diff({0}, {1}, {2})", "int", "UNIT date date"),
    ("date + int", "({0} + {1})", "date", "date SMALL"), ("date - date", "({0} - {1})", "int", "date date"),
    ("date + interval", "({0} + {1})", "timestamp", "date INTERVAL"), ("timestamp + interval", "({0} + {1})", "timestamp", "timestamp INTERVAL"),
    ("timestamp - interval", "({0} - {1})", "timestamp", "timestamp interval"), ("timestamp - timestamp", "({0} - {1})", "interval", "timestamp timestamp"),
    ("length", "length({0})", "int", "text"), ("strlen", "strlen({0})", "int", "text"), ("lower", "lower({0})", "text", "text"),
    ("upper", "upper({0})", "text", "text"), ("trim", "trim({0})", "text", "text"), ("ltrim", "ltrim({0}, {1})", "text", "text TEXT"),
    ("rtrim", "rtrim({0}, {1})", "text", "text TEXT"), ("substring", "substring({0}, {1}, {2})", "text", "text INT SMALL"),
    ("substring from", "substring({0}, {1})", "text", "text INT"), ("left", "left({0}, {1})", "text", "text INT"),
    ("right", "right({0}, {1})", "text", "text INT"), ("replace", "replace({0}, {1}, {2})", "text", "text TEXT TEXT"),
    ("concat", "concat({0}, {1})", "text", "text text"), ("||", "({0} || {1})", "text", "text text"),
    ("strpos", "strpos({0}, {1})", "int", "text text"), ("contains", "contains({0}, {1})", "bool", "text TEXT"),
    ("contains text", "contains({0}, {1})", "bool", "text text"), ("starts_with", "starts_with({0}, {1})", "bool", "text TEXT"),
    ("ends_with", "ends_with({0}, {1})", "bool", "text TEXT"), ("split_part", "split_part({0}, {1}, {2})", "text", "text TEXT SMALL"),
    ("reverse", "reverse({0})", "text", "text"), ("repeat", "repeat({0}, {1})", "text", "text SMALL"),
    ("lpad", "lpad({0}, {1}, {2})", "text", "text WIDTH FILL"), ("rpad", "rpad({0}, {1}, {2})", "text", "text WIDTH FILL"),
    ("ascii", "ascii({0})", "int", "text"), ("chr", "chr({0})", "text", "CODE"),
    ("like", "({0} LIKE {1})", "bool", "text LIKE"), ("not like", "({0} NOT LIKE {1})", "bool", "text LIKE"),
    ("ilike", "({0} ILIKE {1})", "bool", "text LIKE"), ("like escape", "({0} LIKE {1} ESCAPE '!')", "bool", "text LIKE"),
    ("like column", "({0} LIKE '%' || {1} || '%')", "bool", "text TEXT"),
    ("regexp_matches", "regexp_matches({0}, {1})", "bool", "text REGEX"), ("regexp_full_match", "regexp_full_match({0}, {1})", "bool", "text REGEX"),
    ("~", "({0} ~ {1})", "bool", "text REGEX"), ("similar to", "({0} SIMILAR TO {1})", "bool", "text REGEX"),
    ("regexp_extract", "regexp_extract({0}, {1})", "text", "text REGEX"),
    ("regexp_extract group", "regexp_extract({0}, {1}, 1)", "text", "text GROUPED"),
    ("regexp_replace", "regexp_replace({0}, {1}, {2})", "text", "text REGEX TEXT"),
    ("regexp_replace all", "regexp_replace({0}, {1}, {2}, 'g')", "text", "text REGEX TEXT"),
]

AGGREGATES = [
    ("count(*)", "count(*)", "int", ""), ("sum", "sum({0})", "int", "int32"), ("sum decimal", "sum({0})", "decimal", "decimal"),
    ("sum float", "sum({0})", "inexact", "exact"), ("avg", "avg({0})", "inexact", "int32"), ("avg float", "avg({0})", "inexact", "exact"),
    *[(f"count {k}", "count({0})", "int", k) for k in ("int", "text")],
    *[(f"count distinct {k}", "count(DISTINCT {0})", "int", k) for k in ("int", "text", "date", "decimal")],
    *[(f"{f} {k}", f"{f}({{0}})", k, k) for f in ("min", "max")
      for k in ("int", "exact", "decimal", "text", "date", "timestamp", "time", "interval", "blob", "bool")],
    ("sum distinct", "sum(DISTINCT {0})", "int", "int32"), ("bool_and", "bool_and({0})", "bool", "bool"), ("bool_or", "bool_or({0})", "bool", "bool"),
    ("stddev", "stddev({0})", "inexact", "exact"), ("var_pop", "var_pop({0})", "inexact", "exact"),
    ("variance", "variance({0})", "inexact", "exact"), ("stddev_pop", "stddev_pop({0})", "inexact", "exact"),
    ("median", "median({0})", "inexact", "exact"), ("quantile_cont", "quantile_cont({0}, 0.3)", "inexact", "exact"),
    ("quantile_disc", "quantile_disc({0}, 0.7)", "int", "int32"), ("quantile_disc text", "quantile_disc({0}, 0.5)", "text", "text"),
    ("string_agg", "string_agg({0}, ',' ORDER BY {0})", "text", "text"),
    ("any_value", "any_value({0} IS NULL OR true)", "bool", "int"),
    ("filter", "count(*) FILTER (WHERE {0})", "int", "bool"), ("sum filter", "sum({0}) FILTER (WHERE {1})", "int", "int32 bool"),
]

LITERALS = {
    "SMALL": ["0", "1", "2", "3", "5"], "INT": ["-3", "-1", "0", "1", "2", "4", "17", "100"],
    "WIDTH": ["0", "1", "4", "9"], "FILL": ["'*'", "'ab'", "'é'"], "CODE": ["65", "233", "26085", "128512"],
    "TEXT": ["''", "'a'", "'b'", "'ab'", "'A'", "'é'", "' '", "'1'", "','", "'日'", "'aa'"],
    "LIKE": ["'%'", "'a%'", "'%a'", "'%a%'", "'_'", "'__%'", "'%ab%'", "'a_c'", "'%é%'", "'%a%b%'", "''", "'!%%'", "'%日_'", "'%aa'"],
    "REGEX": ["'a'", "'^a'", "'b$'", "'[a-c]+'", "'a.'", "'(a|b)c'", "'[0-9]{2}'", "'x*'", "'é'", "'.*'", "'^$'", "'[^a]'",
              "'(?i)AB'", r"'\d+'", r"'\w+\s'", "'日.'", "'a+b?'"],
    "GROUPED": ["'(a)'", "'([a-z]+)'", "'a(.)'", "'(a|b)+'", r"'(\d+)-'", "'(.*)b'"],
    "UNIT": ["'year'", "'quarter'", "'month'", "'week'", "'day'"], "PART": ["year", "month", "day", "dow", "week", "quarter", "doy"],
    "INTERVAL": ["INTERVAL 1 DAY", "INTERVAL 3 MONTHS", "INTERVAL 90 MINUTES", "INTERVAL 1 YEAR"],
    "bool": ["true", "false", "NULL"], "int": ["0", "1", "-1", "7", "NULL", "1000"], "exact": ["0.0::DOUBLE", "1.5::DOUBLE", "-2.25::DOUBLE"],
    "int32": ["0", "3", "-12"], "decimal": ["0.5", "12.25", "-3.75", "100.00"], "text": ["'a'", "''", "'Abc'", "'日本'"],
    "date": ["DATE '2000-02-29'", "DATE '1969-12-31'"], "time": ["TIME '12:34:56'"], "timestamp": ["TIMESTAMP '2001-02-03 04:05:06'"],
    "interval": ["INTERVAL 2 DAYS", "INTERVAL 1 MONTH"], "blob": ["'ab'::BLOB"],
}


@dataclass(frozen=True)
class Node:
    kind: str
    sql: str  # with {0}, {1}, ... for the children
    children: tuple = ()
    name: str = ""  # the function, for the count
    nullable: bool = False

    def text(self):
        return self.sql.format(*(c.text() for c in self.children)) if self.children else self.sql

    def names(self):
        """Each function in the tree, and whether a NULL can reach it."""
        if self.name:
            yield self.name, any(c.nullable for c in self.children)
        for child in self.children:
            yield from child.names()


@dataclass
class Generator:
    random: object
    columns: dict  # kind -> [(name, nullable)]
    used: Counter = field(default_factory=Counter)

    def literal(self, kind):
        text = self.random.choice(LITERALS[kind])
        return Node(kind, text, nullable=text == "NULL")

    def leaf(self, kind):
        columns = self.columns.get(kind, ())
        if columns and self.random.random() < 0.85:
            name, nullable = self.random.choice(columns)
            return Node(kind, name, nullable=nullable)
        return self.literal("exact" if kind == "inexact" else kind)

    def pick(self, table, kind):
        """An entry whose result is of the kind; every other time the one that was used least."""
        choices = [f for f in table if kind is None or f[2] == kind]
        if not choices:
            return None
        if self.random.random() < 0.5:
            least = min(self.used[f[0]] for f in choices)
            choices = [f for f in choices if self.used[f[0]] == least]
        return self.random.choice(choices)

    def call(self, entry, depth):
        name, sql, kind, arguments = entry
        self.used[name] += 1
        children = tuple(self.literal(a) if a.isupper() else self.expression(a, depth - 1) for a in arguments.split())
        # Something of the table in every call, or the optimiser folds it away.
        return Node(kind, sql, children, name, any(c.nullable for c in children))

    def expression(self, kind, depth):
        if depth > 0 and kind not in ("int32",) and self.random.random() < 0.75:
            entry = self.pick(FUNCTIONS, kind)
            if entry:
                return self.call(entry, depth)
        return self.leaf(kind)

    def aggregate(self, depth):
        return self.call(self.pick(AGGREGATES, None), depth)


def smaller(node):
    """Nodes that could stand for `node` and are simpler: its parts of the same kind, or with one part simpler."""
    for child in node.children:
        if child.kind == node.kind:
            yield child
    for index, child in enumerate(node.children):
        for less in smaller(child):
            yield replace(node, children=node.children[:index] + (less,) + node.children[index + 1:])
