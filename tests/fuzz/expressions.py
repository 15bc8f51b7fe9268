"""Random typed expressions over a table's columns. What can be generated is one table; each entry's use is counted.

Kinds of values: bool, int, int32 (small ones that are columns), exact (floats with few bits, so that sums and comparisons
are exact), decimal, text, date, time, timestamp, zoned (TIMESTAMPTZ), interval, blob, and inexact (results of rounding:
printed, never compared or grouped by)."""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache

ENOUGH = 20  # uses of each in a run

# name, SQL with {0}, {1}, ... for the arguments, kind of the result, kinds of the arguments.
# The kinds in capitals are literals, listed in LITERALS.
FUNCTIONS = [
    ("+", "({0} + {1})", "int", "int int"), ("-", "({0} - {1})", "int", "int int"),
    ("*", "({0} * {1})", "int", "int SMALL"), ("//", "({0} // {1})", "int", "int int"),
    ("%", "({0} % {1})", "int", "int int"), ("/", "({0} / {1})", "inexact", "int int"),
    ("negate", "(- {0})", "int", "int"), ("abs", "abs({0})", "int", "int"), ("sign", "sign({0})", "int", "int"),
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
      for kind in ("int", "exact", "decimal", "text", "date", "timestamp", "zoned", "time", "interval", "blob", "bool")
      for op in ("=", "<>", "<", ">=")],
    *[(f"{op} {kind}", f"({{0}} {op} {{1}})", "bool", f"{kind} {kind}") for kind in ("int", "text", "exact") for op in (">", "<=")],
    ("// exact", "({0} // {1})", "inexact", "exact exact"), ("% exact", "({0} % {1})", "inexact", "exact exact"),
    ("% decimal", "({0} % {1})", "decimal", "decimal decimal"), ("/ decimal", "({0} / {1})", "inexact", "decimal decimal"),
    ("* decimals", "({0} * {1})", "decimal", "DECIMAL decimal"), ("+ int decimal", "({0} + {1})", "decimal", "int decimal"),
    ("negate decimal", "(- {0})", "decimal", "decimal"), ("trunc decimal", "trunc({0})", "decimal", "decimal"),
    ("<<", "(abs({0}) << {1})", "int", "int32 SMALL"), (">>", "({0} >> {1})", "int", "int32 SMALL"), ("~ bits", "(~ {0})", "int", "int32"),
    ("round int", "round({0}, -1)", "int", "int32"), ("log10", "log10(abs({0}) + 1)", "inexact", "exact"),
    ("greatest many", "greatest({0}, {1}, {2})", "exact", "exact exact exact"),
    ("least timestamp", "least({0}, {1}, {2})", "timestamp", "timestamp timestamp timestamp"),
    ("= int decimal", "({0} = {1})", "bool", "int decimal"), ("< int float", "({0} < {1})", "bool", "int32 exact"),
    ("distinct from", "({0} IS DISTINCT FROM {1})", "bool", "int int"),
    ("not distinct from", "({0} IS NOT DISTINCT FROM {1})", "bool", "text text"),
    ("between", "({0} BETWEEN {1} AND {2})", "bool", "int int int"),
    ("between text", "({0} BETWEEN {1} AND {2})", "bool", "text text text"),
    ("in", "({0} IN (1, 2, 5, {1}))", "bool", "int INT"), ("not in", "({0} NOT IN ({1}, {2}))", "bool", "int INT INT"),
    ("in long", "({0} IN (0, 1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, {1}))", "bool", "int INT"),
    ("not in text", "({0} NOT IN ('', {1}, 'b', 'ab', 'abc', '12', 'key 1/b', 'cab', 'é', {2}))", "bool", "text TEXT TEXT"),
    ("not between", "({0} NOT BETWEEN {1} AND {2})", "bool", "int int int"),
    ("between date", "({0} BETWEEN {1} AND {2})", "bool", "date date date"),
    ("scalar subquery", "({0} >= (SELECT avg({1}) FROM t))", "bool", "int int32"),
    ("scalar subquery text", "({0} < (SELECT max({1}) FROM t))", "bool", "text text"),
    ("in null", "({0} IN ({1}, NULL))", "bool", "int INT"), ("in text", "({0} IN ({1}, {2}, 'a'))", "bool", "text TEXT TEXT"),
    ("and", "({0} AND {1})", "bool", "bool bool"), ("or", "({0} OR {1})", "bool", "bool bool"), ("not", "(NOT {0})", "bool", "bool"),
    ("is true", "({0} IS TRUE)", "bool", "bool"),
    ("is not null", "({0} IS NOT NULL)", "bool", "text"), ("ifnull", "ifnull({0}, {1})", "int", "int int"),
    ("if", "if({0}, {1}, {2})", "text", "bool text text"),
    ("case of", "(CASE {0} WHEN 1 THEN {1} WHEN 2 THEN {2} END)", "int", "int int int"), ("is not false", "({0} IS NOT FALSE)", "bool", "bool"),
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
    ("cast int float", "({0})::FLOAT", "exact", "int32"), ("cast exact decimal", "({0})::DECIMAL(18, 4)", "decimal", "exact"),
    ("cast decimal exact", "({0})::DOUBLE", "inexact", "decimal"), ("cast decimal", "({0})::DECIMAL(38, 1)", "decimal", "decimal"),
    ("cast bool text", "({0})::VARCHAR", "text", "bool"), ("cast time text", "({0})::VARCHAR", "text", "time"),
    ("cast interval text", "({0})::VARCHAR", "text", "interval"), ("cast blob text", "({0})::VARCHAR", "text", "blob"),
    ("cast zoned text", "({0})::VARCHAR", "text", "zoned"), ("cast timestamp time", "({0})::TIME", "time", "timestamp"),
    ("cast timestamp zoned", "({0})::TIMESTAMPTZ", "zoned", "timestamp"), ("cast zoned timestamp", "({0})::TIMESTAMP", "timestamp", "zoned"),
    ("cast text blob", "encode({0})", "blob", "text"), ("cast int bool", "({0})::BOOLEAN", "bool", "int"),
    ("try_cast text decimal", "TRY_CAST({0} AS DECIMAL(9, 2))", "decimal", "text"),
    ("try_cast text bool", "TRY_CAST({0} AS BOOLEAN)", "bool", "text"), ("try_cast text timestamp", "TRY_CAST({0} AS TIMESTAMP)", "timestamp", "text"),
    ("try_cast text time", "TRY_CAST({0} AS TIME)", "time", "text"), ("try_cast text interval", "TRY_CAST({0} AS INTERVAL)", "interval", "text"),
    ("try_cast exact int", "TRY_CAST({0} AS SMALLINT)", "int", "exact"), ("try_cast decimal", "TRY_CAST({0} AS DECIMAL(4, 1))", "decimal", "decimal"),
    *[(f"extract {p}", f"extract({p} FROM {{0}})", "int", "timestamp")
      for p in ("year", "quarter", "month", "week", "day", "dow", "doy", "hour", "minute", "second")],
    ("extract zoned", "extract({0} FROM {1})", "int", "PART zoned"), ("extract time", "extract(minute FROM {0})", "int", "time"),
    ("extract interval", "extract(hour FROM {0})", "int", "interval"), ("epoch", "epoch({0})", "inexact", "timestamp"),
    ("date_trunc zoned", "date_trunc({0}, {1})", "zoned", "UNIT zoned"), ("date_diff zoned", "date_diff({0}, {1}, {2})", "int", "UNIT zoned zoned"),
    ("zoned + interval", "({0} + {1})", "zoned", "zoned INTERVAL"), ("interval + interval", "({0} + {1})", "interval", "interval interval"),
    ("interval *", "({0} * {1})", "interval", "interval SMALL"), ("negate interval", "(- {0})", "interval", "interval"),
    ("date - interval", "({0} - {1})", "timestamp", "date INTERVAL"), ("time + interval", "({0} + {1})", "time", "time INTERVAL"),
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
    ("reverse", "reverse({0})", "text", "text"), ("strip_accents", "strip_accents({0})", "text", "text"), ("nfc_normalize", "nfc_normalize({0})", "text", "text"), ("repeat", "repeat({0}, {1})", "text", "text SMALL"),
    ("lpad", "lpad({0}, {1}, {2})", "text", "text WIDTH FILL"), ("rpad", "rpad({0}, {1}, {2})", "text", "text WIDTH FILL"),
    ("ascii", "ascii({0})", "int", "text"), ("chr", "chr((97 + abs({0}) % 500)::INTEGER)", "text", "int32"),
    ("like", "({0} LIKE {1})", "bool", "text LIKE"), ("not like", "({0} NOT LIKE {1})", "bool", "text LIKE"),
    ("ilike", "({0} ILIKE {1})", "bool", "text LIKE"), ("like escape", "({0} LIKE {1} ESCAPE '!')", "bool", "text LIKE"),
    ("not ilike", "({0} NOT ILIKE {1})", "bool", "text LIKE"), ("ilike escape", "({0} ILIKE {1} ESCAPE '!')", "bool", "text LIKE"),
    ("like column", "({0} LIKE '%' || {1} || '%')", "bool", "text TEXT"),
    ("regexp_matches", "regexp_matches({0}, {1})", "bool", "text REGEX"), ("regexp_full_match", "regexp_full_match({0}, {1})", "bool", "text REGEX"),
    ("regexp_matches i", "regexp_matches({0}, {1}, 'i')", "bool", "text REGEX"),
    ("regexp_full_match s", "regexp_full_match({0}, {1}, 's')", "bool", "text REGEX"),
    ("not similar to", "({0} NOT SIMILAR TO {1})", "bool", "text REGEX"),
    ("regexp_extract i", "regexp_extract({0}, {1}, 0, 'i')", "text", "text REGEX"),
    ("regexp_replace group", r"regexp_replace({0}, {1}, '<\1>', 'gi')", "text", "text GROUPED"),
    ("~", "({0} ~ {1})", "bool", "text REGEX"), ("similar to", "({0} SIMILAR TO {1})", "bool", "text REGEX"),
    ("regexp_extract", "regexp_extract({0}, {1})", "text", "text REGEX"),
    ("regexp_extract group", "regexp_extract({0}, {1}, 1)", "text", "text GROUPED"),
    ("regexp_replace", "regexp_replace({0}, {1}, {2})", "text", "text REGEX TEXT"),
    ("regexp_replace all", "regexp_replace({0}, {1}, {2}, 'g')", "text", "text REGEX TEXT"),
    # Functions that DuckDB computes for the engine.
    ("md5", "md5({0})", "text", "text"), ("levenshtein", "levenshtein({0}, {1})", "int", "text text"), ("bin", "bin({0})", "text", "int"),
    ("format", "format('{{}}|{{:05d}}', {0}, {1})", "text", "text int32"), ("try_strptime", "try_strptime({0}, '%Y-%m-%d')", "timestamp", "text"),
    ("string_split_regex", "string_split_regex({0}, '[a ]')::VARCHAR", "text", "text"), ("json", "json_object('k', {0}, 'n', {1})::VARCHAR", "text", "text int"),
    ("json path", "json_extract_string('{{\"a\":[' || {0} || ']}}', '$.a[0]')", "text", "int"), ("hash", "(hash({0}) % 1000)::BIGINT", "int", "text"),
    ("time_bucket", "time_bucket(INTERVAL 10 DAY, {0})", "date", "date"), ("at time zone", "({0} AT TIME ZONE 'Europe/Berlin')", "timestamp", "zoned"),
    ("cast text list", "(TRY_CAST({0} AS INTEGER[]))[1]", "int", "text"), ("try", "TRY({0} // {1})", "int", "int int"), ("try case", "TRY(CASE WHEN {0} THEN {1} // {2} END)", "int", "bool int int"),
    ("enum_code", "enum_code({0})", "int", "enum"), ("enum text", "({0})::VARCHAR", "text", "enum"), ("& bits", "({0} & {1})", "bits", "bits bits"),
    ("bits int", "({0})::INTEGER", "int", "bits"), ("int bits", "({0})::INTEGER::BIT", "bits", "int32"), ("bignum text", "({0})::VARCHAR", "text", "bignum"), ("int bignum", "({0})::HUGEINT::BIGNUM", "bignum", "int"),
    ("clock time", "({0})::TIME", "time", "clock"), ("case enum", "(CASE WHEN {0} THEN {1} ELSE {2} END)", "enum", "bool enum enum"), ("coalesce bits", "coalesce({0}, {1})", "bits", "bits bits"),
    *[(f"{op} {kind}", f"({{0}} {op} {{1}})", "bool", f"{kind} {kind}") for kind in ("enum", "bits", "clock", "bignum") for op in ("=", "<")],
    ("between enum", "({0} BETWEEN {1} AND {2})", "bool", "enum enum enum"), ("in enum", "({0} IN ({1}, 'C'))", "bool", "enum enum"), ("is null clock", "({0} IS NULL)", "bool", "clock"),
]

