"""Runs a compiler-like tool over many files, in parallel, and remembers which files have passed."""

import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

QUOTED = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.M)


@lru_cache(maxsize=None)
def includes(path, root):
    """The repository's files that `path` includes directly. Includes are relative to engine/ or to the file."""
    found = []
    for name in QUOTED.findall(path.read_bytes()):
        for folder in (root / "engine", path.parent):
            target = folder / name.decode()
            if target.is_file():
                found.append(target.resolve())
                break
    return found


def closure(path, root):
    """`path` and everything in the repository that it includes, directly or not."""
    seen, queue = set(), [path.resolve()]
    while queue:
        current = queue.pop()
        if current not in seen:
            seen.add(current)
            queue += includes(current, root)
    return sorted(seen)


def fingerprint(path, root, *extra):
    """Changes if `path`, anything that it includes, or `extra` changes."""
    digest = hashlib.sha256(repr(extra).encode())
    for part in closure(path, root):
        digest.update(str(part.relative_to(root)).encode() + b"\0" + part.read_bytes() + b"\0")
    return digest.hexdigest()


def run_all(root, name, jobs):
    """Runs `jobs`, a list of (label, key, command, standard input). Returns the output of each failed one."""
    passed = root / ".cache" / name
    passed.mkdir(parents=True, exist_ok=True)
    todo = [job for job in jobs if not (passed / job[1]).exists()]
    done = 0

    def run(job):
        nonlocal done
        label, key, command, text = job
        result = subprocess.run(command, cwd=root, input=text, capture_output=True, text=True)
        done += 1
        if sys.stderr.isatty() or done % 20 == 0:
            print(f"   {name}: {done}/{len(todo)}", end="\r" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)
        if result.returncode == 0:
            (passed / key).touch()
            return None
        return f"{label}:\n{result.stdout.strip()}\n{result.stderr.strip()}".strip()

    workers = int(os.environ.get("JOBS") or os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        return [problem for problem in pool.map(run, todo) if problem]
