"""Memory and open files of a search do not grow with the number of files, lines or matches."""

import gzip
import subprocess
import sys

import pytest
from programs import PROGRAM, files  # noqa: F401

LINES = b"".join(b"line %d of some text, word%d\n" % (i, i % 97) for i in range(1000))
WORDS = "\n".join(f"word{i}x" for i in range(100)) + "\nword42\n"


# A process starts with its parent's memory peak, so a small process starts the program.
MEASURE = """import os, subprocess, sys
program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(program.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss << 10)"""


def peak(arguments, folder):
    """The peak memory of the program, in bytes."""
    done = subprocess.run([sys.executable, "-ISc", MEASURE, *PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    code, most = map(int, done.stdout.split())
    assert code == 0, done.stderr
    return most


SEARCHES = {
    "count": ["-c", "line"],
    "lines": ["-n", "-C1", "7 of"],
    "matches": ["-o", "[a-z]+"],
    "words": ["-io", "-f", "words"],
    "multiline": ["-U", "text.*\nline"],
    "json": ["--json", "word42"],
    "packed": ["-z", "7 of"],
}


@pytest.mark.parametrize("case", SEARCHES)
def test_many_files_take_no_more_memory(files, tmp_path, case):  # noqa: F811
    files(a=gzip.compress(LINES) if case == "packed" else LINES, words=WORDS)
    few, many = (peak([*SEARCHES[case], "--threads", "2", *["a"] * count], tmp_path) for count in (40, 1000))
    assert many < few + (8 << 20)


def test_a_tree_is_not_held(tmp_path):
    """Only the names of one folder and of its ancestors are held."""
    for folder in range(60):
        (tmp_path / str(folder)).mkdir()
        for number in range(60):
            (tmp_path / str(folder) / f"{number}.txt").write_bytes(LINES[:3000])
    few = peak(["-c", "line", "0"], tmp_path)
    assert peak(["-c", "line", "./"], tmp_path) < few + (8 << 20)


def test_a_long_line_is_held_once(tmp_path):
    size = 200 << 20
    with (tmp_path / "long").open("wb") as file:
        while file.tell() < size:
            file.write(b"some text " * 100_000)
        file.write(b"foo\n")
    assert peak(["-c", "foo", "long"], tmp_path) < size * 1.15 + (40 << 20)
