"""The last line of ./dev test reports a failure if a runner failed, died or ran nothing."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import importlib.util  # noqa: E402

import pytest  # noqa: E402

spec = importlib.util.spec_from_file_location("lanewise_test_runner", ROOT / "tools" / "test.py")
runner = importlib.util.module_from_spec(spec)
spec.loader.exec_module(runner)


def count_of(tmp_path, xml):
    report = tmp_path / "report.xml"
    if xml is not None:
        report.write_text(xml)
    count = runner.Count()
    count.add_junit([report], "runner")
    return count.passed, count.failed, count.skipped


@pytest.mark.parametrize("xml, expected", [
    ('<testsuite><testcase name="a"/><testcase name="b"/></testsuite>', (2, 0, 0)),
    ('<testsuite><testcase name="a"><failure/></testcase><testcase name="b"/></testsuite>', (1, 1, 0)),
    ('<testsuite><testcase name="a"><error/></testcase></testsuite>', (0, 1, 0)),
    ('<testsuite><testcase name="a"><skipped/></testcase><testcase name="b"/></testsuite>', (1, 0, 1)),
    ('<testsuite><testcase name="a" status="run" result="skipped"/></testsuite>', (0, 0, 1)),
    ('<testsuite><testcase name="a" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase></testsuite>', (0, 0, 1)),
    ('<testsuite><testcase name="a" status="notrun"><skipped message="Unable to find executable"/></testcase></testsuite>', (0, 1, 0)),
    ("<testsuite/>", (0, 1, 0)),
    (None, (0, 1, 0)),
])
def test_counts(tmp_path, xml, expected):
    assert count_of(tmp_path, xml) == expected


@pytest.mark.parametrize("failures, lines, code", [
    ([], "3 passed, 0 failed\n", 0),
    ([("a.b", "\n".join(f"line {i}" for i in range(100)))], "FAILED a.b\n" + "".join(f"    line {i}\n" for i in range(88, 100)) + "3 passed, 1 failed\n", 1),
])
def test_close(capsys, failures, lines, code):
    count = runner.Count()
    count.passed, count.failures = 3, failures
    with pytest.raises(SystemExit) as ended:
        count.close()
    assert (capsys.readouterr().out, ended.value.code) == (lines, code)


def test_a_program_that_crashes_is_a_failure(tmp_path):
    program = tmp_path / "lanewise_crash_test"
    program.write_text("#!/bin/sh\necho almost there\nkill -SEGV $$\n")
    program.chmod(0o755)
    count = runner.Count()
    runner.run_programs([program], None, count, {}, [])
    assert (count.passed, count.failures) == (0, [("lanewise_crash_test", "almost there\n")])


def test_a_finding_after_the_report_is_a_failure(tmp_path):
    program = tmp_path / "lanewise_leak_test"
    program.write_text('#!/bin/sh\nfor a; do case $a in --gtest_output=xml:*) echo "<t><testcase/></t>" > "${a#*xml:}";; esac; done\nexit 1\n')
    program.chmod(0o755)
    count = runner.Count()
    runner.run_programs([program], None, count, {"PATH": "/usr/bin:/bin"}, [])
    assert (count.passed, count.failed) == (runner.JOBS, 1)


def test_each_test_runs_once_and_a_share_may_be_empty(tmp_path):
    program = tmp_path / "lanewise_one_test"
    program.write_text('#!/bin/sh\nfor a; do case $a in --gtest_output=xml:*) out="${a#*xml:}";; esac; done\n'
                       'if [ "$GTEST_SHARD_INDEX" = 0 ]; then echo "<t><testcase/></t>"; else echo "<t/>"; fi > "$out"\n')
    program.chmod(0o755)
    count = runner.Count()
    runner.run_programs([program], None, count, {"PATH": "/usr/bin:/bin"}, [])
    assert (count.passed, count.failed) == (1, 0)


@pytest.mark.parametrize("part, index", [(None, 0), ((2, 3), runner.JOBS)])
def test_parts_are_shares_of_all_processes(tmp_path, part, index):
    program = tmp_path / "lanewise_part_test"
    program.write_text('#!/bin/sh\nfor a; do case $a in --gtest_output=xml:*) out="${a#*xml:}";; esac; done\n'
                       f'if [ "$GTEST_SHARD_INDEX" = {index} ]; then echo "<t><testcase/></t>"; else echo "<t/>"; fi > "$out"\n')
    program.chmod(0o755)
    count = runner.Count()
    runner.run_programs([program], None, count, {"PATH": "/usr/bin:/bin"}, [], part=part)
    assert (count.passed, count.failed) == (1, 0)


def test_each_test_is_in_one_part(tmp_path):
    (tmp_path / "conftest.py").symlink_to(ROOT / "tests" / "conftest.py")
    (tmp_path / "test_some.py").write_text("import pytest\n@pytest.mark.parametrize('i', range(7))\ndef test_some(i): pass\n")
    ran = []
    for part in "1/3", "2/3", "3/3":
        done = subprocess.run([sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", tmp_path], cwd=tmp_path,
                              env=os.environ | {"LANEWISE_TEST_PART": part}, capture_output=True, text=True)
        ran += re.findall(r"test_some\[(\d)\] PASSED", done.stdout)
    assert sorted(ran) == list("0123456") and ran[0] == "0" and ran[3] == "1"


@pytest.mark.parametrize("text", ["", "0/3", "4/3", "1", "1/0", "a/b"])
def test_what_is_no_part(text):
    with pytest.raises(argparse.ArgumentTypeError, match="is not I/N"):
        runner.part_of(text)
