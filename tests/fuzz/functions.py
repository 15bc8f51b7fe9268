"""./dev fuzz functions: every function of DuckDB's table over columns of every type that it takes, against DuckDB's answers.

    tests/fuzz/functions.py --rounds 3 --seed 1

A round calls each overload once; ANY stands for a random type, and a third of the arguments are constants. Where DuckDB raises an error for
a row, the call is compared over the other rows. What Lanewise rejects by name counts as a failure: there is no such function today.
"""

import re

import all_types
from all_types import COLUMNS, VALUES
from oracle import duckdb

LISTS = [kind for kind in VALUES if kind.endswith("[]")]
STAND_FOR = {"DECIMAL": [kind for kind in VALUES if kind.startswith("DECIMAL")], "LIST": LISTS, "T[]": LISTS, "ANY[]": LISTS, "STRUCT": ["STRUCT(a INTEGER, b VARCHAR)"],
             "UNION": ["UNION(i INTEGER, s VARCHAR)"], "ENUM": ["ENUM('x', 'y', 'a')"], "FLOAT[ANY]": ["FLOAT[3]"], "DOUBLE[ANY]": ["DOUBLE[3]"], "T[ANY]": ["INTEGER[3]"],
             "ANY[ANY]": ["FLOAT[3]"], "ANY[3]": ["DOUBLE[3]"]} | {kind: ["MAP(VARCHAR, INTEGER)", "MAP(INTEGER, VARCHAR)"] for kind in ("MAP", "MAP(K, V)", "MAP(ANY, ANY)")}

# Their answers depend on more than their arguments: the time, the session, chance, the order of rows or a hash.
DEPEND = set("""current_connection_id current_date current_localtime current_localtimestamp current_query current_query_id current_setting current_timestamp
    current_transaction_id currval error gen_random_uuid get_current_time get_current_timestamp getenv getvariable in_search_path md5_number nextval now
    parse_duckdb_log_message random setseed sleep_ms stats today transaction_timestamp txid_current uuid uuidv4 uuidv7 vector_type version write_log
    approx_count_distinct approx_quantile approx_top_k reservoir_quantile""".split())
# The answers of both are right: of equal elements either may be first, and elements without an order may be in any.
UNORDERED = re.compile("(array|list)_(distinct|grade_up)$|grade_up$")
# ILIKE has a law of its own in ./dev fuzz sql; texts of as many bits or copies as an argument says take minutes; alias() names the column of the test;
# DuckDB answers NULL or not where the separator of a path is NULL.
ELSEWHERE = {"~~*", "!~~*", "alias", "bitstring", "repeat", "parse_dirname", "parse_dirpath", "parse_filename", "parse_path"}


def overloads(connection):
    found = connection.execute("""SELECT DISTINCT function_name, function_type = 'aggregate', parameter_types, varargs FROM duckdb_functions()
        WHERE function_type IN ('scalar', 'aggregate') AND schema_name = 'main' ORDER BY ALL""").fetchall()
    return [call for call in found if call[0] not in DEPEND | ELSEWHERE and not call[0].startswith(("pg_", "__"))]


def type_for(parameter, chooser):
    """A type of VALUES for a parameter, or None."""
    if parameter in STAND_FOR:
        return chooser.choice(STAND_FOR[parameter])
    if parameter in (None, "ANY", "T", '"NULL"', "NULL", "K", "V"):
        return chooser.choice(list(VALUES))
    return parameter if parameter in VALUES else None


def call_of(name, parameters, varargs, chooser):
    """A call with random arguments; None if there is no value for a parameter."""
    parameters = [*parameters, *[varargs] * (chooser.randint(0, 3) if varargs else 0)]
    kinds = [type_for(parameter, chooser) for parameter in parameters]
    if None in kinds:
        return None
    alike = [i for i, parameter in enumerate(parameters) if parameter in ("ANY", "T")]
    if chooser.random() < 0.5:
        for i in alike:
            kinds[i] = kinds[alike[0]]
    arguments = []
    for i, kind in enumerate(kinds):
        columns = [column for column, of in COLUMNS if of == kind and column not in arguments] or [column for column, of in COLUMNS if of == kind]
        # DuckDB has two versions of substring, one for texts that are all ASCII; it knows that of constants.
        constant = chooser.random() < 0.3 and (i > 0 or len(kinds) == 1)
        arguments.append(f"({chooser.choice(VALUES[kind])})::{kind}" if constant else chooser.choice(columns))
    if re.fullmatch(r"\w+", name):
        return f'"{name}"({", ".join(arguments)})'
    if len(arguments) == 2:
        return f"({arguments[0]} {name} {arguments[1]})"
    return f"({name} {arguments[0]})" if len(arguments) == 1 and name in ("-", "+", "~", "@") else None


def queries_of(call, aggregates, chooser):
    """The query of a call, and the one to try if DuckDB refuses that: over the rows that raise no error."""
    if aggregates:
        return [chooser.choice([f"SELECT {call} AS x FROM t", f"SELECT rid % 5 AS g, {call} AS x FROM t GROUP BY g ORDER BY g"])]
    return [f"SELECT {call} AS x FROM t ORDER BY rid", f"SELECT {call} AS x FROM t WHERE TRY([{call}]) IS NOT NULL ORDER BY rid"]


def queries(chooser):
    """Those of a round."""
    for name, aggregates, parameters, varargs in overloads(duckdb.connect()):
        call = call_of(name, parameters, varargs, chooser)
        if call is not None and not UNORDERED.match(name):
            yield queries_of(call, aggregates, chooser)


if __name__ == "__main__":
    all_types.main(queries, "functions", __doc__)
