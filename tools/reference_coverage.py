"""Which of DuckDB's functions a query of Lanewise can call: each is called, over rows and with typed arguments."""

import itertools
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

BUILD = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parent.parent / "build")

# A value of each type that duckdb_functions() names.
SAMPLES = {
    "VARCHAR": "'a'", "BIGINT": "1::BIGINT", "INTEGER": "1::INTEGER", "DOUBLE": "0.5::DOUBLE", "INTERVAL": "INTERVAL 1 DAY", "DATE": "DATE '2024-02-29'",
    "TIMESTAMP": "TIMESTAMP '2024-02-29 12:00:00'", "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ '2024-02-29 12:00:00+00'", "HUGEINT": "1::HUGEINT",
    "UHUGEINT": "1::UHUGEINT", "UBIGINT": "1::UBIGINT", "UINTEGER": "1::UINTEGER", "USMALLINT": "1::USMALLINT", "UTINYINT": "1::UTINYINT",
    "SMALLINT": "1::SMALLINT", "TINYINT": "1::TINYINT", "JSON": "'{\"a\": 1}'::JSON", "FLOAT": "0.5::FLOAT", "VARCHAR[]": "['a', 'b']",
    "TIME": "TIME '12:00:00'", "TIME WITH TIME ZONE": "TIMETZ '12:00:00+00'", "DECIMAL": "1.50::DECIMAL(9,2)", "BOOLEAN": "true", "BIT": "'101'::BIT",
    "DOUBLE[]": "[1.0::DOUBLE, 2.0::DOUBLE]", "FLOAT[]": "[1.0::FLOAT, 2.0::FLOAT]", "BIGNUM": "1::BIGNUM", "DOUBLE[ANY]": "[1.0, 2.0, 3.0]::DOUBLE[3]",
    "FLOAT[ANY]": "[1.0, 2.0, 3.0]::FLOAT[3]", "DOUBLE[3]": "[1.0, 2.0, 3.0]::DOUBLE[3]", "FLOAT[3]": "[1.0, 2.0, 3.0]::FLOAT[3]", "BLOB": "'a'::BLOB",
    "TIME_NS": "TIME_NS '12:00:00'", "MAP(K, V)": "MAP {'a': 1}", "STRUCT": "{'a': 1, 'b': 2}", "GEOMETRY": "'POINT (1 2)'::GEOMETRY", "VARIANT": "1::VARIANT",
    "TIMESTAMP_NS": "TIMESTAMP_NS '2024-02-29 12:00:00'", "BIGINT[]": "[1::BIGINT, 2]", "BOOLEAN[]": "[true, false]",
    "UUID": "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID", "UNION": "union_value(a := 1)", "ANY": "1", "ANY[]": "[1, 2]", "T[]": "[1, 2]", "T": "1", "K": "'a'",
    "V": "1", "T[][]": "[[1], [2]]"}
