"""./dev fuzz functions: every function of DuckDB's table over columns of every type that it takes, against DuckDB's answers.

    tests/fuzz/functions.py --rounds 3 --seed 1

A round calls each overload once; ANY stands for a random type, and a third of the arguments are constants. Where DuckDB raises an error for
a row, TRY gives NULL for it. What Lanewise rejects by name counts as a failure: there is no such function today.
"""

import argparse
import concurrent.futures
import multiprocessing
import os
import random
import re
import sys
from threading import Timer

from oracle import PATIENCE, corpus, duckdb, engine

ROWS = 41
CALLS_PER_PROCESS = 100
VALUES = {
    "BOOLEAN": ["true", "false"],
    "TINYINT": ["0", "1", "-1", "127", "-128", "5"], "SMALLINT": ["0", "-1", "32767", "-32768", "300"], "INTEGER": ["0", "1", "-1", "-3", "7", "100"],
    "BIGINT": ["0", "1", "-2", "3", "20", "1000"], "HUGEINT": ["0", "1", "-170141183460469231731687303715884105728", "12345678901234567890"],
    "UTINYINT": ["0", "255", "3"], "USMALLINT": ["0", "65535", "3"], "UINTEGER": ["0", "40", "3"], "UBIGINT": ["0", "50", "3"],
    "UHUGEINT": ["0", "340282366920938463463374607431768211455", "9"],
    "FLOAT": ["'0'", "'-0.0'", "'1.5'", "'nan'", "'inf'", "'-2.25'", "'1e30'"], "DOUBLE": ["'0'", "'-0.0'", "'1.5'", "'nan'", "'-inf'", "'0.1'", "'1e300'"],
    "DECIMAL(4,1)": ["1.5", "-2.3", "999.9", "0"], "DECIMAL(18,3)": ["1.5", "-2.345", "123456789012345.678"],
    "DECIMAL(38,10)": ["1.5", "-2.3", "1234567890123456789012345678.0123456789"],
    "VARCHAR": ["''", "'a'", "'abc'", "'Ä ö ß'", "'%a_b'", "'hello world, HELLO'", "'42'", "'-1.5e3'", "'2021-03-04 05:06:07'", "'🦆🤦🏼‍♂️x'", "'[1,2,3]'", "'true'",
                "'a,b;c'", "'1 day'"],
    "BLOB": ["''", r"'\x00\xFF'", "'abc'"], "BIT": ["'0'", "'101'", "'0101011101'"], "BIGNUM": ["'0'", f"'-{'12345' * 9}'", "'99'"],
    "DATE": ["'2020-02-29'", "'1970-01-01'", "'infinity'", "'0001-01-01 (BC)'", "'9999-12-31'"], "TIME": ["'00:00:00'", "'23:59:59.999999'", "'24:00:00'"],
    "TIMESTAMP": ["'2020-02-29 12:34:56.789012'", "'1970-01-01'", "'-infinity'", "'1900-03-01 23:59:59.999999'", "'290000-01-01'"],
    "TIMESTAMP_S": ["'2020-02-29 12:34:56'", "'1969-12-31 23:59:59'"], "TIMESTAMP_MS": ["'2020-02-29 12:34:56.789'", "'1969-12-31 23:59:59.999'"],
    "TIMESTAMP_NS": ["'2020-02-29 12:34:56.789012345'", "'1969-12-31 23:59:59.999999999'"], "TIME_NS": ["'12:34:56.123456789'", "'00:00:00'"],
    "TIMESTAMP WITH TIME ZONE": ["'2020-02-29 12:34:56.789012+01'", "'1970-01-01 00:00:00+00'", "'2021-10-31 01:30:00+00'"],
    "TIME WITH TIME ZONE": ["'12:34:56+02'", "'00:00:00+15:59:59'", "'23:59:59.999999-10'"],
    "INTERVAL": ["'1 month 40 days'", "'-1 year 2 hours'", "'0 days'", "'25 hours 61 minutes'", "'2 years 3 months 4 days 5.678 seconds'", "'30 days'"],
    "UUID": ["'00000000-0000-0000-0000-000000000001'", "'018d9a3c-4b3e-7000-8000-0123456789ab'"],
    "JSON": ["""'{"a":[1,2,{"b":null}],"c":"x"}'""", """'[1,"2",3.5]'""", "'null'", "'\"s\"'"],
    "INTEGER[]": ["[1, 2, 3]", "[]", "[NULL, 3, 1]", "[5]"], "BIGINT[]": ["[1, 2, 3]", "[]", "[NULL, 3, 1]"], "VARCHAR[]": ["['b', 'a']", "[]", "[NULL, '', 'a']"],
    "DOUBLE[]": ["[1.5, -0.0]", "[]", "[2.5, 1.0]"], "FLOAT[]": ["[1.5, 2]", "[]", "[2.5, 1.0]"], "BOOLEAN[]": ["[true, false]", "[]"],
    "INTEGER[][]": ["[[1, 2], [3]]", "[]", "[[], NULL, [4, NULL]]"], "FLOAT[3]": ["[1, 2, 3]", "[0, 0.5, -1]"], "DOUBLE[3]": ["[1, 2, 3]", "[0, 0.5, -1]"],
    "INTEGER[3]": ["[1, 2, 3]", "[0, NULL, -1]"], "STRUCT(a INTEGER, b VARCHAR)": ["{'a': 1, 'b': 'x'}", "{'a': NULL, 'b': 'y'}"],
    "MAP(VARCHAR, INTEGER)": ["MAP {'a': 1, 'b': 2}", "MAP {}", "MAP {'a': NULL}"], "MAP(INTEGER, VARCHAR)": ["MAP {1: 'x', 2: NULL}", "MAP {}"],
    "UNION(i INTEGER, s VARCHAR)": ["union_value(i := 1)", "union_value(s := 'z')"], "ENUM('x', 'y', 'a')": ["'x'", "'a'"], "VARIANT": ["1", "'x'", "[1, 2]"],
}
COLUMNS = [(f"c{2 * i + j}", kind) for i, kind in enumerate(VALUES) for j in (0, 1)]
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
# DuckDB wraps without an error and counts NaN wrong (docs/understand/decisions/0002-where-duckdb-is-wrong.md), moves a time to a zone that it cannot
# print, or has the only type that is rejected.
KNOWN = re.compile("Overflow in round of|Overflow in subtraction of UINT128|time field value out of range|DuckDB has .{nan=|is of type GEOMETRY, which is not supported")
PRINTED = ("list", "array", "struct", "map", "union", "variant", "type")  # compared as texts


