"""Files of every kind, and errors. test_ripgrep.py compares the output."""

import bz2
import gzip
import lzma
import os
import signal
import subprocess

import pytest
from programs import PROGRAM, files, grep  # noqa: F401

TEXT = "one\ntwo\nthree\nfour\n\nfive six\nseven\none two\n"


@pytest.mark.parametrize("pack, name", [(gzip.compress, "gz"), (bz2.compress, "bz2"), (lzma.compress, "xz"), (lambda data: run_zstd(data), "zst")])
def test_compressed(grep, files, pack, name):  # noqa: F811
    text = b"".join(b"line %d\n" % i for i in range(300000))
    packed = pack(text)
    files(**{f"a.{name}": packed, "plain": text, "two": pack(b"one\ntw") + pack(b"o\nthree"), "cut": packed[: len(packed) // 2], "short": b"x"})
    expected = b"99999:line 99998\n"
    assert grep("-nz", "line 99998$", f"a.{name}")[1] == expected
    assert grep("-nz", "line 99998$", "plain")[1] == expected
    assert grep("-nz", "line 99998$", stdin=packed)[1] == expected
    assert grep("-nz", "line 99998$", stdin=text)[1] == expected
    assert grep("-z", "t", "two")[1] == b"two\nthree\n"
    assert grep("-z", "x", "short")[1] == b"x\n"
    code, _, error = grep("-cz", "line", "cut")
    assert code == 2 and "cut: the compressed file ends too early" in error
    assert grep("-c", "line 99998$", f"a.{name}")[0] == 1  # without -z these are bytes



def run_zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout



def test_lanes(grep, files, level):  # noqa: F811
    files(a=TEXT * 100)
    for pattern in ("seven", "s[a-z]+n", "^o", "e{2}", "five.*x"):
        code, out, error = grep("--lanes", level, "-n", "--debug", pattern, "a")
        assert (code, out) == grep("-n", pattern, "a")[:2]
        if level == "packed":
            assert "packed: registers of" in error
        assert "GB/s" in error



def test_an_unreadable_file_stops_nothing(files, tmp_path):  # noqa: F811
    files(a="x\n", locked="x\n", z="x\n", **{"dir/b": "x\n"})
    (tmp_path / "locked").chmod(0)
    (tmp_path / "dir").chmod(0)
    command = [*PROGRAM, "x", "a", "locked", "dir", "z"]
    if os.geteuid() == 0:  # root can read everything, unless it gives up that right
        drop = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}", *command]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    (tmp_path / "dir").chmod(0o755)
    assert (done.returncode, done.stdout) == (2, "a:x\nz:x\n"), done
    assert "locked: Permission denied" in done.stderr and "dir: Permission denied" in done.stderr



def test_the_output_is_no_input(files, tmp_path):  # noqa: F811
    files(a="x\n", out="x\n")
    with open(tmp_path / "out", "a") as out:
        done = subprocess.run([*PROGRAM, "x", "a", "out"], stdout=out, stderr=subprocess.PIPE, cwd=tmp_path, text=True)
    assert done.returncode == 2 and "out: the input is also the output" in done.stderr
    assert (tmp_path / "out").read_text() == "x\na:x\n"



def test_a_closed_pipe_ends_quietly(files, tmp_path):  # noqa: F811
    files(a="some line\n" * 2_000_000)
    with subprocess.Popen([*PROGRAM, "line", "a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as program:
        assert program.stdout.readline() == b"some line\n"
        program.stdout.close()
        assert program.wait(timeout=60) == 0
        assert program.stderr.read() == b""



def test_a_file_that_shrinks_is_told(files, tmp_path):  # noqa: F811
    files(a="some line\n" * 2_000_000)
    with subprocess.Popen([*PROGRAM, "line", "a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as program:
        assert program.stdout.readline() == b"some line\n"  # then the pipe is full, and the program waits
        os.truncate(tmp_path / "a", 0)
        error = program.communicate(timeout=60)[1]
        assert program.returncode == 2 and b"became shorter" in error



def test_a_full_disk_is_told(files, tmp_path):  # noqa: F811
    files(a="x\n" * 1000)
    with open("/dev/full", "w") as full:
        done = subprocess.run([*PROGRAM, "x", "a"], stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, text=True)
    assert done.returncode == 2 and "No space left" in done.stderr



def test_a_pipe_is_searched_as_it_comes():
    """Output does not wait for more input than a line; Ctrl-C ends the search with 130."""
    with subprocess.Popen([*PROGRAM, "--line-buffered", "o"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        for line in (b"one\n", b"two\n"):
            program.stdin.write(line)
            program.stdin.flush()
            assert program.stdout.readline() == line
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=60) == 130



def test_many_threads_open_few_files(files, tmp_path):  # noqa: F811
    files(**{f"f{i:04}": f"x{i}\n" for i in range(3000)})
    command = ["prlimit", "--nofile=64", *PROGRAM, "-I", "--threads", "40", "x", "./"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(f"x{i}\n" for i in range(3000))


def test_debug_says_how(grep, files):  # noqa: F811
    files(a=TEXT)
    assert "'seven' searched in all lines at once" in grep("--debug", "seven", "a")[2]
    reasons = grep("--debug", "[a-z]{20}", "a")[2]
    assert "a run of 20" in reasons
    assert "contains: no, the pattern is not" in reasons, reasons  # and why not otherwise


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["(", "a"], "closing"),
        (["-e", "a", "-e", "[z-a]", "a"], "range"),
        ([], "a pattern is missing"),
        (["--nonsense", "a"], "--nonsense"),
        (["--multilin", "a"], "--multiline"),
        (["-m", "x", "a"], "x"),
        (["-A", "-1", "a"], "-1"),
        (["--color=pink", "a"], "pink"),
        (["--lanes", "wide", "a"], "wide"),
        (["-P", "a"], "linear time"),
        (["(?<=a)b", "a"], "look-around"),
        (["-tnope", "a"], "nope"),
        (["-E", "nope", "a", "a"], "nope"),
        (["--json", "-c", "a"], "--json"),
        (["a", "missing"], "missing: No such file or directory"),
        (["a", ""], ": No such file"),
    ],
)
def test_what_is_wrong_is_said(grep, files, arguments, said):  # noqa: F811
    files(a=TEXT)
    code, out, error = grep(*arguments)
    assert (code, out) == (2, b"") and said in error


def test_a_configuration_file(grep, files, tmp_path):  # noqa: F811
    files(a=TEXT, config="# numbers\n--line-number\n\n  --max-count=1  \n")
    env = os.environ | {"LANEWISE_GREP_CONFIG": str(tmp_path / "config")}
    assert grep("one", "a", env=env)[1] == b"1:one\n"
    assert grep("--no-config", "one", "a", env=env)[1] == b"one\none two\n"
    assert grep("-m2", "one", "a", env=env)[1] == b"1:one\n8:one two\n"


def test_the_configuration_file_of_ripgrep(grep, files, tmp_path):  # noqa: F811
    files(a=TEXT, config="-n\n", other="-c\n")
    env = os.environ | {"RIPGREP_CONFIG_PATH": str(tmp_path / "config")}
    assert grep("four", "a", env=env)[1] == grep("-n", "four", "a")[1]
    assert grep("--no-config", "four", "a", env=env)[1] == grep("four", "a")[1]
    env["LANEWISE_GREP_CONFIG"] = str(tmp_path / "other")
    assert grep("four", "a", env=env)[1] == grep("-c", "four", "a")[1]


def test_preprocessors(grep, files, tmp_path):  # noqa: F811
    files(**{"a.up": "one\nfoo\n", "b.txt": "foo\n", "upper": '#!/bin/sh\necho "of ${1##*/}"\ntr a-z A-Z\n', "fails": "#!/bin/sh\necho foo\necho no luck >&2\nexit 3\n"})
    for script in ("upper", "fails"):
        (tmp_path / script).chmod(0o755)
    assert grep("--pre", "./upper", "FOO|of", "a.up", "b.txt")[:2] == (0, b"a.up:of a.up\na.up:FOO\nb.txt:of b.txt\nb.txt:FOO\n")
    assert grep("--pre", "./upper", "--pre-glob", "*.up", "(?i)foo", "a.up", "b.txt")[:2] == (0, b"a.up:FOO\nb.txt:foo\n")
    assert grep("--pre", "./upper", "--pre-glob", "!*.up", "(?i)foo", "a.up", "b.txt")[:2] == (0, b"a.up:foo\nb.txt:FOO\n")
    assert grep("--pre", "./upper", "--no-pre", "(?i)foo", "a.up")[:2] == (0, b"foo\n")
    code, _, error = grep("--pre", "./fails", "foo", "a.up")
    assert code == 2 and "a.up: --pre: './fails' failed: no luck" in error
    code, _, error = grep("--pre", "./missing", "foo", "a.up")
    assert code == 2 and "'./missing' cannot be started: No such file or directory" in error
    (tmp_path / "large").write_bytes(b"foo\n" * 500_000)
    assert grep("-m1", "--pre", "cat", "foo", "large")[:2] == (0, b"foo\n")  # the command is killed
    assert grep("-c", "--pre", "cat", "foo", "large")[:2] == (0, b"500000\n")


def test_without_patterns_nothing_is_selected(grep, files):  # noqa: F811
    files(a=TEXT, none="")
    for arguments in ([], ["-v"], ["-c"], ["--files-without-match"]):
        assert grep(*arguments, "-f", "none", "a")[:2] == (1, b"")


def test_fixed_strings_without_unicode(grep, files):  # noqa: F811
    files(a="Fu\u00df\nFUSS\n")
    assert grep("-F", "--no-unicode", "u\u00df", "a")[1] == "Fu\u00df\n".encode()
    assert grep("-Fi", "--no-unicode", "U\u00df", "a")[1] == "Fu\u00df\n".encode()


def test_the_size_of_patterns_is_limited(grep, files):  # noqa: F811
    files(a=TEXT)
    assert grep("--regex-size-limit", "1M", "o\\w", "a")[0] == 0
    code, out, error = grep("--regex-size-limit", "1K", "o\\w", "a")
    assert (code, out) == (2, b"") and "pattern too large" in error