# Calls of functions whose arguments are not any values of their types.
CALLS = {
    "->>": "'{\"a\": 1}'::JSON ->> 'a'", "array_to_json": "array_to_json([c, 2])", "cardinality": "cardinality(MAP {'a': c})",
    "create_sort_key": "create_sort_key(c, 'ASC NULLS LAST')", "currval": "nextval('q') + currval('q')", "nextval": "nextval('q')", "enum_code": "enum_code(e)",
    "enum_first": "enum_first(e)", "enum_last": "enum_last(e)", "enum_range": "enum_range(e)", "enum_range_boundary": "enum_range_boundary(e, NULL)",
    "error": "CASE WHEN c > 9 THEN error('no') END", "from_json": "from_json('{\"a\": 1}'::JSON, '{\"a\": \"INTEGER\"}')",
    "from_json_strict": "from_json_strict('{\"a\": 1}'::JSON, '{\"a\": \"INTEGER\"}')", "getvariable": "getvariable('v')", "icu_sort_key": "icu_sort_key('a', 'de')",
    "json_deserialize_sql": "json_deserialize_sql(json_serialize_sql('SELECT 1'))", "json_object": "json_object('a', c)",
    "json_transform": "json_transform('{\"a\": 1}'::JSON, '{\"a\": \"INTEGER\"}')",
    "json_transform_strict": "json_transform_strict('{\"a\": 1}'::JSON, '{\"a\": \"INTEGER\"}')", "map_concat": "map_concat(MAP {'a': c}, MAP {'b': 2})",
    "map_from_entries": "map_from_entries([{'k': 'a', 'v': c}])", "row_to_json": "row_to_json({'a': c})", "switch": "switch(c, MAP {0: 'a'}, 'b')",
    "parse_duckdb_log_message": "parse_duckdb_log_message('FileSystem', '{\"fs\": \"a\", \"path\": \"b\", \"op\": \"c\", \"bytes\": \"1\", \"pos\": \"1\"}')",
    "union_extract": "union_extract(union_value(a := c), 'a')", "variant_extract": "variant_extract({'a': c}::VARIANT, 'a')",
    "st_geomfromwkb": "st_geomfromwkb(if(c > 0, '\\x01\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\xF0\\x3F\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x40', NULL)::BLOB)",
    "st_setcrs": "st_setcrs(if(c > 0, 'POINT (1 2)', NULL)::GEOMETRY, 'OGC:CRS84')", "variant_bytes_to_variant": "variant_bytes_to_variant(variant_normalize(c::VARIANT))",
    "combine": "combine(state, state)", "finalize": "finalize(state)", "array_to_string": "array_to_string(['a', s], '-')", "pg_sleep": "pg_sleep(0)",
    "array_to_string_comma_default": "array_to_string_comma_default(['a', s], '-')", "current_schemas": "current_schemas(true)",
    "generate_subscripts": "generate_subscripts([c, 2], 1)", "list_bool_and": "list_bool_and([c > 1])", "list_bool_or": "list_bool_or([c > 1])",
    "regexp_split_to_table": "regexp_split_to_table(s || ' b', ' ')", "split_part": "split_part(s || '-b', '-', 1)", "geomean": "geomean(c)",
    "geometric_mean": "geometric_mean(c)", "json_group_array": "json_group_array(c)", "json_group_object": "json_group_object(c, c)",
    "json_group_structure": "json_group_structure(to_json(c))", "wavg": "wavg(c, c + 1)", "weighted_avg": "weighted_avg(c, c + 1)",
}
AGGREGATES = ["{}(x)", "{}(x, y)", "{}(x, 0.5)", "{}(x, 2)", "{}(x > 1)", "{}(s)", "{}(x, [1, 2])", "{}(*)", "{}()", "{}(x, 0, 9)", "{}(x) OVER (ORDER BY x)",
              "{}() OVER (ORDER BY x)", "{}(2) OVER (ORDER BY x)", "{}(x, 1) OVER (ORDER BY x)"]
TABLES = {"force_checkpoint": "CALL force_checkpoint()"} | {name: f"FROM {name}({argument})" for name, argument in {
    "generate_series": "1, 3", "range": "3", "glob": "'{folder}/*'", "json_each": "'[1, 2]'", "json_tree": "'[1, 2]'", "parquet_bloom_probe": "'{folder}/t.parquet', 'x', 1",
    "json_execute_serialized_sql": "json_serialize_sql('SELECT 1')", "read_blob": "'{folder}/t.csv'", "read_text": "'{folder}/t.csv'",
    "query": "'SELECT 1'", "query_table": "'t'", "repeat": "1, 3", "repeat_row": "1, 2, num_rows = 3", "sniff_csv": "'{folder}/t.csv'", "unnest": "[1, 2]",
    "read_csv": "'{folder}/t.csv'", "read_csv_auto": "'{folder}/t.csv'", "summary": "(FROM t)", "sql_auto_complete": "'SEL'", "check_peg_parser": "'SELECT 1'",
    "pragma_table_info": "'t'", "pragma_show": "'t'", "pragma_storage_info": "'t'", "pragma_metadata_info": "", "read_duckdb": "'{folder}/t.duckdb'", "seq_scan": "",
    "duckdb_table_sample": "'t'", "test_vector_types": "1", "which_secret": "'a.parquet', 's3'", "histogram": "t, x", "histogram_values": "t, x",
    "duckdb_logs_parsed": "'FileSystem'", "enable_logging": "", "enable_profiling": "", "read_arrow": "'{folder}/t.arrow'",
    "parquet_scan": "'{folder}/t.parquet'", "read_parquet": "'{folder}/t.parquet'",
    **{f"parquet_{what}": "'{folder}/t.parquet'" for what in ("file_metadata", "full_metadata", "kv_metadata", "metadata", "schema")},
    **{f"read_{what}": "'{folder}/t.json'" for what in ("json", "json_auto", "json_objects", "json_objects_auto", "ndjson", "ndjson_auto", "ndjson_objects")},
}.items()}

