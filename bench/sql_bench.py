"""SQL against DuckDB: one core, hot columns, the same run, equal answers.

Each group of queries runs over one table. A round starts each engine afresh, loads the table (not counted), runs every
query once to warm up and then REPEAT times. Rounds alternate between the engines; medians over all rounds count. Lanewise
reads the table from Parquet into its column store; DuckDB has it as a table in memory.

    ./dev bench sql                      all groups
    ./dev bench sql --group regex        one of them
    ./dev bench sql --cold               whole processes from Parquet to the answer, 2 threads
    ./dev bench sql --scaling            2 threads compared with 1, and with a plain loop that reads memory
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("LANEWISE_BUILD", ROOT / "build"))
DATA = ROOT / ".cache" / "data"
UNITS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}

LOG_PATHS = """['/', '/index.html', '/usr/share/doc/README', '/static/img/logo.png', '/static/img/photo.jpeg', '/icons/a.svg',
  '/python3/lib/test/test_re.py', '/python3.11/site-packages/pytest.py', '/lib/libssl.so.3', '/lib/libfoobar2.so.1.4',
  '/locale/de/LC_MESSAGES/app.mo', '/locale/pt_BR/LC_MESSAGES/app.mo', '/api/v2/users', '/api/v2/orders/export', '/LICENSE',
  '/docs/CHANGELOG.md', '/docs/readme.html', '/foo/barcode7', '/a/b/c/d/e/f/g/h/i.css', '/queue/sequeeia', '/download/x-2.14.tar.gz',
  '/search?q=Привет', '/search?q=日本', '/search?q=café', '/wp-login.php', '/favicon.ico', '/robots.txt', '/internationalization/configurations']"""
LOG_AGENTS = """['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'curl/7.88.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http:@@www.bing.com/bingbot.htm)', '-', 'python-requests/2.31.0']""".replace("@@", "//")
LOG_SITES = "['-', 'https:@@www.example.com/', 'https:@@search.example.org/find?term=regular+expressions', 'http:@@intranet/']".replace("@@", "//")


def pick(values, salt):
    return f"{values}[1 + (hash(i + {salt}) % len({values}))::INT]"


KEY = "(({})::BIGINT * 2654435761 % 4294967296 - 2147483648)::INT"  # a different int32 for each number below 2^32
BUILD_SIDE = "(SELECT * FROM joined WHERE i < 4194304)"


