"""Runs the tests and closes with `N passed, M failed`.

./dev test      every GoogleTest case through ctest, then tests/ through pytest, then the lab's through Vitest
./dev sanitize  the same under a sanitizer: whole test programs, which start once, and for asan SQL's and Python's tests
./dev aarch64   the test programs that were built for ARM, on an emulated core
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = int(os.environ.get("JOBS") or os.cpu_count() or 1)
# gcc 12's sanitizers take a thread-local block that begins 16 bytes into a page for one of glibc 2.19 and read its size
# from the bytes before it: a library that is opened while a test runs then ends it, once in ten runs.
TLS = "intercept_tls_get_addr=0"
SANITIZERS = {
    # DuckDB's library is not instrumented, so a container that crosses to it looks overrun.
    "asan": {"ASAN_OPTIONS": "detect_container_overflow=0:detect_stack_use_after_return=1:allocator_may_return_null=1:" + TLS,
             "LSAN_OPTIONS": f"suppressions={ROOT}/tests/lsan.supp:print_suppressions=0",
             "UBSAN_OPTIONS": "print_stacktrace=1"},
    "tsan": {"TSAN_OPTIONS": f"suppressions={ROOT}/tests/tsan.supp:halt_on_error=1:second_deadlock_stack=1:{TLS}"},
}
# They load the library into Python, which has leaks of its own.
IN_PYTHON = ["tests/sql/test_changes.py", *(f"tests/python/test_{name}.py" for name in ("arrow_data", "dbapi", "sql", "udf"))]
EMULATORS = {"aarch64": ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]}


class Count:
    def __init__(self):
        self.passed = self.skipped = 0
        self.failures = []  # What failed, and why: the last lines are shown.

    @property
    def failed(self):
        return len(self.failures)

    def add_junit(self, paths, what, output="", may_be_empty=False):
        """Counts reports. One that is missing is a failure, as its runner died after `output`; so is it where no test ran, unless
        few were chosen."""
        cases = [case for path in paths if path.exists() for case in ElementTree.parse(path).iter("testcase")]
        if not (cases or may_be_empty) or not all(path.exists() for path in paths):
            self.failures.append((what, output or "no test ran"))
        for case in cases:
            tags = {child.tag: child for child in case}
            # ctest says "skipped" also of a program that is not there.
            absent = case.get("status") == "notrun" and not tags["skipped"].get("message", "").startswith("SKIP_")
            if "failure" in tags or "error" in tags or absent:
                why = case.findtext("system-out") or tags.get("failure", tags.get("error", case)).get("message", "")
                self.failures.append((f"{what}: {case.get('classname')}.{case.get('name')}", why))
            elif "skipped" in tags or case.get("result") == "skipped" or case.get("status") == "disabled":
                self.skipped += 1
            else:
                self.passed += 1

    def close(self):
        for name, why in self.failures:
            print(f"FAILED {name}", *(f"    {line[:200]}" for line in why.strip().splitlines()[-12:]), sep="\n")
        print(f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else ""))
        sys.exit(1 if self.failures else 0)


def part_of(text):
    """I/N as two numbers."""
    match = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not match or int(match[1]) > int(match[2]):
        raise argparse.ArgumentTypeError(f"'{text}' is not I/N with I from 1 to N")
    return int(match[1]), int(match[2])


def run_ctest(build, word, part, count):
    report = build / "ctest.xml"
    report.unlink(missing_ok=True)
    only = ["-R", word] if word else []
    if part:
        only += ["-I", f"{part[0]},,{part[1]}"]
    subprocess.run(["ctest", "--test-dir", build, "-j", str(JOBS), "--output-on-failure", "--progress",
                    "--no-tests=ignore", "--output-junit", report, *only])
    if not (word and report.exists() and not list(ElementTree.parse(report).iter("testcase"))):
        count.add_junit([report], "ctest")


def run_pytest(build, paths, word, count, env):
    report = build / "pytest.xml"
    report.unlink(missing_ok=True)
    only = ["-k", word] if word else []
    code = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", str(JOBS), "--dist", "worksteal", "-p",
                           "no:cacheprovider", f"--junitxml={report}", *only, *paths], cwd=ROOT,
                          env=env | {"LANEWISE_BUILD": str(build)}).returncode
    if not (word and code == 5):
        count.add_junit([report], "pytest")


def preloaded(env):
    """For a program that is not instrumented and loads libraries that are."""
    libraries = [subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip() for name in ("libasan.so", "libstdc++.so")]
    return env | {"LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": env["ASAN_OPTIONS"] + ":detect_leaks=0"}


def run_lab(build, count, env):
    """The lab's tests: its page in Chromium, as static files and from `lanewise lab`. The long ones with --all."""
    reports = [build / f"lab-{kind}.xml" for kind in ("test", "e2e")]
    for report in reports:
        report.unlink(missing_ok=True)
    smoke = [] if "LANEWISE_TEST_ALL" in env else ["--smoke"]
    subprocess.run([ROOT / "dev", "lab-test", *smoke, "--report", build], env=env)
    count.add_junit(reports, "lab")


