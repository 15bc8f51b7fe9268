"""Random queries whose plans are odd, rather than their expressions: joins, subqueries, VALUES, grouping sets, collations, NULLs everywhere."""

from dataclasses import dataclass, field, replace

import changed_rows
from expressions import AGGREGATES, Column, Node
from odd_expressions import CALLS, KINDS
from odd_values import COLLATIONS
from shapes import DIRECTIONS, NOTHING, ORDER, clause, item, listed, named, select, shrink, values, walk
from windows import WindowGenerator

FEATURES = [
    "aggregate over a plan", "aggregate with ORDER BY", "all", "any", "collate", "collated aggregate", "collated item", "cte in a cte",
    "cte of a plan", "cube", "distinct on", "distinct order by others", "distinct rows", "except", "exists", "filter clause", "grouping sets",
    "grouping()", "having a subquery", "in a subquery", "intersect", "like escape odd", "limit 0", "limit in a plan", "materialized cte", "mode",
    "no table", "NULL", "odd like", "odd literal", "odd regex", "order by others", "pattern over a column", "plain group by", "rollup",
    "rows in a subquery", "scalar subquery of a table", "scalar subquery of VALUES", "scalar subquery without a table", "subquery in from",
    "subquery in VALUES", "table function", "typed NULL", "union", "union all of plans", "VALUES", "VALUES in a union", *changed_rows.FEATURES]
CHANGES = 0.1  # share of statements that change rows
# In the other branch of a set operation: types that DuckDB unifies.
WIDER = {"int": ["decimal", "exact", "bool"], "decimal": ["int", "exact"], "exact": ["int"], "date": ["timestamp"], "timestamp": ["date"], "text": ["text"]}
MORE_AGGREGATES = [
    ("count_if", "count_if({0})", "int", "bool"), ("bit_and", "bit_and({0})", "int", "int32"), ("bit_or", "bit_or({0})", "int", "int32"),
    ("bit_xor", "bit_xor({0})", "int", "int32"), ("product", "product({0})", "inexact", "SMALL"), ("corr", "corr({0}, {1})", "inexact", "int32 int32"),
    ("covar_pop", "covar_pop({0}, {1})", "inexact", "int32 int32"), ("mad", "mad({0})", "inexact", "exact"),
    ("quantile_cont descending", "quantile_cont({0}, 0.5 ORDER BY {0} DESC)", "inexact", "int32"), ("arg_min", "arg_min({0}, {1})", "text", "text int"),
    ("max_by", "max_by({0}, {1})", "int", "int int"), ("string_agg of all", "string_agg({0}, {1} ORDER BY {0} NULLS FIRST)", "text", "text text"),
    ("quantile share", "quantile_disc({0}, {1})", "int", "int SHARE"), ("sum bool", "sum({0})", "int", "bool"),
    ("avg bool", "avg({0}::INTEGER)", "inexact", "bool"), ("quantile_disc all", "quantile_disc({0}, 0.5)", "timestamp", "timestamp"), ("median text", "median({0})", "text", "text")]


OF_THE_FIRST = {"arg_min", "max_by"}  # of equal rows; those of a join have no order


@dataclass(frozen=True)
class Plan:
    tree: Node
    ordered: bool = False
    features: tuple = field(default=(), compare=False)

    def text(self, spelling={}):
        return self.tree.text(spelling)

    def nodes(self):
        return [self.tree]

    def smaller(self):
        for less in shrink(self.tree):
            if less.kind == "query":
                # A result without an order is compared as a set of rows.
                yield replace(self, tree=less, ordered=self.ordered and less.children[-2:] == self.tree.children[-2:])