# table: how it is generated (or read from the real input)
TABLES = {
    # Every fourth run of neighbouring rows.
    "regex_paths": f"""SELECT path AS line FROM read_parquet('{DATA}/contents.parquet', file_row_number = true)
                       WHERE (file_row_number // 4096) % 4 = 0""",
    "regex_logs": f"""SELECT line FROM (SELECT format('{{}}.{{}}.{{}}.{{}} - {{}} [{{:02d}}/Nov/2026:{{:02d}}:{{:02d}}:{{:02d}} +0000] "{{}} {{}}{{}} HTTP/1.1" {{}} {{}} "{{}}" "{{}}"',
                          hash(i + 1) % 256, hash(i + 2) % 256, hash(i + 3) % 256, hash(i + 4) % 256,
                          CASE WHEN hash(i + 5) % 8 = 0 THEN 'user' || (hash(i + 6) % 1000) ELSE '-' END,
                          1 + i // 30000 % 30, i // 1250 % 24, i // 20 % 60, i * 3 % 60,
                          CASE WHEN hash(i + 7) % 10 = 0 THEN 'POST' ELSE 'GET' END, {pick(LOG_PATHS, 8)},
                          CASE hash(i + 9) % 12 WHEN 0 THEN '?id=' || (hash(i + 10) % 100000) WHEN 1 THEN '?session=' || md5(i::VARCHAR) ELSE '' END,
                          CASE WHEN hash(i + 11) % 20 = 0 THEN 404 ELSE 200 END, hash(i + 12) % 100000,
                          {pick(LOG_SITES, 13)}, {pick(LOG_AGENTS, 14)}) AS line
                        FROM range(800000) t(i)) WHERE strlen(line) BETWEEN 80 AND 300""",
    "paths": f"""SELECT path || ['', '~1', '~2'][k + 1] AS path
                 FROM (SELECT DISTINCT path FROM '{DATA}/contents.parquet'), range(3) r(k)""",
    "shuffled": f"SELECT path FROM '{DATA}/contents.parquet' ORDER BY hash(path, package)",
    "in_order": f"SELECT path FROM '{DATA}/contents.parquet'",
    "ints": "SELECT (hash(i) % 1000)::INT AS i FROM range(268435456) t(i)",
    "strings": """SELECT 'key number ' || (hash(i) % 1000) AS few, 'key number ' || (hash(i + 7) % 1000000) AS many
                  FROM range(16777216) t(i)""",
    "keys": """SELECT (hash(i) % 1000)::BIGINT * 7919 AS few, (hash(i + 7) % 10000000)::BIGINT * 7919 AS many,
               (hash(i) % 100)::BIGINT AS x FROM range(33554432) t(i)""",
    "sorting": "SELECT hash(i)::UBIGINT::VARCHAR || ' text' AS s FROM range(8388608) t(i)",
    "sorting_ints": "SELECT (hash(i) / 2)::BIGINT AS i FROM range(33554432) t(i)",
    "pairs": """SELECT (hash(i) % 1000)::INT AS a, (hash(i + 7) % 1000)::INT AS b, (hash(i + 7) % 10000)::INT AS c,
                (hash(i + 11) // 2)::BIGINT AS x FROM range(33554432) t(i)""",
    # The first 2^22 rows hold the join keys: u, su, i, and four, which has each key four times.
    "joined": f"""SELECT i::INT AS i, {KEY.format("hash(i) % 4194304")} AS k, {KEY.format("hash(i) % 41943040")} AS k10, {KEY.format("i")} AS u,
                  (hash(i) % 4194304)::INT AS d, 'key ' || lpad((hash(i) % 4194304)::VARCHAR, 12, '0') AS s,
                  'key ' || lpad((i % 4194304)::VARCHAR, 12, '0') AS su, (hash(i + 7) % 1048576)::INT AS q, (i // 4)::INT AS four
                  FROM range(33554432) t(i)""",
    "windows": """SELECT i::INT AS i, (hash(i) % 100000)::INT AS g, (hash(i + 7) // 2)::BIGINT AS x, (hash(i + 11) % 1000)::INT AS v
                  FROM range(10000000) t(i)""",
    "lineitem": f"SELECT * FROM '{DATA}/tpch-sf1/lineitem.parquet'",
}
Q1, Q6 = ((ROOT / "tests" / "sql" / "tpch" / f"{name}.sql").read_text().strip() for name in ("q1", "q6"))


def grouped(table, key, value="count(*)"):
    return f"SELECT count(*) AS n, sum(v) AS v, max(v) AS m FROM (SELECT {key}, {value} AS v FROM {table} GROUP BY {key})"


def ordered(table, key):
    """All rows in order: first and last depend on it, so no engine can skip the sort or a part of it."""
    return f"SELECT count(*) AS n, first({key}) AS f, last({key}) AS l FROM (SELECT {key} FROM {table} ORDER BY {key})"


def matching(predicate, table="paths"):
    return f"SELECT count(*) AS n FROM {table} WHERE {predicate}"


def join(condition, kind="JOIN"):
    return f"SELECT count(*) AS n, sum(b.i) AS v FROM joined p {kind} {BUILD_SIDE} b ON {condition}"


def windowed(function):
    """Every value counts, so none can be skipped."""
    return f"SELECT count(w) AS n, sum(w) AS s, max(w) AS m FROM (SELECT {function} AS w FROM windows)"


def starts(table, must, aim):
    """Rows that begin with a string, or equal it. In file order zone maps answer; in random order each row's first bytes do."""
    one = "usr/share/doc/bash/copyright"
    return (table, [(f"{name}, {table}", matching(predicate, table), must, aim) for name, predicate in (
        ("LIKE 'usr/share/doc/linux-%'", "path LIKE 'usr/share/doc/linux-%'"), ("LIKE 'usr/lib/%'", "path LIKE 'usr/lib/%'"),
        (f"= '{one}'", f"path = '{one}'"))])


