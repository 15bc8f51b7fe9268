"""Random queries over lists, arrays, structs, maps, unions and variants against DuckDB's answers, some with parameters.

    tests/fuzz/nested.py --count 1000 --seed 1

Prints each query with another answer, an internal error or a crash. What Lanewise rejects by name is counted apart.
"""

import argparse
import collections
import concurrent.futures
import functools
import os
import pathlib
import random
import re
import subprocess
import sys

import duckdb

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "sql"))
import corpus  # noqa: E402
import engine  # noqa: E402
import outcomes  # noqa: E402

TABLE = """CREATE TABLE t AS SELECT i AS n,
    CASE WHEN i % 5 = 0 THEN NULL WHEN i % 5 = 1 THEN [] ELSE [i % 3, NULL, i % 4, i] END::INT[] AS l,
    CASE WHEN i % 7 = 3 THEN NULL ELSE ['a' || i % 3, NULL, '', 'é' || i, 'x,y'] END[:i % 6] AS v,
    CASE WHEN i % 6 = 2 THEN NULL ELSE [i / 4.0, -0.5, NULL, i] END::DOUBLE[] AS f,
    CASE WHEN i % 8 = 4 THEN NULL ELSE {'a': i % 3, 'b': CASE WHEN i % 4 = 1 THEN NULL ELSE 's' || i % 5 END} END AS s,
    CASE WHEN i % 9 = 5 THEN NULL ELSE map([i % 4, i % 4 + 10], ['p' || i, NULL]) END AS m,
    CASE WHEN i % 6 = 1 THEN NULL ELSE [[i], NULL, [], [i % 2, NULL]] END AS ll,
    [i, i % 2]::INT[2] AS ar,
    CASE WHEN i % 5 = 4 THEN NULL WHEN i % 2 = 0 THEN (i % 4)::INT::UNION(k INT, t VARCHAR) ELSE ('u ' || i % 3)::UNION(k INT, t VARCHAR) END AS u,
    CASE WHEN i % 6 = 3 THEN NULL ELSE ['mid', NULL, ['low', 'mid', 'top'][i % 3 + 1]] END::ENUM('top', 'mid', 'low')[] AS e,
    CASE WHEN i % 7 = 5 THEN NULL ELSE {'p': i % 3, 'q': [i % 2, NULL]} END::VARIANT AS x,
    CASE WHEN i % 6 = 4 THEN NULL ELSE [0.0, '-0.0'::DOUBLE, i % 3, NULL, -1.5][1:i % 6] END::DOUBLE[] AS z,
    CASE WHEN i % 7 = 2 THEN NULL ELSE [to_months(i::INT % 3), to_days(30), NULL, to_hours(i % 2 * 720)][1:i % 5] END AS w,
    {'b': (i % 5)::INT::BIT, 'c': CASE WHEN i % 4 = 2 THEN NULL ELSE (i * 100000000000)::BIGNUM END} AS h FROM range(40) r(i)"""

