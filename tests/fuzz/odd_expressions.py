"""Random expressions with NULLs, uncorrelated subqueries, collations and odd patterns in any place."""

from dataclasses import replace

from expressions import AGGREGATES, FUNCTIONS, Generator, Node
from odd_values import COLLATIONS, NULL_TYPES, ODD
from patterns import ESCAPES, quoted, random_like, random_regex
from shapes import clause, item, member, named, select, values

KINDS = ["int", "text", "exact", "bool", "decimal", "date", "timestamp"]
# An entry that reads the table again would be correlated within a subquery.
CALLS = [entry for entry in FUNCTIONS if "FROM t" not in entry[1] and entry[2] != "inexact"]
PATTERNS = [entry for entry in FUNCTIONS if set(entry[3].split()) & {"REGEX", "LIKE", "GROUPED"} or
            entry[0] in ("starts_with", "ends_with", "contains", "in text", "between text")]
# Mostly divisions: ieee_floating_point_ops decides what those by zero give.
DIVISIONS = ("/", "/ float", "// exact", "% exact")
ROUNDED = [entry for entry in FUNCTIONS if entry[2] == "inexact" for _ in range(5 if entry[0] in DIVISIONS else 1)]


class OddGenerator(Generator):
    """Its subclass makes the queries of subqueries."""
    nesting = 0  # of subqueries
    table = {}  # the columns of t
    collated = False  # whether strings of the table can be equal without being identical

    def literal(self, kind):
        chooser = self.random
        if kind == "REGEX" and chooser.random() < 0.8:
            return named("odd regex", quoted(random_regex(chooser)), kind)
        if kind == "LIKE" and chooser.random() < 0.8:
            return named("odd like", random_like(chooser), kind)
        if kind != "PART" and chooser.random() < (0.2 if kind in NULL_TYPES else 0.05):
            if kind in NULL_TYPES and chooser.random() < 0.5:
                return named("typed NULL", f"NULL::{NULL_TYPES[kind]}", kind)
            return named("NULL", "NULL", kind)
        if kind in ODD and chooser.random() < 0.4:
            return named("odd literal", chooser.choice(ODD[kind]), kind)
        return super().literal(kind)

    def leaf(self, kind, with_null=False):
        if self.random.random() < 0.2:
            return self.literal(kind)
        return super().leaf(kind, with_null)

    def expression(self, kind, depth, with_null=False):
        if kind in KINDS and self.random.random() < (0.4 if kind == "bool" else 0.25):
            special = self.special(kind, depth)
            if special:
                return special
        if depth > 0 and kind != "int32" and self.random.random() < 0.6:
            choices = [entry for entry in CALLS if entry[2] == kind]
            if choices:
                return self.call(self.random.choice(choices), depth)
        return self.leaf(kind)

    def call(self, entry, depth):
        node = super().call(entry, depth)
        if not node.children or self.random.random() > 0.08 or entry[3].split()[:1] == ["PART"]:
            return node
        index = self.random.randrange(len(node.children))
        absent = named("NULL", "NULL", node.children[index].kind)
        return replace(node, children=node.children[:index] + (absent,) + node.children[index + 1:])

    def special(self, kind, depth):
        chooser = self.random
        if self.nesting < 2 and chooser.random() < 0.5:
            return self.scalar(kind)
        if kind == "bool":
            return self.condition(depth)
        if kind == "exact":
            return Node(kind, "round({0}, 4)", (self.call(chooser.choice(ROUNDED), depth),))
        if kind == "text":
            return named("collated item", f"{{0}} COLLATE {chooser.choice(COLLATIONS)}", "text", self.column("text"))
        return None

    def column(self, kind):
        return Generator.leaf(self, kind)

    def pattern(self, kind):
        """A pattern over a column."""
        name, sql, kind, arguments = self.random.choice([entry for entry in PATTERNS if entry[2] == kind])
        return named(name, sql, kind, *(self.literal(a) if a.isupper() else self.column(a) for a in arguments.split()))

    def condition(self, depth):
        chooser, pick = self.random, self.random.random()
        if pick < 0.35:
            collation, operator = chooser.choice(COLLATIONS), chooser.choice(["=", "<>", "<", ">=", "IS DISTINCT FROM"])
            return named("collate", f"({{0}} COLLATE {collation} {operator} {{1}})", "bool", self.column("text"), self.leaf("text"))
        if pick < 0.55:
            return self.pattern("bool")
        if pick < 0.65:
            return self.odd_escape()
        if self.nesting >= 2:
            return None
        if pick < 0.73:
            return named("exists", chooser.choice(["EXISTS ({0})", "(NOT EXISTS ({0}))"]), "bool", self.inner([chooser.choice(KINDS)]))
        if pick < 0.82:
            kinds = chooser.choices(["int", "text", "exact"], k=chooser.randint(2, 3))
            row = [self.expression(kind, depth - 1) for kind in kinds]
            return named("rows in a subquery", member(chooser.choice(["IN", "NOT IN"]), len(row)), "bool", *row, self.inner(kinds))
        kind = chooser.choice(["int", "text", "exact"])
        inner = self.inner([kind])
        if pick < 0.9:
            return named("in a subquery", f"({{0}} {chooser.choice(['IN', 'NOT IN'])} ({{1}}))", "bool", self.expression(kind, depth - 1), inner)
        word = chooser.choice(["any", "all"])
        operator = chooser.choice(["=", "<>", "<", ">="])
        return named(word, f"({{0}} {operator} {word.upper()} ({{1}}))", "bool", self.expression(kind, depth - 1), inner)

    def odd_escape(self):
        word = self.random.choice(["LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE"])
        return named("like escape odd", f"({{0}} {word} {random_like(self.random)} ESCAPE {self.random.choice(ESCAPES)})", "bool", self.leaf("text"))

    def scoped(self, columns):
        """A generator whose expressions see other columns."""
        made = type(self)(self.random, columns, self.hits, self.refusals)
        made.nesting = self.nesting + 1
        made.table, made.collated = self.table, self.collated
        return made

    def scalar(self, kind):
        pick = self.random.random()
        if pick < 0.3:
            return named("scalar subquery without a table", "({0})", kind, select([item(0, self.scoped({}).expression(kind, 1))]))
        if pick < 0.5:
            return named("scalar subquery of VALUES", "({0})", kind, values([[self.scoped({}).expression(kind, 1)]]))
        inner = self.scoped(self.table)
        entries = [entry for entry in AGGREGATES if entry[2] == kind]
        if pick < 0.85 and entries:
            query = select([item(0, inner.call(self.random.choice(entries), 1))], clause(" FROM t"))
        else:
            query = select([item(0, inner.column(kind))], clause(" FROM t"), order=clause(" ORDER BY 1"), limit=clause(" LIMIT 1"))
        return named("scalar subquery of a table", "({0})", kind, query)

    def inner(self, kinds):
        return self.scoped(self.table).query(kinds, 0)
