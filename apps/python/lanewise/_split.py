"""Splits a query over the table `input` into queries over its blocks and queries that merge their answers.

Other tables are small: every block meets them as a whole. So a join distributes over the blocks if it keeps rows of `input` alone.

DuckDB's parser gives the tree and prints the parts; which functions are aggregates is its catalogue's word. The parts are queries over
`input`, too: `partial` runs on each block, `final` on all partial rows with the same keys, `top` on all rows in one place.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _tables, errors
from ._connection import Connection
from ._result import Result

if TYPE_CHECKING:
    import pyarrow as pa

Tree = dict[str, Any]

# For each aggregate: the aggregates that compute its states, each with the one that merges them, and the expression over the results.
_SUM = [("sum", "sum")]
MERGES: dict[str, tuple[list[tuple[str, str]], str]] = {
    "count_star": ([("count_star", "sum")], "coalesce({0}, 0)"),
    "count": ([("count", "sum")], "coalesce({0}, 0)"),
    "count_if": ([("count_if", "sum")], "coalesce({0}, 0)"),
    "avg": ([("sum", "sum"), ("count", "sum")], "CAST({0} AS DOUBLE) / nullif({1}, 0)"),
    "mean": ([("sum", "sum"), ("count", "sum")], "CAST({0} AS DOUBLE) / nullif({1}, 0)"),
    **{name: ([(name, name)], "{0}") for name in ("sum", "min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "bit_xor", "any_value", "product")},
}


class Split(NamedTuple):
    """Queries over `input`; an empty one is not needed."""

    partial: str
    keys: list[str]  # columns of partial rows that `final` groups by; none: all rows are one group
    final: str
    top: str
    schema: pa.Schema  # of the answer


def split(query: str, schema: pa.Schema, tables: Mapping[str, pa.Table] | None = None) -> Split:
    """Splits a query over `input`, a table of this schema, and small tables. Raises SqlError, and NotSupportedError that names what cannot be split."""
    node = _parsed(query)
    small = {name.lower() for name in tables or {}}
    _check(node, small)
    source = node["from_table"]
    if source["type"] == "BASE_TABLE":
        node = _unqualified(node, (source["alias"] or source["table_name"]).lower())
    columns, arrow = _columns(query, schema, tables or {})
    modifiers = {modifier["type"]: modifier for modifier in node["modifiers"]}
    node = {**node, "modifiers": []}
    _name_outputs(node, [name for name, _ in columns])
    inputs = {name.lower() for table in [schema, *(small.schema for small in (tables or {}).values())] for name in table.names}
    node["group_expressions"] = [_renamed(group, node, inputs) for group in node["group_expressions"]]
    orders = _orders(modifiers.get("ORDER_MODIFIER"), node)
    limit, offset = _count(modifiers, "limit"), _count(modifiers, "offset") or 0
    distinct = "DISTINCT_MODIFIER" in modifiers
    if orders and limit is None and not distinct and not _aggregates(node):
        raise errors.NotSupportedError("ORDER BY of all rows without LIMIT is not split: sort the answer by the engine's own sort")
    if distinct and any(_text(expression) not in map(_text, node["select_list"]) for expression, _ in orders):
        raise errors.NotSupportedError("SELECT DISTINCT with ORDER BY of what is not selected is not split")
    hidden = [f"__order{i}" for i in range(len(orders))]
    by = ", ".join(f"{name} {order}".strip() for name, (_, order) in zip(hidden, orders))
    first = (f" ORDER BY {by}" if by else "") + f" LIMIT {limit + offset}" if limit is not None else ""
    outputs = [_quoted(name) for name, _ in columns]
    top = ""
    if limit is not None or orders:
        top = f"SELECT {', '.join(outputs)} FROM input" + (f" ORDER BY {by}" if by else "") + (f" LIMIT {limit} OFFSET {offset}" if limit is not None else "")
    typed = [f"CAST({name} AS {kind}) AS {name}" for name, (_, kind) in zip(outputs, columns)] + hidden
    if _aggregates(node):
        merged, partial, keys = _grouped(node, orders)
        if distinct:
            merged = f"SELECT DISTINCT * FROM ({merged})"
        return Split(partial, [] if distinct else keys, f"SELECT {', '.join(typed)} FROM ({merged}){first}", top, arrow)
    node["select_list"] += [_aliased(expression, name) for name, (expression, _) in zip(hidden, orders)]
    rows = _printed(node)
    if distinct:
        rows = f"SELECT DISTINCT * FROM ({rows})"
        return Split(rows, [name for name, _ in columns], f"SELECT DISTINCT * FROM input{first}", top, arrow)
    return Split(f"SELECT * FROM ({rows}){first}" if first else rows, [], "", top, arrow)


def named_columns(query: str, schema: pa.Schema) -> list[str]:
    """The columns of `input` that a query may read; at least one, since blocks count their rows by it."""
    nodes = _walk(_parsed(query))
    sources = {(node.get("alias") or node.get("table_name") or "").lower() for node in nodes if node.get("type") in ("BASE_TABLE", "SUBQUERY")}
    whole = [[name] for name in sources]  # a table's name as an expression is its rows
    for node in nodes:
        names = [name.lower() for name in node.get("column_names") or []]
        if node.get("class") in ("STAR", "POSITIONAL_REFERENCE") or node.get("ref_type") == "NATURAL" or node.get("column_name_alias") or names in whole:
            return list(schema.names)
    found = {name.lower() for node in nodes for name in [*(node.get("column_names") or []), *(node.get("using_columns") or [])]}
    return [name for name in schema.names if name.lower() in found] or schema.names[:1]


def _grouped(node: Tree, orders: list[tuple[Tree, str]]) -> tuple[str, str, list[str]]:
    """The merging query, the one that makes states, and the names of its keys."""
    groups = [_resolved(group, node) for group in node["group_expressions"]]
    if node["aggregate_handling"] == "FORCE_AGGREGATES":
        groups = [item for item in node["select_list"] if not _has_aggregate(item)]
    keys = {_text(group): f"__key{i}" for i, group in enumerate(groups)}
    states: dict[str, tuple[Tree, str]] = {}  # by the text of an aggregate: the tree that computes its state, and the aggregate that merges states
    distinct: dict[str, tuple[Tree, str]] = {}  # arguments of DISTINCT aggregates, which are further keys of the states, and their names

    def rewritten(tree: Any) -> Any:
        if isinstance(tree, list):
            return [rewritten(part) for part in tree]
        if not isinstance(tree, dict):
            return tree
        if "class" in tree:
            if _text(tree) in keys:
                return {**_column(keys[_text(tree)]), "alias": tree["alias"]}
            if _is_aggregate(tree) and tree["distinct"]:
                argument = tree["children"][0]
                _, name = distinct.setdefault(_text(argument), (argument, f"__distinct{len(distinct)}"))
                return {**tree, "children": [_column(name)]}
            if _is_aggregate(tree):
                makers, expression = MERGES[tree["function_name"]]
                names = []
                for maker, merger in makers:
                    state = {**tree, "function_name": maker, "alias": ""}
                    states.setdefault(_text(state), (state, merger))
                    names.append(f"{merger}(__state{list(states).index(_text(state))})")
                return {**_expression(expression.format(*names)), "alias": tree["alias"]}
            if tree["class"] == "COLUMN_REF":
                raise errors.NotSupportedError(f"the column '{tree['column_names'][-1]}' outside of its GROUP BY expression is not split")
        return {name: rewritten(part) for name, part in tree.items()}

    items = [rewritten(item) for item in node["select_list"]]
    items += [_aliased(rewritten(expression), f"__order{i}") for i, (expression, _) in enumerate(orders)]
    having = rewritten(_with_aliases(node["having"], node)) if node["having"] else None
    made = [_aliased(group, name) for group, name in zip(groups, keys.values())]
    made += [_aliased(argument, name) for argument, name in distinct.values()]
    made += [_aliased(state, f"__state{i}") for i, (state, _) in enumerate(states.values())]
    fine = groups + [argument for argument, _ in distinct.values()]
    partial = {**node, "select_list": made or [_expression("1")], "having": None, "aggregate_handling": "STANDARD_HANDLING", **_group_by(fine)}
    merging = {**partial, "from_table": _parsed("SELECT 1 FROM input")["from_table"], "select_list": items, "having": having, "where_clause": None,
               **_group_by([_column(name) for name in keys.values()])}  # fmt: skip
    rows = _printed(partial)
    if distinct and not groups:  # A block without rows has a state, too.
        rows = f"SELECT * EXCLUDE (__one) FROM (SELECT 1 AS __one) LEFT JOIN ({rows}) ON true"
    return _printed(merging), rows, list(keys.values())


def _group_by(expressions: list[Tree]) -> Tree:
    return {"group_expressions": expressions, "group_sets": [list(range(len(expressions)))] if expressions else []}


def _check(node: Tree, small: set[str]) -> None:
    """Raises NotSupportedError for what cannot be split."""
    if node["type"] != "SELECT_NODE" or node["cte_map"]["map"]:
        raise errors.NotSupportedError("UNION, INTERSECT, EXCEPT and WITH are not split")
    if not _reads_input(node["from_table"], small) or node["sample"]:
        raise errors.NotSupportedError("a query that is split reads the table 'input' once, and no samples")
    if node["qualify"] or len(node["group_sets"]) > 1:
        raise errors.NotSupportedError("QUALIFY, ROLLUP, CUBE and GROUPING SETS are not split")
    for modifier in node["modifiers"]:
        if modifier["type"] == "LIMIT_PERCENT_MODIFIER" or modifier.get("distinct_on_targets"):
            raise errors.NotSupportedError("LIMIT in percent and DISTINCT ON are not split")
    conditions = [part for part in _walk(node["where_clause"]) if part.get("class") == "SUBQUERY"]
    for name in _table_names(conditions) - small:
        raise errors.NotSupportedError(f"a subquery over the table '{name}' is not split: give a small one in `tables`")
    for part in _walk([node["select_list"], None if conditions else node["where_clause"], node["having"], node["modifiers"]]):
        if part.get("class") in ("SUBQUERY", "WINDOW"):
            raise errors.NotSupportedError(f"{'a subquery' if part['class'] == 'SUBQUERY' else 'a window function'} is not split")
        if _is_aggregate(part):
            name = part["function_name"]
            if name not in MERGES:
                raise errors.NotSupportedError(f"the aggregate {name} has no mergeable state; there are: {', '.join(sorted(MERGES))}")
            if part["distinct"] and (len(part["children"]) != 1 or part["filter"]):
                raise errors.NotSupportedError(f"{name}(DISTINCT ...) with FILTER or several arguments has no mergeable state")
            if part["order_bys"]["orders"]:
                raise errors.NotSupportedError(f"{name}(... ORDER BY ...) has no mergeable state")


def _reads_input(source: Tree, small: set[str]) -> bool:
    """Whether a part of FROM reads `input`. Raises NotSupportedError if its rows are not those of the blocks, one after
    the other."""
    kind = source.get("type")
    if kind == "BASE_TABLE" and not source["sample"]:
        name = source["table_name"].lower()
        if name != "input" and name not in small:
            raise errors.NotSupportedError(f"a query that is split reads the table 'input', and those given as `tables`; '{name}' is neither")
        return bool(name == "input")
    if kind == "SUBQUERY" and not source["sample"]:
        node = source["subquery"]["node"]
        if not _table_names(node) - small:
            return False
        _check(node, small)
        if node["modifiers"] or _aggregates(node):
            raise errors.NotSupportedError("a subquery in FROM that groups, sorts or limits rows of 'input' is not split")
        return True
    if kind != "JOIN" or source["sample"]:
        raise errors.NotSupportedError(f"{kind or 'nothing'} in FROM is not split")
    left, right = _reads_input(source["left"], small), _reads_input(source["right"], small)
    if not left and not right:
        return False
    if left and right:
        raise errors.NotSupportedError("a join of 'input' with itself is not split: read it once")
    keeps_blocks = ("INNER",) + (("LEFT", "SEMI", "ANTI") if left else ("RIGHT",))
    if source["ref_type"] not in ("REGULAR", "CROSS", "NATURAL", "ASOF") or source["join_type"] not in keeps_blocks or (source["ref_type"] == "ASOF" and right):
        raise errors.NotSupportedError(f"a {source['ref_type']} {source['join_type']} join that keeps rows of small tables is not split")
    return True


def _table_names(tree: Any) -> set[str]:
    """The tables that a tree reads, in lower case."""
    return {part["table_name"].lower() for part in _walk(tree) if part.get("type") == "BASE_TABLE"}


def _unqualified(tree: Any, table: str) -> Any:
    """The tree without the table's name before columns, for a query of one table; subqueries have their own tables."""
    if isinstance(tree, list):
        return [_unqualified(part, table) for part in tree]
    if not isinstance(tree, dict) or tree.get("class") == "SUBQUERY":
        return tree
    names = tree.get("column_names")
    if tree.get("class") == "COLUMN_REF" and names and len(names) > 1 and names[0].lower() == table:
        return {**tree, "column_names": names[1:]}
    return {name: _unqualified(part, table) for name, part in tree.items()}