PRAGMAS = {"add_parquet_key": "PRAGMA add_parquet_key('k', '0123456789112345')", "copy_database": "ATTACH ':memory:' AS d; PRAGMA copy_database('memory', 'd')",
           "import_database": "DROP TABLE t; DROP SEQUENCE q; PRAGMA import_database('{folder}/exported')", "storage_info": "PRAGMA storage_info('t')",
           "table_info": "PRAGMA table_info('t')", "json_execute_serialized_sql": "PRAGMA json_execute_serialized_sql(json_serialize_sql('SELECT 1'))"}

# Functions that no statement can call, in DuckDB either.
LEFT_OUT = {
    "sum_no_overflow": "only DuckDB's optimiser calls it", "seq_scan": "only DuckDB's binder calls it", "arrow_scan": "takes a program's pointers",
    "arrow_scan_dumb": "takes a program's pointers", "lanewise_rows": "Lanewise's own", "all_profiling_output": "calls a function that DuckDB does not have",
    "show": "a word of the grammar: SHOW replaces it",
    "variant_bytes_to_variant": "takes what only DuckDB's reader of Parquet makes",
    "force_checkpoint": "DuckDB rejects it in the transaction of the call itself",
}
KINDS = {"scalar": "scalar functions", "macro": "macros", "aggregate": "aggregates and window functions", "table": "table functions", "table_macro": "table macros",
         "pragma": "PRAGMA statements"}
ROWS = "(SELECT i::INTEGER AS c, i::INTEGER AS x, (i * 2)::INTEGER AS y, i::VARCHAR AS s, 'a'::ENUM('a', 'b') AS e FROM range(1, 4) r(i))"
SETUP = ["CREATE SEQUENCE q", "SET VARIABLE v = 1", "CREATE TABLE t AS SELECT i AS x FROM range(3) r(i)"]
# Values for the parameters of macros, whose types are not known.
ANY = ["c", "s", "[c, 2]", "DATE '2024-02-29' + c", "to_days(c)", "MAP {'a': c}"]


def run(statements):
    """The message of each statement, None for those that run. A statement that cannot be parsed stops all: halves find it."""
    script = ";\n".join([*SETUP, *statements]) + ";\n"
    result = subprocess.run([BUILD / "lanewise", "sql", "--format", "ndjson", "--on-error", "continue"], input=script, capture_output=True, text=True)
    failed = {int(number): message for number, message in re.findall(r"^error: statement (\d+): (.*)$", result.stderr, re.M)}
    if result.returncode == 0 or failed and len(statements) > 1:
        return [failed.get(len(SETUP) + number) for number in range(1, len(statements) + 1)]
    if len(statements) == 1:
        return [result.stderr.partition("\n")[0]]
    half = len(statements) // 2
    return run(statements[:half]) + run(statements[half:])


def scalar_calls(name, types, varargs):
    """A call whose arguments are columns, so that the optimiser does not compute it; nothing for functions of lambdas."""
    values = [SAMPLES.get(of) for of in types] + ([SAMPLES.get(varargs, "1")] if varargs else [])
    if None in values:
        return []
    columns = [f"c{number}" for number in range(len(values))]
    named = re.fullmatch(r"[A-Za-z_]\w*", name)
    call = f'"{name}"({", ".join(columns)})' if named else f" {name} ".join(columns) if len(columns) == 2 else f"{name} {''.join(columns)}"
    source = ", ".join(["i"] + [f"{value} AS {column}" for value, column in zip(values, columns)])
    return [f"SELECT max(({call})::VARCHAR) AS a FROM (SELECT {source} FROM range(2) r(i))"]