AGGREGATES = [
    ("count(*)", "count(*)", "int", ""), ("sum", "sum({0})", "int", "int32"), ("sum decimal", "sum({0})", "decimal", "decimal"),
    ("sum float", "sum({0})", "inexact", "exact"), ("avg", "avg({0})", "inexact", "int32"), ("avg float", "avg({0})", "inexact", "exact"),
    *[(f"count {k}", "count({0})", "int", k) for k in ("int", "text")],
    *[(f"count distinct {k}", "count(DISTINCT {0})", "int", k) for k in ("int", "text", "date", "decimal")],
    *[(f"{f} {k}", f"{f}({{0}})", k, k) for f in ("min", "max")
      for k in ("int", "exact", "decimal", "text", "date", "timestamp", "zoned", "time", "interval", "blob", "bool")],
    ("sum distinct", "sum(DISTINCT {0})", "int", "int32"), ("bool_and", "bool_and({0})", "bool", "bool"), ("bool_or", "bool_or({0})", "bool", "bool"),
    ("stddev", "stddev({0})", "inexact", "exact"), ("var_pop", "var_pop({0})", "inexact", "exact"),
    ("variance", "variance({0})", "inexact", "exact"), ("stddev_pop", "stddev_pop({0})", "inexact", "exact"),
    ("median", "median({0})", "inexact", "exact"), ("quantile_cont", "quantile_cont({0}, 0.3)", "inexact", "exact"),
    ("quantile_disc", "quantile_disc({0}, 0.7)", "int", "int32"), ("quantile_disc text", "quantile_disc({0}, 0.5)", "text", "text"),
    *[(f"count distinct {k}", f"count(DISTINCT {{0}})", "int", k) for k in ("exact", "timestamp", "interval", "blob", "bool")],
    ("avg decimal", "avg({0})", "inexact", "decimal"), ("sum int", "sum({0})", "int", "int"), ("avg distinct", "avg(DISTINCT {0})", "inexact", "int32"),
    ("sum times", "sum({0}) * {1}", "decimal", "int32 DECIMAL"), ("median int", "median({0})", "inexact", "int32"),
    ("median date", "median({0})", "timestamp", "date"), ("quantile_cont decimal", "quantile_cont({0}, 0.25)", "inexact", "decimal"),
    ("quantile_disc date", "quantile_disc({0}, 0.1)", "date", "date"), ("quantile_disc decimal", "quantile_disc({0}, 0.5)", "decimal", "decimal"),
    ("first ordered", "first({0} ORDER BY {1} DESC NULLS LAST, {0})", "int", "int text"),
    ("last ordered", "last({0} ORDER BY {1}, {0})", "text", "text date"),
    ("any_value ordered", "any_value({0} ORDER BY {1} NULLS FIRST, {0})", "date", "date int"),
    ("string_agg desc", "string_agg({0}, {1} ORDER BY {0} DESC)", "text", "text TEXT"),
    ("string_agg distinct", "string_agg(DISTINCT {0}, '-' ORDER BY {0})", "text", "text"),
    ("max filter", "max({0}) FILTER (WHERE {1})", "text", "text bool"),
    ("count distinct filter", "count(DISTINCT {0}) FILTER (WHERE {1})", "int", "text bool"),
    ("string_agg", "string_agg({0}, ',' ORDER BY {0})", "text", "text"),
    ("sum case", "sum(CASE WHEN {1} THEN {0} END)", "int", "int32 bool"), ("sum case else", "sum(CASE WHEN {1} THEN {0} ELSE 0 END)", "int", "int32 bool"),
    ("min case", "min(CASE WHEN {1} THEN {0} END)", "text", "text bool"), ("avg case", "avg(CASE WHEN {1} THEN {0} END)", "inexact", "decimal bool"),
    ("count case", "count(DISTINCT CASE WHEN {1} THEN {0} END)", "int", "date bool"),
    ("any_value", "any_value({0} IS NULL OR true)", "bool", "int"),
    ("filter", "count(*) FILTER (WHERE {0})", "int", "bool"), ("sum filter", "sum({0}) FILTER (WHERE {1})", "int", "int32 bool"),
    ("regr_count", "regr_count({0}, {1})", "int", "exact int32"), ("regr_avgx", "regr_avgx({1}, {0})", "inexact", "int32 exact"),
    ("covar_pop", "covar_pop({0}, {1})", "inexact", "int32 int32"), ("mad", "mad({0})", "inexact", "int32"),
    *[(f"entropy {k}", "entropy({0})", "inexact", k) for k in ("int32", "text")],
    ("greatest values", "max({0}, 3)::VARCHAR", "text", "int32"), ("least values", "min({0}, 2)::VARCHAR", "text", "date"),
    ("quantiles", "quantile_disc({0}, [0.3, 0.9])::VARCHAR", "text", "int32"),
    *[(f"{f} {k}", f"{f}({{0}})", k, k) for f, k in (("min", "enum"), ("max", "bits"), ("max", "clock"), ("min", "bignum"))],
    ("count distinct enum", "count(DISTINCT {0})", "int", "enum"),
    ("approx_count_distinct", "approx_count_distinct({0})", "int", "text"), ("bit_or bits", "bit_or({0})", "bits", "bits"),
    ("mad date", "mad({0})", "interval", "date"), ("quantile_disc enum", "quantile_disc({0}, 0.4)", "enum", "enum"),
    ("first by enum", "first({0} ORDER BY {1} DESC NULLS LAST, {0})", "int", "int enum"),
]

