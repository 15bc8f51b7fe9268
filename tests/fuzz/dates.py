"""./dev fuzz dates: every function of dates, times, timestamps and intervals over columns of values from their whole ranges, against DuckDB.

    tests/fuzz/dates.py --calls 2000 --seed 1

A call must give DuckDB's value for each row, and fail for the rows for which DuckDB raises an error.
"""

import argparse
import concurrent.futures
import os
import re
import sys
from random import Random

import all_types
from oracle import corpus, engine

ROWS, RAISING = 150, 4  # rows of the table; of those for which DuckDB raises, so many for each call
I32, I64, DAY = 2**31 - 1, 2**63 - 1, 86_400_000_000
PARTS = """millennium century decade year quarter month week day hour minute second millisecond microsecond dow isodow doy isoyear yearweek era epoch julian
    timezone timezone_hour timezone_minute nonsense""".split()
PART_FUNCTIONS = [*PARTS[:13], "nanosecond", "dayofweek", "dayofmonth", "weekday", "weekofyear", "dayofyear", *PARTS[14:-1], "epoch_ms", "epoch_us", "epoch_ns",
                  "last_day", "dayname", "monthname", "isfinite", "isinf"]
FORMATS = ["%Y", "%G", "%y %-y", "%V %U %W", "%j %-j", "%u %w %a %A", "%b %B %m %-m %d %-d", "%H %I %-H %-I %p %M %-M %S %-S", "%f %g", "%c", "%x %X", "%%z%z",
           "%Y-%m-%d %H:%M:%S.%f", "%G-W%V-%u"]
READ = ["%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%d/%m/%y %I:%M %p", "%Y-%m-%d %H:%M:%S%z", "%Y %j", "%b %d %Y", "%c"]
UNITS = "millennia centuries decades years quarters months weeks days hours minutes seconds milliseconds microseconds".split()
# Types of columns, by the first letters of their names.
TYPES = {"d": "DATE", "ts": "TIMESTAMP", "tz": "TIMESTAMP WITH TIME ZONE", "s": "TIMESTAMP_S", "ms": "TIMESTAMP_MS", "ns": "TIMESTAMP_NS", "t": "TIME", "tt": "TIME WITH TIME ZONE",
         "tn": "TIME_NS", "iv": "INTERVAL", "i": "BIGINT", "n": "INTEGER", "y": "BIGINT", "m": "BIGINT", "h": "BIGINT", "f": "DOUBLE", "p": "VARCHAR", "x": "VARCHAR"}
MOMENTS = ["d", "ts", "tz", "s", "ms", "ns"]
CLOCKS = ["t", "tt", "tn"]