# Expressions by their result; the first ones need no others. {kind} is a smaller expression, {kind.} one without parts.
EXPRESSIONS = {
    "int": (["n", "n % 3", "NULL::INT", "2", "-1", "0"], [
        "len({list})::INT", "({list})[{int}]", "list_position({list}, {int})", "list_sum({list})::INT", "list_max({list})", "list_min({list})", "s.a",
        "list_unique({list})::INT", "list_reduce({list}, lambda a, x: coalesce(a, 0) + coalesce(x, 1), 5)", "ar[1]", "cardinality(m)::INT",
        "list_count({texts})::INT", "list_last({list})", "list_any_value({list})", "({list})[-1]", "CASE WHEN {bool} THEN {int} END",
        "list_position({floats}, {float})", "list_unique({floats})::INT", "len(list_distinct({floats}))::INT", "len(list_intersect({floats}, {floats}))::INT",
        "list_position({gaps}, {gap})", "cardinality(map({floats}[:1], [n]))::INT", "({union}).k", "(x.p)::INT", "enum_code(({enums})[{int.}])::INT", "bit_count(h.b)::INT", "len({enums})::INT"]),
    "list": (["l", "[n]", "[n, NULL, 1]", "[]::INT[]", "NULL::INT[]", "ar::INT[]"], [
        "list_transform({list}, lambda x: x + {int.})", "list_transform({list}, lambda x, i: coalesce(x, 0) + i::INT)",
        "list_filter({list}, lambda x: x > {int.})", "list_concat({list}, {list})", "list_sort({list})", "list_sort({list}, 'DESC', 'NULLS FIRST')",
        "list_reverse_sort({list})", "({list})[{int.}:{int.}]", "({list})[:{int.}]", "list_reverse({list})", "flatten({lists})",
        "list_resize({list}, 2)", "list_resize({list}, 6)", "coalesce({list}, {list})", "CASE WHEN {bool} THEN {list} ELSE {list} END", "map_keys(m)",
        "list_sort(list_distinct({list}))", "range({int.}::BIGINT, 5)::INT[]", "list_append({list}, {int})", "list_prepend({int}, {list})",
        "list_transform({lists}, lambda x: len(x)::INT)", "{list} || {list}", "array_pop_back({list})", "[y FOR y IN {list} IF y IS NOT NULL]"]),
    "lists": (["ll", "[l]", "[[n], l, NULL]", "NULL::INT[][]"], [
        "list_transform({list}, lambda x: [x, n])", "[{list}, {list}]", "list_sort({lists})", "({lists})[2:]",
        "list_transform({lists}, lambda x: list_transform(x, lambda y: y + n))", "list_filter({lists}, lambda x: len(x) > 1)"]),
    "texts": (["v", "['q', NULL]", "string_split('a,b,' || n, ',')", "map_values(m)"], [
        "list_transform({texts}, lambda x: x || '!' || n)", "list_sort({texts})", "list_filter({texts}, lambda x: x LIKE '%a%')",
        "({list})::VARCHAR[]", "string_split({text}, 'a')", "list_concat({texts}, {texts})", "struct_keys({{'a': {int}}})"]),
    "text": (["'z' || n", "s.b", "m[2]", "NULL::VARCHAR"], [
        "({texts})[{int}]", "array_to_string({texts}, '-')", "({list})::VARCHAR", "({struct})::VARCHAR", "({pair})::VARCHAR", "({held})::VARCHAR", "struct_extract({pair}, 2)", "({lists})::VARCHAR", "({text})[2:3]",
        "m::VARCHAR", "f::VARCHAR", "({union}).t", "union_tag({union})::VARCHAR", "({enums})[1]::VARCHAR", "h.c::VARCHAR", "variant_typeof(x)", "({union})::VARCHAR"]),
    "union": (["u", "({int.})::INT::UNION(k INT, t VARCHAR)", "'v'::UNION(k INT, t VARCHAR)"], [
        "coalesce({union}, {union})", "CASE WHEN {bool} THEN {union} END", "[{union}, u][2]", "{{'y': {union}}}.y"]),
    "enums": (["e", "['low']::ENUM('top', 'mid', 'low')[]"], [
        "list_sort({enums})", "({enums})[{int.}:]", "list_concat({enums}, {enums})", "coalesce({enums}, {enums})", "list_filter({enums}, lambda y: y > 'top')"]),
    "struct": (["s", "{{'a': n, 'b': 'k'}}"], [
        "{{'a': {int}, 'b': {text}}}", "{{'a': struct_extract({pair}, 1), 'b': {text}}}", "struct_pack(a := {int}, b := {text})", "coalesce({struct}, {struct})", "CASE WHEN {bool} THEN {struct} END"]),
    "pair": (["(n, 'k')", "row(n % 3, s.b)"], [  # without names of fields
        "row({int}, {text})", "coalesce({pair}, {pair})", "CASE WHEN {bool} THEN {pair} END", "[{pair}, (n, 'z')][1]"]),
    "held": (["row(e[1], h.c)", "(h.b, NULL)", "row(u, e[2])"], [  # values that are held as text, for queries' results
        "row(({enums})[1], {int}::BIGNUM)", "row({union}, {pair}, h.b)", "[row(e[1], {int})]", "map([{int}], [(h.b, {list})])[1:]", "{{'y': (h.c, {text})}}"]),
    "bool": (["n > 20", "s.a = 1"], [
        "{pair} = {pair}", "{pair} < {pair}", "{pair} IS DISTINCT FROM {pair}", "{pair} IN ({pair.}, {pair.})", "list_contains([{pair}, {pair}], {pair})",
        "list_contains({list}, {int})", "{list} = {list}", "{list} < {list}", "{list} >= {list}", "{list} IS DISTINCT FROM {list}", "{list} IS NULL",
        "{struct} = {struct}", "{struct} < {struct}", "{struct} IS NOT DISTINCT FROM {struct}", "{lists} = {lists}", "{lists} < {lists}",
        "list_has_any({list}, {list})", "list_has_all({list}, {list})", "{list} IN ({list.}, {list.})", "map_contains(m, {int})",
        "list_contains({texts}, {text})", "{union} = {union}", "{union} < {union}", "{union} IS DISTINCT FROM {union}", "{enums} < {enums}", "{enums} = {enums}",
        "list_contains({floats}, {float})", "{floats} = {floats}", "{floats} < {floats}", "{floats} IN ({floats.}, {floats.})", "list_has_any({floats}, {floats})",
        "list_has_all({floats}, {floats})", "list_contains({gaps}, {gap})", "{gaps} = {gaps}", "{gaps} < {gaps}", "list_contains({enums}, 'mid')", "h.c > {int}::BIGNUM", "h < {{'b': '1'::BIT, 'c': {int}::BIGNUM}}"]),
}
# Equal values of these have several texts, of which DuckDB prints either: values are compared, not printed. Without NaN, which its lists find unequal (decision 2).
COMPARED = {
    "floats": (["z", "f", "[0.0, n]::DOUBLE[]", "['-0.0']::DOUBLE[]"], ["list_concat({floats}, {floats})", "list_filter({floats}, lambda x: x < {float.})", "({floats})[:{int.}]",
                                                                    "list_transform({floats}, lambda x: -x)"]),
    "float": (["0.0::DOUBLE", "'-0.0'::DOUBLE", "n::DOUBLE"], ["({floats})[{int.}]"]),
    "gaps": (["w", "[to_days(30)]", "[to_months(n % 2), NULL]"], ["list_concat({gaps}, {gaps})", "({gaps})[{int.}:]"]),
    "gap": (["to_months(1)", "to_days(30)", "to_hours(720)", "to_days(n)"], ["({gaps})[{int.}]"]),
}
PRINTED = "FROM (SELECT n, {nested} AS x, {held} AS y, {pair} AS z FROM t)"  # as JSON
QUERIES = [
    *[PRINTED] * 3,
    *["SELECT n, ({any})::VARCHAR AS a, ({nested})::VARCHAR AS b FROM t"] * 5, *["SELECT n, (x)::VARCHAR AS x FROM (SELECT n, unnest({nested}) AS x FROM t)"] * 2,
    *["SELECT k::VARCHAR AS k, count(*) AS c, min(n) AS m FROM (SELECT {any} AS k, n FROM t) GROUP BY k"] * 2, "SELECT n FROM t WHERE {bool}",
    "SELECT n, x::VARCHAR AS x, o FROM t, unnest({nested}) WITH ORDINALITY e(x, o)", "SELECT n, e.key, e.value::VARCHAR AS v, e.type FROM t, json_each(to_json({nested})) e",
    "SELECT n, e.fullkey, e.atom::VARCHAR AS a FROM t LEFT JOIN LATERAL json_tree(to_json({any})) e ON e.type <> 'NULL'",
    "SELECT n, (n % 3, {int}) IN (SELECT n % 2, {int} FROM t WHERE n < 5) AS a FROM t", "SELECT n FROM t WHERE ({text}, n % 3) NOT IN (SELECT {text}, n % 2 FROM t WHERE n < 9)",
    "SELECT n % 4 AS g, (list({any} ORDER BY n))::VARCHAR AS a FROM t GROUP BY g", "SELECT n, (rank() OVER (ORDER BY {any})) AS a FROM t",
    "SELECT n % 4 AS g, (arg_max({nested}, n % 3, 2 ORDER BY n DESC))::VARCHAR AS a, (arg_min_nulls_last({int}, {int} ORDER BY n))::VARCHAR AS b FROM t GROUP BY g",
    "WITH k AS NOT MATERIALIZED (SELECT n, s.a AS a FROM t WHERE {bool}) SELECT x.n, x.a, y.a AS b FROM k x JOIN k y ON x.n = y.n AND x.a >= y.a",
    "SELECT a.n, b.n AS m FROM t a JOIN (SELECT {int} AS i, n FROM t) b ON a.n = b.n AND a.n::BIGINT::VARIANT > b.i::INT::VARIANT"]


