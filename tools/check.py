"""./dev check [STEP...] [--fix]: layers, text, english, format, headers, tidy; all without a step."""

import sys
import time
from pathlib import Path

import check_code
import check_english
import check_layers
import check_text

ROOT = Path(__file__).resolve().parent.parent
fix = "--fix" in sys.argv
STEPS = {
    "layers": check_layers.check,
    "text": check_text.check,
    "english": check_english.check,
    "format": lambda root: check_code.format_code(root, fix),
    "headers": check_code.headers,
    "tidy": check_code.tidy,
}

chosen = [a for a in sys.argv[1:] if not a.startswith("-")] or list(STEPS)
unknown = [step for step in chosen if step not in STEPS]
if unknown:
    sys.exit(f"./dev check: unknown step {unknown[0]}; there are: {', '.join(STEPS)}")

failed = 0
for step in chosen:
    start = time.monotonic()
    problems = STEPS[step](ROOT)
    print(f"{step}: {f'{len(problems)} found' if problems else 'ok'} ({time.monotonic() - start:.1f} s)", flush=True)
    for problem in problems:
        print("  " + problem.replace("\n", "\n  "))
    failed += bool(problems)
sys.exit(1 if failed else 0)
