"""An older Lanewise compared with this one, on the lines of bench/paired.txt: have published figures become worse?

The two programs take turns; of each pair the ratio old/new counts. A line is slower if the median ratio is below 0.97 by more than its noise: twice the
standard error of the median. Such a line is measured again, with three times as many pairs. Answers must be equal. The exit code is 1 if a line is slower,
fails, or has another answer.

    ./dev bench paired --old main                 a commit, which is built below build/paired with the options of `UNITY=ON ./dev build`
    ./dev bench paired --old v1/lanewise          a program that is there already
    ./dev bench paired --old main --only JOIN     the lines whose names contain JOIN
    ./dev bench paired --old main --noise         the old program twice: what differs is noise

SQL is measured hot, within one session, planning included; other commands as whole processes.
"""

import argparse
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import duckdb
import suite
import corpus  # after suite, which sets the path

ROOT = suite.ROOT
LIMIT = 0.97
LANES = ["interleaved", "avx2", "neon", "avx512"]  # the last one that a machine has is measured
TPCH = ROOT / ".cache" / "duckdb" / "tpch"


class Failed(Exception):
    """A program could not run a line."""


def built_program(old):
    """The program of a commit, built in a worktree of its own; or the path of a program."""
    if Path(old).is_file():
        return Path(old).resolve()
    commit = subprocess.run(["git", "rev-parse", "--verify", "--quiet", "--short=12", old + "^{commit}"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    if not commit:
        sys.exit(f"./dev bench paired: '{old}' is neither a commit nor a program.")
    tree = ROOT / "build" / "paired" / commit
    program, log = tree / "build" / "lanewise", tree.with_suffix(".log")
    if not tree.exists():
        subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", tree, commit], cwd=ROOT, check=True)
    if not (tree / ".cache").exists():
        (tree / ".cache").symlink_to(ROOT / ".cache")
    print(f"building {commit}: {log.relative_to(ROOT)}", file=sys.stderr)
    configure = ["cmake", "--preset", "release", "-B", "build", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16"]
    with log.open("w") as output:
        for command in (configure, ["cmake", "--build", "build", "-j", str(os.cpu_count()), "--target", "lanewise"]):
            if subprocess.run(command, cwd=tree, stdout=output, stderr=output).returncode:
                sys.exit(f"./dev bench paired: {commit} cannot be built; see {log}")
    return program


def read_lines(path, rows):
    """The queries of tables by name; the lines as (name, kind, text)."""
    tables, lines = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(" | ", 2)
        if len(parts) != 3 or parts[1] not in {"table", *KINDS}:
            sys.exit(f"{path.name}:{number}: expected NAME | KIND | TEXT, with a kind of table, {', '.join(KINDS)}")
        if parts[1] == "table":
            tables[parts[0]] = parts[2].replace("{rows}", str(rows))
        else:
            lines.append(parts)
    return tables, lines


class Data:
    """Files of the tables, made when they are first needed."""

    def __init__(self, folder, tables):
        self.folder, self.tables = folder, tables
        self.tpch = ROOT / ".cache" / "data" / "tpch-sf1"

    def file(self, name, extension="parquet"):
        query = self.tables[name]
        path = self.folder / f"{name}-{zlib.crc32(query.encode()):08x}.{extension}"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            part = path.with_suffix(".part")
            options = {"parquet": "FORMAT parquet", "txt": r"FORMAT csv, HEADER false, QUOTE '', DELIMITER '\t'"}[extension]
            duckdb.execute(f"COPY ({query}) TO '{part}' ({options})")
            part.rename(path)
        return path

    def views(self, statement):
        """Statements that name the files which a statement reads."""
        words = set(re.findall(r"\w+", statement))
        files = {name: self.file(name) for name in self.tables if name in words}
        files |= {file.stem: file for file in self.tpch.glob("*.parquet") if file.stem in words}
        return "".join(f"CREATE VIEW {name} AS FROM '{file}';\n" for name, file in files.items())

    def tpch_query(self, name):
        subprocess.run(["bash", ROOT / "tools" / "data.sh", "tpch"], check=True)
        return (TPCH / f"{name}.sql").read_text().strip().rstrip(";")

    def arguments(self, text, own):
        text = re.sub(r"\{(\w+)\.(parquet|txt)\}", lambda found: str(self.file(found[1], found[2])), text)
        return shlex.split(text.replace("{own}", str(own)))


def finished(command, script=None):
    done = subprocess.run([str(part) for part in command], input=script, stdin=None if script else subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise Failed(" ".join(done.stderr.split())[-300:] or f"exit code {done.returncode}")
    return done


def run_sql(program, data, text, options, device="cpu"):
    """Milliseconds of a hot statement, and its answer."""
    script = data.views(text) + "".join(f"{text}\n/* {run} */;\n" for run in range(1 + options.repeat))  # each is planned
    done = finished([program, "sql", "--device", device, "--threads", options.threads, "--timing", "--format", "json"], script)
    times = [suite.milliseconds(line) for line in done.stderr.splitlines() if re.match(r"plan [\d.]", line)]
    return statistics.median(times[-options.repeat:]), corpus.json_answers(done.stdout)[-1].rows


def run_cuda(program, data, text, options):
    return run_sql(program, data, text, options, "cuda")


def run_tpch(program, data, text, options):
    return run_sql(program, data, data.tpch_query(text), options)


def run_command(program, data, text, _):
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "own"
        *before, last = [data.arguments(part, own) for part in text.split(" && ")]
        for command in before:
            finished([program, *command])
        start = time.perf_counter()
        done = finished([program, *last])
        elapsed = (time.perf_counter() - start) * 1e3
    return elapsed, sorted(done.stdout.splitlines())


def run_levels(program, data, text, _):
    groups = json.loads(finished([program, "bench", *data.arguments(text, "")]).stdout)["groups"]
    seconds, hashes = 0, []
    for group in groups:
        levels = {level["level"]: level for level in group["levels"] if "seconds" in level}  # those that this machine has
        widest = levels[[name for name in LANES if name in levels][-1]]
        seconds += widest["seconds"]
        hashes.append(widest["hash"])
    return seconds * 1e3, hashes


KINDS = {"sql": run_sql, "cuda": run_cuda, "tpch": run_tpch, "command": run_command, "levels": run_levels}


def same(a, b):
    """Whether two answers are equal, rows in any order, floats up to the last digits."""
    if not a or not isinstance(a[0], tuple) or len(a) != len(b):
        return a == b
    key = lambda row: tuple(map(str, row))
    return all(corpus.equal(x, y, "DOUBLE") if corpus.number(str(x)) is not None else x == y
               for one, other in zip(sorted(a, key=key), sorted(b, key=key)) for x, y in zip(one, other))


def measure(programs, line, data, options, pairs):
    """The two programs' times, a pair for each turn. The program that starts alternates too."""
    _, kind, text = line
    times = []
    for turn in range(pairs):
        results = [None, None]
        for which in ((0, 1) if turn % 2 == 0 else (1, 0)):
            try:
                results[which] = KINDS[kind](programs[which], data, text, options)
            except Failed as failure:
                raise Failed(f"{('old', 'new')[which]}: {failure}") from failure
        if not same(results[0][1], results[1][1]):
            raise Failed("new: another answer")
        times.append((results[0][0], results[1][0]))
    return times


def ratio_and_noise(times):
    """The median of the pairs' ratios; twice its standard error, by the median deviation, which a single disturbed pair does not change."""
    ratios = [old / new for old, new in times]
    middle = statistics.median(ratios)
    deviation = statistics.median(abs(ratio - middle) for ratio in ratios)
    return middle, 2 * 1.2533 * 1.4826 * deviation / math.sqrt(len(ratios))


def is_slower(times):
    ratio, noise = ratio_and_noise(times)
    return ratio + noise < LIMIT


def compare(programs, line, data, options):
    """Prints a line's row; returns its ratio, or None where it was not measured, and whether it is bad."""
    name, kind, _ = line
    if kind == "cuda" and not Path("/dev/nvidiactl").exists():
        print(f"| {name} | | | no GPU | |", flush=True)
        return None, False
    try:
        times = measure(programs, line, data, options, options.runs)
        if is_slower(times):
            times += measure(programs, line, data, options, 2 * options.runs)
    except Failed as failure:
        new = str(failure).startswith("new")  # what only the old program lacks cannot be compared
        print(f"| {name} | | | {failure} | {'FAILED' if new else ''} |", flush=True)
        return None, new
    ratio, noise = ratio_and_noise(times)
    old, new = (statistics.median(pair[which] for pair in times) for which in (0, 1))
    bad = is_slower(times)
    print(f"| {name} | {old:,.1f} | {new:,.1f} | {ratio:.3f} ± {noise:.3f} | {'SLOWER' if bad else ''} |", flush=True)
    return ratio, bad


def main():
    parser = argparse.ArgumentParser(prog="./dev bench paired", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", default="HEAD~1", metavar="REF", help="a commit, or a program (default: HEAD~1)")
    parser.add_argument("--new", default=suite.BUILD / "lanewise", metavar="PROGRAM", help="the program to compare (default: build/lanewise)")
    parser.add_argument("--only", default="", metavar="WORD", help="lines whose names contain it")
    parser.add_argument("--runs", type=int, default=5, help="pairs of each line (default: 5)")
    parser.add_argument("--repeat", type=int, default=3, help="hot runs of a statement in a session, of which the median counts (default: 3)")
    parser.add_argument("--threads", default="1", help="of SQL (default: 1)")
    parser.add_argument("--rows", type=int, default=4_000_000, help="of the larger tables (default: 4 million)")
    parser.add_argument("--noise", action="store_true", help="compare the old program with itself")
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "data" / "paired", help="where the tables are kept")
    options = parser.parse_args()
    tables, lines = read_lines(ROOT / "bench" / "paired.txt", options.rows)
    lines = [line for line in lines if options.only in line[0]]
    if not lines:
        sys.exit(f"./dev bench paired: no line's name contains '{options.only}'")
    old = built_program(options.old)
    programs = (old, old if options.noise else Path(options.new))
    print("| line | old, ms | new, ms | old / new | |\n| --- | ---: | ---: | ---: | --- |")
    results = [compare(programs, line, Data(options.folder, tables), options) for line in lines]
    ratios, bad = [ratio for ratio, _ in results if ratio], sum(bad for _, bad in results)
    if ratios:
        print(f"\n{len(ratios)} lines, geometric mean of the ratios {math.exp(statistics.mean(map(math.log, ratios))):.3f}, lowest {min(ratios):.3f}; "
              f"slower than {LIMIT:g}, failed or different: {bad}")
    sys.exit(1 if bad or not ratios else 0)


if __name__ == "__main__":
    main()