def fixed_addresses():
    """The thread sanitizer of gcc 12 cannot run where addresses are drawn from more than 28 bits."""
    bits = Path("/proc/sys/vm/mmap_rnd_bits")
    return ["setarch", "--addr-no-randomize"] if bits.exists() and int(bits.read_text()) > 28 else []


def run_programs(programs, word, count, env, runner, tests="*", part=None):
    """Runs each program's `tests` as JOBS processes of `runner` that share them, and prints the output of those that fail."""
    part, parts = part or (1, 1)
    # A sanitized frame is several times larger, and nested patterns may go a thousand deep.
    resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    def run(program, shard):
        report = program.with_suffix(f".{shard}.xml")
        report.unlink(missing_ok=True)
        chosen = f"*{word}*" if word else tests
        start = time.monotonic()
        result = subprocess.run([*runner, program, f"--gtest_output=xml:{report}", "--gtest_brief=1", f"--gtest_filter={chosen}"],
                                env=env | {"GTEST_TOTAL_SHARDS": str(JOBS * parts),
                                           "GTEST_SHARD_INDEX": str((part - 1) * JOBS + shard)},
                                cwd=program.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                errors="replace")
        return report, result, time.monotonic() - start

    with ThreadPoolExecutor(JOBS) as pool:
        shards = [(program, [pool.submit(run, program, shard) for shard in range(JOBS)]) for program in programs]
        for program, runs in shards:
            reports, results, seconds = zip(*(one.result() for one in runs))
            broken = [result.stdout for result in results if result.returncode]
            end = broken[0] if broken else ""
            before = count.failed
            count.add_junit(reports, program.name, end, may_be_empty=bool(word) or parts > 1)
            if broken and count.failed == before:
                count.failures.append((program.name, end))  # A sanitizer's finding at exit, or a crash after the report.
            print(f"{program.name}: {'FAILED' if broken else 'ok'}, {sum(seconds):.0f} s of processes", *(output[-20000:] for output in broken), sep="\n",
                  flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev test", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the long tests too (LANEWISE_TEST_ALL=1 in their environment)")
    parser.add_argument("-k", dest="word", help="only tests whose name contains WORD")
    parser.add_argument("--part", metavar="I/N", type=part_of, help="every N-th test from the I-th on; the lab's are in the first part")
    parser.add_argument("--sanitizer", choices=list(SANITIZERS), help=argparse.SUPPRESS)
    parser.add_argument("--build", help=argparse.SUPPRESS)
    parser.add_argument("--emulated", choices=list(EMULATORS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()

    env = dict(os.environ)
    if arguments.all:
        os.environ["LANEWISE_TEST_ALL"] = env["LANEWISE_TEST_ALL"] = "1"
    if arguments.part:
        env["LANEWISE_TEST_PART"] = "{}/{}".format(*arguments.part)
    count = Count()
    if arguments.emulated:
        programs = sorted((ROOT / "build" / arguments.emulated).rglob("lanewise_*_test"))
        run_programs(programs, arguments.word, count, env | {"LANEWISE_TEST_FEW": "1"}, EMULATORS[arguments.emulated], part=arguments.part)
    elif arguments.sanitizer:
        build = ROOT / arguments.build
        env |= SANITIZERS[arguments.sanitizer]
        # What threads share: whole plans, kept columns and modules, the snapshots of an index.
        shared = {"codegen": "ModuleStoreTest.*", "ops": "ColumnStore.*:HotColumns.*:EarlyFilters.*:StoredInput.*:BatchFeedTest.*", "exec": "*",
                  "index": "Snapshot.*"}
        layers = {"*": "*"} if arguments.sanitizer == "asan" else shared
        for layer, tests in layers.items():
            programs = sorted(build.rglob(f"lanewise_{layer}_test"))
            run_programs(programs, arguments.word, count, env, fixed_addresses(), tests, arguments.part)
        if arguments.sanitizer == "asan":
            # The suites of queries run the same code as the corpus, for minutes.
            left = [IN_PYTHON[0], *(f"tests/sql/test_{suite}.py" for suite in ("suites", "tpcds", "tpch"))]
            run_pytest(build, ["tests/sql", *(f"--ignore={path}" for path in left)], arguments.word, count, env)
            run_pytest(build, IN_PYTHON, arguments.word, count, preloaded(env))
    else:
        build = ROOT / "build"
        run_ctest(build, arguments.word, arguments.part, count)
        run_pytest(build, ["tests"], arguments.word, count, env)
        if arguments.word in (None, "lab") and (arguments.part is None or arguments.part[0] == 1):
            run_lab(build, count, env)
    count.close()


if __name__ == "__main__":
    main()
