"""A table with columns of every type, and queries over it against DuckDB's answers."""

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
# DuckDB wraps without an error and counts NaN wrong (docs/understand/decisions/0002-where-duckdb-is-wrong.md), moves a time to a zone that it cannot
# print, casts keys of a map to NULL, joins VARIANTs that it does not compare, or has the only type that is rejected.
KNOWN = re.compile("DuckDB has '.*{invalid, |Can't compare values of type|Overflow in round of|Overflow in subtraction of UINT128|time field value out of range|DuckDB has .{nan=|is of type GEOMETRY, which is not supported")
# The last has so little memory that sorts, groups and joins use temporary files.
SETTINGS = [{}, {"vector_size": 7, "lanes": "scalar", "threads": 2}, {"vector_size": 2, "lanes": "emulated", "memory": 600_000, "join_parts": 3, "semi_joins_first": True}]
PRINTED = ("list", "array", "struct", "map", "union", "variant", "type")  # compared as texts


def statements(chooser):
    """The table of all types, with NULLs."""
    def value(kind):
        return "NULL" if chooser.random() < 0.12 else f"({chooser.choice(VALUES[kind])})::{kind}"
    rows = ", ".join(f"({i}, {', '.join(value(kind) for _, kind in COLUMNS)})" for i in range(ROWS))
    return [f"CREATE TABLE t(rid INTEGER, {', '.join(f'{name} {kind}' for name, kind in COLUMNS)})", f"INSERT INTO t VALUES {rows}"]


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
            query = f"SELECT COLUMNS(*)::VARCHAR FROM ({query}) AS q"
        block = corpus.Block("query", query.rpartition(")")[2].find("ORDER BY") >= 0, "", query, 0)
        return block, corpus.duckdb_answers(connection, [block])[0]
    except (AssertionError, duckdb.Error, UnicodeDecodeError) as error:
        if isinstance(error.__cause__ or error, (duckdb.InternalException, duckdb.FatalException)):
            os._exit(1)  # its database is of no use any more
        return None
    finally:
        timer.cancel()


def asked(queries, seed, rounds):
    """Statements of a table, and blocks of queries over it with DuckDB's answers. `queries` makes lists of queries, of which the first counts that DuckDB
    answers."""
    chooser = random.Random(seed)
    table = statements(chooser)
    oracle, found = DuckDB(table), []
    for tried in (tried for _ in range(rounds) for tried in queries(chooser)):
        answered = next(filter(None, map(oracle.answer, tried)), None)
        if answered:
            found.append(answered)
    return table, found, oracle.crashes


def failures(table, answered, number):
    """What is wrong in a part of the queries."""
    tables = [corpus.Block("statement", False, "", sql, 0) for sql in table]
    found = engine.failures(tables + [block for block, _ in answered], [rows for _, rows in answered], **SETTINGS[number % len(SETTINGS)])
    return [text for text in found if not KNOWN.search(text.rpartition("\n")[0])]  # without the query


def main(queries, name, description):
    parser = argparse.ArgumentParser(prog=f"./dev fuzz {name}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    table, answered, crashes = asked(queries, options.seed, options.rounds)
    parts = [answered[at:at + CALLS_PER_PROCESS] for at in range(0, len(answered), CALLS_PER_PROCESS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for texts in pool.map(lambda part: failures(table, part[1], part[0]), enumerate(parts)) for text in texts]
    for text in found:
        print(text)
    if crashes:
        print(f"DuckDB crashed {crashes} times")
    print(f"{len(answered) - len(found)} passed, {len(found)} failed")
    sys.exit(1 if found else 0)