# The same, but rounding to a number that does not fit gives NULL. DuckDB wraps around
# (docs/understand/decisions/0002-where-duckdb-is-wrong.md).
BY_RULE = {"try_cast exact int": "TRY_CAST(TRY_CAST({0} AS BIGINT) AS SMALLINT)", "bin": "bin(CASE WHEN abs({0}) < 1 THEN abs({0}) * 0 ELSE {0} END)"}

BETWEENS = [("between", "BETWEEN", "false"), ("between text", "BETWEEN", "false"), ("between date", "BETWEEN", "false"), ("not between", "NOT BETWEEN", "true")]


def between(decided):
    """BETWEEN, where a condition of one bound is evaluated before the other bound is."""
    return {name: f"(CASE WHEN {decided} THEN {result} ELSE {{0}} {op} {{1}} AND {{2}} END)" for name, op, result in BETWEENS}


# The same, but the last argument is not evaluated if the others decide, as in Lanewise.
LAZY = {"and": "(CASE WHEN NOT {0} THEN false ELSE {0} AND {1} END)", "or": "(CASE WHEN {0} THEN true ELSE {0} OR {1} END)", **between("{0} < {1}")}

# The cheaper condition may come last.
LAZY_LAST = {"and": "(CASE WHEN NOT {1} THEN false ELSE {1} AND {0} END)", "or": "(CASE WHEN {1} THEN true ELSE {1} OR {0} END)", **between("{0} > {2}")}

