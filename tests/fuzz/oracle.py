"""DuckDB as the oracle: its answers to random queries, which of two answers are right, and the smallest statement that still differs."""

import re
import subprocess
import sys
import unicodedata
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Timer

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sql"))

import corpus  # noqa: E402
import duckdb  # noqa: E402
import engine  # noqa: E402
from corpus import Block  # noqa: E402
from expressions import AGGREGATES, BY_RULE, LAZY, LAZY_LAST, Node  # noqa: E402
from outcomes import ANSWERED, fault, outcome  # noqa: E402
from plans import MORE_AGGREGATES, Plan  # noqa: E402
from queries import Query, Table  # noqa: E402
from shapes import ITEMS, LIMIT, ORDER, walk  # noqa: E402

LONGEST = 60  # seconds of one process; more counts as a crash
PATIENCE = 1  # seconds for one answer of DuckDB
LITTLE_MEMORY = 8 << 20  # bytes, of which some operators take more for few rows
TIMES = re.compile(r"plan [0-9.]+ .* by ")  # a line of --timing


def settings(chooser, table):
    """Any target, vector size and thread count must give the answer, also if the query is repeated, or with little memory if it is enough: always for a
    wide table, whose rows need more."""
    lanes = chooser.choice(["simd", "simd", "branching", "scalar", "auto", "interleaved", "emulated"])
    return {"lanes": lanes, "vector_size": chooser.choice([None, None, 1, 2, 7]), "threads": chooser.choice([1, 2, 7]), "memory": LITTLE_MEMORY if table.is_wide() else chooser.choice([None, None, None, LITTLE_MEMORY]), "semi_joins_first": chooser.choice([False, True]),
            "times": chooser.choice([1, 1, 2])}


# Other ways to evaluate in DuckDB: a setting, another spelling (LAZY: AND, OR and BETWEEN skip what does not matter),
# and whether the way counts only if one of the two has an error.
OTHER_WAYS = [("SET disabled_optimizers = 'statistics_propagation'", {}, False), ("PRAGMA disable_optimizer", {}, True), ("", LAZY, True), ("", LAZY_LAST, True)]


def connect(table, setting=""):
    connection = duckdb.connect(config={"threads": 1})
    for statement in [*table.statements(), setting]:
        connection.execute(statement)
    return connection


def ask(connection, query, spelling={}):
    """DuckDB's answer and None, or None and its error; a query that takes too long, such as a product of many joins, is interrupted."""
    timer = Timer(PATIENCE, connection.interrupt)
    timer.start()
    try:
        return corpus.duckdb_answers(connection, [Block("query", query.ordered, "", query.text(spelling), 0)])[0], None
    except AssertionError as failure:
        return None, failure.__cause__
    finally:
        timer.cancel()


def answer_of(connection, query, spelling={}):
    """DuckDB's answer, or None if DuckDB rejects the query."""
    return ask(connection, query, spelling)[0]


def took_too_long(error):
    """Whether DuckDB's answer is unknown."""
    return isinstance(error, duckdb.InterruptException)


def broken(error):
    """Whether this is a bug of DuckDB: its database no longer answers, or a pattern has cut a character in two."""
    return isinstance(error, (duckdb.InternalException, duckdb.FatalException, UnicodeDecodeError)) or "Invalid unicode" in str(error)


def ends_duckdb(table, query):
    """Whether DuckDB may crash: its collations normalize texts, and a pattern may cut a character in two."""
    text = " ".join([query.text(), *table.settings])
    return "\\B" in text and bool(re.search(r"regexp_replace|regexp_extract", text)) and bool(re.search("nfc|noaccent", text, re.IGNORECASE))


REWRITERS = "expression_rewriter,regex_range"
REWRITTEN = re.compile(r"TRY_CAST|regexp_\w+\(|SIMILAR TO|LIKE| ~ |::VARCHAR|date_trunc")


def law(connection, query, spelling={}):
    """The right answer, or None: DuckDB's, without the optimisers that rewrite some patterns and calls of date_trunc wrongly."""
    answer = answer_of(connection, query, spelling)
    if answer is None or not REWRITTEN.search(query.text(spelling)):
        return answer
    before = connection.execute("SELECT current_setting('disabled_optimizers')").fetchone()[0]
    connection.execute(f"SET disabled_optimizers = '{','.join(filter(None, (before, REWRITERS)))}'")
    plain = answer_of(connection, query, spelling)
    connection.execute(f"SET disabled_optimizers = '{before or ''}'")
    return plain if plain and corpus.difference(answer, plain, query.ordered) else answer


def passing(connection, query):
    """The number of rows that the query's WHERE keeps; 0 if it fails."""
    try:
        condition = f"WHERE {query.where.text()}" if query.where else ""
        return connection.execute(f"SELECT count(*) FROM t {condition}").fetchone()[0]
    except duckdb.Error:
        return 0  # The whole query does not evaluate the condition, so its value is unknown.


