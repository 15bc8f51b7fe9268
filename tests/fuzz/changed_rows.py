"""Random UPDATE ... FROM, DELETE ... USING and MERGE: `w` is a copy of t with a number r and columns of its own, and the query reads it afterwards.

Each row of `w` matches at most one row of the source, so that the result is the same in any order."""

from expressions import Column, Node
from joins import qualified, together
from odd_values import NULL_TYPES
from shapes import NOTHING, clause, listed, named

FEATURES = ["update from", "update by a subquery", "delete using", "delete by a subquery", "merge"]


def random_change(generator, kinds):
    """A tree of three statements; `kinds` are those of the columns y0, y1, ... that are changed."""
    return ChangeGenerator(generator, kinds).change()


class ChangeGenerator:
    def __init__(self, generator, kinds):
        self.generator, self.random, self.kinds = generator, generator.random, kinds
        self.target = qualified("w", generator.table)
        self.target.setdefault("int", []).append(Column("w.r", "int", False))
        self.source = {}
        for index, kind in enumerate(kinds):
            self.source.setdefault(kind, []).append(Column(f"s.x{index}", kind, True))
        self.matched = together(self.target, self.source)

    def change(self):
        name = min(self.random.sample(FEATURES, 3), key=lambda name: self.generator.hits[f"plan {name}"] // 20)
        made = {"update from": self.update, "update by a subquery": self.update_by_subquery, "delete using": self.delete,
                "delete by a subquery": self.delete_by_subquery}.get(name, self.merge)
        index = self.random.choice(["", "", ";\nCREATE UNIQUE INDEX wr ON w (r)", ";\nCREATE INDEX wy ON w (y0)"])
        created = ", ".join(f"NULL::{NULL_TYPES[kind]} AS y{i}" for i, kind in enumerate(self.kinds))
        sql = f"CREATE OR REPLACE TABLE w AS SELECT rowid AS r, *, {created} FROM t{index};\n{{0}}"
        return named(name, sql + ";\nSELECT * FROM w", "query", made())

    def expression(self, kind, columns, depth=2):
        return self.generator.scoped(columns).expression(kind, depth)

    def value(self, index, columns):
        """A value of the column's type: most expressions, but not all."""
        kind = self.kinds[index]
        return Node("item", f"TRY_CAST({{0}} AS {NULL_TYPES[kind]})", (self.expression(kind, columns),))

    def condition(self, columns, word=" AND"):
        return clause(word + " {0}", self.expression("bool", columns)) if self.random.random() < 0.5 else NOTHING

    def rows(self):
        """A source in which k is a key."""
        items = listed([Node("item", f"{{0}} AS x{i}", (self.expression(kind, self.generator.table),)) for i, kind in enumerate(self.kinds)])
        pick = self.random.random()
        if pick < 0.6:
            key = self.random.choice(["rowid", "rowid * 2", "rowid - 3", "CASE WHEN rowid % 5 > 1 THEN rowid END"])
            return Node("table", f"(SELECT {key} AS k, {{0}} FROM t{{1}}) s", (items, self.condition(self.generator.table, " WHERE")))
        if pick < 0.8:
            inner = ", ".join(f"max(x{i}) AS x{i}" for i in range(len(self.kinds)))
            return Node("table", f"(SELECT k, {inner} FROM (SELECT rowid % 7 AS k, {{0}} FROM t) GROUP BY k) s", (items,))
        literals = [listed(self.generator.literal(kind) for kind in self.kinds) for _ in range(3)]
        casts = ", ".join(f"TRY_CAST(x{i} AS {NULL_TYPES[kind]}) AS x{i}" for i, kind in enumerate(self.kinds))
        names = ", ".join(["k", *(f"x{i}" for i in range(len(self.kinds)))])
        return Node("table", f"(SELECT k, {casts} FROM (VALUES (0, {{0}}), (2, {{1}}), (1000, {{2}})) v({names})) s", tuple(literals))

    def set(self, columns):
        return Node("set", ", ".join(f"y{i} = {{{i}}}" for i in range(len(self.kinds))), tuple(self.value(i, columns) for i in range(len(self.kinds))))

    def update(self):
        return Node("statement", "UPDATE w SET {0} FROM {1} WHERE s.k = w.r{2}", (self.set(self.matched), self.rows(), self.condition(self.matched)))

    def update_by_subquery(self):
        return Node("statement", "UPDATE w SET {0} WHERE w.r IN (SELECT c1 FROM t{1}){2}",
                    (self.set(self.target), self.condition(self.generator.table, " WHERE"), self.condition(self.target)))

    def delete(self):
        return Node("statement", "DELETE FROM w USING {0} WHERE s.k = w.r{1}", (self.rows(), self.condition(self.matched)))

    def delete_by_subquery(self):
        word = self.random.choice(["", "NOT "])
        return Node("statement", f"DELETE FROM w WHERE w.r {word}IN (SELECT c1 FROM t{{0}}){{1}}",
                    (self.condition(self.generator.table, " WHERE"), self.condition(self.target)))

    def merge(self):
        columns = ", ".join(["r", *(f"y{i}" for i in range(len(self.kinds)))])
        updates = [("UPDATE SET {0}", self.set), ("DELETE", None), ("DO NOTHING", None)]
        inserts = [(f"INSERT ({columns}) VALUES (s.k, {{0}})", lambda seen: listed(self.value(i, seen) for i in range(len(self.kinds)))), ("DO NOTHING", None)]
        clauses = self.actions("MATCHED", updates, self.matched) + self.actions("NOT MATCHED", inserts, self.source)
        clauses += self.actions("NOT MATCHED BY SOURCE", updates, self.target) if self.random.random() < 0.4 else []
        joined = Node("clauses", " ".join(f"{{{i}}}" for i in range(len(clauses))), tuple(clauses))
        return Node("statement", "MERGE INTO w USING {0} ON s.k = w.r{1} {2}", (self.rows(), self.condition(self.matched), joined))

    def actions(self, when, choices, columns):
        made = []
        for last in (False, True):
            condition = NOTHING if last else self.condition(columns)
            if not last and condition is NOTHING:
                continue
            sql, arguments = self.random.choice(choices)
            children = (arguments(columns),) if arguments else ()
            made.append(Node("action", f"WHEN {when}{{{len(children)}}} THEN {sql}", (*children, condition)))
        return made