# group: (table, [(name, query, goals)])
GROUPS = {
    "like": ("paths", [
        ("LIKE '%README%'", matching("path LIKE '%README%'"), 1.3, 2.5),
        ("LIKE '%linux-headers%'", matching("path LIKE '%linux-headers%'"), 1.3, 2.5),
        ("LIKE '%qz%'", matching("path LIKE '%qz%'"), 1.3, 2.5),
    ]),
    "needles": ("paths", [
        (f"LIKE '%{needle}%', {kind}", matching(f"path LIKE '%{needle}%'"), must, aim)
        for kind, needles, must, aim in (("rare", ("<", "Zq", "wxWidg", "OpenGLWindow"), 1.8, 3.5),
                                         ("frequent", ("s", "/s", "share/", "r/share/doc/"), 1.2, 2))
        for needle in needles
    ]),
    "in_order": starts("in_order", 0.8, 1),
    "shuffled": starts("shuffled", 2, 3),
    "regex": ("paths", [
        ("with a literal: lib[a-z]+\\.so", matching(r"regexp_matches(path, 'lib[a-z]+\.so\.[0-9]')"), 2, 5),
        ("with a literal: python3?.*test", matching(r"regexp_matches(path, 'python3?(\.[0-9]+)?/.*test')"), 2, 5),
        ("without: [0-9]{3}", matching("regexp_matches(path, '[0-9]{3}[a-f]')"), 10, 20),
        ("without: [A-Z]{4,}", matching("regexp_matches(path, '[A-Z]{4,}')"), 10, 20),
    ]),
    "extract": ("paths", [
        (f"regexp_extract of {name}", f"SELECT sum(length(regexp_extract(path, '{pattern}', 1))) AS n FROM paths", 2, 4)
        for name, pattern in (
            ("a version's name, 7 % hits", r"([a-z]+)-([0-9]+)\.([0-9]+)"),
            ("a numbered file's name, 8 %", r"([a-z]+)([0-9]+)\.[a-z]+$"),
            ("a picture's name, 14 %", r"/([^/]+)\.(png|jpe?g|gif)$"),
        )
    ]),
    "filter": ("ints", [
        (f"int32 filter + sum, {share / 10:g} %", f"SELECT sum(i) AS s, count(*) AS n FROM ints WHERE i < {share}", 2, 4)
        for share in (1, 10, 100, 500, 900)
    ]),
    "group_strings": ("strings", [
        ("GROUP BY string, 1 k groups", grouped("strings", "few"), 0.8, 1.2),
        ("GROUP BY string, 1 M groups", grouped("strings", "many"), 0.8, 1.2),
    ]),
    "group_ints": ("keys", [
        ("GROUP BY int64, 1 k groups", grouped("keys", "few", "sum(x)"), 0.8, 1.2),
        ("GROUP BY int64, 10 M groups", grouped("keys", "many", "sum(x)"), 0.8, 1.2),
    ]),
    "group_pairs": ("pairs", [
        ("GROUP BY two int32, 1 M groups", grouped("pairs", "a, b"), 1, 2),
        ("GROUP BY two int32, 10 M groups", grouped("pairs", "a, c"), 1, 2),
    ]),
    "distinct": ("pairs", [
        ("count(DISTINCT int64), 33 M values", "SELECT count(DISTINCT x) AS n FROM pairs", 1, 2),
        ("count(DISTINCT int64) of 1 k groups",
         "SELECT count(*) AS n, sum(v) AS v FROM (SELECT a, count(DISTINCT x) AS v FROM pairs GROUP BY a)", 1, 2),
    ]),
    "distinct_paths": ("in_order", [
        ("count(DISTINCT path), 7.3 M paths", "SELECT count(DISTINCT path) AS n FROM in_order", 1.3, 3),
    ]),
    "joins": ("joined", [
        ("JOIN, int32, 100 % hits", join("p.k = b.u"), 3, 6), ("JOIN, int32, 10 % hits", join("p.k10 = b.u"), 3, 6),
        ("JOIN, dense int32", join("p.d = b.i"), 3, 6),
        ("semi join, int32, 10 %", f"SELECT count(*) AS n, sum(i) AS v FROM joined WHERE k10 IN (SELECT u FROM {BUILD_SIDE})", 1, 2),
        ("JOIN, text of 16 bytes", join("p.s = b.su"), 1, 2), ("JOIN, 4 rows for each", join("p.q = b.four"), 1, 2),
        ("LEFT JOIN with groups", f"SELECT count(*) AS n, sum(c) AS c, sum(s) AS s FROM (SELECT b.four AS f, count(*) AS c, sum(p.i) AS s FROM joined p "
         f"LEFT JOIN {BUILD_SIDE} b ON p.k10 = b.u GROUP BY b.four)", 1, 2),
    ]),
    "windows": ("windows", [
        ("rank in a partition", windowed("rank() OVER (PARTITION BY g ORDER BY x)"), 1.5, 4),
        ("sum over 100 rows", windowed("sum(v) OVER (ORDER BY x ROWS BETWEEN 99 PRECEDING AND CURRENT ROW)"), 1.5, 4),
        ("median over 100 rows", windowed("median(v) OVER (PARTITION BY g ORDER BY x ROWS BETWEEN 99 PRECEDING AND CURRENT ROW)"), 1.5, 4),
        ("sum of a partition", windowed("sum(v) OVER (PARTITION BY g)"), 1.5, 4), ("lag", windowed("lag(v) OVER (PARTITION BY g ORDER BY x)"), 1.5, 4),
        ("top 3 of each group", "SELECT count(*) AS n, sum(v) AS s FROM (SELECT v FROM windows QUALIFY row_number() OVER (PARTITION BY g ORDER BY x) <= 3)", 1.5, 4),
    ]),
    "tpch": ("lineitem", [("TPC-H Q1, SF 1", Q1, 0.8, 1.2), ("TPC-H Q6, SF 1", Q6, 1.2, 2)]),
    "sort_strings": ("sorting", [
        ("ORDER BY 8 M strings", ordered("sorting", "s"), 0.8, 1.2),
        ("the last 8 of 8 M strings", "SELECT s FROM sorting ORDER BY s OFFSET 8388600", 0.8, 1.2),
        ("top 10 of 8 M strings", "SELECT s FROM sorting ORDER BY s LIMIT 10", 0.8, 1.2),
    ]),
    "sort_ints": ("sorting_ints", [
        ("ORDER BY 32 M int64", ordered("sorting_ints", "i"), 0.8, 1.2),
        ("the last 12 of 32 M int64", "SELECT i FROM sorting_ints ORDER BY i OFFSET 33554420", 0.8, 1.2),
        ("top 10 of 32 M int64", "SELECT i FROM sorting_ints ORDER BY i DESC LIMIT 10", 0.8, 1.2),
    ]),
}