def refused_calls(connection, node):
    """The innermost calls that DuckDB rejects even on their own."""
    if answer_of(connection, Query((node,))) is not None:
        return []
    return [name for child in node.children for name in refused_calls(connection, child)] or [node.name]


def blocks_of(table, queries, answers):
    """The number of each query, from 1, is its line."""
    return [Block("statement", False, "", sql, 0) for sql in table.statements()] + [
        Block("query" if answer else "error", query.ordered, "", query.text(), i)
        for i, (query, answer) in enumerate(zip(queries, answers), 1)]


def failures(table, queries, answers, options, spilled=None):
    """The differences between our answers and DuckDB's. `spilled` gets the number of statements of each process that used temporary files."""
    return engine.failures(blocks_of(table, queries, answers), answers, run=partial(run, spilled=spilled), **options)


def run(sql, spilled=None, **options):
    try:
        result = engine.run(sql, timeout=LONGEST, timing=spilled is not None, **options)
    except subprocess.TimeoutExpired as error:
        return subprocess.CompletedProcess(error.cmd, -9, (error.stdout or b"").decode(), f"ran for more than {LONGEST} seconds")
    if spilled is not None:
        lines = result.stderr.splitlines(keepends=True)
        times = [line for line in lines if TIMES.match(line)]
        spilled.append(sum("in temporary files" in line and "rows written" not in line for line in times))
        result.stderr = "".join(line for line in lines if line not in times)
    return result


def differs(table, query, options, setting="", spelling={}, asked=None):
    """The difference on one query, or None; where DuckDB is `asked` another query, from its answer to that."""
    with connect(table, setting) as connection:
        found = failures(table, [query], [law(connection, asked or query, spelling)], options)
    return found[0] if found else None


ORDERS = ["i DESC", "hash(i)", "hash(i) DESC", "hash(i, 1)"]
JOINS_IN_LOOPS = "SET nested_loop_join_threshold = 1_000_000"  # which DuckDB sorts otherwise, so that their rows keep one order


def depends_on_order(table, query):
    """Whether DuckDB's answer changes with the order of the table's rows."""
    with connect(table) as connection:
        answer = law(connection, query)
    for order, setting in [("", JOINS_IN_LOOPS), *((order, "") for order in ORDERS)] if answer else ():
        with connect(replace(table, order=order), setting) as connection:
            other = law(connection, query)
        if other and corpus.difference(answer, other, query.ordered):
            return True
    return False


def cuts_equal_rows(table, query, options):
    """Whether a limit takes some of several rows that are equal in the order: ordered by all columns, too, the answers agree."""
    if not isinstance(query, Plan) or query.tree.name != "select":
        return False
    parts = query.tree.children
    if not parts[ORDER].sql or not parts[LIMIT].sql:
        return False
    numbers = ", ".join(str(i + 1) for i in range(len(parts[ITEMS].children)))
    order = replace(parts[ORDER], sql=f"{parts[ORDER].sql}, {numbers}")
    return not differs(table, replace(query, tree=replace(query.tree, children=parts[:ORDER] + (order,) + parts[ORDER + 1:]), ordered=True), options)


FILTER = re.compile(r" FILTER \(WHERE ")


def without_filters(sql):
    while found := FILTER.search(sql):
        depth, end = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[end], 0)
            end += 1
        sql = sql[:found.start()] + sql[end:]
    return sql


def first_line(error):
    return str(error).partition("\n")[0]


def raises_despite_filter(table, query):
    """Whether DuckDB evaluates an aggregate's argument, and fails, for rows that its FILTER excludes."""
    plain = without_filters(query.text())
    if plain == query.text():
        return False
    with connect(table) as connection:
        try:
            connection.execute(plain)
            return False
        except duckdb.Error as error:
            return first_line(error) == first_line(ask(connection, query)[1])


# What stands for a value that raises an error: NULL, and another value, of a narrow type so that the expression keeps its own.
PRESENT = {"int": "17::TINYINT", "text": "'v'", "exact": "1.5::FLOAT", "bool": "true", "decimal": "1.5", "date": "DATE '2000-02-29'", "timestamp": "TIMESTAMP '2001-02-03 04:05:06'"}
ABSENT = dict.fromkeys(PRESENT, "NULL")
OF_SEVERAL_ROWS = {"mode", "aggregate with ORDER BY", "collated aggregate", "filter clause", "grouping()", *(entry[0] for entry in AGGREGATES + MORE_AGGREGATES)}


ESCAPED = re.compile(r"LIKE '(.*)' ESCAPE '(.*)'\)$")