def _orders(modifier: Tree | None, node: Tree) -> list[tuple[Tree, str]]:
    """Expressions of ORDER BY with their directions as text."""
    words = {"ORDER_DEFAULT": "", "DESCENDING": "DESC", "ASCENDING": "ASC", "NULLS_FIRST": " NULLS FIRST", "NULLS LAST": " NULLS LAST",
             "NULLS FIRST": " NULLS FIRST", "NULLS_LAST": " NULLS LAST"}  # fmt: skip
    found = []
    for order in modifier["orders"] if modifier else []:
        if order["expression"]["class"] == "STAR":
            raise errors.NotSupportedError("ORDER BY ALL is not split: name the columns")
        direction = words[order["type"]] + ("" if order["null_order"] == "ORDER_DEFAULT" else words[order["null_order"]])
        found.append((_with_aliases(_resolved(order["expression"], node), node), direction))
    return found


def _count(modifiers: dict[str, Tree], which: str) -> int | None:
    """The number of LIMIT or OFFSET."""
    given = (modifiers.get("LIMIT_MODIFIER") or {}).get(which)
    if given is None:
        return None
    if given["class"] != "CONSTANT" or not isinstance(given["value"].get("value"), int):
        raise errors.NotSupportedError(f"{which.upper()} is not split unless it is a number")
    return int(given["value"]["value"])