def table_file(name):
    path = DATA / "bench" / f"{name}.parquet"
    if not path.exists():
        print(f"making {path.relative_to(ROOT)}", file=sys.stderr)
        path.parent.mkdir(parents=True, exist_ok=True)
        duckdb.execute(f"COPY ({TABLES[name]}) TO '{path}.part' (FORMAT parquet, COMPRESSION snappy)")
        path.with_suffix(".parquet.part").rename(path)
    return path


def finish(command, script):
    """Runs a program; returns its output and its peak memory in MiB."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        output, errors = program.communicate(script)
        if program.returncode:
            sys.exit(f"{command} failed:\n{errors}")
    return output, errors


def peak(text):
    return int(re.search(r"Maximum resident set size \(kbytes\): (\d+)", text).group(1)) / 1024


def seconds_of(line):
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(r"\b(?:plan|run) ([\d.]+) ?(\w+)", line))


class Lanewise:
    name = "lanewise"

    def __init__(self, options, kept="VIEW"):
        self.kept = kept
        self.command = ["/usr/bin/time", "-v", BUILD / "lanewise", "sql", "--threads", str(options.threads), "--timing",
                        "--lanes", options.lanes, "--format", "ndjson"]

    def run(self, table, queries, repeat):
        script = f"CREATE {self.kept} {table} AS FROM '{table_file(table)}';\n"
        script += "".join((query + ";\n") * (repeat + 1) for query in queries)
        output, errors = finish(self.command, script)
        times = [seconds_of(line) for line in errors.splitlines() if re.search(r"\brun [\d.]", line)]
        times = times[-len(queries) * (repeat + 1):]
        return times, output, peak(errors)


class DuckDB:
    def __init__(self, name, command, options):
        self.name = name
        self.command = ["/usr/bin/time", "-v", *command, str(options.threads), *options.clock]

    def run(self, table, queries, repeat):
        script = f"CREATE TABLE {table} AS FROM '{table_file(table)}';\n"
        script += "".join((query + ";\n") * (repeat + 1) for query in queries)
        output, errors = finish(self.command, script)
        return [float(line.split(" ", 1)[0]) for line in output.splitlines()[1:]], output, peak(errors)


def rivals(options):
    found = [DuckDB("duckdb 1.5.6", [BUILD / "bench" / "rivals" / "lanewise_rival_duckdb"], options)]
    python = ROOT / ".cache" / "rivals" / "bin" / "python"
    if python.exists():
        found.append(DuckDB("duckdb 2.0.0", [python, ROOT / "bench" / "rivals" / "duckdb_wheel.py"], options))
    return found


def check_equal(group, table, queries, options):
    """The engines' complete answers, as text, floats to 9 digits."""
    connection = duckdb.connect(config={"threads": 1})  # with more threads, its last() of ordered rows is any row
    connection.execute(f"CREATE VIEW {table} AS FROM '{table_file(table)}'")
    script = f"CREATE VIEW {table} AS FROM '{table_file(table)}';\n"
    for name, query, _, _ in queries:
        output, _ = finish([BUILD / "lanewise", "sql", "--lanes", options.lanes, "--format", "csv"], script + query)
        ours = output.splitlines()[1:]
        theirs = connection.execute(query).fetchall()
        if len(ours) != len(theirs):
            sys.exit(f"{group}, {name}: {len(ours)} rows against {len(theirs)}")
        for mine, other in zip(ours, theirs):
            for a, b in zip(mine.split(","), other):
                same = a == str(b) or (isinstance(b, float) and abs(float(a) - b) <= 1e-9 * abs(b))
                if not same:
                    sys.exit(f"{group}, {name}: {mine} against {other}")