# Where both differ: calls, a condition for the rows that are left out, and why. {0}, {1}, … are the groups of the pattern, {call} is the call.
DOUBLES = "abs(epoch_us({})) > 9007199254740991000"
KNOWN = [(re.compile(pattern), rows, reason) for pattern, rows, reason in (
    (r"\b(tz[12])\b", DOUBLES.format("{0}"), "decision 2: DuckDB counts milliseconds in a DOUBLE, which has only the even ones there"),
    (r"make_timestamptz\(i([12])\)", "abs(i{0}) > 9007199254740991000", "the same"),
    (r"\b((?:ts|s|ms)[12])(?:::| AS )TIMESTAMP WITH|tz[12] \S+ ((?:ts|s|ms|d)[12])|\b((?:ts|s|ms|d)[12]) \S+ tz[12]", DOUBLES.format("TRY([coalesce({0}, {1}, {2})::TIMESTAMP])[1]"), "the same"),
    (r"(d[12]) \+ tt[12]|tt[12] \+ (d[12])", "coalesce({0}, {1}) < '290309-12-23 (BC)'", "the same"),
    (r"make_timestamptz|TIME ZONE|tt[12]|tz[12] [+-]|\+ tz[12]|date_add.tz", DOUBLES.format("TRY_CAST(TRY([{call}])[1]::VARCHAR AS TIMESTAMPTZ)"), "the same"),
    (r"(?:year|decade|century|millennium|quarter|date_\w+\(p[12]).*\btz[12]", "least(tz1, tz2) < '0001-01-01'", "decision 2: DuckDB counts some years before Christ upwards"),
    (r"date_(?:diff|sub)\(.*\btz[12]", "abs(epoch(tz1) - epoch(tz2)) > 9.2e12", "decision 2: DuckDB wraps"),
    (r"tz[12] - ((?:tz|ts|ns|d)[12])", "epoch_us(tz1) % 1000 <> coalesce(TRY([epoch_us({0}::TIMESTAMP)])[1], 0) % 1000", "decision 2: DuckDB counts days of milliseconds"),
    (r"tz1.*iv[12]|iv[12].*tz1", "epoch_us(tz1) % 1000 <> 0 AND strftime(tz1::TIMESTAMP, '%H:%M:%S.%g') IN ('23:59:59.999', '00:00:00.000')", "the same"),
    (r"age\(tz1, tz2\)", "isinf(tz1) OR isinf(tz2)", "decision 2: DuckDB has numbers for infinity"),
    (r"tz[12].*(iv[12])|(iv[12]).*tz[12]", "abs(year(coalesce({0}, {1}))) > 500000 OR abs(epoch(tz1)) + 3600.0 * abs(hour(coalesce({0}, {1}))) > 9e12", "DuckDB's calendar wraps"),
    (r"d[12] [+-] n[12]|n[12] \+ d[12]", "TRY([{call}])[1] < '-infinity'", "DuckDB has a date before -infinity"),
    (r"- (iv[12])", "TRY([-{0}]) IS NULL", "DuckDB takes -2^63 for its own negative"),
    (r"strftime\((ts[12])", "epoch_us({0}) < -9223372022400000000", "DuckDB has no midnight for these and raises an error"),
    (r"(?:strftime|nanosecond)\((ns[12])", "epoch_ns({0}) < -9223286400000000000", "the same"),
    (r"strftime\((\w+[12]).*%G", "TRY([year({0})])[1] NOT BETWEEN 1 AND 9998", "decision 2: DuckDB prints four digits of a number without a sign"),
    (r"(?:week|isoyear).*\b(d[12])|strftime\((d[12]).*%[GVUW]", "least({0}, {1}, d1, d2) < '5877641-01-01 (BC)'", "the year's first day is no date: DuckDB raises an error"),
)]


def number(chooser, edges, most):
    """One of the whole range, of a small one, or near an edge."""
    way = chooser.random()
    if way < 0.3:
        return chooser.randint(-most, most)
    if way < 0.5:
        return chooser.randint(-10 ** chooser.randint(0, 17), 10 ** chooser.randint(0, 17)) % (most + 1) * chooser.choice([1, -1])
    return max(-most, min(most, chooser.choice(edges) + chooser.choice([0, 0, 1, -1, chooser.randint(-400, 400)])))