LITERALS = {
    "SMALL": ["0", "1", "2", "3", "5"], "INT": ["-3", "-1", "0", "1", "2", "4", "17", "100"],
    "WIDTH": ["0", "1", "4", "9"], "FILL": ["'*'", "'ab'", "'é'"],
    "TEXT": ["''", "'a'", "'b'", "'ab'", "'A'", "'é'", "' '", "'1'", "','", "'日'", "'aa'"],
    "LIKE": ["'%'", "'a%'", "'%a'", "'%a%'", "'_'", "'__%'", "'%ab%'", "'a_c'", "'%é%'", "'%a%b%'", "''", "'!%%'", "'%日_'", "'%aa'"],
    "REGEX": ["'a'", "'^a'", "'b$'", "'[a-c]+'", "'a.'", "'(a|b)c'", "'[0-9]{2}'", "'x*'", "'é'", "'.*'", "'^$'", "'[^a]'",
              "'(?i)AB'", r"'\d+'", r"'\w+\s'", "'日.'", "'a+b?'"],
    "GROUPED": ["'(a)'", "'([a-z]+)'", "'a(.)'", "'(a|b)+'", r"'(\d+)-'", "'(.*)b'"],
    "UNIT": ["'year'", "'quarter'", "'month'", "'week'", "'day'"], "PART": ["year", "month", "day", "dow", "week", "quarter", "doy"],
    "SHARE": ["0", "1", "0.5", "NULL"], "DECIMAL": ["100.0", "0.5", "-1.25"],
    "INTERVAL": ["INTERVAL 1 DAY", "INTERVAL 3 MONTHS", "INTERVAL 90 MINUTES", "INTERVAL 1 YEAR"],
    "bool": ["true", "false", "NULL"], "int": ["0", "1", "-1", "7", "NULL", "1000"], "exact": ["0.0::DOUBLE", "1.5::DOUBLE", "-2.25::DOUBLE"],
    "int32": ["0", "3", "-12"], "decimal": ["0.5", "12.25", "-3.75", "100.00"], "text": ["'a'", "''", "'Abc'", "'日本'"],
    "date": ["DATE '2000-02-29'", "DATE '1969-12-31'"], "time": ["TIME '12:34:56'"], "timestamp": ["TIMESTAMP '2001-02-03 04:05:06'"],
    "zoned": ["TIMESTAMPTZ '2001-02-03 04:05:06+00'"],
    "interval": ["INTERVAL 2 DAYS", "INTERVAL 1 MONTH"], "blob": ["'ab'::BLOB"],
    "enum": ["'a'::ENUM('b', 'a', 'C')"], "bits": ["7::INTEGER::BIT"], "bignum": ["17::BIGNUM"], "clock": ["TIMETZ '12:34:56+01'"],
}


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    has_nulls: bool = False  # with the columns of its table