class Parts(dict):
    """The expressions that may replace {int}, {list.} and so on in a template."""

    def __init__(self, choice, depth):
        self.choice, self.depth = choice, depth

    def __missing__(self, name):
        kind = name.rstrip("_")
        if kind == "any":
            kind = self.choice.choice(list(EXPRESSIONS))
        elif kind == "nested":
            kind = self.choice.choice(["list", "lists", "texts", "enums"])
        plain, built = (EXPRESSIONS | COMPARED)[kind]
        smallest = name.endswith("_") or self.depth == 0
        return fill(self.choice.choice(plain if smallest else plain + built), self.choice, self.depth - 1)


def fill(text, choice, depth):
    return text.replace(".}", "_}").format_map(Parts(choice, depth))  # a dot would mean an attribute


@functools.cache
def connection():
    made = duckdb.connect()
    made.execute(TABLE)
    return made


LITERAL = re.compile(r"""'(?:[^']|'')*'|(?<![\w.$"'])\d+(?:\.\d+)?(?![\w.'])""")


def with_parameters(query, choice):
    """The query, about half of whose literals are parameters, and EXECUTE with their values."""
    values = []

    def parameter(found):
        if choice.random() < 0.5:
            return found[0]
        values.append(found[0])
        return f"${len(values)}"

    return LITERAL.sub(parameter, query), f"EXECUTE q({', '.join(values)})"


