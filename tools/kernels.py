"""./dev kernels: compiles every .cu of engine/ and bench/ by nvcc for the GPUs that we support, on any machine.

Writes what each kernel needs to build/kernels.txt and ends with `N compiled, M failed`, which counts each file once for each GPU.
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURES = ["sm_80", "sm_90"]
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)


class Kernel(NamedTuple):
    """The resources of a kernel, reported by the assembler: registers per thread, and sizes in bytes."""
    name: str
    registers: int
    stack: int
    spilled: int
    shared: int


class Outcome(NamedTuple):
    path: Path
    architecture: str
    kernels: list
    error: str  # empty: it compiled


def find_nvcc(root):
    return next(iter(sorted((root / ".cache/cuda").glob("lib/python*/site-packages/nvidia/cu13/bin/nvcc"))), None)


def sources(root):
    return sorted(p for folder in ("engine", "bench") for p in (root / folder).rglob("*.cu"))


def read_log(log):
    """The kernels in the assembler's --verbose output."""
    def number(pattern, text):
        found = re.search(pattern, text)
        return int(found[1]) if found else 0

    parts = re.split(r"Compiling entry function '([^']+)'", log)[1:]
    return [Kernel(name, number(r"Used (\d+) registers", text), number(r"(\d+) bytes stack frame", text),
                   number(r"(\d+) bytes spill stores", text), number(r"(\d+) bytes smem", text))
            for name, text in zip(parts[::2], parts[1::2])]


def compile_kernels(nvcc, root, path, architecture):
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([nvcc, "-std=c++20", f"-arch={architecture}", "-Xptxas=-v", "-Werror=all-warnings",
                                 f"-I{root / 'engine'}", "--cubin", "-o", f"{folder}/kernels.cubin", path],
                                capture_output=True, text=True)
    log = result.stdout + result.stderr
    return Outcome(path.relative_to(root), architecture, sorted(read_log(log)), log if result.returncode else "")


def compile_all(root, nvcc, architectures=ARCHITECTURES):
    jobs = [(path, architecture) for path in sources(root) for architecture in architectures]
    with ThreadPoolExecutor(JOBS) as pool:
        return list(pool.map(lambda job: compile_kernels(nvcc, root, *job), jobs))


def report(outcomes):
    lines = [f"{'file':<34} {'GPU':<6} {'kernel':<26} {'registers':>9} {'stack':>6} {'spilled':>7} {'shared':>6}"]
    for outcome in outcomes:
        where = f"{str(outcome.path):<34} {outcome.architecture:<6}"
        lines += [f"{where} {k.name:<26} {k.registers:>9} {k.stack:>6} {k.spilled:>7} {k.shared:>6}" for k in outcome.kernels]
        if outcome.error:
            lines += [f"{where} does not compile", outcome.error.rstrip()]
    failed = sum(bool(outcome.error) for outcome in outcomes)
    lines.append(f"{len(outcomes) - failed} compiled, {failed} failed")
    return "\n".join(lines), failed


def main():
    nvcc = find_nvcc(ROOT)
    if not nvcc:
        sys.exit("nvcc is not in .cache/cuda; ./dev kernels fetches it")
    text, failed = report(compile_all(ROOT, nvcc))
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build/kernels.txt").write_text(text + "\n")
    print(text)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
