"""./dev bench [WORD] [ARGUMENTS]: the Google Benchmark programs, then the comparisons with rivals in bench/.

WORD picks those whose file name contains it; what follows goes to each of them.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
word, *arguments = sys.argv[1:] or [""]
programs = [p for p in sorted((ROOT / "build").rglob("lanewise_*_bench")) if p.is_file()]
scripts = sorted((ROOT / "bench").glob("*_bench.py"))
# A script of the same name runs the program and states its goals.
programs = [p for p in programs if p.name.removeprefix("lanewise_") not in {s.stem for s in scripts}] + scripts
chosen = [p for p in programs if word in p.stem]
if not chosen:
    sys.exit(f"./dev bench: no benchmark has '{word}' in its name; there are: "
             + ", ".join(p.stem for p in programs))

failed = 0
for program in chosen:
    print(f"## {program.relative_to(ROOT)}", flush=True)
    command = [sys.executable, program] if program.suffix == ".py" else [program]
    failed += subprocess.run([*command, *arguments], cwd=ROOT).returncode != 0
sys.exit(1 if failed else 0)