def _name_outputs(node: Tree, names: list[str]) -> None:
    """Gives every output its name as an alias; a star stands for all columns."""
    if any(item["class"] == "STAR" for item in node["select_list"]):
        if len(node["select_list"]) > 1 or node["group_expressions"]:
            raise errors.NotSupportedError("* next to other columns is not split: name the columns")
        stars = node["select_list"][0]
        if any(stars.get(part) for part in ("exclude_list", "replace_list", "columns", "expr", "rename_list")):
            raise errors.NotSupportedError("* with EXCLUDE, REPLACE or COLUMNS is not split: name the columns")
        node["select_list"] = [_column(name) for name in names]
    node["select_list"] = [_aliased(item, name) for item, name in zip(node["select_list"], names)]


def _resolved(expression: Tree, node: Tree) -> Tree:
    """An expression of GROUP BY or ORDER BY: a number or an alias stands for an output."""
    if expression["class"] == "CONSTANT" and isinstance(expression["value"].get("value"), int):
        return dict(node["select_list"][expression["value"]["value"] - 1])
    return _with_aliases(expression, node)


def _renamed(expression: Tree, node: Tree, inputs: set[str]) -> Tree:
    """A group that is the alias of an output column, replaced by that column: no input column has the name."""
    if expression["class"] == "COLUMN_REF" and expression["column_names"][0].lower() not in inputs:
        return next((dict(item) for item in node["select_list"] if item["alias"].lower() == expression["column_names"][0].lower()), expression)
    return expression