class PlanGenerator(WindowGenerator):
    """Queries with columns of given kinds, named x0, x1, ..."""
    joins = False  # and window functions: only with --plans 10, which means plans alone

    def query(self, kinds, depth):
        pick = self.random.random()
        if depth > 0 and pick < 0.2:
            return self.set_operation(kinds, depth)
        if depth > 0 and pick < 0.35:
            return self.with_cte(kinds, depth)
        if pick < 0.45:
            return self.row_list(kinds)
        if pick < 0.52:
            inner = self.scoped({})
            inner.nesting = self.nesting
            items = [item(i, inner.expression(kind, 2)) for i, kind in enumerate(kinds)]
            return named("no table", "{0}", "query", select(items, where=inner.condition_clause()))
        source, columns = self.source(depth)
        scope = self.scoped(columns)
        scope.nesting = self.nesting
        return scope.grouped(kinds, source) if self.random.random() < 0.45 else scope.plain(kinds, source)

    def source(self, depth):
        pick = self.random.random()
        if pick < 0.05:
            function, count = self.random.choice(["range", "generate_series"]), self.random.choice([0, 1, 3, 40])
            return Node("source", f" FROM {function}({count}) r(x0)", (), "table function"), results(["int"])
        if self.joins and pick < (0.4 if depth > 0 else 0.15):
            return self.joined(depth)
        if depth <= 0 or pick < 0.7:
            return clause(" FROM t"), self.table
        kinds = self.random.choices(KINDS, k=self.random.randint(1, 3))
        return Node("source", f" FROM ({{0}}) s({names(kinds)})", (self.query(kinds, depth - 1),), "subquery in from"), results(kinds)

    def condition_clause(self, word=" WHERE"):
        return clause(word + " {0}", self.expression("bool", 2)) if self.random.random() < 0.35 else NOTHING

    def plain(self, kinds, source):
        items = [self.windowed(kind) if self.joins and self.columns and self.random.random() < 0.15 else self.expression(kind, 2) for kind in kinds]
        distinct = order = limit = NOTHING
        pick = self.random.random()
        if pick < 0.15:
            distinct = Node("clause", "DISTINCT ", (), "distinct rows")
        elif pick < 0.3:
            # Ordered by everything after the keys, so that one row of each key comes first.
            keys = [self.expression(self.random.choice(KINDS), 1) for _ in range(self.random.randint(1, 2))]
            distinct = Node("clause", "DISTINCT ON ({0}) ", (listed(self.not_literal(keys)),), "distinct on")
            order = self.order_by(self.not_literal(keys), len(items))
        elif pick < 0.45:
            distinct = Node("clause", "DISTINCT ", (), "distinct order by others")
            order = self.order_by(self.not_literal([self.over(self.random.choice(items)) for _ in range(2)]), len(items))
        elif pick < 0.55:
            order = self.order_by(self.not_literal([self.expression(self.random.choice(KINDS), 1)]), len(items))
        if order is not NOTHING and self.random.random() < 0.3 and not self.collated and not collates(*items, distinct):
            limit = Node("clause", f" LIMIT {self.random.choice([1, 2, 5])}{self.random.choice(['', ' OFFSET 1'])}", (), "limit in a plan")
        elif self.random.random() < 0.08:
            limit = Node("clause", " LIMIT 0", (), "limit 0")
        having = NOTHING
        if self.joins and self.columns and self.random.random() < 0.07:
            having = Node("clause", " QUALIFY {0} > {1}", (self.windowed("int"), self.literal("int")), "qualify")
        return select([item(i, node) for i, node in enumerate(items)], source, distinct, self.condition_clause(), having=having, order=order, limit=limit)

    def not_literal(self, nodes):
        """A literal as a key would mean the number of a column."""
        return [node if node.children or node.column else named("", "({0} IS NULL)", "bool", node) for node in nodes]

    def over(self, node):
        """An expression over a selected one, or a new one. Of rows of a join, which have no order, always one over it alone."""
        if not self.joins and self.random.random() < 0.5:
            return self.expression(self.random.choice(KINDS), 1)
        choices = [entry for entry in CALLS if entry[3].split()[:1] == [node.kind]]
        entry = self.random.choice(choices)
        arguments = [self.literal(a) if self.joins or a.isupper() else self.leaf(a) for a in entry[3].split()[1:]]
        return Node(entry[2], entry[1], (node, *arguments), entry[0])

    def order_by(self, nodes, count):
        keys = [*nodes, *(Node("position", str(i + 1)) for i in range(count))]
        return Node("clause", " ORDER BY {0}", (listed(Node("key", "{0}" + self.random.choice(DIRECTIONS), (key,)) for key in keys),), "order by others")

    def grouped(self, kinds, source):
        keys = self.not_literal([self.expression(kind, self.random.choice([0, 0, 1])) for kind in self.random.choices(KINDS, k=self.random.randint(1, 3))])
        group, name = self.grouping(keys)
        items = []
        for kind in kinds:
            same = [key for key in keys if key.kind == kind]
            if kind == "int" and name not in ("", "plain group by") and self.random.random() < 0.4:
                count = self.random.randint(1, len(keys))
                items.append(named("grouping()", "GROUPING({0})", "int", listed(self.random.sample(keys, count))))
            elif name and same and self.random.random() < 0.5:
                items.append(self.random.choice(same))
            else:
                items.append(self.aggregation(kind))
        having = NOTHING
        if self.random.random() < 0.2:
            having = Node("clause", " HAVING {0} >= {1}", (self.aggregation("int"), self.scalar("int")), "having a subquery")
        distinct = order = NOTHING
        pick = self.random.random()
        if pick < 0.2:
            distinct = Node("clause", "DISTINCT ", (), "distinct order by others")
        if pick < 0.35:
            order = self.order_by([self.aggregation(self.random.choice(KINDS)) if self.random.random() < 0.5 else self.random.choice(items)], len(items))
        return select([item(i, node) for i, node in enumerate(items)], source, distinct, self.condition_clause(), group, having, order)

    def grouping(self, keys):
        name = self.random.choice(["rollup", "cube", "grouping sets", "plain group by", ""])
        if not name:
            return NOTHING, name
        sql = {"rollup": "ROLLUP ({0})", "cube": "CUBE ({0})", "plain group by": "{0}"}.get(name)
        if sql:
            return Node("clause", f" GROUP BY {sql}", (listed(keys),), name), name
        sets = [self.random.sample(keys, self.random.randint(0, len(keys))) for _ in range(self.random.randint(1, 3))]
        # Every key is in one of them, under the name in the select list.
        return Node("clause", " GROUP BY GROUPING SETS ({0})", (listed(Node("set", "({0})", (listed(keys),)) if keys else Node("set", "()")
                                                                       for keys in [keys, *sets]),), name), name

    def aggregation(self, kind):
        chooser = self.random
        entries = [entry for entry in AGGREGATES + MORE_AGGREGATES if entry[2] in (kind, "inexact" if kind == "exact" else kind)]
        if self.joins:
            entries = [entry for entry in entries if entry[0] not in OF_THE_FIRST]
        pick, inexact = chooser.random(), False
        if pick < 0.12 and kind in ("int", "text", "exact"):
            argument = self.column(kind)
            # Always one, since joins give their rows to it in any order.
            order = chooser.choice([" ORDER BY {0}", " ORDER BY {0} DESC", " ORDER BY {1}, {0}", " ORDER BY {1} DESC NULLS FIRST, {0}"])
            distinct = chooser.choice(["", "", "DISTINCT "]) if "{1}" not in order else ""
            node = named("mode", f"mode({distinct}{{0}}{order})", kind, argument, self.column("int"))
        elif pick < 0.32 and kind == "text":
            node = named("collated aggregate", f"{chooser.choice(['min', 'max'])}({{0}} COLLATE {chooser.choice(COLLATIONS)})", kind, self.column("text"))
        elif pick < 0.4:
            function = chooser.choice(["first", "last", "any_value", *([] if self.joins else ["arg_min", "arg_max"])])
            by = self.column("int")
            sql = f"{function}({{0}}, {{1}})" if "arg" in function else f"{function}({{0}} ORDER BY {{1}}{chooser.choice(DIRECTIONS)}, {{0}})"
            node = named("aggregate with ORDER BY", sql, kind, self.expression(kind, 1), by)
        elif entries:
            entry = chooser.choice(entries)
            node, inexact = self.call(entry, 2), entry[2] == "inexact"
        else:
            node = Node(kind, "max({0})", (self.expression(kind, 1),))
        if chooser.random() < 0.2 and node.sql.endswith(")") and "FILTER" not in node.sql:
            node = named("filter clause", "{0} FILTER (WHERE {1})", kind, node, self.expression("bool", 1))
        return Node(kind, "round({0}, 4)", (node,)) if inexact else node

    def row_list(self, kinds):
        scope = self.scoped({})
        rows = [[scope.expression(kind, 1) for kind in kinds] for _ in range(self.random.randint(1, 3))]
        return named("VALUES in a select", "SELECT * FROM ({0}) v", "query", values(rows)) if self.random.random() < 0.5 else values(rows)

    def set_operation(self, kinds, depth):
        choices = [("union", "UNION")] * 4 + [("union all of plans", "UNION ALL")] * 3 + [("intersect", "INTERSECT"), ("except", "EXCEPT")]
        name, word = min(self.random.sample(choices, 3), key=lambda choice: self.hits[f"plan {choice[0]}"] // 20)
        left = self.query(kinds, depth - 1)
        kinds = [self.random.choice(WIDER.get(kind, [kind])) if self.random.random() < 0.2 else kind for kind in kinds]
        if self.random.random() < 0.4:
            right = named("VALUES in a union", "{0}", "query", self.row_list(kinds))
        else:
            right = self.query(kinds, depth - 1)
        sql = f"({{0}}) {word} ({{1}})"
        return named(name, sql if self.random.random() < 0.5 else f"SELECT * FROM ({sql}) u", "query", left, right)

    def with_cte(self, kinds, depth):
        inner = self.random.choices(KINDS, k=self.random.randint(1, 3))
        definition = self.with_cte(inner, depth - 1) if depth > 0 and self.random.random() < 0.3 else self.query(inner, depth - 1)
        scope = self.scoped(results(inner))
        scope.nesting = self.nesting
        body = scope.grouped(kinds, clause(" FROM q")) if self.random.random() < 0.4 else scope.plain(kinds, clause(" FROM q"))
        name, word = self.random.choice([("cte of a plan", ""), ("materialized cte", "MATERIALIZED "), ("cte of a plan", "NOT MATERIALIZED ")])
        return named("cte in a cte" if any("cte" in n.name for n in walk(definition)) else name, f"WITH q({names(inner)}) AS {word}({{0}}) {{1}}", "query",
                     definition, body)


def names(kinds):
    return ", ".join(f"x{i}" for i in range(len(kinds)))


def results(kinds):
    found = {}
    for index, kind in enumerate(kinds):
        found.setdefault(kind, []).append(Column(f"x{index}", kind, True))
    return found


def is_collated(table):
    return any(" COLLATE" in kind for _, kind, *_ in table.columns) or any("collation" in setting for setting in table.settings)


def random_plan(random, columns, hits, refusals, collated=False):
    """`columns` of each kind; `collated`: some strings are equal without being identical."""
    generator = PlanGenerator(random, columns, hits, refusals)
    generator.table, generator.collated = columns, collated
    if random.random() < 0.2:
        return pattern_query(generator)
    kinds = random.choices(KINDS, k=random.randint(1, 3))
    if random.random() < CHANGES:
        tree = changed_rows.random_change(generator, kinds)
        return Plan(tree, False, tuple(sorted(features(tree))))
    tree, ordered = generator.query(kinds, random.choice([0, 1, 1, 2, 2])), False
    collated = collated or collates(tree)
    pick = random.random()
    if pick < 0.2:
        counts = [Node("count", sql.format(i)) for i in range(len(kinds)) for sql in ("count(x{0})", "count(DISTINCT x{0})", "min(x{0})", "max(x{0})")]
        items = [item(i, node) for i, node in enumerate([Node("count", "count(*)"), *counts])]
        tree = named("aggregate over a plan", "{0}", "query", select(items, Node("source", f" FROM ({{0}}) a({names(kinds)})", (tree,))))
    elif pick < 0.4 or pick < 0.55 and tree.name != "select":
        keys = [Node("key", f"{i + 1}{random.choice(DIRECTIONS)}") for i in range(len(kinds))]
        keys += [Node("key", f"encode(x{i})") for i, kind in enumerate(kinds) if collated and kind == "text"]
        limit = random.choice([NOTHING, NOTHING, clause(" LIMIT 0"), clause(" LIMIT 2"), clause(" LIMIT 3 OFFSET 1")])
        order = Node("clause", " ORDER BY {0}", (listed(keys),))
        tree, ordered = Node("query", f"SELECT * FROM ({{0}}) o({names(kinds)}){{1}}{{2}}", (tree, order, limit), "ordered"), True
    elif tree.name == "select":
        ordered = not collated and tree.children[ORDER].name == "order by others"
    return Plan(tree, ordered, tuple(sorted(features(tree))))


def pattern_query(generator):
    """A pattern as a result and in a condition: a condition goes into the scan, a result does not."""
    chooser = generator.random
    items = [generator.column("text"), generator.column("int"), generator.pattern("bool"), generator.pattern(chooser.choice(["bool", "text"]))]
    where = generator.pattern("bool")
    if chooser.random() < 0.3:
        where = named("and", f"({{0}} {chooser.choice(['AND', 'OR'])} {{1}})", "bool", where, generator.pattern("bool"))
    elif chooser.random() < 0.2:
        where = generator.odd_escape()
    tree = select([item(i, node) for i, node in enumerate(items)], clause(" FROM t"), where=Node("clause", " WHERE {0}", (where,), "pattern over a column"))
    return Plan(tree, False, tuple(sorted(features(tree))))


def collates(*trees):
    return any("collate" in node.name for tree in trees for node in walk(tree))


def features(tree):
    found = {node.name for node in walk(tree)} & set(FEATURES)
    if any(node.name == "VALUES" and any(inner.kind == "query" for inner in walk(node) if inner is not node) for node in walk(tree)):
        found.add("subquery in VALUES")
    return found
