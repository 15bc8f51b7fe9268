"""Random tables and queries over them."""

from dataclasses import dataclass, field, replace

from expressions import AGGREGATES, FUNCTIONS, Column, Node, chance, smaller

# SQL type: kind, value of row i from a hash {h} of its number. Values are small enough for sums not to overflow.
TYPES = {
    "BOOLEAN": ("bool", "{h} % 2 = 0"),
    "TINYINT": ("int32", "{h} % 21 - 10"), "SMALLINT": ("int32", "{h} % 401 - 200"), "INTEGER": ("int32", "{h} % 20001 - 10000"),
    "BIGINT": ("int", "{h} % 2000003 - 1000000"), "HUGEINT": ("int", "({h} % 1000)::HUGEINT * 100000000000000 - 7"),
    "UTINYINT": ("int32", "{h} % 100"), "USMALLINT": ("int32", "{h} % 5000"), "UINTEGER": ("int32", "{h} % 70000"),
    "UBIGINT": ("int", "{h} % 900000"), "UHUGEINT": ("int", "({h} % 500)::UHUGEINT * 10000000000000"),
    "FLOAT": ("exact", "({h} % 4001 - 2000) / 8"), "DOUBLE": ("exact", "({h} % 400001 - 200000) / 16"),
    "DECIMAL(4,1)": ("decimal", "({h} % 1001 - 500) / 10"), "DECIMAL(9,2)": ("decimal", "({h} % 20001 - 10000) / 100"),
    "DECIMAL(18,3)": ("decimal", "({h} % 2000001 - 1000000) / 1000"), "DECIMAL(30,2)": ("decimal", "({h} % 2000001 - 1000000) / 100"),
    "DECIMAL(38,0)": ("decimal", "({h} % 2000001 - 1000000)::HUGEINT * 1000000"),
    "VARCHAR": ("text", None),
    "DATE": ("date", "DATE '1965-01-01' + ({h} % 20000)::INTEGER"), "TIME": ("time", "TIME '00:00:00' + to_seconds(({h} % 86400)::BIGINT)"),
    "TIMESTAMP": ("timestamp", "TIMESTAMP '1969-06-01' + to_milliseconds(({h} % 2000000000)::BIGINT * 700)"),
    "TIMESTAMP_S": ("timestamp", "TIMESTAMP '1999-12-31' + to_seconds(({h} % 900000)::BIGINT)"),
    "TIMESTAMP_MS": ("timestamp", "TIMESTAMP '1960-01-01' + to_milliseconds(({h} % 2000000000)::BIGINT * 333)"),
    "TIMESTAMP_NS": ("timestamp", "TIMESTAMP '2001-01-01' + to_microseconds(({h} % 1000000007)::BIGINT * 1001)"),
    "TIMESTAMPTZ": ("zoned", "to_timestamp(({h} % 1000003)::BIGINT * 1000.5)"),
    "INTERVAL": ("interval", "to_hours(({h} % 200)::BIGINT)"), "BLOB": ("blob", "encode('b' || ({h} % 30))"),
    "ENUM('b', 'a', 'C')": ("enum", "['b', 'a', 'C'][{h} % 3 + 1]"), "BIT": ("bits", "({h} % 50)::INTEGER::BIT"),
    "BIGNUM": ("bignum", "({h} % 2000003 - 1000000)::BIGNUM"),
    "TIME WITH TIME ZONE": ("clock", "((TIME '00:00:00' + to_seconds(({h} % 86400)::BIGINT))::VARCHAR || ['+00', '+02', '-05:30'][{h} % 3 + 1])"),
}
TEXTS = [
    "['', 'a', 'b', 'ab', 'abc', 'aab', 'A', 'Abc', 'ba c', ' a ', '12', '-7', '2020-01-31', 'é', 'aéb', '日本', '日ab'][{h} % 17 + 1]",
    "repeat(chr((97 + {h} % 3)::INTEGER), ({h} // 7 % 40)::INTEGER)",
    "'key ' || ({h} % 50) || '/' || chr((97 + {h} % 26)::INTEGER)",
    "concat(chr((97 + {h} % 4)::INTEGER), chr((97 + {h} // 5 % 4)::INTEGER), chr((97 + {h} // 31 % 4)::INTEGER))",
]
# int32 is an int that can be multiplied and summed without overflow.
ALSO = {"int32": ["int32", "int"]}


# Types that a Parquet file returns as other types.
NOT_IN_PARQUET = ("HUGEINT", "UHUGEINT", "TIMESTAMP_S", "INTERVAL", "ENUM('b', 'a', 'C')", "BIT", "BIGNUM", "TIME WITH TIME ZONE")


WIDE = "wide"


