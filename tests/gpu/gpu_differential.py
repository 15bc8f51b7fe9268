"""On a machine with a GPU: answers of `lanewise sql` compared with those of DuckDB, which tests/gpu/gpu_answers.py wrote elsewhere.

  python3 tests/gpu/gpu_differential.py [--program build/lanewise] [--answers answers.json] [--every 1] [--jobs 16] [--seconds 180]

Runs all statement files of tests/sql and random queries, including errors. The profile states that the GPU is faster for everything, so the CPU
runs only what the GPU does not support. They run again with little device memory, and in small batches. At least half of the queries must have
run on the GPU. The last line is `N passed, M failed`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "sql"))  # next to this script in the bundle

import engine  # noqa: E402
from corpus import Answer, Block  # noqa: E402
from gpu_smoke import faster_gpu  # noqa: E402

SETTINGS = [[], ["--device-memory", "8MB", "--device-strategy", "split"], ["--device-rows", "64"]]


def read(path, every):
    """Name, blocks and answers of each unit, with every n-th of the blocks that have an answer."""
    units, numbers = [], count()
    for unit in json.loads(path.read_text()):
        blocks = [Block(**block) for block in unit["blocks"]]
        answers = iter([answer and Answer(**answer) for answer in unit["answers"]])
        asked = [(block, next(answers)) for block in blocks if block.kind != "statement"]
        asked = {block: answer for block, answer in asked if next(numbers) % every == 0}
        blocks = [block for block in blocks if block.kind == "statement" or block in asked]
        if asked:
            units.append((unit["name"], blocks, list(asked.values())))
    return units


class Differential:
    def __init__(self, program, env, seconds):
        self.program, self.env, self.seconds = program, env, seconds

    def run(self, sql, setting):
        """The program's outcome; after its time limit it is ended, with the status 124."""
        command = [self.program, "sql", "--device", "auto", "--format", "json", "--profile", "--threads", "1", *setting]
        try:
            return subprocess.run(command, input=sql, capture_output=True, text=True, timeout=self.seconds, env=self.env)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(command, 124, (late.stdout or b"").decode(errors="ignore"), f"not done after {self.seconds} s")

    def check(self, unit):
        """Runs each setting in turn, while the kernels are in the cache: returns differences, and the number of queries with a pipeline on the GPU."""
        return [self.check_by(setting, *unit[1:]) for setting in SETTINGS]

    def check_by(self, setting, blocks, answers):
        profiles = []

        def run(sql):
            result = self.run(sql, setting)
            profiles.extend(re.split(r"^operator .*", result.stderr, flags=re.M)[1:])
            return result

        found = engine.failures(blocks, answers, run=run)
        queries = [profile for profile in profiles if not profile.lstrip().startswith(("CREATE", "INSERT", "COPY"))]
        return found, sum("  cuda:0\n" in profile for profile in queries)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/lanewise")
    parser.add_argument("--answers", type=Path, default="answers.json")
    parser.add_argument("--every", type=int, default=1, help="compare every so many-th answer")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--seconds", type=float, default=180, help="that a process may take")
    arguments = parser.parse_args()
    units = read(arguments.answers, arguments.every)
    answers, queries = sum(len(unit[2]) for unit in units), sum(block.kind == "query" for unit in units for block in unit[1])
    passed = failed = 0
    wrong, on_gpu, start = [0] * len(SETTINGS), [0] * len(SETTINGS), time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.jobs) as pool:
        program = str(Path(arguments.program).resolve())
        differential = Differential(program, {**faster_gpu(program, Path(folder)), "TZ": "UTC"}, arguments.seconds)
        for unit, outcomes in zip(units, pool.map(differential.check, units)):
            for i, (found, ran) in enumerate(outcomes):
                wrong[i], on_gpu[i] = wrong[i] + len(found), on_gpu[i] + ran
                for text in found:
                    print(f"FAILED {' '.join([unit[0], *SETTINGS[i]])}, {text[:2000]}", flush=True)
    for i, setting in enumerate(SETTINGS):
        few = on_gpu[i] * 2 < queries
        passed, failed = passed + answers - wrong[i], failed + wrong[i] + few
        print(f"{'FAILED' if wrong[i] or few else 'ok    '} {' '.join(['auto', *setting])}: {answers - wrong[i]} of {answers} answers are DuckDB's; "
              f"{on_gpu[i]} of {queries} queries ran on the GPU{', which is too few' if few else ''}")
    print(f"{time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
