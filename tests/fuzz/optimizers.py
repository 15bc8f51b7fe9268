"""./dev fuzz sql --optimizers: where DuckDB's answer changes if an optimizer is switched off. Needs no engine."""

import random
from collections import Counter, defaultdict
from dataclasses import replace

from odd_values import odd_table
from oracle import ask, broken, connect, corpus, depends_on_order, smaller_tables
from plans import PlanGenerator, is_collated, pattern_query, random_plan

PER_TABLE = 50

def disagreement(answer, other, query):
    """The difference between two outcomes; all errors count as equal."""
    (rows, error), (others, other_error) = answer, other
    if broken(error) or broken(other_error):
        return f"internal error: {str(error or other_error)[:200]}"
    if error or other_error:
        return None if error and other_error else f"only an error: {str(error or other_error).splitlines()[0][:200]}"
    return None if rows.rows == others.rows else corpus.difference(others, rows, query.ordered)


def outcome_without(table, query, optimizer):
    with connect(table) as connection:
        disable(connection, [optimizer])
        return ask(connection, query)


def disable(connection, names):
    connection.execute(f"SET disabled_optimizers = '{','.join(names)}'")


def disagrees(table, query, optimizer, kind=None):
    with connect(table) as connection:
        normal = ask(connection, query)
    found = disagreement(normal, outcome_without(table, query, optimizer), query)
    return found if found and kind in (None, kind_of(found)) else None


def kind_of(found):
    return found.partition(":")[0] if found.startswith(("internal error", "only an error")) else "different"


def minimal(table, query, optimizer, tries=400):
    found, again = disagrees(table, query, optimizer), True
    kind = found and kind_of(found)
    while again and found and tries > 0:
        again = False
        for candidate in [(t, query) for t in smaller_tables(table)] + [(table, q) for q in query.smaller()]:
            tries -= 1
            less = disagrees(*candidate, optimizer, kind)
            if less and not (kind == "different" and depends_on_order(*candidate)):
                table, query, found, again = *candidate, less, True
                break
            if tries <= 0:
                break
    return table, query, found


def main(seed, count, show):
    found, asked, number = defaultdict(list), 0, 0
    while asked < count:
        chooser = random.Random(f"{seed} optimizers {number}")
        number += 1
        table = replace(odd_table(chooser, Counter()), settings=())
        kinds = table.kinds({c[0] for c in table.columns if c[3]})
        connection = connect(table)
        names = [row[0] for row in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()]
        hits = Counter()
        for _ in range(min(PER_TABLE, count - asked)):
            asked += 1
            if chooser.random() < 0.75:
                query = pattern_query(PlanGenerator(chooser, kinds, hits, Counter()))
            else:
                query = random_plan(chooser, kinds, hits, Counter(), is_collated(table))
            normal = ask(connection, query)
            for name in [] if broken(normal[1]) else names:
                disable(connection, [name])
                other = ask(connection, query)
                why = disagreement(normal, other, query)
                if why and not (kind_of(why) == "different" and depends_on_order(table, query)):
                    found[name, kind_of(why)].append((table, query))
                if broken(other[1]):
                    connection = connect(table)
            if broken(normal[1]):
                found["(with all of them)", "internal error"].append((table, query))
                connection = connect(table)
            disable(connection, [])
            if asked % 500 == 0:
                print(f"{asked} of {count} asked", flush=True)
        connection.close()
    report(found, show)
    print(f"{asked} queries; DuckDB disagrees with itself {sum(map(len, found.values()))} times")
    return 0


def report(found, show):
    """The smallest case of each optimizer and kind."""
    for (name, kind), cases in sorted(found.items()):
        print(f"\n{name}, {kind}: {len(cases)}")
        seen = set()
        for table, query in cases[:show * 3]:
            if name.startswith("("):
                print(f"  {query.text()}")
                continue
            table, query, why = minimal(table, query, name)
            text = query.text()
            if why and text not in seen and len(seen) < show:
                seen.add(text)
                statements = "".join(f"  {sql};\n" for sql in [*table.statements(), text])
                why = why.replace("ours  ", "without it").replace("DuckDB", "with the optimizer").replace("\n", "\n    ")
                print(f"{statements}    {why}")