def rows_of(query, execute=None):
    try:
        printed = query.startswith("FROM")
        as_text = f"SELECT {'to_json(COLUMNS(*))' if printed else 'COLUMNS(*)'}::VARCHAR FROM ({query})"
        if execute is not None:
            connection().execute(f"PREPARE q AS {as_text}")
        rows = connection().execute(execute or as_text).fetchall()
    except duckdb.Error:
        return None
    if printed:
        texts = (", ".join(f'"{i}": {value or "null"}' for i, value in enumerate(row)) for row in rows)
        rows = corpus.json_answers("[" + ", ".join(f"{{{text}}}" for text in texts) + "]")[0].rows
    return rows


class Oracle:
    """DuckDB in a separate process, since some of these queries crash it."""

    def __init__(self):
        self.crashes = 0
        self.start()

    def start(self):
        self.process = concurrent.futures.ProcessPoolExecutor(1)

    def answered(self, choice):
        """Random statements that DuckDB answers, and the rows."""
        while True:
            statements = [fill(choice.choice(QUERIES), choice, 3)]
            if choice.random() < 0.2:
                statements = with_parameters(statements[0], choice)
            try:
                rows = self.process.submit(rows_of, *statements).result()
            except concurrent.futures.process.BrokenProcessPool:
                self.crashes += 1
                self.start()
                continue
            if rows is None:
                continue
            return (statements[0] if len(statements) == 1 else ";\n".join((f"PREPARE q AS {statements[0]}", statements[1]))), rows


def ask(query, vector_size):
    env = os.environ | ({"LANEWISE_VECTOR_SIZE": str(vector_size)} if vector_size else {})
    return subprocess.run([engine.PROGRAM, "sql", "--format", "json", "--threads", "1"], input=f"{TABLE};\n{query};\n", capture_output=True, text=True,
                          env=env, timeout=120)


def difference(query, rows, vector_size):
    """The fault of our answer, or the reason why there is none; both empty if it is right."""
    done = ask(query, vector_size)
    if done.returncode == 2 and outcomes.MISSING.search(done.stderr):
        return "", done.stderr.partition("\n")[0]
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()[-500:]}", ""
    ours = sorted(tuple(map(str, row)) for row in corpus.json_answers(done.stdout)[0].rows)
    wanted = sorted(tuple(map(str, row)) for row in rows)
    if ours == wanted:
        return "", ""
    first = next(((a, b) for a, b in zip(ours, wanted) if a != b), (len(ours), len(wanted)))
    return f"{first[0]}, DuckDB has {first[1]}", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    choice, refused, failed = random.Random(arguments.seed), collections.Counter(), 0
    oracle = Oracle()
    for number in range(arguments.count):
        query, rows = oracle.answered(choice)
        wrong, reason = difference(query, rows, (None, 1, 2, 7)[number % 4])
        if wrong:
            failed += 1
            print(f"{query};\n  {wrong}")
        if reason:
            refused[reason] += 1
    if oracle.crashes:
        print(f"DuckDB crashed {oracle.crashes} times")
    for reason, times in refused.most_common(10):
        print(f"{times} x {reason}")
    print(f"{arguments.count - failed - refused.total()} passed, {failed} failed, {refused.total()} skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