def _with_aliases(tree: Tree, node: Tree) -> Tree:
    """The expression with aliases replaced by their outputs, unless an input column has the name."""
    if tree["class"] != "COLUMN_REF" or len(tree["column_names"]) > 1:
        return {name: _with_aliases(part, node) if isinstance(part, dict) and "class" in part
                else [_with_aliases(one, node) if isinstance(one, dict) and "class" in one else one for one in part] if isinstance(part, list) else part
                for name, part in tree.items()}  # fmt: skip
    for item in node["select_list"]:
        if item["alias"].lower() == tree["column_names"][0].lower() and item["class"] != "COLUMN_REF":
            return dict(item)
    return tree


def _aliased(tree: Tree, name: str) -> Tree:
    return {**tree, "alias": name}


def _text(tree: Any) -> str:
    """Equal for trees with the same meaning: without positions and aliases."""

    def bare(part: Any) -> Any:
        if isinstance(part, list):
            return [bare(one) for one in part]
        if not isinstance(part, dict):
            return part
        kept = {name: bare(one) for name, one in part.items() if name not in ("query_location", "alias")}
        if kept.get("class") == "COLUMN_REF":
            kept["column_names"] = [name.lower() for name in kept["column_names"]]
        return kept

    return json.dumps(bare(tree), sort_keys=True)


def _walk(tree: Any) -> list[Tree]:
    """All nodes below."""
    if isinstance(tree, list):
        return [found for part in tree for found in _walk(part)]
    if not isinstance(tree, dict):
        return []
    return [tree, *(found for part in tree.values() for found in _walk(part))]


def _is_aggregate(tree: Tree) -> bool:
    return tree.get("class") == "FUNCTION" and tree["function_name"] in _aggregate_names()


def _has_aggregate(tree: Tree) -> bool:
    return any(_is_aggregate(part) for part in _walk(tree))


