"""On a machine with a GPU: answers over much data, of `lanewise sql --device cuda` and of the CPU.

  python3 tests/gpu/gpu_large.py [--program build/lanewise] [--rows 40000000]

Results of more than 16 M rows, columns of more than 4 GiB of text, groups and joins that are partitioned because there are many: the output
of both must have the same bytes. The last line is `N passed, M failed`.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TABLES = """CREATE TABLE numbers AS SELECT i, (hash(i) % 100000000)::INT AS k, (hash(i + 1) % 1000)::INT AS v, (hash(i + 2) % {rows})::BIGINT AS j FROM range({rows}) r(i);
CREATE TABLE texts AS SELECT i, chr(97 + (i % 26)::INT) || repeat(chr(97 + (i % 7)::INT), (100 + i % 50)::INT) || (hash(i) % 100000) AS s FROM range({rows}) r(i);"""

QUERIES = {
    "rows": "SELECT k, v FROM numbers WHERE v < 600",
    "computed rows": "SELECT i * 3 - v, v % 7 = 3 FROM numbers WHERE v <> 17",
    "groups": "SELECT count(*), sum(n), sum(k::HUGEINT * s), max(a) FROM (SELECT k, count(*) AS n, sum(v) AS s, min(i) AS a FROM numbers GROUP BY k)",
    "as many groups as rows": "SELECT count(*), sum(n), bit_xor(j) FROM (SELECT j, count(*) AS n FROM numbers GROUP BY j)",
    "distinct": "SELECT count(DISTINCT k), count(DISTINCT j), count(DISTINCT v) FROM numbers",
    "rows in order": "SELECT k, i FROM numbers ORDER BY k, i LIMIT 17000000",
    "join": "SELECT count(*), sum(a.v), sum(b.v::BIGINT * a.i) FROM numbers a JOIN numbers b ON a.j = b.i",
    "join of rows": "SELECT a.i, b.v FROM numbers a JOIN numbers b ON a.j = b.i WHERE a.v < 500 ORDER BY a.i",
    "join with repeated keys": "SELECT count(*), sum(a.v), sum(b.v) FROM numbers a JOIN numbers b ON a.k = b.k",
    "semi join": "SELECT count(*), sum(i) FROM numbers WHERE k IN (SELECT k FROM numbers WHERE v = 5)",
    "patterns": "SELECT count(*), sum(i) FROM texts WHERE s LIKE '%aaa77%' OR s LIKE 'zz%'",
    "regular expression": "SELECT count(*), min(i) FROM texts WHERE regexp_matches(s, 'b[0-9]7+3$')",
    "lengths": "SELECT sum(length(s)), min(s), max(s) FROM texts",
    "groups of texts": "SELECT substr(s, 1, 2) AS p, count(*), max(s) FROM texts GROUP BY p ORDER BY p",
    "texts of rows": "SELECT s FROM texts WHERE i % 3 = 1",
    "made texts": "SELECT max(upper(s) || '-' || i), min(reverse(s)) FROM texts",
    "texts in order": "SELECT s, i FROM texts ORDER BY s DESC, i LIMIT 1000",
    "join on texts": "SELECT count(*), sum(a.i) FROM texts a JOIN texts b ON a.s = b.s WHERE b.i % 100 = 3",
}


def answers(program, database, folder, device):
    """Runs all queries in one process: of each the digest of its rows, their number, its seconds, and whether a GPU took part."""
    script = "".join(f"COPY ({query}) TO '{folder}/{number}.csv';\n" for number, query in enumerate(QUERIES.values()))
    command = [program, "sql", "--db", database, "--read-only", "--device", device, "--timing", "--profile"]
    done = subprocess.run(command, input=script, capture_output=True, text=True)
    reports = re.split(r"^(?=plan )", done.stderr, flags=re.M)[1:]
    if done.returncode or len(reports) != len(QUERIES):
        sys.exit(f"--device {device}: exit code {done.returncode} after {len(reports)} queries: {done.stderr[-1000:]}")
    for number, report in enumerate(reports):
        file = Path(folder) / f"{number}.csv"
        with open(file, "rb") as rows:
            digest = hashlib.file_digest(rows, "sha256").hexdigest()
        with open(file, "rb") as rows:
            lines = sum(piece.count(b"\n") for piece in iter(lambda: rows.read(1 << 20), b"")) - 1
        file.unlink()
        yield digest, lines, re.search(r"run ([\d.]+ \S+?),", report)[1], re.search(r"  cuda:\d+$", report, re.M) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/lanewise")
    parser.add_argument("--rows", type=int, default=40_000_000)
    arguments = parser.parse_args()
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "large.duckdb"
        subprocess.run([arguments.program, "sql", "--db", database, "-c", TABLES.format(rows=arguments.rows)], check=True, stdout=subprocess.DEVNULL)
        outcomes = zip(QUERIES, *(list(answers(arguments.program, database, folder, device)) for device in ("cpu", "cuda")))
        for name, (right, lines, slow, _), (got, _, fast, on_gpu) in outcomes:
            passed += right == got and on_gpu
            what = ": other rows" if right != got else "" if on_gpu else ": the GPU did not take part"
            print(f"{'FAILED' if what else 'ok    '} {name}: {lines:,} rows, {slow} on the CPU, {fast} on the GPU, with a file{what}", flush=True)
    print(f"{passed} passed, {len(QUERIES) - passed} failed")
    sys.exit(0 if passed == len(QUERIES) else 1)


if __name__ == "__main__":
    main()
