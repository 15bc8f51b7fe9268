"""Random window functions: every function, partition, order, frame and exclusion."""

from expressions import AGGREGATES, Node
from joins import JoinGenerator
from odd_expressions import KINDS
from shapes import DIRECTIONS, NOTHING, clause, named

UNITS = ["ROWS", "RANGE", "GROUPS"]
FEATURES = ["window aggregate", "window exclude", "window rank", "window value", "qualify", *(f"window {unit.lower()}" for unit in UNITS)]
RANKS = ["row_number()", "rank()", "dense_rank()", "ntile(3)"]
KEYS = [kind for kind in KINDS if kind != "exact"]  # DuckDB's sort turns -0.0 into 0.0, which is visible
EXCLUDED = ["", "", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"]


class WindowGenerator(JoinGenerator):
    """A subclass generates the queries around them."""

    def windowed(self, kind):
        """A window function with a result of this kind."""
        chooser = self.random
        if kind == "int" and chooser.random() < 0.4:
            own = chooser.random() < 0.2  # its own order, within the whole partition
            rank = chooser.choice(["row_number({1})", "rank({1})"] if own else RANKS)
            partition, order = self.partition(), self.window_order("rank" not in rank or chooser.random() < 0.7)
            return named("window rank", rank + (" OVER ({0})" if own else " OVER ({0}{1})"), kind, partition, order)
        frame = self.frame()
        unit = frame.name.removeprefix("window ")
        entries = [entry for entry in AGGREGATES if entry[2] == kind and "ORDER BY" not in entry[1] and "FILTER" not in entry[1]]
        if entries and chooser.random() < 0.6:
            aggregate = self.call(chooser.choice(entries), 1)
            narrowed = chooser.random() < 0.2
            sql = "{0} FILTER (WHERE {4}) OVER ({1}{2}{3})" if narrowed else "{0} OVER ({1}{2}{3})"
            condition = (self.over_columns(self.columns).expression("bool", 1),) if narrowed else ()
            return named("window aggregate", sql, kind, aggregate, self.partition(), self.window_order(unit == "rows", unit == "range"), frame, *condition)
        value, nulls = self.over_columns(self.columns).expression(kind, 1), chooser.choice(["", "", " IGNORE NULLS"])
        if chooser.random() < 0.5:
            function, offset = chooser.choice(["lag", "lead"]), chooser.choice(["", ", 1", ", 2", ", 0", ", -1", ", c1 % 3"])
            own = chooser.random() < 0.2 and "c1" not in offset  # DuckDB crashes at such offsets, and at ntile
            sql = f"{function}({{0}}{offset}{{2}}) OVER ({{1}})" if own else f"{function}({{0}}{offset}{nulls}) OVER ({{1}}{{2}})"
            return named("window value", sql, kind, value, self.partition(), self.window_order(True))
        if unit == "range" or chooser.random() < 0.2:  # in a frame of a range, peers have no order
            function = chooser.choice(["first_value({0}{2}%s)", "last_value({0}{2}%s)", "nth_value({0}, 2{2}%s)"]) % nulls
            return named("window value", f"{function} OVER ({{1}})", kind, value, self.partition(), self.window_order(True))
        function = chooser.choice(["first_value({0}%s)", "last_value({0}%s)", "nth_value({0}, 2%s)"]) % nulls
        return named("window value", f"{function} OVER ({{1}}{{2}}{{3}})", kind, value, self.partition(), self.window_order(True), frame)

    def partition(self):
        if self.random.random() < 0.3:
            return NOTHING
        keys = [self.over_columns(self.columns).leaf(self.random.choice(KEYS)) for _ in range(self.random.choice([1, 1, 2]))]
        return clause("PARTITION BY " + ", ".join(f"{{{i}}}" for i in range(len(keys))), *keys)

    def window_order(self, wholly, by_number=False):
        """`wholly`: finally ordered by all columns, so that only equal rows are peers. `by_number`: ordered by one key to which offsets are added."""
        key = self.over_columns(self.columns).leaf("int" if by_number else self.random.choice(KEYS))
        direction = self.random.choice(DIRECTIONS)
        if by_number or not wholly:
            return Node("window order", " ORDER BY {0}" + direction, (key,))
        distinct = {"exact": "{}::VARCHAR", "text": "encode({})"}  # 0.0 and -0.0, and texts that a collation takes for equal
        others = sorted({distinct.get(kind, "{}").format(c.name) for kind, columns in self.columns.items() for c in columns})
        return Node("window order", " ORDER BY {0}" + direction + "".join(f", {name}" for name in others), (key,))

    def frame(self):
        chooser, unit = self.random, self.random.choice(UNITS)
        if chooser.random() < 0.2:
            return named(f"window {unit.lower()}", "", "frame")
        ends = [f"{number} {side}" for side in ("PRECEDING", "FOLLOWING") for number in (0, 1, 2, 50)]
        begin = chooser.choice(["UNBOUNDED PRECEDING", "CURRENT ROW", *ends])
        end = chooser.choice(["UNBOUNDED FOLLOWING", "CURRENT ROW", *ends])
        return named(f"window {unit.lower()}", f" {unit} BETWEEN {begin} AND {end}{chooser.choice(EXCLUDED)}", "frame")
