"""The join order benchmark's 113 queries, equal to DuckDB's answers, on random rows of its schema: the real ones cannot be had.

V. Leis et al.: How good are query optimizers, really? PVLDB 9 (3), 2015. Values are drawn from the constants with which the queries compare their
column, so that more than half of the answers have rows.
"""

import re
from collections import defaultdict
from pathlib import Path

import corpus
import duckdb

SOURCE = Path(__file__).resolve().parents[2] / ".cache/duckdb/job/imdb_constants.hpp"  # DuckDB's distribution has them
TEXTS = [text.encode().decode("unicode_escape") for text in re.findall(r'"((?:[^"\\]|\\.)*)"', SOURCE.read_text())]
QUERIES = [re.sub(r"\bat\b(?=[.,\n])", "aka", text).strip().rstrip(";") for text in TEXTS if text.startswith("SELECT")]  # `at` is a keyword now
TABLES = {re.match(r"CREATE TABLE (\w+)", text)[1]: text for text in TEXTS if text.startswith("CREATE TABLE")}
ROWS = defaultdict(lambda: 3000, cast_info=12000, movie_info=9000, kind_type=7, link_type=18, role_type=12, comp_cast_type=4, company_type=4, info_type=113,
                   keyword=200, company_name=300, title=150, name=150, aka_title=400)  # fmt: skip
REFERENCES = {"movie_id": "title", "linked_movie_id": "title", "person_id": "name", "person_role_id": "char_name", "subject_id": "comp_cast_type",
              "status_id": "comp_cast_type"}  # fmt: skip

TEXT = r"'(?:[^']|'')*'"
COMPARISON = rf"(\w+)\.(\w+)\s+(?:NOT\s+)?(?:=|!=|LIKE|IN|BETWEEN|>|<)\s*(\([^()]*\)|{TEXT}(?:\s+AND\s+{TEXT})?)"


def constants():
    """The strings with which queries compare each column, by (table, column), without wildcards."""
    found = defaultdict(set)
    for query in QUERIES:
        tables = {alias: table for table, alias in re.findall(r"(\w+) AS (\w+)", query) if table in TABLES}
        for alias, column, rest in re.findall(COMPARISON, query):
            found[tables.get(alias), column] |= {text.replace("''", "'").replace("%", "") for text in re.findall(r"'((?:[^']|'')*)'", rest)}
    return found


def values(table, column, kind, texts):
    """SQL for a column's value in row i."""
    random = f"(hash(i, '{table}.{column}') >> 8)"
    if column == "id":
        return "i + 1"
    if kind.startswith("INT"):
        target = REFERENCES.get(column, column.removesuffix("_id"))
        target = {"company": "company_name", "role": "role_type", "kind": "kind_type"}.get(target, target)
        if target in TABLES:
            return f"(1 + {random} % {ROWS[target]})::INT"
        return f"(1950 + {random} % 70)::INT" if "year" in column else f"({random} % 10)::INT"
    listed = ", ".join("'" + text.replace("'", "''") + "'" for text in sorted(texts) or ["x", "y"])
    place = "i" if table.endswith("_type") else random
    text = f"[{listed}][1 + ({place} % {len(texts) or 2})::BIGINT]"
    return f"if(hash(i, '{table}.{column}.null') % 8 = 0, NULL, {text})" if column == "note" else text


def blocks():
    """Statements that create the tables, the queries, and DuckDB's answers."""
    texts = constants()
    statements = []
    with duckdb.connect() as connection:
        for table, create in TABLES.items():
            connection.execute(create)
            columns = connection.execute(f"SELECT name, type FROM pragma_table_info('{table}')").fetchall()
            fill = ", ".join(values(table, column, kind, texts[table, column]) for column, kind in columns)
            statements += [create.strip().rstrip(";"), f"INSERT INTO {table} SELECT {fill} FROM range({ROWS[table]}) r(i)"]
    made = [corpus.Block("statement", False, "", sql, 0) for sql in statements]
    queries = [corpus.Block("query", True, "", query, number) for number, query in enumerate(QUERIES)]
    with duckdb.connect() as connection:
        return made, queries, corpus.duckdb_answers(connection, [*made, *queries])
