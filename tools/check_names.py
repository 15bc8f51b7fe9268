"""Finds code that compares a function's name with a string: a property of a function belongs in its entry of the table.

Only engine/sql, which translates DuckDB's names, may compare them."""

import re
from pathlib import Path

LAYERS = ("plan", "expr", "codegen", "ops", "exec")
NAME = r"\b(?:\w+_)?(?:name|function)(?:\(\))?_?"
COMPARED = re.compile(rf'{NAME} *[!=]= *"|" *[!=]= *[\w.>()-]*{NAME}\b|{NAME}\.(?:starts_with|ends_with|contains|find|compare)\("')


def check(root):
    problems = []
    for layer in LAYERS:
        for path in sorted((Path(root) / "engine" / layer).rglob("*")):
            if path.suffix not in (".h", ".cc") or "testing" in path.parts or path.stem.endswith(("_test", "_bench")):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if COMPARED.search(line.partition("//")[0]):
                    problems.append(f"{path.relative_to(root)}:{number}: compares a name with a string; add a field to the function's entry in its table: {line.strip()}")
    return problems
