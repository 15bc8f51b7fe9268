"""Expressions of Ibis: `pip install lanewise[ibis]`.

Code that makes data frames by Ibis stays as it is, and `run` answers it instead of `execute`. Ibis writes its SQL for DuckDB, whose dialect
Lanewise speaks. Frames become tables by `ibis.memtable(frame)`. `ibis.table(schema, name=...)` is a variable or a table of the connection by
that name.
"""

from __future__ import annotations

from typing import Any

import ibis
import ibis.expr.operations as operations

from ._connection import Connection, shared
from ._result import Result
from ._tables import scopes

__all__ = ["run", "sql"]


def sql(expression: ibis.Expr) -> str:
    """The statement of an expression."""
    return str(ibis.to_sql(expression, dialect="duckdb"))


def run(expression: ibis.Expr, connection: Connection | None = None) -> Result:
    """The rows of a table expression; one column for a scalar or column expression. The default connection is that of
    lanewise.sql.

    Raises SqlError, NotSupportedError and others: see Connection.sql.

    >>> import ibis, pyarrow as pa
    >>> fruit = ibis.memtable(pa.table({"name": ["apple", "banana", "avocado"]}))
    >>> run(fruit.filter(fruit.name.startswith("a")).count()).fetchall()
    [(2,)]
    """
    tables: dict[str, Any] = {node.name: node.data.to_pyarrow(node.schema) for node in expression.op().find(operations.InMemoryTable)}
    # A variable often has the name of its table.
    names = [{name: value for name, value in scope.items() if not isinstance(value, ibis.Expr)} for scope in scopes(0)]
    return (connection or shared())._run(sql(expression), None, (tables, *names))
