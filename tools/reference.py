"""Writes docs/use/reference/ from the program and its sources, so that it cannot become stale.

usage: reference.py [--check]   --check changes nothing and names the pages that are stale
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from reference_coverage import KINDS, coverage, reason
from reference_python import python_page
from reference_sql import cell, code, sql_page

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("LANEWISE_BUILD") or ROOT / "build")
FOLDER = ROOT / "docs" / "use" / "reference"
NOTE = "\n<!-- Written by tools/reference.py. Change the sources that it reads, then run ./dev docs. -->\n"
# Environment variables that only tests use; `lanewise help environment` lists the others.
TEST_VARIABLES = {
    "LANEWISE_DEVICE_ROWS": "rows that a GPU processes at a time; for tests",
    "LANEWISE_ENGINE_MEMORY": "memory limit of the engine in bytes, without DuckDB; for tests",
    "LANEWISE_JOIN_LOOKUP": "how cores look up keys of joins that allow it: hash, bytes, direct, bitmap; for tests",
    "LANEWISE_JOIN_PAIRS": "how lanes write pairs of joins with repeated keys, as `--join-pairs`; for tests",
    "LANEWISE_JOIN_PARTS": "number of parts in which joins run; for tests",
    "LANEWISE_SEMI_JOINS_FIRST": "1: rows without a match are dropped before all other steps; for tests",
    "LANEWISE_VECTOR_SIZE": "rows that an operator processes at a time; for tests",
}
FILES = {
    "~/.config/lanewise/config.toml": "optional defaults of options: see `lanewise help configuration`",
    "~/.config/lanewise/profile.json": "what `lanewise tune` measured; delete it to use the defaults",
    "~/.cache/lanewise/kernels": "compiled GPU kernels; it may be deleted at any time",
    "libduckdb.so": "DuckDB, found by the program's run path",
    "lanewise_sort.so": "optional plug-in for ORDER BY on GPUs, next to the program",
    "lanewise_kernels": "optional folder of kernels compiled ahead of time, next to the program",
}
ERRORS = {"UserError": "a mistake of the user: SQL, a file, a pattern, an option", "UnsupportedError": "a correct query that Lanewise does not support; a UserError",
          "SqlError": "a wrong statement: its syntax, names or types; has the position where it is known; a UserError", "PatternError": "a wrong or too large pattern; a UserError",
          "MemoryError": "a memory limit was exceeded; names the operator and the limit; a UserError",
          "HostFunctionError": "a function of the calling program failed; a UserError", "DeviceError": "no GPU, or a call of its driver failed; a UserError",
          "ProgramError": "mistakes in a PRAM program, with their places; a UserError", "RunError": "a PRAM program failed while it ran, or its processors were in conflict; a UserError",
          "CancelledError": "the work was cancelled; nothing is lost", "InternalError": "a bug in Lanewise"}


HEADERS = {"api/session.h": "Sessions", "data/column.h": "Tables and columns", "data/value.h": "Values", "api/machine_profile.h": "Machine profiles", "index/index.h": "Ordered indexes", "pram/language/program.h": "PRAM programs",
           "pram/run.h": "Running PRAM programs", "pram/machine/result.h": "Results of PRAM programs", "pram/machine/options.h": "Options of PRAM programs", "base/error.h": "Errors"}


def lanewise(*arguments):
    env = os.environ | {"COLUMNS": "100", "XDG_CONFIG_HOME": "/nonexistent"}
    done = subprocess.run([BUILD / "lanewise", *arguments], capture_output=True, text=True, env=env)
    if done.returncode:
        sys.exit(f"lanewise {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def commands(*path):
    """A section for a command and each of its subcommands."""
    text = lanewise(*path, "--help")
    below = re.findall(r"^  (\S+)", text.partition("\nCommands:\n")[2].partition("\n\n")[0], re.M)
    text = "\n".join(line.rstrip() for line in text.strip().splitlines())
    sections = [f"{'#' * min(1 + max(len(path), 1), 3)} {' '.join(('lanewise', *path))}\n\n```text\n{text}\n```"]
    for name in below:
        sections += commands(*path, name)
    return sections


def topic(name):
    """The entries of a topic: the term, and its meaning."""
    return dict(re.findall(r"^  (\S+)\s{2,}(.*)$", lanewise("help", name), re.M))


def literal(text):
    """The value of adjacent C++ string literals."""
    return "".join(json.loads(f'"{part}"') for part in re.findall(r'"((?:[^"\\]|\\.)*)"', text))


def answers(queries):
    """The value of each query, which has one row and one column; "error" if it fails."""
    done = lanewise("sql", "--format", "ndjson", "-c", ";\n".join(f"SELECT ({query})::VARCHAR AS x" for query in queries))
    rows = [json.loads(line)["x"] for line in done.splitlines()]
    assert len(rows) == len(queries), f"{len(queries)} examples, {len(rows)} answers"
    return ["NULL" if row is None else row for row in rows]


def functions():
    """Name, example, documentation, and "cores" for a function that runs only there; overloads follow each other."""
    rows = [line.split("\t") for line in function_table()]
    seen, result = set(), []
    for name, example, documentation, where in rows:
        if example and (name, example) not in seen:
            seen.add((name, example))
            result.append((name, example, documentation, where))
    return result


def aggregates():
    folder = ROOT / "engine" / "ops" / "aggregate"
    sources = "".join(path.read_text() for path in sorted(folder.rglob("*.cc")) if not path.name.endswith("_test.cc"))
    text = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
    entries = re.findall(rf'\{{\.name = "(\w+)",[^{{}}]*?\.documentation =\s*{text},\s*\.example =\s*{text}', sources)
    entries += re.findall(rf'entry<[^>]+>\(\s*"(\w+)",\s*{text},\s*{text}\)', sources)
    others = re.findall(r'^    \{"(\w+)", "(\w+)"\},$', (folder / "functions/functions.cc").read_text(), re.M)
    for name, documentation, example in sorted(entries):
        if not literal(example):
            continue  # It belongs to another function, and SQL cannot call it.
        query, _, answer = literal(example).rpartition(" -- ")
        also = [other for other, standard in others if standard == name and other != "sum_no_overflow"]
        yield "count(*)" if name == "count_star" else name, literal(documentation), query, answer, also


def functions_page():
    on_gpu = set(re.search(r"Functions:\s+`([^`]*)`", (ROOT / "docs/use/gpu.md").read_text())[1].split())
    known = functions()
    lines = ["# Functions and aggregates\n", f"Lanewise supports {len({name for name, *_ in known})} functions and operators, and {len(list(aggregates()))} aggregates. "
             "DuckDB's library computes [its other functions](#functions-of-duckdbs-library).\n", "NULL arguments give NULL, unless the description says otherwise.\n",
             "## Functions\n", "| function | description | example | result | GPU |", "| --- | --- | --- | --- | --- |"]
    for (name, example, documentation, where), answer in zip(known, answers([example for _, example, *_ in known])):
        gpu = "no" if where == "cores" else "yes" if name in on_gpu else "[partly](../gpu.md#what-is-supported)"
        lines.append(f"| {code(name)} | {cell(documentation)} | {code(example)} | {code(answer)} | {gpu} |")
    lines += ["\n## Aggregates\n", "All of them allow FILTER, DISTINCT and ORDER BY. [GPUs](../gpu.md#what-is-supported) says which run there.\n",
              "| aggregate | description | example | result |", "| --- | --- | --- | --- |"]
    for name, documentation, query, answer, also in aggregates():
        names = ", ".join(code(other) for other in [name, *also])
        lines.append(f"| {names} | {cell(documentation)} | {code(query)} | {code(answer)} |")
    others = duckdb_functions()
    lines += ["\n## Functions of DuckDB's library\n", f"DuckDB computes these {len(others)} functions for the rows of a query, on cores. They are described in DuckDB's documentation.\n", ", ".join(map(code, sorted(others))) + "."]
    lines += covered(on_gpu, {name for name, *_ in known})
    return "\n".join(lines) + "\n"


def covered(on_gpu, here):
    """How much of duckdb_functions() queries can call, by kind; what is missing, and what is not counted."""
    gpu_aggregates = set(re.search(r"ORDER BY: `([^`]*)`", (ROOT / "docs/use/gpu.md").read_text())[1].split())
    engine_aggregates = {"count_star"}.union(*([name, *also] for name, _, _, _, also in aggregates()))
    found = coverage()
    lines = ["\n## All functions of DuckDB\n", "Each function in `duckdb_functions()` of the DuckDB that comes with Lanewise is called, with typed columns as arguments where it takes them. "
             "Names count once per kind. Names that no statement can call are not counted.\n",
             "| kind | can be called | on GPUs, too | by Lanewise on cores only | by DuckDB's library |", "| --- | --- | --- | --- | --- |"]
    for kind, (there, missing, _) in found.items():
        gpu, own = {"scalar": (on_gpu | OPERATORS_ON_GPU, here), "aggregate": (gpu_aggregates, engine_aggregates | WINDOWS)}.get(kind, (set(), set()))
        on = [len(gpu & set(there)), len((own - gpu) & set(there))]
        counts = [*on, len(there) - sum(on)] if own else ["", "", ""]
        total = len(there) + len(missing)
        lines.append(f"| {KINDS[kind]} | {len(there)} of {total} ({100 * len(there) / total:.1f} %) | " + " | ".join(map(str, counts)) + " |")
    lines += ["\nMacros are calls of the other functions. Table functions and PRAGMA statements run in DuckDB's library, except scans of tables and files.\n", "Missing:\n"]
    for why in sorted({reason(message) for _, missing, _ in found.values() for message in missing.values()}):
        names = sorted(name for _, missing, _ in found.values() for name, message in missing.items() if reason(message) == why)
        lines.append(f"- {', '.join(map(code, names))}: {why}")
    lines.append("\nNot counted:\n")
    for why in sorted({why for *_, left_out in found.values() for why in left_out.values()}):
        names = sorted(name for *_, left_out in found.values() for name, other in left_out.items() if other == why)
        lines.append(f"- {', '.join(map(code, names))}: {why}")
    return lines


OPERATORS_ON_GPU = set("+ - * / // % & | ~ << >> || ~~ !~~ ~~* !~~* ~~~".split())
WINDOWS = set("cume_dist dense_rank fill first_value lag last_value lead nth_value ntile percent_rank rank rank_dense row_number".split())
# DuckDB's binder, or the translation of its plans, uses another name.
TRANSLATED = {"array_length", "dayofmonth", "power", "setseed", "struct_extract", "struct_update", "unpivot_list", "uuidv4", "weekday",
              "weekofyear"}


def duckdb_functions():
    """DuckDB's scalar functions that the engine's table does not have, under any name. Operators are left out."""
    table = {row.partition("\t")[0] for row in function_table()}
    query = "SELECT DISTINCT function_name, alias_of FROM duckdb_functions() WHERE function_type = 'scalar' AND regexp_full_match(function_name, '[A-Za-z]\\w*') AND NOT starts_with(function_name, 'icu_')"
    rows = [json.loads(line) for line in lanewise("sql", "--format", "ndjson", "-c", query).splitlines()]
    return {row["function_name"] for row in rows} - table - TRANSLATED - {row["function_name"] for row in rows if row["alias_of"] in table}


def function_table():
    return subprocess.run([BUILD / "tests" / "lanewise_function_examples"], capture_output=True, text=True, check=True).stdout.splitlines()


def commands_page():
    return "# Commands\n\nThe help of each command, as the program prints it.\n\n" + "\n\n".join(commands()) + "\n"


def environment_page():
    table = lambda head, rows: [f"| {head} | meaning |", "| --- | --- |", *(f"| {code(str(key))} | {cell(text)} |" for key, text in rows), ""]  # noqa: E731
    lines = ["# Files, environment, exit codes, errors\n", "## Environment variables\n", *table("variable", sorted((topic("environment") | TEST_VARIABLES).items())),
             "## Files\n", *table("file", FILES.items()), "## The configuration file\n", *configuration(), "## Exit codes\n", *table("code", topic("exit-codes").items()),
             "## Errors in C++\n", "The program prints the message after `error:`. All of them derive from `std::exception`.\n", *table("exception", ERRORS.items())]
    return "\n".join(lines)


def configuration():
    """The topic's paragraphs; its example as a block."""
    paragraphs = lanewise("help", "configuration").strip().split("\n\n")
    example = [paragraph for paragraph in paragraphs if paragraph.startswith("  ")]
    block = "```toml\n" + re.sub(r"^  ", "", "\n\n".join(example), flags=re.M) + "\n```"
    return [paragraphs[0].replace("\n", " "), "", block, "", paragraphs[-1].replace("\n", " "), ""]


