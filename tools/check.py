"""Checks the code and the documentation: the steps that are named, or all but those that a build of single files makes, too."""

import argparse
import sys
import time
from pathlib import Path

import check_code
import check_english
import check_layers
import check_names
import check_text

ROOT = Path(__file__).resolve().parent.parent
STEPS = {
    "layers": check_layers.check,
    "names": check_names.check,
    "text": check_text.check,
    "english": check_english.check,
    "format": lambda root: check_code.format_code(root, arguments.fix),
    "headers": check_code.headers,
    "units": check_code.units,
    "tidy": check_code.tidy,
}

parser = argparse.ArgumentParser(prog="./dev check", description=__doc__)
parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
parser.add_argument("--all", action="store_true", help="headers and units, too")
parser.add_argument("--fix", action="store_true", help="format the code in place")
arguments = parser.parse_args()
unknown = [step for step in arguments.steps if step not in STEPS]
if unknown:
    parser.error(f"unknown step {unknown[0]}; choose {', '.join(STEPS)}")

failed = 0
for step in arguments.steps or [step for step in STEPS if arguments.all or step not in ("headers", "units")]:
    start = time.monotonic()
    problems = STEPS[step](ROOT)
    print(f"{step}: {f'{len(problems)} found' if problems else 'ok'} ({time.monotonic() - start:.1f} s)", flush=True)
    for problem in problems:
        print("  " + problem.replace("\n", "\n  "))
    failed += bool(problems)
sys.exit(1 if failed else 0)
