"""Random joins: two to five tables, every kind, conditions of several parts, and subqueries that depend on outer rows."""

from dataclasses import replace

from expressions import Column, Node
from odd_expressions import KINDS, OddGenerator
from shapes import NOTHING, clause, item, member, named, select

# Without ASOF: in some of them DuckDB waits for ever, and cannot be interrupted. tests/sql/join.test has them.
JOINS = ["positional join", "cross join", "full join", "join", "join using", "lateral join", "left join", "right join", "semi join", "anti join"]
FEATURES = [*JOINS, "correlated exists", "correlated in", "correlated scalar", "join of a query", "join of several"]
ALIASES = "abdefg"
COMPARED = ["int", "int", "text", "exact", "bool", "decimal", "date", "timestamp"]  # int mostly: it has few values
OPERATORS = ["=", "=", "=", "=", "=", "IS NOT DISTINCT FROM", "IS NOT DISTINCT FROM", "<", ">=", "<>"]


def qualified(alias, columns):
    return {kind: [replace(c, name=f"{alias}.{c.name}") for c in listed] for kind, listed in columns.items()}


def together(*scopes):
    """The columns of all scopes; a join may fill each of them with NULL."""
    found = {}
    for scope in scopes:
        for kind, listed in scope.items():
            found.setdefault(kind, []).extend(replace(c, has_nulls=True) for c in listed)
    return found


def bare_names(columns):
    """With the kind of each."""
    return {(kind, c.name.partition(".")[2]) for kind, listed in columns.items() for c in listed}


