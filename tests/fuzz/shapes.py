"""Trees of whole queries: lists, optional clauses, and how to simplify a tree.

A select is Node("query", ..., SELECT_PARTS), a set operation Node("query", "{0} UNION {1}...", ...); a clause has the kind "clause" and is
empty where it is left out."""

from dataclasses import dataclass, replace

from expressions import LITERALS, Node

NOTHING = Node("clause", "")
DIRECTIONS = ["", "", " ASC", " DESC", " NULLS FIRST", " DESC NULLS LAST", " DESC NULLS FIRST", " NULLS LAST"]  # of a sort
ITEMS, ORDER, LIMIT = 1, 6, 7  # of a select's children


@dataclass(frozen=True)
class List(Node):
    """Children with {sql} between them."""

    def text(self, spelling={}):
        return self.sql.join(child.text(spelling) for child in self.children)


def listed(children):
    return List("list", ", ", tuple(children))


def clause(sql, *children):
    return Node("clause", sql, children)


def named(name, sql, kind, *children):
    return Node(kind, sql, children, name)


def member(word, size):
    """Whether a row of so many values, IN or NOT IN, is among those of the query that follows them."""
    return f"(({', '.join(f'{{{place}}}' for place in range(size))}) {word} ({{{size}}}))"


def item(index, node):
    return Node("item", f"{{0}} AS x{index}", (node,))


def select(items, source=NOTHING, distinct=NOTHING, where=NOTHING, group=NOTHING, having=NOTHING, order=NOTHING, limit=NOTHING):
    return Node("query", "SELECT {0}{1}{2}{3}{4}{5}{6}{7}", (distinct, listed(items), source, where, group, having, order, limit), "select")


def values(rows):
    """Rows of (kind, node)."""
    return Node("query", "VALUES {0}", (listed(Node("row", "({0})", (listed(row),)) for row in rows),), "VALUES")


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)


def replaced(root, old, new):
    """Replaces every tree equal to `old`: an expression often occurs twice, as a key and as a result."""
    if root == old:
        return new
    if not root.children:
        return root
    children = tuple(replaced(child, old, new) for child in root.children)
    return root if all(a is b for a, b in zip(children, root.children)) else replace(root, children=children)


def without_column(query, index):
    """The query without one of its results, or None."""
    def dropped(items):
        return replace(items, children=items.children[:index] + items.children[index + 1:])

    if query.name == "select":
        items = query.children[ITEMS]
        if not 0 < index + 1 <= len(items.children) or len(items.children) < 2:
            return None
        return replace(query, children=query.children[:ITEMS] + (dropped(items),) + query.children[ITEMS + 1:])
    if query.name == "VALUES":
        rows = query.children[0]
        if any(len(row.children[0].children) < 2 or index >= len(row.children[0].children) for row in rows.children):
            return None
        return replace(query, children=(replace(rows, children=tuple(replace(row, children=(dropped(row.children[0]),)) for row in rows.children)),))
    last = len(query.children) - 1
    dropped_from = {last} if query.sql.startswith("WITH") else {i for i, child in enumerate(query.children) if child.kind == "query"}
    branches = [without_column(child, index) if i in dropped_from else child for i, child in enumerate(query.children)]
    return None if None in branches else replace(query, children=tuple(branches))


def columns(query):
    if query.name == "select":
        return len(query.children[ITEMS].children)
    if query.name == "VALUES":
        return len(query.children[0].children[0].children[0].children)
    return next((columns(child) for child in query.children if child.kind == "query"), 0)


def simpler(node):
    """Trees that may replace one node, the smallest first."""
    if node.kind == "clause":
        if node.sql:
            yield NOTHING
    elif node.kind == "query":
        yield from (inner for inner in walk(node) if inner.kind == "query" and inner is not node)
        yield from filter(None, (without_column(node, i) for i in range(columns(node))))
    elif isinstance(node, List):
        if len(node.children) > 1:
            for i in range(len(node.children)):
                yield replace(node, children=node.children[:i] + node.children[i + 1:])
    elif node.kind in LITERALS or node.kind == "inexact":
        for child in walk(node):
            if child is not node and child.kind == node.kind:
                yield child
        literal = LITERALS["exact" if node.kind == "inexact" else node.kind][0]
        if node.children or node.column:
            yield Node(node.kind, literal)


def shrink(root):
    """Trees that are simpler than `root` in one place."""
    seen = set()
    for node in walk(root):
        if node not in seen:
            seen.add(node)
            for less in simpler(node):
                yield replaced(root, node, less)