def macro_calls(name, count):
    lists = itertools.product(ANY, repeat=count) if count <= 2 else [[value] * count for value in ANY] + [["MAP {'a': c}", "'a'", "c"][:count]]
    return [f"SELECT max(({name}({', '.join(values)}))::VARCHAR) AS a FROM {ROWS}" for values in lists]


def calls(rows, folder):
    """For each kind and name, the statements that call it. Those with typed columns come first, then what the documentation shows."""
    result = {kind: {} for kind in KINDS}
    for row in rows:
        kind, name, count = row["kind"], row["name"], len(row["parameters"])
        typed, shown = result[kind].setdefault(name, ([], []))
        if name in CALLS:
            states = f"(SELECT sum(c) EXPORT_STATE AS state FROM {ROWS})"
            shown[:] = [f"SELECT ({CALLS[name]})::VARCHAR AS a FROM {states if '(state' in CALLS[name] else ROWS}"]
        if kind == "scalar":
            typed += scalar_calls(name, row["types"], row["varargs"])
            shown += [f"SELECT max(({example})::VARCHAR) AS a FROM {ROWS}" for example in row["examples"] or []]
        elif kind == "macro" and name not in CALLS:
            shown += macro_calls(name, count)
        elif kind == "aggregate" and name not in CALLS:
            shown[:] = [f"SELECT ({form.format(name)})::VARCHAR AS a FROM {ROWS}" for form in AGGREGATES]
        elif kind == "pragma":
            shown[:] = [PRAGMAS.get(name, f"PRAGMA {name}").replace("{folder}", folder)]
        elif name not in CALLS:
            shown[:] = [TABLES.get(name, f"FROM {name}()").replace("{folder}", folder)]
    return result


def files(folder):
    """The files that table functions read."""
    names = [f"COPY t TO '{folder}/t.{ending}'" for ending in ("parquet", "csv", "json")]
    failed = run([*names, f"ATTACH '{folder}/t.duckdb' AS d", "CREATE TABLE d.t AS SELECT 1 AS x", f"EXPORT DATABASE '{folder}/exported'"])
    assert failed == [None] * 6, failed
    subprocess.run([BUILD / "lanewise", "sql", "-c", "SELECT 1 AS x", "-o", f"{folder}/t.arrow"], check=True, capture_output=True)


def coverage():
    """For each kind of KINDS the names that a query can call, and the others with the reason: missing, and left out."""
    query = """SELECT function_type AS kind, function_name AS name, parameters, parameter_types AS types, varargs, examples FROM duckdb_functions()
               ORDER BY ALL"""
    done = subprocess.run([BUILD / "lanewise", "sql", "--format", "ndjson", "-c", query], check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        files(folder)
        for kind, of_kind in calls(rows, folder).items():
            statements = [statement for typed, shown in of_kind.values() for statement in typed + shown]
            # PRAGMA changes what follows it, and some of its forms have a grammar of their own.
            messages = [run([statement])[0] for statement in statements] if kind == "pragma" else run(statements)
            message_of = dict(zip(statements, messages))
            there, missing, left_out = [], {}, {}
            for name, (typed, shown) in of_kind.items():
                unsupported = [message_of[call] for call in typed + shown if "supported yet" in (message_of[call] or "")]
                ran = [call for call in typed if message_of[call] is None] or [call for call in shown if message_of[call] is None and not unsupported]
                if ran:
                    there.append(name)
                elif name in LEFT_OUT or name.startswith("__internal_"):
                    left_out[name] = LEFT_OUT.get(name, "only DuckDB's optimiser calls it")
                else:
                    missing[name] = (unsupported or [message_of[call] for call in typed + shown] or ["no call is known"])[0]
            result[kind] = (sorted(there), missing, left_out)
    return result


def reason(message):
    """The cause in a few words."""
    found = re.search(r"of type (\w+).*not supported yet", message)
    return f"the type {found[1]} is not supported" if found else message.removeprefix("error: ")


if __name__ == "__main__":
    for kind, (there, missing, left_out) in coverage().items():
        print(f"{KINDS[kind]}: {len(there)} of {len(there) + len(missing)}, {len(left_out)} left out")
        for name, why in missing.items():
            print(f"  {name}: {reason(why)}")