def statements(chooser):
    """The table of all types, with NULLs."""
    def value(kind):
        return "NULL" if chooser.random() < 0.12 else f"({chooser.choice(VALUES[kind])})::{kind}"
    rows = ", ".join(f"({i}, {', '.join(value(kind) for _, kind in COLUMNS)})" for i in range(ROWS))
    return [f"CREATE TABLE t(rid INTEGER, {', '.join(f'{name} {kind}' for name, kind in COLUMNS)})", f"INSERT INTO t VALUES {rows}"]


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
    """The query of a call, and the one to try if DuckDB refuses that."""
    if aggregates:
        return [chooser.choice([f"SELECT {call} AS x FROM t", f"SELECT rid % 5 AS g, {call} AS x FROM t GROUP BY g ORDER BY g"])]
    return [f"SELECT {call} AS x FROM t ORDER BY rid", f"SELECT TRY({call}) AS x FROM t ORDER BY rid"]


class DuckDB:
    """Answers in a process of its own, since some calls crash it or end its database."""

    def __init__(self, table):
        self.table, self.crashes = table, 0
        self.start()

    def start(self):
        # Not a fork of this process, whose DuckDB may run threads.
        spawn = multiprocessing.get_context("spawn")
        self.process = concurrent.futures.ProcessPoolExecutor(1, spawn, open_table, (self.table,))

    def answer(self, query):
        try:
            return self.process.submit(answer, query).result()
        except concurrent.futures.process.BrokenProcessPool:
            self.crashes += 1
            self.start()
            return None


def open_table(table):
    global connection
    connection = duckdb.connect(config={"threads": 1})
    for statement in table:
        connection.execute(statement)


def answer(query):
    """The block and its answer; None if DuckDB refuses the query or takes too long."""
    timer = Timer(PATIENCE, connection.interrupt)
    timer.start()
    try:
        if any(kind.id in PRINTED or str(kind) == "JSON" for kind in connection.sql(query).types):
            query = re.sub(r"^SELECT (rid % 5 AS g, )?(.*?)( AS x FROM t)", r"SELECT \1(\2)::VARCHAR\3", query)
        block = corpus.Block("query", "ORDER BY" in query, "", query, 0)
        return block, corpus.duckdb_answers(connection, [block])[0]
    except (AssertionError, duckdb.Error, UnicodeDecodeError) as error:
        if isinstance(error.__cause__ or error, (duckdb.InternalException, duckdb.FatalException)):
            os._exit(1)  # its database is of no use any more
        return None
    finally:
        timer.cancel()


def asked(seed, rounds):
    """Statements of a table, and blocks of queries over it with DuckDB's answers."""
    chooser = random.Random(seed)
    table = statements(chooser)
    oracle, found, calls = DuckDB(table), [], overloads(duckdb.connect())
    for name, aggregates, parameters, varargs in calls * rounds:
        call = call_of(name, parameters, varargs, chooser)
        if call is None or UNORDERED.match(name):
            continue
        answered = next(filter(None, map(oracle.answer, queries_of(call, aggregates, chooser))), None)
        if answered:
            found.append(answered)
    return table, found, oracle.crashes


def failures(table, answered, number):
    """What is wrong in a part of the queries."""
    tables = [corpus.Block("statement", False, "", sql, 0) for sql in table]
    settings = {"vector_size": (None, 7, 2)[number % 3], "lanes": ("simd", "scalar", "emulated")[number % 3]}
    found = engine.failures(tables + [block for block, _ in answered], [rows for _, rows in answered], **settings)
    return [text for text in found if not KNOWN.search(text)]


def main():
    parser = argparse.ArgumentParser(prog="./dev fuzz functions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table, answered, crashes = asked(options.seed, options.rounds)
    parts = [answered[at:at + CALLS_PER_PROCESS] for at in range(0, len(answered), CALLS_PER_PROCESS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for texts in pool.map(lambda part: failures(table, part[1], part[0]), enumerate(parts)) for text in texts]
    for text in found:
        print(text)
    if crashes:
        print(f"DuckDB crashed {crashes} times")
    print(f"{len(answered) - len(found)} passed, {len(found)} failed")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
