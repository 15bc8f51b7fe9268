"""Checks the code by compilers: each header compiles alone, the sources of a layer compile as one, the format, clang-tidy."""

import json
import re
import shlex
import subprocess
from pathlib import Path

from compiled import fingerprint, run_all

HEADER_FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wno-sign-compare",
                "-Werror", "-Iengine", "-Iapps/cli"]

# Lane headers of a target are included only where its instructions are enabled.
INSTRUCTIONS = {"avx2": ["-mavx2", "-mbmi", "-mbmi2"], "avx512": ["-march=icelake-client"]}
OTHER_MACHINES = {"neon"}  # their headers come first in a test that `./dev aarch64` builds


def code(root, *suffixes):
    return sorted(p for folder in ("engine", "apps", "tests", "bench") for p in (root / folder).rglob("*")
                  if p.suffix in suffixes and "node_modules" not in p.parts)


def stands_first(path):
    """Whether the header is the first include of the source of the same name: then a build of single files compiles it alone."""
    source = path.with_suffix(".cc")
    first = source.exists() and re.search(r'^#include [<"](.*)[>"]', source.read_text(), re.M)
    return bool(first) and str(path).endswith("/" + first[1])


def headers(root):
    """Every header compiles on its own. A build of single files checks those that a source includes first (`./dev test --all`)."""
    jobs = []
    for path in code(root, ".h"):
        target = path.stem.removesuffix("-inl").rpartition("_")[2]
        if stands_first(path) or target in OTHER_MACHINES:
            continue
        flags = HEADER_FLAGS + (["-isystem", ".cache/duckdb/include"] if "sql" in path.parts else [])
        flags += INSTRUCTIONS.get(target, [])
        key = fingerprint(path, root, flags)
        jobs.append((f"{path.relative_to(root)} does not compile alone", key, ["g++", *flags, "-x", "c++", "-"],
                     f'#include "{path.relative_to(root)}"\n'))
        jobs[-1][2].insert(1, "-I.")
    return run_all(root, "headers", jobs)


def format_code(root, fix=False):
    """clang-format finds no difference."""
    tool = str(root / ".cache/clang/bin/clang-format")
    files = [str(p.relative_to(root)) for p in code(root, ".h", ".cc", ".cuh", ".cu")]
    if not files:
        return []
    command = [tool, "-i", *files] if fix else [tool, "--dry-run", "--Werror", *files]
    result = subprocess.run(command, cwd=root, capture_output=True, text=True)
    places = re.findall(r"^(\S+?):(\d+):\d+: error", result.stderr, re.M)
    first = {}
    for name, line in places:
        first.setdefault(name, line)
    return [f"{name}:{line}: not formatted from here on (./dev check --fix format)" for name, line in first.items()] \
        or ([result.stderr.strip()] if result.returncode else [])


# Warnings of clang that gcc lacks: gcc's precompiled headers and parameters, deprecations in libraries, and `&` and `|` of
# conditions, which avoid a branch on purpose.
TIDY_QUIET = [f"--extra-arg=-Wno-{name}" for name in
              ("unknown-warning-option", "ignored-gch", "unused-command-line-argument", "deprecated-declarations", "bitwise-instead-of-logical")]


# A unit of a unity build includes sources, and sees names that its files do not share.
TIDY_QUIET.append("--checks=-bugprone-suspicious-include,-bugprone-forward-declaration-namespace")


def sources_of(entry, root):
    """The files that one command of the unity build compiles, without generated ones."""
    path = Path(entry["file"])
    files = [path]
    if path.parent.name == "Unity":
        files = [Path(name) for name in re.findall(r'^#include "(.*)"', path.read_text(), re.M)]
    return [f for f in files if f.is_relative_to(root) and not {"build", ".cache"} & set(f.relative_to(root).parts)]


def units(root):
    """The sources of a target compile as one. A new file moves others to other units of a unity build: names must differ in all of them."""
    targets = {}
    for entry in json.loads((root / "build/check/compile_commands.json").read_text()):
        unit = re.search(r"/(\w+)\.dir/Unity/unity_(\d+)_cxx", entry["file"])
        if unit:
            targets.setdefault(unit[1], []).append((int(unit[2]), entry))
    jobs = []
    for target, numbered in targets.items():
        if len(numbered) == 1:
            continue  # the build compiles this one
        entries = [entry for _, entry in sorted(numbered, key=lambda one: one[0])]
        text = "".join(f'#include "{entry["file"]}"\n' for entry in entries)
        command = shlex.split(entries[0]["command"])
        command = [*command[:command.index("-o")], "-O0", "-w", "-fsyntax-only", "-x", "c++", "-"]
        key = fingerprint(Path(entries[0]["file"]), root, command, [fingerprint(Path(entry["file"]), root) for entry in entries])
        jobs.append((f"{target}: two files use one name, which a unity build does not allow", key, command, text))
    return run_all(root, "units", jobs)


def is_test(path):
    return path.stem.endswith(("_bench", "_test")) or bool({"tests", "testing"} & set(path.parts))


def entry_flags(entry):
    return [f for f in shlex.split(entry["command"]) if f.startswith(("-m", "-D", "-std"))]


def tidy(root):
    """clang-tidy finds no faults in the library and the program; each unit has its own compile command."""
    tool = root / ".cache/clang/bin/clang-tidy"
    commands = json.loads((root / "build/check/compile_commands.json").read_text())
    settings = TIDY_QUIET, (root / ".clang-tidy").read_text(), (root / "tools/requirements-clang.txt").read_text()
    jobs = []
    for entry in commands:
        sources = sources_of(entry, root)
        if not sources or all(is_test(source) for source in sources):
            continue
        # clang does not support gcc's pragma, and would reject the intrinsics after it; such a file is its own unit.
        targets = re.search(r'^#pragma GCC target\("(.*)"\)', sources[0].read_text(), re.M)
        flags = [f"-m{t}" for t in targets[1].split(",")] if targets else []
        key = fingerprint(Path(entry["file"]), root, settings, entry_flags(entry), flags)
        jobs.append((", ".join(str(source.relative_to(root)) for source in sources), key,
                     [str(tool), "-p", "build/check", "--quiet", *TIDY_QUIET,
                      *(f"--extra-arg={flag}" for flag in flags), entry["file"]], None))
    # Many units report the same finding in a header: it is printed once.
    seen, problems = set(), []
    for output in run_all(root, "tidy", jobs):
        findings = re.findall(r"^(\S+:\d+:\d+: (?:error|warning): .*)$", output, re.M)
        new = [f for f in findings if f not in seen]
        seen.update(new)
        problems += new or ([] if findings else [output])
    return problems