def has_bad_escape(node):
    """Whether LIKE raises an error that TRY does not catch."""
    found = ESCAPED.search(node.sql)
    return bool(found and found[2] and (len(found[2].encode()) > 1 or found[1].endswith(found[2])))


def changed(node, change):
    """The tree with change(node) in the place of each node that has one, from the root on."""
    other = change(node)
    return replace(node, children=tuple(changed(child, change) for child in node.children)) if other is None else other


def without_bad_escapes(tree, values):
    return changed(tree, lambda node: Node(node.kind, values[node.kind]) if has_bad_escape(node) else None)


def without_errors(tree, values):
    """The tree with one of the `values` for each that raises an error."""
    def is_of_several_rows(node):
        return node.kind in ("query", "frame") or node.name in OF_SEVERAL_ROWS or " OVER (" in node.sql

    def safe(node):
        if node.name and node.kind in values and not any(map(is_of_several_rows, walk(node))):
            return Node(node.kind, f"coalesce(TRY([{{0}}]), [{values[node.kind]}])[1]", (node,))
        return None
    return changed(tree, safe)


def needs_no_value_that_fails(table, query, options):
    """Whether ours is DuckDB's answer whatever the values are that raise its error."""
    if not isinstance(query, Plan):
        return False
    others = [replace(query, tree=without_errors(without_bad_escapes(query.tree, values), values)) for values in (ABSENT, PRESENT)]
    return query not in others and not any(differs(table, query, options, asked=other) for other in others)


def needs_no_bad_escape(table, query):
    """Whether DuckDB's answer is the same whatever LIKE with a bad escape gives."""
    if not isinstance(query, Plan):
        return False
    others = [replace(query, tree=without_bad_escapes(query.tree, values)) for values in (ABSENT, PRESENT)]
    with connect(table) as connection:
        answer = law(connection, query)
        found = [law(connection, other) for other in others]
    return query not in others and answer and all(other and not corpus.difference(answer, other, query.ordered) for other in found)


def answered_in_two_ways(table, query, options, reason):
    """Whether another way to evaluate in DuckDB gives our answer."""
    # Equal intervals may be printed in two ways, so ties in their order are visible.
    by_order = isinstance(query, Plan) and "exit code" not in reason or query.ordered and "(INTERVAL)" in reason
    if by_order and (depends_on_order(table, query) or cuts_equal_rows(table, query, options)):
        return True
    if outcome(reason) == ANSWERED and (raises_despite_filter(table, query) or needs_no_value_that_fails(table, query, options)):
        return True
    if "invalid ESCAPE" in reason and needs_no_bad_escape(table, query):
        return True
    if are_equal_by_collation(table, query, options, reason):
        return True
    if re.search(r"ILIKE.*chr\(0\)", query.text()):  # The escape character if a column is not all ASCII.
        return True
    return any(not differs(table, query, options, setting, spelling) for setting, spelling, for_errors in OTHER_WAYS
               if not for_errors or "exit code" in reason)


TEXTS = re.compile(r": '(.*)', DuckDB has '(.*)'")


FOLDED = "SELECT regexp_replace(lower(strip_accents(replace(COLUMNS(*)::VARCHAR, chr(0), 'NUL'))), '^-(0.0|nan)$', '\\1') FROM ({0})"


def are_equal_by_collation(table, query, options, reason):
    """Whether the answers are texts that a collation takes for the same, of which either may come first."""
    if not re.search("COLLATE|default_collation", " ".join([query.text(), *table.statements()])):
        return False
    if isinstance(query, Plan) and not differs(table, Plan(Node("query", FOLDED, (query.tree,))), options):
        return True
    found = TEXTS.search(reason)
    if not found:
        return False
    ours, theirs = ("".join(c for c in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(c)) for text in found.groups())
    return ours == theirs


OVERFLOW = re.compile(r"Overflow in subtraction of UINT128 \((\d+) - (\d+)\)")


def lets_wrap(reason):
    """Whether ours is the error for what DuckDB lets wrap: a UHUGEINT less one of the 2^64 largest, borrowing from the upper half."""
    found = OVERFLOW.search(reason)
    if not found:
        return False
    (_, low), (high, borrowed) = (divmod(int(number), 1 << 64) for number in found.groups())
    return high == (1 << 64) - 1 and borrowed > low


def loses_sign(query, reason):
    """Whether DuckDB has 0.0 for -0.0: its sort rebuilds a key from bytes in which the two are equal. Or its JSON, which we print, has 0 for a BIGNUM
    that is -0, as a DOUBLE between 0 and -1 becomes. Or a text has the sign of a NaN, which is none."""
    if "(BIGNUM): '0', DuckDB has '-0'" in reason or re.search("'-?nan', DuckDB has '-?nan'", reason):
        return True
    text = query.text()
    of_text = "-0.0" in text and re.search(r": '-[^']*', DuckDB has '[^-]", reason)
    return "ORDER BY" in text and bool(of_text or re.search(r": '-0\.0', DuckDB has '0\.0'", reason))