class JoinGenerator(OddGenerator):
    """A subclass generates the queries to be joined, and sets `joins`."""

    def joined(self, depth):
        """A FROM clause and its columns."""
        count = self.random.choice([2, 2, 2, 2, 3, 3, 4, 5])
        tree, columns = self.joined_table(ALIASES[0], depth, count > 2)
        for alias in ALIASES[1:count]:
            tree, columns = self.join(tree, columns, alias, depth, count > 2)
        return Node("source", " FROM {0}", (tree,), "join of several" if count > 2 else ""), columns

    def joined_table(self, alias, depth, small):
        if depth > 0 and self.random.random() < 0.25:
            kinds = self.random.choices(KINDS, k=self.random.randint(1, 3))
            columns = {}
            for index, kind in enumerate(kinds):
                columns.setdefault(kind, []).append(Column(f"{alias}.x{index}", kind, True))
            listed = ", ".join(f"x{index}" for index in range(len(kinds)))
            return named("join of a query", f"({{0}}) {alias}({listed})", "table", self.query(kinds, depth - 1)), columns
        columns = qualified(alias, self.table)
        if small or self.random.random() < 0.3:
            return Node("table", f"(SELECT * FROM t WHERE c1 % 7 = {self.random.randrange(7)}) {alias}"), columns
        return Node("table", f"t {alias}"), columns

    def join(self, left, columns, alias, depth, small):
        kind = min(self.random.sample(JOINS, 3), key=lambda name: self.hits[f"plan {name}"] // 20)
        if kind == "lateral join":
            return self.lateral(left, columns, alias)
        right, added = self.joined_table(alias, depth, small)
        both = together(columns, added)
        if kind == "positional join" and (left.name or right.name):
            kind = "cross join"  # Only rows of a table have an order.
        if kind == "positional join":
            return named(kind, "{0} POSITIONAL JOIN {1}", "table", left, right), both
        if kind == "cross join":
            return named(kind, self.random.choice(["{0}, {1}", "{0} CROSS JOIN {1}"]), "table", left, right), both
        if kind == "join using":
            shared = bare_names(columns) & bare_names(added)
            if "," in left.sql or "JOIN" in left.sql or not shared:
                kind = "join"  # A name that several tables have is ambiguous.
            else:
                word = self.random.choice(["JOIN", "LEFT JOIN", "FULL JOIN", "SEMI JOIN"])
                return named(kind, f"{{0}} {word} {{1}} USING ({self.random.choice(sorted(shared))[1]})", "table", left, right), columns if "SEMI" in word else both
        node = named(kind, f"{{0}} {kind.upper()} {{1}} ON {{2}}", "table", left, right, self.join_condition(columns, added))
        return node, columns if kind in ("semi join", "anti join") else both

    def join_condition(self, left, right):
        parts = [self.join_part(left, right) for _ in range(self.random.choice([1, 1, 1, 2, 2, 3]))]
        if self.random.random() < 0.15:
            parts.append(self.over_columns(together(left, right)).expression("bool", 2))
        if len(parts) > 1 and self.random.random() < 0.1:
            return Node("bool", "({0} OR {1})", tuple(parts[:2]))
        condition = parts[0]
        for part in parts[1:]:
            condition = Node("bool", "({0} AND {1})", (condition, part))
        return condition

    def join_part(self, left, right, operators=OPERATORS):
        """A comparison of both sides. Pure inequalities are generated only if one side has few rows."""
        kinds = [kind for kind in COMPARED if kind in left and kind in right] or ["int"]
        kind = self.random.choice(kinds)
        sides = [self.over_columns(side).expression(kind, self.random.choice([0, 0, 0, 1])) for side in (left, right)]
        return Node("bool", f"({{0}} {self.random.choice(operators)} {{1}})", tuple(sides))

    def over_columns(self, columns):
        made = self.scoped(columns)
        made.nesting = 2  # no subqueries
        return made

    def lateral(self, left, columns, alias):
        kinds = self.random.choices(KINDS, k=self.random.randint(1, 2))
        inner = self.correlated(columns)
        if self.random.random() < 0.3:
            nodes = [Node(kind, "max({0})", (inner.over_columns(self.table).expression(kind, 1),)) for kind in kinds]
        else:
            nodes = [inner.expression(kind, 1) for kind in kinds]
        query = select([item(i, node) for i, node in enumerate(nodes)], clause(" FROM t"), where=clause(" WHERE {0}", inner.tied(columns)))
        added = {}
        for index, kind in enumerate(kinds):
            added.setdefault(kind, []).append(Column(f"{alias}.x{index}", kind, True))
        word = self.random.choice(["JOIN", "LEFT JOIN"])
        listed = ", ".join(f"x{i}" for i in range(len(kinds)))
        return named("lateral join", f"{{0}} {word} LATERAL ({{1}}) {alias}({listed}) ON true", "table", left, query), together(columns, added)

    def correlated(self, outer):
        """Sees the columns of t and those of the outer rows."""
        made = self.scoped(together(self.table, outer))
        made.nesting = 2
        return made

    def tied(self, outer):
        """A condition between a column of t and an outer one."""
        return self.join_part(self.table, outer)

    def is_qualified(self):
        """Whether the columns have names that a subquery over t can use."""
        listed = [c for columns in self.columns.values() for c in columns]
        return bool(listed) and all("." in c.name for c in listed)

    def depends(self, kind):
        """A subquery over t that depends on the outer row, as an expression of this kind; or None."""
        if not self.is_qualified():
            return None
        inner, chooser = self.correlated(self.columns), self.random
        where = clause(" WHERE {0}", inner.tied(self.columns))
        if kind == "bool" and chooser.random() < 0.9:
            if chooser.random() < 0.5:
                query = select([item(0, inner.column("int"))], clause(" FROM t"), where=where)
                return named("correlated exists", chooser.choice(["EXISTS ({0})", "(NOT EXISTS ({0}))"]), kind, query)
            compared = chooser.choices(["int", "text", "exact"], k=chooser.choice([1, 1, 2]))
            query = select([item(i, inner.over_columns(self.table).expression(one, 1)) for i, one in enumerate(compared)], clause(" FROM t"), where=where)
            return named("correlated in", member(chooser.choice(["IN", "NOT IN"]), len(compared)), kind, *map(self.column, compared), query)
        made = Node(kind, chooser.choice(["min({0})", "max({0})"]), (inner.over_columns(self.table).column(kind),))
        query = select([item(0, made)], clause(" FROM t"), where=where, order=NOTHING)
        return named("correlated scalar", "({0})", kind, query)

    def special(self, kind, depth):
        if self.joins and self.nesting < 2 and self.random.random() < 0.5:
            found = self.depends(kind)
            if found:
                return found
        return super().special(kind, depth)