@dataclass(frozen=True)
class Table:
    rows: int
    columns: tuple  # (name, type, value, one of this many rows is NULL; 0: none)
    file: str = ""  # the Parquet file that it is read from, if it is
    settings: tuple = ()  # statements
    order: str = ""  # of the rows, by their number i

    def statements(self):
        return [*self.made(), *self.settings]

    def made(self):
        values = [f"(CASE WHEN hash(i, '{name}') % {nulls} = 0 THEN NULL ELSE {value} END)::{kind} AS {name}" if nulls else
                  f"({value})::{kind} AS {name}" for name, kind, value, nulls in self.columns]
        rows = f"SELECT {', '.join(values)} FROM range({self.rows}) r(i){self.order and f' ORDER BY {self.order}'}"
        if not self.file:
            return [f"CREATE OR REPLACE TABLE t AS {rows}"]
        return [f"COPY ({rows}) TO '{self.file}' (FORMAT parquet, ROW_GROUP_SIZE 2048)",
                f"CREATE OR REPLACE VIEW t AS SELECT {self.read_back()} FROM '{self.file}'"]

    def wide(self):
        """With rows that need temporary files in little memory: functions do not read the long strings, so queries are as fast."""
        return replace(self, rows=2500, columns=(*self.columns, (WIDE, "VARCHAR", "repeat(md5((i % 1700)::VARCHAR), 75)", 9)))

    def is_wide(self):
        return any(name == WIDE for name, *_ in self.columns)

    def changed(self):
        return [setting.rpartition(" = ")[0] for setting in self.settings]

    def read_back(self):
        changed = [f"{name}::{kind} AS {name}" for name, kind, *_ in self.columns if kind in NOT_IN_PARQUET]
        return f"* REPLACE ({', '.join(changed)})" if changed else "*"

    def kinds(self, with_nulls):
        """The columns of each kind; `with_nulls` names those with a NULL."""
        by_kind = {}
        for name, kind, *_ in self.columns:
            if name == WIDE:
                continue
            values = TYPES.get(kind.partition(" COLLATE")[0], ["text"])[0]
            for k in ALSO.get(values, [values]):
                by_kind.setdefault(k, []).append(Column(name, kind, name in with_nulls))
        return by_kind