def _aggregates(node: Tree) -> bool:
    """Whether the query groups its rows."""
    return bool(node["group_expressions"] or node["having"]) or node["aggregate_handling"] == "FORCE_AGGREGATES" or _has_aggregate(node["select_list"])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@functools.cache
def worker(threads: int, device: str, fallback: str) -> Connection:
    """The connection of this process that answers the parts."""
    return Connection(threads=threads, device=device, fallback=fallback)


def answer(
    query: str, table: Any, tables: Mapping[str, pa.Table] | None = None, *, threads: int = 1, device: str = "cpu", fallback: str = ""
) -> pa.Table:
    """The rows of a part over a block."""
    return worker(threads, device, fallback)._run_over({**(tables or {}), "input": table}, query).arrow()


class Resident:
    """Answers parts over blocks with small tables that stay in one connection, and in the memory of its GPU."""

    def __init__(self, tables: Mapping[str, pa.Table], *, threads: int = 1, device: str = "cpu", fallback: str = "") -> None:
        self._connection = Connection(threads=threads, device=device, fallback=fallback)
        for name, table in tables.items():
            self._connection.register(name, table)

    def answer(self, query: str, table: Any = None) -> Result:
        """The rows of a part over a block, or over what the part itself reads."""
        return self._connection._run_over({} if table is None else {"input": table}, query)


def arrow_tables(tables: Mapping[str, Any] | None) -> dict[str, pa.Table]:
    """Small tables of any kind, as Arrow tables, which are sent to workers.

    Raises InterfaceError: 'input' is the name of the large one."""
    import pyarrow as pa

    if any(name.lower() == "input" for name in tables or {}):
        raise errors.InterfaceError("'input' is the name of the data set: give the small table another one")
    streams = {name: table if hasattr(type(table), "__arrow_c_stream__") else _tables._arrow_table(table, name) for name, table in (tables or {}).items()}
    return {name: pa.table(table) for name, table in streams.items()}


def parted(table: pa.Table, keys: list[str], parts: int) -> pa.Table:
    """The rows with a column __part, which is equal for equal keys: a number below `parts`, from DuckDB's hash."""
    part = f"CAST(hash({', '.join(map(_quoted, keys))}) % {parts} AS INTEGER)" if keys else "0"
    return _parser()._run_over({"input": table}, f"SELECT *, {part} AS __part FROM input").arrow()


@functools.cache
def _parser() -> Connection:
    return Connection(threads=1, fallback="duckdb")


@functools.cache
def _aggregate_names() -> frozenset[str]:
    rows = _parser()._run("SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'", None, ()).fetchall()
    return frozenset(name for (name,) in rows)


def _parsed(query: str) -> Tree:
    """The tree of the one SELECT statement."""
    ((text,),) = _parser()._run("SELECT CAST(json_serialize_sql(?) AS VARCHAR)", [query], ()).fetchall()
    tree = json.loads(text)
    if tree["error"]:
        raise errors.SqlError(tree["error_message"], int(tree["position"]) if "position" in tree else None)
    if len(tree["statements"]) != 1:
        raise errors.InterfaceError(f"one SELECT statement is split, and there are {len(tree['statements'])}")
    node: Tree = tree["statements"][0]["node"]
    return node


def _printed(node: Tree) -> str:
    tree = json.dumps({"error": False, "statements": [{"node": node, "named_param_map": []}]})
    ((text,),) = _parser()._run("SELECT json_deserialize_sql(?)", [tree], ()).fetchall()
    return str(text)


@functools.cache
def _cached_expression(sql: str) -> Tree:
    item: Tree = _parsed(f"SELECT {sql}")["select_list"][0]
    return item


def _expression(sql: str) -> Tree:
    return copy.deepcopy(_cached_expression(sql))


def _column(name: str) -> Tree:
    return {**_expression('"x"'), "column_names": [name]}


def _columns(query: str, schema: pa.Schema, tables: Mapping[str, pa.Table]) -> tuple[list[tuple[str, str]], pa.Schema]:
    """Names and SQL types of the answer, and its schema, from running it on a table without rows."""
    import pyarrow as pa

    empty = {**{name: table.slice(0, 0) for name, table in tables.items()}, "input": schema.empty_table()}
    columns = [row[:2] for row in _parser()._run_over(empty, f"DESCRIBE {query}").fetchall()]
    answer = pa.table(_parser()._run_over(empty, query))
    if len({name for name, _ in columns}) < len(columns):
        raise errors.NotSupportedError("two columns of the answer have one name: give them others by AS")
    return columns, answer.schema
