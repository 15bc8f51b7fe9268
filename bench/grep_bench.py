"""`lanewise grep` beside ripgrep and GNU grep: Debian's file index repeated to 2 GB, whole processes that write to a file.

./dev bench grep [--rounds 5] [--threads 1 --threads 2] [--lanes avx2] [--only literal]

The programs take turns; medians of wall times, files in the page cache, all outputs compared. What counts is ripgrep,
without Unicode, which is faster.
"""

import argparse
import filecmp
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / ".cache" / "data"
BYTES = 2_000_000_000
LITERAL, CLASSES = (0.8, 1.2), (2, 4)  # must and aim, times ripgrep
PATTERNS = [
    ("literal", "README", LITERAL),
    ("literal", "linux-headers", LITERAL),
    ("literal at the end", r"\.so\.6$", LITERAL),
    ("around a literal", r"lib[a-z]+\.so\.[0-9]", LITERAL),
    ("classes", "[0-9]{3}[a-f]", CLASSES),
    ("classes", "[A-Z]{4,}", CLASSES),
    ("classes", "[aeiou]{4}", CLASSES),
    ("classes", r"([a-z]+)-([0-9]+)\.([0-9]+)_", CLASSES),
    ("classes", r"\b[0-9]+_\w+[0-9]\b", CLASSES),
]


def text_file():
    path = DATA / "bench" / "grep.txt"
    if not path.exists():
        print(f"making {path.relative_to(ROOT)}", file=sys.stderr)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        duckdb.execute(f"COPY (SELECT path FROM '{DATA}/contents.parquet') TO '{part}' (FORMAT csv, HEADER false, QUOTE '', DELIMITER '\t')")
        once = part.read_bytes()
        with part.open("wb") as out:
            while out.tell() < BYTES:
                out.write(once)
        part.rename(path)
    return path


def programs(threads, lanes):
    return {
        "lanewise": [ROOT / "build" / "lanewise", "grep", "--threads", str(threads), "--lanes", lanes, "-e"],
        "ripgrep": ["rg", "--no-config", "--no-unicode", "-j", str(threads), "-e"],
        "GNU grep": ["grep", "-E", "-e"],
    }


def cpu():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(": ", 1)[1].strip()
    return "unknown"


def compare(pattern, text, threads, options, folder):
    """Seconds of each program, a list for each."""
    times = {name: [] for name in programs(threads, options.lanes)}
    for turn in range(options.rounds + 1):
        for name, command in programs(threads, options.lanes).items():
            if name == "GNU grep" and turn > 1:
                continue  # it decides nothing, and takes its time
            output = Path(folder) / name
            with output.open("wb") as out:
                start = time.perf_counter()
                subprocess.run([*command, pattern, text], stdout=out, check=True, env=os.environ | {"LC_ALL": "C"})
                times[name].append(time.perf_counter() - start)
            if turn == 0 and not filecmp.cmp(output, Path(folder) / "lanewise", shallow=False):
                sys.exit(f"{pattern}: {name} finds other lines")
    return {name: values[1:] for name, values in times.items()}  # the first turn warms the page cache


def main():
    parser = argparse.ArgumentParser(prog="./dev bench grep", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, action="append")
    parser.add_argument("--lanes", default="simd")
    parser.add_argument("--only", default="", metavar="WORD", help="rows that contain it")
    options = parser.parse_args()
    text = text_file()
    size = text.stat().st_size
    print(f"{cpu()}, {size / 1e9:.2f} GB, lanes {options.lanes}, medians of {options.rounds} runs\n")
    print("| work | threads | lanewise | ripgrep | GNU grep | times ripgrep | must | aim | |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    for threads in options.threads or [1, 2]:
        for kind, pattern, (must, aim) in PATTERNS:
            if options.only not in f"{kind}: {pattern}":
                continue
            with tempfile.TemporaryDirectory() as folder:
                medians = {name: statistics.median(values) for name, values in compare(pattern, text, threads, options, folder).items()}
            ratio = medians["ripgrep"] / medians["lanewise"]
            verdict = "aim" if ratio >= aim else "must" if ratio >= must else "MISSED"
            cells = " | ".join(f"{size / 1e9 / seconds:.2f} GB/s" for seconds in medians.values())
            shown = pattern.replace("|", "\\|")
            print(f"| {kind}: `{shown}` | {threads} | {cells} | {ratio:.2f} × | {must:g} × | {aim:g} × | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