def cpu():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(": ", 1)[1].strip()
    return "unknown"


def read_rates():
    """Bytes per second of a plain loop over 1 GiB, on one thread and on two."""
    program = [BUILD / "engine" / "exec" / "lanewise_exec_bench", "--benchmark_filter=read_all", "--benchmark_format=json"]
    output, _ = finish(program, "")
    return [run["bytes_per_second"] for run in json.loads(output)["benchmarks"]]


def machine():
    return f"{cpu()}, which reads {read_rates()[0] / 1e9:.1f} GB/s per core"


def run_group(group, options):
    table, queries = GROUPS[group]
    engines = [Lanewise(options), *rivals(options)]
    statements = [query for _, query, _, _ in queries]
    check_equal(group, table, queries, options)
    times = {engine.name: [[] for _ in queries] for engine in engines}
    memory = {}
    for _ in range(options.rounds):
        for engine in engines:
            flat, _, memory[engine.name] = engine.run(table, statements, options.repeat)
            for i in range(len(queries)):
                times[engine.name][i] += flat[i * (options.repeat + 1) + 1:(i + 1) * (options.repeat + 1)]
    for i, (name, _, must, aim) in enumerate(queries):
        medians = {engine: statistics.median(values[i]) for engine, values in times.items()}
        best = min(seconds for engine, seconds in medians.items() if engine != "lanewise")
        ratio = best / medians["lanewise"]
        verdict = "aim" if ratio >= aim else "must" if ratio >= must else "MISSED"
        cells = " | ".join(f"{medians[engine.name] * 1e3:.1f} ms" for engine in engines)
        print(f"| {name} | {cells} | {ratio:.2f} × | {must:g} × | {aim:g} × | {verdict} |", flush=True)
    print("| *peak memory* | " + " | ".join(f"{memory[e.name]:,.0f} MiB" for e in engines) + " | | | | |", flush=True)


# name, query over the files themselves
COLD = [
    ("LIKE over Contents", f"SELECT count(*) AS n FROM '{DATA}/contents.parquet' WHERE path LIKE '%README%'"),
    ("regex over Contents", f"SELECT count(*) AS n FROM '{DATA}/contents.parquet' WHERE regexp_matches(path, '[0-9]{{3}}')"),
    ("GROUP BY over Contents", f"""SELECT section, count(*) AS n FROM '{DATA}/contents.parquet' GROUP BY section
      ORDER BY n DESC, section LIMIT 5"""),
    ("TPC-H Q6, SF 1", Q6.replace("lineitem", f"'{DATA}/tpch-sf1/lineitem.parquet'", 1)),
]


