"""Checks the layers of engine/: each includes only those that INCLUDES names. docs/understand/architecture.md draws the table.

Within a layer, and in apps/cli, folders do not include each other in circles. Tests may: they are of the whole layer."""

import re
from pathlib import Path

# The layers that each layer includes, itself apart; every layer is above those that include it.
INCLUDES = {
    "base": [],
    "gpu": ["base"],
    "lanes": ["base"],
    "data": ["base", "gpu", "lanes"],
    "active": ["base"],
    "primitives": ["base", "gpu", "lanes", "data", "active"],
    "text": ["base", "lanes"],
    "expr": ["base", "lanes", "data", "active", "primitives", "text"],
    "index": ["base", "gpu", "lanes", "data", "primitives"],
    "plan": ["base", "data", "expr"],
    "codegen": ["base", "gpu", "lanes", "data", "text", "expr", "plan"],
    "ops": ["base", "gpu", "lanes", "data", "active", "primitives", "text", "expr", "plan", "codegen"],
    "exec": ["base", "gpu", "data", "primitives", "expr", "plan", "codegen", "ops"],
    "graph": ["base", "gpu", "lanes", "primitives"],
    "pram": ["base", "gpu", "primitives", "graph"],
    "sql": ["base", "data", "text", "expr", "plan", "ops"],
    "api": ["base", "gpu", "lanes", "data", "primitives", "text", "expr", "index", "plan", "ops", "exec", "graph", "pram", "sql"],
}

# Only one layer may include the headers of these libraries.
OWNED = [(re.compile(r"duckdb(/|\.h)"), "sql", "DuckDB's headers belong to engine/sql"),
         (re.compile(r"nanoarrow/"), "api", "nanoarrow's headers belong to engine/api"),
         (re.compile(r"(cuda|nvrtc|cuda_runtime|nvJitLink)\b.*\.h|CL/"), "gpu", "CUDA and OpenCL belong to engine/gpu")]

# Operators that no other one includes, apart from AGGREGATE_FUNCTIONS, which GROUP BY and windows share: all but those that are steps of scans and sinks.
APART = {path.parent.name for path in (Path(__file__).resolve().parent.parent / "engine/ops").glob("*/operator.cc")} - {"collect", "filter"}
AGGREGATE_FUNCTIONS = {"ops/aggregate/accumulators/accumulator.h", "ops/aggregate/functions/functions.h", "ops/aggregate/testing/reference.h",
                       "ops/aggregate/functions/interpolate.h", "ops/aggregate/functions/to_real.h", "ops/aggregate/functions/share.h"}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def sources(engine):
    return sorted(p for p in engine.rglob("*") if p.suffix in (".h", ".cc", ".cuh", ".cu"))


def problem_of(inside, quote, target):
    """The broken rule of one include, or None. inside: the file's path within engine/."""
    layer = inside.parts[0]
    for pattern, owner, rule in OWNED:
        if pattern.match(target):
            return None if layer == owner else rule
    if layer == "lanes" and inside.name.endswith("-inl.h") and quote == "<" and not target.endswith(("intrin.h", "neon.h")):
        return "lane headers include nothing of the standard library: devices compile the same text"
    if quote == "<":
        return None
    parts = Path(target).parts
    if parts[0] not in INCLUDES:
        return "includes are written from engine/, and libraries in angle brackets"
    if layer == "ops" and parts[0] == "exec" and is_test(inside):
        return None  # operators are also tested in whole plans
    if parts[0] != layer and parts[0] not in INCLUDES[layer]:
        return f"{layer} may not include {parts[0]}: see INCLUDES in tools/check_layers.py"
    if layer == parts[0] == "ops" and inside.parts[1] != "operators" and parts[1] in APART - {inside.parts[1]} and target not in AGGREGATE_FUNCTIONS and not is_test(inside):
        return "operators do not include each other"
    return None


def check_data(root):
    """The benchmarks' data include nothing of engine/: a fault of the engine must not hide in its own input."""
    folder = Path(root) / "apps/cli/study/data"
    for path in sorted(folder.glob("*")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[1] == '"' and not match[2].startswith("study/data/") and not path.name.endswith("_test.cc"):
                yield f"{path.relative_to(root)}:{number}: includes {match[2]}: data of benchmarks include nothing of engine"


def is_test(path):
    return "testing" in path.parts or path.stem.endswith(("_test", "_bench"))


def folder_includes(top, root):
    """The includes between folders of `top`: (from, to) -> their first place. Paths in includes begin at `root`."""
    found = {}
    for path in sources(top):
        if is_test(path.relative_to(top)):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if match and match[1] == '"' and (root / match[2]).is_file() and (root / match[2]).is_relative_to(top):
                pair = path.parent, (root / match[2]).parent
                if pair[0] != pair[1]:
                    found.setdefault(pair, (path, number, match[2]))
    return found


def reached(start, pairs):
    """The folders that `start` includes, also through others."""
    seen, open_ = set(), [start]
    while open_:
        folder = open_.pop()
        for to in [b for a, b in pairs if a == folder and b not in seen]:
            seen.add(to)
            open_.append(to)
    return seen


def circles(top, root, base):
    """Problems: includes that are part of a circle of folders."""
    pairs = folder_includes(top, root)
    back = {folder: reached(folder, pairs) for pair in pairs for folder in pair}
    for (a, b), (path, number, target) in sorted(pairs.items()):
        if a in back[b]:
            yield f"{path.relative_to(base)}:{number}: includes {target}: {b.relative_to(base)} includes {a.relative_to(base)}, perhaps through others: folders include each other in one direction only"


def check_circles(root):
    engine = root / "engine"
    for layer in INCLUDES:
        yield from circles(engine / layer, engine, root)
    yield from circles(root / "apps/cli", root / "apps/cli", root)


def check(root):
    engine = Path(root) / "engine"
    problems = [*check_data(root), *check_circles(Path(root))]
    for path in sources(engine):
        inside = path.relative_to(engine)
        if inside.parts[0] not in INCLUDES:
            problems.append(f"engine/{inside}:1: {inside.parts[0]} is not a layer")
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            rule = match and problem_of(inside, *match.groups())
            if rule:
                problems.append(f'engine/{inside}:{number}: includes {match[2]}: {rule}')
            elif match and match[1] == '"' and Path(match[2]).parts[0] in INCLUDES and not (engine / match[2]).exists():
                problems.append(f"engine/{inside}:{number}: includes {match[2]}, which is not there")
    return problems