@dataclass(frozen=True)
class Node:
    kind: str
    sql: str  # with {0}, {1}, ... for the children
    children: tuple = ()
    name: str = ""  # the function, for counting
    column: Column = None

    def text(self, spelling={}):
        sql = spelling.get(self.name, self.sql)
        return sql.format(*(c.text(spelling) for c in self.children)) if self.children else sql

    def columns(self):
        found = {self.column} if self.column else set()
        return found.union(*(child.columns() for child in self.children))

    def calls(self):
        """Each function in the tree, and whether a NULL of the table can reach it. DuckDB computes trees without a column."""
        columns = self.columns()
        if self.name and (columns or not self.children):
            yield self.name, any(c.has_nulls for c in columns)
        for child in self.children:
            yield from child.calls()


@cache
def takes_values(entry):
    """Whether a NULL can reach the function."""
    return any(not a.isupper() for a in entry[3].split())


def null(name):
    return f"NULL {name}"


def chance(random, share, hits):
    """True in `share` of the cases, and twice as often for entries with too few uses."""
    return random.random() < (share if hits >= ENOUGH else 2 * share)


@dataclass
class Generator:
    """Generates expressions, and prefers the least used entries."""
    random: object
    columns: dict  # kind -> [Column]
    hits: Counter  # so far, in the whole run
    refusals: Counter  # calls that DuckDB itself rejects, so that they are not tried for ever
    planned: Counter = field(default_factory=Counter)  # in the current query

    def literal(self, kind):
        return Node(kind, self.random.choice(LITERALS[kind]))

    def leaf(self, kind, with_null=False):
        columns = self.columns.get("exact" if kind == "inexact" else kind, ())
        if columns and self.random.random() < 0.85:
            nullable = [c for c in columns if c.has_nulls]
            column = self.random.choice(nullable if with_null and nullable else columns)
            return Node(kind, column.name, column=column)
        return self.literal("exact" if kind == "inexact" else kind)

    def level(self, entry):
        """How often the entry was used, with or without a NULL, whichever is less."""
        count = self.uses(entry[0])
        if takes_values(entry):
            count = min(count, self.uses(null(entry[0])))
        return count + self.refusals.get(entry[0], 0) // 4

    def uses(self, name):
        return self.hits.get(name, 0) + self.planned.get(name, 0)  # get(): Counter's [] calls Python for missing keys.

    def least(self, table):
        return min(self.level(entry) for entry in table)

    def pick(self, table, kinds):
        """An entry with a result of one of the kinds; mostly one of the least used."""
        choices = [f for f in table if f[2] in kinds]
        if choices and self.random.random() < 0.9:
            levels = [self.level(f) for f in choices]
            least = min(levels)
            choices = [f for f, level in zip(choices, levels) if level == least]
        return self.random.choice(choices) if choices else None

    def call(self, entry, depth):
        name, sql, kind, arguments = entry
        with_null = takes_values(entry) and self.uses(null(name)) <= self.uses(name)
        children = tuple(self.literal(a) if a.isupper() else self.expression(a, depth - 1, with_null) for a in arguments.split())
        node = Node(kind, sql, children, name)
        for used, has_null in list(node.calls())[:1]:
            self.planned.update([used, null(used)] if has_null else [used])
        return node

    def expression(self, kind, depth, with_null=False):
        if depth > 0 and kind != "int32" and self.random.random() < 0.75:
            entry = self.pick(FUNCTIONS, (kind,))
            if entry:
                return self.call(entry, depth)
        return self.leaf(kind, with_null)

    def needed(self, kinds, depth):
        """A call of the least used entry."""
        return self.call(self.pick(FUNCTIONS, kinds), depth)

    def aggregate(self, kinds, depth):
        return self.call(self.pick(AGGREGATES, kinds), depth)


def smaller(node):
    """Simpler nodes that could replace `node`: its parts of the same kind, or itself with one part simplified."""
    for child in node.children:
        if child.kind == node.kind:
            yield child
    for index, child in enumerate(node.children):
        for less in smaller(child):
            yield replace(node, children=node.children[:index] + (less,) + node.children[index + 1:])