def run_cold(options):
    """Whole processes, one after the other, alternating; wall time. The files are in the page cache."""
    threads = str(options.threads)
    programs = {
        "lanewise": ([BUILD / "lanewise", "sql", "--threads", threads, "--lanes", options.lanes, "--format", "csv"], ""),
        "a C++ program on libduckdb 1.5.6": ([BUILD / "bench" / "rivals" / "lanewise_rival_duckdb", threads], ""),
        "duckdb-cli 1.5.6": ([ROOT / ".cache" / "rivals" / "bin" / "duckdb", "-csv"], f"SET threads = {threads};\n"),
    }
    print(f"{machine()}; {threads} threads, files in the page cache; medians of {options.rounds * options.repeat} processes\n")
    print("| work, cold | " + " | ".join(programs) + " | time to the faster | must | aim | |")
    print("| --- |" + " ---: |" * (len(programs) + 3) + " --- |")
    for name, query in COLD:
        times = {program: [] for program in programs}
        answers = {}
        for _ in range(options.rounds * options.repeat + 1):  # the first round warms the page cache
            for program, (command, before) in programs.items():
                start = time.perf_counter()
                answers[program], _ = finish(command, before + query + ";\n")
                times[program].append(time.perf_counter() - start)
        if answers["lanewise"] != answers["duckdb-cli 1.5.6"]:
            sys.exit(f"{name}: {answers['lanewise']!r} against {answers['duckdb-cli 1.5.6']!r}")
        medians = {program: statistics.median(values[1:]) for program, values in times.items()}
        ratio = medians["lanewise"] / min(seconds for program, seconds in medians.items() if program != "lanewise")
        verdict = "aim" if ratio <= 1.1 else "must" if ratio <= 1.4 else "MISSED"
        cells = " | ".join(f"{seconds * 1e3:.0f} ms" for seconds in medians.values())
        print(f"| {name} | {cells} | {ratio:.2f} × | 1.4 × | 1.1 × | {verdict} |", flush=True)


def run_scaling(options):
    """The gain of a second thread: rounds of the plain loop, one thread and two, so that noise affects all alike."""
    print(f"{machine()}; hot columns; medians of {options.rounds} rounds\n")
    print("| work | 1 thread | 2 threads | gain | of a plain read loop | ratio | aim | |")
    print("| --- |" + " ---: |" * 6 + " --- |")
    for group, index in (("like", 0), ("filter", 2), ("group_strings", 0), ("tpch", 0)):
        table, queries = GROUPS[group]
        name, query, _, _ = queries[index]
        loops, ours = [], []
        for _ in range(options.rounds):
            one, two = read_rates()
            loops.append(two / one)
            times = []
            for options.threads in (1, 2):
                times.append(statistics.median(Lanewise(options).run(table, [query], options.repeat)[0][1:]))
            ours.append(times)
        one, two = (statistics.median(times) for times in zip(*ours))
        gain, loop = statistics.median(a / b for a, b in ours), statistics.median(loops)
        verdict = "aim" if gain / loop >= 0.95 else "below"
        print(f"| {name} | {one * 1e3:.1f} ms | {two * 1e3:.1f} ms | {gain:.2f} × | {loop:.2f} × | {gain / loop:.2f} | 0.95 | "
              f"{verdict} |", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench sql", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--group", choices=GROUPS, action="append")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--lanes", default="simd")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--scaling", action="store_true")
    parser.set_defaults(clock=[])
    options = parser.parse_args()
    if options.cold:
        options.threads = 2
        return run_cold(options)
    if options.scaling:
        return run_scaling(options)
    names = ["lanewise", *(rival.name for rival in rivals(options))]
    print(f"{machine()}; {options.threads} thread(s), hot columns, lanes {options.lanes}; medians of "
          f"{options.rounds} × {options.repeat} runs\n")
    print("| work | " + " | ".join(names) + " | ratio to the faster DuckDB | must | aim | |")
    print("| --- |" + " ---: |" * (len(names) + 3) + " --- |")
    for group in options.group or GROUPS:
        run_group(group, options)


if __name__ == "__main__":
    main()