def random_table(random, hits, file):
    """At least one column with NULLs of each kind of values; mostly of the least used types."""
    rows = random.choice([0, 1, 7, 31, 32, 33, 63, 64, 65, 100, 200, 200, 300, 500, 500, 1000, 2048, 2049, 4000, 5000])
    by_kind = {}
    for kind in sorted(TYPES, key=lambda t: (hits[f"type {t}"] // 20, random.random())):
        by_kind.setdefault(TYPES[kind][0], []).append(kind)
    picked = [(kinds.pop(0), [2, 3, 4, 6, 10]) for kinds in by_kind.values()]
    rest = [kind for kinds in by_kind.values() for kind in kinds]
    picked += [(kind, [0, 0, 0, 3, 6]) for kind in random.sample(rest, random.randint(2, 7))]
    picked.append(("VARCHAR", [0]))
    columns = []
    for k, (kind, shares) in enumerate(picked):
        value = (TYPES[kind][1] or random.choice(TEXTS)).format(h=f"(hash(i, {k}) % 1000003)::BIGINT")
        columns.append((f"c{k}", kind, value, random.choice(shares)))
    return Table(rows, tuple(columns), file if chance(random, 0.25, hits["parquet"]) else "")


@dataclass(frozen=True)
class Query:
    select: tuple  # of Node
    where: Node = None
    group: tuple = ()
    aggregates: tuple = ()
    having: Node = None
    distinct: bool = False
    ordered: bool = False
    directions: tuple = ()
    limit: int = None
    offset: int = None
    union: Node = None  # a second branch, with this condition
    nested: str = ""  # "cte", "cte read twice", "subquery", "aggregate over"
    features: tuple = field(default=(), compare=False)

    def items(self):
        return [*self.group, *self.aggregates] if self.aggregates or self.group else [*self.select]

    def text(self, spelling={}):
        items, source = self.items(), "t"
        listed = ", ".join(f"{node.text(spelling)} AS x{i}" for i, node in enumerate(items))
        condition = f" WHERE {self.where.text(spelling)}" if self.where else ""
        sql = f"SELECT {'DISTINCT ' if self.distinct else ''}{listed} FROM {source}{condition}"
        if self.group:
            sql += " GROUP BY " + ", ".join(str(i + 1) for i in range(len(self.group)))
        if self.having:
            sql += f" HAVING {self.having.text(spelling)}"
        if self.union:
            sql += f" UNION ALL SELECT {listed} FROM t WHERE {self.union.text(spelling)}"
        if self.nested == "cte":
            sql = f"WITH q AS ({sql}) SELECT * FROM q"
        elif self.nested == "cte read twice":
            sql = f"WITH q AS MATERIALIZED ({sql}) SELECT * FROM q UNION ALL SELECT * FROM q"
        elif self.nested == "subquery":
            sql = f"SELECT * FROM ({sql})"
        if self.ordered:
            # By every column: tied rows are then equal, so the order has one answer.
            sql += " ORDER BY " + ", ".join(f"{i + 1} {d}" for i, d in zip(range(len(items)), self.directions))
        if self.limit is not None:
            sql += f" LIMIT {self.limit}" + (f" OFFSET {self.offset}" if self.offset else "")
        if self.nested == "aggregate over":
            listed = ", ".join(f"count(x{i}) AS n{i}, min(x{i}) AS l{i}" for i in range(len(items)))
            sql = f"SELECT count(*) AS n, {listed} FROM ({sql})"
        return sql

    def with_wide(self, random):
        """The query over the wide column, too."""
        column = Node("text", WIDE)
        wider = replace(self, directions=(*self.directions, ""))
        if self.group and random.random() < 0.5:
            return replace(wider, group=(*self.group, column))
        if self.group or self.aggregates:
            call = random.choice(["max({0})", "count(DISTINCT {0})", "md5(string_agg({0}, '' ORDER BY {0}))", "len(list({0}))"])
            return replace(wider, aggregates=(*self.aggregates, Node("text", call, (column,))))
        return replace(wider, select=(*self.select, column))

    def nodes(self):
        return [n for n in (*self.select, self.where, *self.group, *self.aggregates, self.having, self.union) if n]

    def smaller(self):
        """Simpler queries."""
        for change in ({"limit": None, "offset": None}, {"ordered": False}, {"nested": ""}, {"union": None}, {"distinct": False},
                       {"having": None}, {"where": None}):
            if change.get("ordered") is False and self.limit is not None:
                continue
            less = replace(self, **change)
            if less != self:
                yield less
        for part in ("select", "group", "aggregates"):
            items = getattr(self, part)
            if len(items) > 3:
                for item in items:
                    yield replace(self, **{part: (item,)})
            if len(items) > 1 or (part != "select" and items and len(self.group) + len(self.aggregates) > 1):
                for i in range(len(items)):
                    yield replace(self, **{part: items[:i] + items[i + 1:]})
            for i, node in enumerate(items):
                for less in smaller(node):
                    yield replace(self, **{part: items[:i] + (less,) + items[i + 1:]})
        for part in ("where", "having", "union"):
            if getattr(self, part):
                for less in smaller(getattr(self, part)):
                    yield replace(self, **{part: less})


def random_query(random, generator):
    features = []

    def has(feature, share):
        if not chance(random, share, generator.hits[feature]):
            return False
        features.append(feature)
        return True

    generator.planned.clear()
    kinds = ("int", "text", "exact", "bool", "decimal", "date", "timestamp", "zoned", "time", "interval", "blob", "enum", "bits", "clock", "bignum")
    results = (*kinds, "inexact") if random.random() < 0.35 else kinds
    where = generator.expression("bool", 3) if has("where", 0.4) else None
    group, aggregates, select, having = (), (), (), None
    if has("aggregate", 0.65 if generator.least(AGGREGATES) < generator.least(FUNCTIONS) else 0.35):
        if has("group by", 0.6):
            # A literal as a key would mean the number of a column.
            group = tuple(k for k in (generator.expression(random.choice(kinds), 1) for _ in range(random.randint(1, 4))) if k.columns())
            features += ["group by many"] if len(group) > 2 else []
        aggregates = tuple(generator.aggregate(results, 2) for _ in range(random.randint(8, 16)))
        if group and has("having", 0.3):
            having = Node("bool", random.choice(["count(*) > 1", "count(*) % 2 = 0", "min(c0) IS NOT NULL"]))
    else:
        select = tuple(generator.needed(results, 3) for _ in range(random.randint(8, 20)))
    items = select or group + aggregates
    exact = all(node.kind != "inexact" for node in items)
    distinct = not aggregates and exact and has("distinct", 0.3)
    union = generator.expression("bool", 2) if not distinct and not aggregates and has("union all", 0.15) else None
    nested = random.choice(["cte", "cte read twice", "subquery", "aggregate over"])
    nested = nested if has(nested, 0.35) else ""
    ordered = exact and has("order by", 0.6)
    directions = tuple(random.choice(["", "DESC", "NULLS FIRST", "DESC NULLS LAST", "DESC NULLS FIRST"]) for _ in items)
    if ordered:
        features += [name for word, name in (("DESC", "descending"), ("NULLS FIRST", "nulls first"), ("NULLS LAST", "nulls last"))
                     if any(word in d for d in directions)]
    limit = offset = None
    if ordered and has("limit", 0.5):
        limit = random.choice([0, 1, 3, 10, 100, 5000])
        offset = random.choice([None, 1, 2, 30]) if limit else None
        if offset:
            features.append("offset")
    return Query(select, where, group, aggregates, having, distinct, ordered, directions, limit, offset, union, nested,
                 tuple(features))