# Days of the calendar's corners: epoch, years 1 and 0, leap days, ends of years, the ends of timestamps in us and ns.
DAYS = [0, -719162, -719528, -719468, 59, 11016, -25509, 19782, 16436, 18627, -106751991, 106751991, -106752, 106751, I32, -I32]
MICROS = [day * DAY for day in DAYS[:-2]] + [I64, -I64, -9223372022400000000, 1000, 10**6, 500, 10**9, -(2**53), 2**53, I64 // 1000, 60 * 10**6 - 1]
SPANS = {"months": [0, 1, -1, 12, 13, 1200, I32, -I32], "days": [0, 1, -1, 30, 31, 365, 106751991, I32, -I32], "microseconds": [0, 1, -1, DAY, -DAY, 3_600_000_000, I64, -I64]}


def moment(chooser):
    micros = number(chooser, MICROS, I64)
    if abs(micros) == I64:
        return f"'{'-' if micros < 0 else ''}infinity'::TIMESTAMP"
    return f"make_timestamp({micros if chooser.random() < 0.7 else int(micros / DAY) * DAY}::BIGINT)"


def clock(chooser):
    return chooser.choice([0, 1, DAY, DAY - 1, DAY // 2, 3_599_999_999, chooser.randint(0, DAY)])


def text(chooser):
    """What may be read as a date, a time, a timestamp or an interval."""
    pick, digits = chooser.choice, lambda most: f"{chooser.randint(0, most):02}"
    year = str(pick([2024, 1, 0, 44, 1969, 9999, 290308, 290309, 294246, 294247, 5877641, 5881580, chooser.randint(0, 300000)])).rjust(4, "0")
    day = pick(["", "", "", "-"]) + pick([f"{year}-{digits(13)}-{digits(31)}", f"{year}-12-31", f"{year}-02-29", "290309-12-22", "294247-01-10", "1970-01-01", "epoch", "infinity", "5881580-07-10"])
    time = pick(["00:00:00", "23:59:59.9999999", "24:00:00", f"{digits(25)}:{digits(61)}:{digits(61)}", f"{digits(23)}:{digits(59)}:{digits(59)}.{digits(10**9)}", "04:00:54.775807", "12:34"])
    zone = pick(["", "", "", "Z", "+00", "-15:59:59", "+01:30", " UTC"])
    span = f"{number(chooser, SPANS['months'], I32)} months {number(chooser, SPANS['days'], I32)} days {number(chooser, SPANS['microseconds'], I64)} us"
    bc = pick(["", "", " (BC)"])
    return pick([day + bc, f"{day}{bc} {time}{zone}", f"{day}{bc} {time}{zone}", time + zone, span, f"{span} ago", f"{digits(400)}:{time}"])


def value(kind, chooser):
    pick = chooser.choice
    if chooser.random() < 0.05:
        return "NULL"
    if kind == "d":
        return f"make_date({number(chooser, DAYS, I32 if chooser.random() < 0.5 else 106751991)}::INTEGER)"
    if kind in ("ts", "s", "ms"):
        return f"{moment(chooser)}::{TYPES[kind]}"
    if kind == "tz":
        return moment(chooser).replace("make_timestamp", "make_timestamptz").replace("::TIMESTAMP", "::TIMESTAMPTZ")
    if kind == "ns":
        return re.sub("make_timestamp", "make_timestamp_ns", moment(chooser)).replace("::TIMESTAMP", "::TIMESTAMP_NS")
    if kind in CLOCKS:
        micros = clock(chooser)
        shown = f"{micros // 3_600_000_000:02}:{micros // 60_000_000 % 60:02}:{micros // 1_000_000 % 60:02}.{micros % 1_000_000:06}"
        end = {"t": "", "tt": pick(["+00", "+15:59:59", "-15:59:59", "+02"]), "tn": "" if micros == DAY else pick(["000", "001", "499", "500", "999"])}[kind]
        return f"'{shown}{end}'::{TYPES[kind]}"
    if kind == "iv":
        lowest = lambda most: -most - 1 if chooser.random() < 0.03 else None
        return " + ".join(f"to_{unit}({lowest(most) or number(chooser, SPANS[unit], most)})" for unit, most in (("months", I32), ("days", I32), ("microseconds", I64)))
    if kind == "f":
        edges = [0, 1, 59.9999995, 59.9999994, 59.9999999, 60, 60.9999999, 61, 0.5, 1e-7, 9.3e18, 9.22e12, 2147483648, 9223372036.854775, 1 / 30]
        return f"'{pick([repr(pick(edges)), repr(-pick(edges)), repr(chooser.uniform(0, 61)), repr(chooser.randint(0, 60) + 1 - pick([4, 5, 6]) * 1e-7), 'nan', 'inf'])}'::DOUBLE"
    if kind == "i":
        return str(number(chooser, [*MICROS, 0, 60, I32, 178956970, 2147483647 // 7, 2562047788, 153722867280, 9223372036854775], I64))
    if kind == "n":
        return str(number(chooser, [0, 12, 60, I32, -I32, 178956970], I32))
    if kind in ("y", "m", "h"):
        return str(pick({"y": [2024, 1900, 0, -1, 1, 294247, -290308, -290307, 5881580, -5877641, -5877640, 9999, chooser.randint(-300000, 300000)], "m": list(range(14)) + [29, 30, 31, 31],
                         "h": [*range(25), 59, 60, -1]}[kind]))
    return f"'{pick(PARTS) if kind == 'p' else text(chooser)}'"


def statements(chooser):
    """The table: constants, so that DuckDB makes them for both."""
    columns = [kind + str(i) for kind in TYPES for i in (1, 2)]
    rows = ", ".join(f"({i}, {', '.join(value(column[:-1], chooser) for column in columns)})" for i in range(ROWS))
    return ["SET TimeZone = 'UTC'", f"CREATE TABLE t(rid INTEGER, {', '.join(f'{c} {TYPES[c[:-1]]}' for c in columns)})", f"INSERT INTO t VALUES {rows}"]


def calls(chooser):
    """All kinds of calls, once each."""
    column = lambda kind: kind + chooser.choice("12")
    timed = [*MOMENTS, *CLOCKS, "iv"]
    for kind in timed:
        yield from (f"{name}({column(kind)})" for name in PART_FUNCTIONS)
        a, b, span = kind + "1", kind + "2", column("iv")
        for part in [*(f"'{part}'" for part in PARTS), column("p")]:
            yield f"date_part({part}, {column(kind)})"
            yield f"date_trunc({part}, {column(kind)})"
            yield from (f"{name}({part}, {a}, {b})" for name in ("date_diff", "date_sub"))
        yield from (f"{x} {sign} {y}" for sign in "+-" for x, y in ((a, span), (span, a), (a, b)))
        yield from (f"{x} {sign} {y}" for sign in ("<", "=", ">=") for x, y in ((a, b), (a, column(chooser.choice(MOMENTS)))))
        yield from (f"{name}({a}, {b})" for name in ("age", "least", "greatest", "hash"))
        yield f"date_add({a}, {span})"
        yield from (f"strftime({column(kind)}, '{form}')" for form in FORMATS)
        yield from (f"{a}::{to}" for to in set(TYPES.values()))
        yield from (f"TRY_CAST({b} AS {to})" for to in set(TYPES.values()))
        yield f"({b}::VARCHAR)::{TYPES[kind]}"
        for to in ("x1", "x2"):
            yield from (f"{to}::{TYPES[kind]}", f"TRY_CAST({to} AS {TYPES[kind]})")
        for width in (span, "INTERVAL 7 DAYS", "INTERVAL 3 MONTHS", "INTERVAL 90 MINUTES"):
            yield from (f"time_bucket({width}, {a})", f"time_bucket({width}, {a}, {b})", f"time_bucket({width}, {a}, {column('iv')})")
        yield from (f"{a} {sign} {other}" for sign in "+-" for other in ("n1", "t1", "tt1", "d1"))
        yield f"timezone('UTC', {a})"
    yield from (f"to_{unit}({column(kind)})" for unit in UNITS for kind in "nif")
    yield from (f"iv1 {sign} {column(kind)}" for sign in "*/" for kind in "nif")
    yield from ("i1 * iv1", "f1 * iv2", "-iv1", "normalized_interval(iv1)", "epoch_ms(i1)", "make_date(n1)", "make_date(y1, m1, m2)", "make_date(i1, m1, m2)")
    yield from (f"make_time({h}, {m}, {f})" for h in ("h1", "i1") for m in ("h2", "i2") for f in ("f1", "f2"))
    for zone in ("", "tz"):
        yield from (f"make_timestamp{zone}({y}, m1, m2, h1, h2, {f})" for y in ("y1", "y2", "i1") for f in ("f1", "f2"))
    yield from (f"make_timestamp{unit}({column('i')})" for unit in ("", "_ms", "_ns", "tz"))
    yield from (f"to_timestamp({argument})" for argument in ("f1", "f2 * 1e9", "i1", "n1"))
    for form in READ:
        yield from (f"strptime(x1, '{form}')", f"try_strptime(x2, '{form}')", f"try_strptime(strftime({column('ts')}, '{form}'), '{form}')")


def chosen(count, chooser):
    """So many calls."""
    while count > 0:
        found = list(calls(chooser))
        yield from chooser.sample(found, min(count, len(found)))
        count -= len(found)


def condition(call):
    """True for the rows in which the answers of both should be the same."""
    found = [rows.format(*(group or "NULL" for group in match.groups()), call=call) for pattern, rows, _ in KNOWN for match in pattern.finditer(call)]
    return " AND ".join(f"(({rows}) IS NOT TRUE)" for rows in found) or "true"


def asked(seed, count):
    """The table's statements; blocks of queries with DuckDB's answers, over the rows that raise nothing; queries of single rows that must fail."""
    chooser = Random(seed)
    table = statements(chooser)
    oracle, answered, raising = all_types.DuckDB(table), [], []
    for call in chosen(count, chooser):
        rows = oracle.answer(f"SELECT rid, TRY([({call})::VARCHAR]) IS NULL FROM t WHERE {condition(call)} ORDER BY rid")
        if rows is None:
            assert oracle.answer(f"SELECT {call} FROM t") is None, f"no condition for {call}: {condition(call)}"
            continue  # no such function, or DuckDB crashes
        fails = {found: [rid for rid, raised in rows[1].rows if raised == found] for found in ("true", "false")}
        kept = oracle.answer(f"SELECT rid, ({call})::VARCHAR AS x FROM t WHERE rid IN ({', '.join(fails['false'])}) ORDER BY rid") if fails["false"] else None
        answered += filter(None, [kept])
        raising += [f"SELECT $${call}$$ AS call, rid, ({call})::VARCHAR AS x FROM t WHERE rid = {rid}" for rid in chooser.sample(fails["true"], min(RAISING, len(fails["true"])))
                    if "TRY_CAST" not in call and "try_" not in call]  # decision 2: DuckDB may raise an error
    return table, answered, raising


def not_raised(table, raising, **settings):
    """Those queries of single rows that have an answer."""
    result = engine.run("".join(f"{sql};\n" for sql in [*table, *raising]), on_error="continue", **settings)
    answers = [answer.rows[0] for answer in corpus.json_answers(result.stdout)]
    found = [f"DuckDB raises an error for row {rid}, not {value!r}\n  SELECT ({call})::VARCHAR AS x FROM t WHERE rid = {rid}" for call, rid, value in answers]
    if result.returncode != (2 if raising else 0) or "a bug" in result.stderr:
        found.append(f"exit code {result.returncode}: {result.stderr[-2000:]}")
    return found


def failures(seed, count):
    """What is wrong, and how many answers were compared."""
    table, answered, raising = asked(seed, count)
    size = all_types.CALLS_PER_PROCESS
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = pool.map(lambda at: all_types.failures(table, answered[at:at + size], at // size), range(0, len(answered), size))
        found = [text for texts in parts for text in texts]
    return found + not_raised(table, raising), len(answered), len(raising)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="./dev fuzz dates", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found, *counts = failures(options.seed, options.calls)
    print("\n".join(found))
    print("{} calls and {} errors, {} failed".format(*counts, len(found)))
    sys.exit(1 if found else 0)
