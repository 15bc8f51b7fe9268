"""`lanewise grep` compared with ripgrep and GNU grep: whole processes that write to a file, files in the page cache.

./dev bench grep [--rounds 7] [--threads 2] [--only words] [--size 1e9]

The text is Debian's file index, repeated; words are those of its names. Programs take turns. A ratio is the median of
the pairs' ratios, of elapsed time and of processor time, so that a busy machine does not decide. Outputs must be equal
(line by line where several files are searched, whose order ripgrep leaves open). ripgrep searches a single file with
one thread.
"""

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / ".cache" / "data"
FILES = DATA / "bench"
FIVE = "README|LICENSE|Makefile|CHANGES|NEWS"
LONG_LINE = 700_000_000

# Name, arguments of both, arguments of GNU grep (None: it lacks this search), goals (times ripgrep).
WORK = [
    ("start-up", ["-c", "foo", "small"], ["-c", "foo", "small"], None),
    ("literal, -c", ["-c", "README", "text"], ["-c", "README", "text"], (1.0, 1.3)),
    ("literal", ["README", "text"], ["README", "text"], (1.0, 1.3)),
    ("literal, -i", ["-ci", "readme", "text"], ["-ci", "readme", "text"], (1.5, 3)),
    ("five literals", ["-c", FIVE, "text"], ["-cE", FIVE, "text"], (1.3, 2)),
    ("classes `[0-9]{3}[a-f]+`", ["-c", "[0-9]{3}[a-f]+", "text"], ["-cE", "[0-9]{3}[a-f]+", "text"], (20, 30)),
    (r"`\w+ing\b`", ["-c", r"\w+ing\b", "text"], ["-cE", r"\w+ing\b", "text"], (3, 8)),
    ("literal below /usr/include", ["linux_version", "/usr/include"], ["-r", "linux_version", "/usr/include"], (1.0, 1.5)),
    ("5,000 words", ["-cFf", "words5000", "text"], ["-cFf", "words5000", "text"], (1.5, 4)),
    ("100,000 words", ["-cFf", "words100000", "text"], ["-cFf", "words100000", "text"], (1.5, 4)),
    ("one line of 700 MB", ["-c", "foo", "line"], ["-c", "foo", "line"], (0.8, 1.0)),
]


def make_files(size):
    FILES.mkdir(parents=True, exist_ok=True)
    text = FILES / f"grep-{size / 1e9:g}.txt"
    once = FILES / "once.txt"
    if not once.exists():
        duckdb.execute(f"COPY (SELECT path FROM '{DATA}/contents.parquet') TO '{once}' (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\t')")
    if not text.exists():
        print(f"making {text.relative_to(ROOT)}", file=sys.stderr)
        part = text.with_suffix(".part")
        data = once.read_bytes()
        with part.open("wb") as out:
            while out.tell() < size:
                out.write(data[: int(size) - out.tell()])
        part.rename(text)
    if not (FILES / "words100000").exists():
        words = sorted(set(re.findall(rb"[A-Za-z_]{6,20}", once.read_bytes())))
        random.Random(1).shuffle(words)
        for count in (5000, 100_000):
            (FILES / f"words{count}").write_bytes(b"\n".join(words[:count]) + b"\n")
    line = FILES / "line"
    if not line.exists():
        with line.open("wb") as out:
            while out.tell() < LONG_LINE:
                out.write(b"some text without it, " * 50_000)
            out.write(b"foo\n")
    (FILES / "small").write_text("some text\nfoo\n")
    return {"text": text, "line": line, "small": FILES / "small", "words5000": FILES / "words5000", "words100000": FILES / "words100000"}


def run(command, output):
    """Elapsed seconds, processor seconds, bytes of memory."""
    with open(output, "wb") as out:
        start = time.perf_counter()
        with subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=os.environ | {"LC_ALL": "C.UTF-8"}) as program:
            error = program.stderr.read()
            _, status, usage = os.wait4(program.pid, 0)
            program.returncode = os.waitstatus_to_exitcode(status)
        elapsed = time.perf_counter() - start
    if program.returncode > 1:
        sys.exit(f"{command}: {error.decode()}")
    return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10


def same(a, b):
    one, other = Path(a).read_bytes(), Path(b).read_bytes()
    return one == other or sorted(one.splitlines()) == sorted(other.splitlines())


def compare(work, files, threads, rounds, folder):
    _, arguments, of_grep, _ = work
    named = [str(files.get(argument, argument)) for argument in arguments]
    commands = {
        "lanewise": [ROOT / "build" / "lanewise", "grep", "--threads", str(threads), *named],
        "ripgrep": ["rg", "--no-config", "-j", str(threads), *named],
        "GNU grep": ["grep", *(str(files.get(argument, argument)) for argument in of_grep)],
    }
    results = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            if name == "GNU grep" and turn != 1:
                continue  # it decides nothing, and takes long
            output = f"{folder}/{name}"
            result = run(command, output)
            if turn > 0:
                results[name].append(result)
            elif not same(output, f"{folder}/lanewise"):
                sys.exit(f"{work[0]}: {name} finds other lines")
    return results


def main():
    parser = argparse.ArgumentParser(prog="./dev bench grep", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--size", type=float, default=1e9, help="bytes of the text")
    parser.add_argument("--only", default="", metavar="WORD", help="rows that contain it")
    parser.add_argument("--make", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        return make_files(options.size)
    # In another process, since this one's memory would count for the programs that it starts.
    subprocess.run([sys.executable, __file__, "--make", "--size", str(options.size)], check=True)
    files = make_files(options.size)
    print(f"{options.size / 1e9:g} GB, {options.threads} threads, medians of {options.rounds} pairs\n")
    print("| work | lanewise | ripgrep | GNU grep | times ripgrep | by processor time | memory | must | aim | |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for work in WORK:
        if options.only not in work[0]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            results = compare(work, files, options.threads, options.rounds, folder)
        pairs = list(zip(results["lanewise"], results["ripgrep"]))
        ratio, by_processor = (statistics.median(theirs[i] / ours[i] for ours, theirs in pairs) for i in (0, 1))
        times = " | ".join(f"{statistics.median(result[0] for result in of) * 1000:.1f} ms" for of in results.values())
        memory = max(result[2] for result in results["lanewise"]) / 1e6
        must, aim = work[3] or ("3 ms", "2 ms")
        own = statistics.median(result[0] for result in results["lanewise"])
        reached = [own <= 0.003, own <= 0.002] if work[3] is None else [ratio >= must, ratio >= aim]
        verdict = "aim" if reached[1] else "must" if reached[0] else "MISSED"
        limits = f"{must} | {aim}" if work[3] is None else f"{must:g} × | {aim:g} ×"
        print(f"| {work[0]} | {times} | {ratio:.2f} × | {by_processor:.2f} × | {memory:.0f} MB | {limits} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