def cuts_at_nul(table, query, options, reason):
    """Whether DuckDB takes a string only up to its first NUL byte, where a collation or function changes the string."""
    if not re.search("NOACCENT|NFC|strip_accents", " ".join([query.text(), *table.statements()]), re.IGNORECASE):
        return False
    found = TEXTS.search(reason)
    if found and "\\x00" in found[1] and found[1].partition("\\x00")[0] == found[2]:
        return True
    columns = tuple((name, kind, value.replace("chr(0)", "chr(1)"), nulls) for name, kind, value, nulls in table.columns)
    other = replace(query, tree=without_nul(query.tree)) if isinstance(query, Plan) else query
    return (columns, other) != (table.columns, query) and not differs(replace(table, columns=columns), other, options)


def without_nul(node):
    return replace(node, sql=node.sql.replace("chr(0)", "chr(1)"), children=tuple(map(without_nul, node.children)))


SET_OPERATION = re.compile(r"\) (EXCEPT|INTERSECT)")


def without_collations(node, of_operand=False):
    """The tree with plain columns for those that have a collation in an operand of EXCEPT or INTERSECT."""
    if of_operand and node.name == "collated item":
        return node.children[0]
    inside = of_operand or bool(SET_OPERATION.search(node.sql))
    return replace(node, children=tuple(without_collations(child, inside) for child in node.children))


def drops_collation(table, query, options):
    """Whether DuckDB compares bytes where a column of EXCEPT or INTERSECT has a collation: without it the answers agree."""
    if not isinstance(query, Plan):
        return False
    plain = replace(query, tree=without_collations(query.tree))
    return plain != query and not differs(table, plain, options)


FRAME = re.compile(r" (ROWS|RANGE|GROUPS) BETWEEN (CURRENT ROW|\d+ \w+) AND (CURRENT ROW|\d+ \w+)")


def offset(bound):
    number, _, side = bound.partition(" ")
    return 0 if number == "CURRENT" else int(number) * (1 if side == "FOLLOWING" else -1)


def with_empty_frames(tree):
    """The tree with a frame beyond the last row for each that ends before it begins."""
    def empty(node):
        found = FRAME.match(node.sql)
        if found and offset(found[2]) > offset(found[3]):
            return replace(node, sql=f" {found[1]} BETWEEN 1000000000 FOLLOWING AND 1000000000 FOLLOWING")
        return None
    return changed(tree, empty)


def counts_below_zero(table, query, options):
    """Whether DuckDB takes rows for those of a frame that ends before it begins."""
    if not isinstance(query, Plan):
        return False
    other = replace(query, tree=with_empty_frames(query.tree))
    return other != query and not differs(table, query, options, asked=other)


def duckdb_is_wrong(table, query, options, reason):
    """Whether this is one of the cases of decision 2, or a zero that was sorted."""
    return counts_below_zero(table, query, options) or lets_wrap(reason) or loses_sign(query, reason) or cuts_at_nul(table, query, options, reason) or drops_collation(table, query, options) or (query.text(BY_RULE) != query.text() and not differs(table, query, options, spelling=BY_RULE))


def fails(table, query, options, kind):
    """The difference on one query, if the outcome is of this kind and neither answer is right."""
    with connect(table) as connection:
        if broken(ask(connection, query)[1]):
            return None
    reason = differs(table, query, options)
    if not reason or fault(reason) != kind or duckdb_is_wrong(table, query, options, reason):
        return None
    return None if answered_in_two_ways(table, query, options, reason) else reason


def smaller_tables(table):
    if table.settings:
        yield replace(table, settings=())
        yield from (replace(table, settings=tuple(s for s in table.settings if s != setting)) for setting in table.settings)
    if table.file:
        yield replace(table, file="")
    yield from (replace(table, rows=rows) for rows in (0, 1, 2, 5, 20, 100) if rows < table.rows)
    if len(table.columns) > 1:
        yield from (replace(table, columns=tuple(c for c in table.columns if c != column)) for column in table.columns)


def minimal(table, query, options, tries=200):
    """The smallest table and query with an outcome of the same kind."""
    reason, again = differs(table, query, options), True
    kind = reason and fault(reason)
    while again and tries > 0 and reason:
        again = False
        for candidate in [(table, q) for q in query.smaller()] + [(t, query) for t in smaller_tables(table)]:
            tries -= 1
            found = fails(*candidate, options, kind)
            if found:
                table, query, reason, again = *candidate, found, True
                break
            if tries <= 0:
                break
    return table, query, reason