def header(name):
    """The public part of a header."""
    text = (ROOT / "engine" / name).read_text()
    text = re.sub(r"^#.*\n|^namespace .*\n|^}  // namespace.*\n", "", text, flags=re.M)
    return re.sub(r"\n private:\n.*?(?=^\};)", "\n", text, flags=re.M | re.S).strip()


def cpp_page():
    sections = [f"## {title}\n\n`#include <lanewise/{name}>`\n\n```cpp\n{header(name)}\n```" for name, title in HEADERS.items()]
    return ("# C++\n\nThe headers that applications include, all in the namespace `lanewise` or one within it. "
            "[C++ in ten lines](../cpp.md) shows how to link the library.\n\n" + "\n\n".join(sections) + "\n")


def pages():
    return {"commands.md": commands_page(), "sql.md": sql_page(), "functions.md": functions_page(), "environment.md": environment_page(),
            "cpp.md": cpp_page(), "python.md": python_page()}


if __name__ == "__main__":
    stale = []
    for name, text in pages().items():
        path = FOLDER / name
        if not path.exists() or path.read_text() != text + NOTE:
            stale.append(name)
            if "--check" not in sys.argv:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + NOTE)
    print(f"{', '.join(stale) or 'nothing'} {'is stale: run ./dev docs' if '--check' in sys.argv else 'written'}")
    sys.exit(1 if stale and "--check" in sys.argv else 0)
