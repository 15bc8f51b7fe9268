"""Every option, files of every kind, and what is said when something is wrong."""

import bz2
import gzip
import os
import shlex
import signal
import subprocess

import pytest
from programs import PROGRAM, both, files, grep  # noqa: F401

TEXT = "one\ntwo\nthree\nfour\n\nfive six\nseven\none two\n"


@pytest.mark.parametrize(
    "arguments",
    ["-n o", "-c o", "-vc o", "-v o", "-m2 o", "-m 2 -c e", "-m0 o", "-A1 two", "-B1 two", "-C1 two", "-C 1 -n five", "-A1 -B2 -n seven", "-C9 six", "-A0 o",
     "-m1 -A3 o", "-m2 -A3 -n o", "-vm2 -B1 -n o", "-o o", "-on -i O", "-oh o a b", "-H o", "-h o a b", "o a b", "-c o a b", "-l seven a b", "-L seven a b",
     "-lc o a b", "-Zl o a b", "-Zn o a b", "-q o", "-q nothing", "-x one", "-xv one", "-w one", "-wo one", "-e one -e seven", "-i ONE", "-F .", "-c ''",
     "-C1 one a b", "-C1 -n one b a", "--color=always o", "--color=always -nH o", "--color=always -C1 -n six a b", "--color=always -vC1 six",
     "--color=always -c o a b", "--color=always -l o a b", "--color=always -Zno o a b", "--color=never o", "--color=auto o", "-o -C1 one", "-ov one", "nothing",
     "-n '^$'", "-vn .", "--count o", "--max-count=1 o", "--only-matching o", "--line-buffered o", "--null -l o", "-r o sub", "-rh o sub", "-rc o sub",
     "-rl o sub a", "-r o a", "-r --include '*.c' o sub", "-r --exclude '*.c' o sub", "-r --exclude-dir deep o sub", "--include b o a b", "-- -x a", "-e -x a",
     "o missing a", "-s o missing a", "-q o missing a", "-q o a missing", "o sub a", "-c o empty", "-L o empty", "-l o empty", "-v o empty"],
)  # fmt: skip
def test_as_gnu_grep(both, files, arguments):  # noqa: F811
    files(a=TEXT, b="seven\nx\ny\none", empty="", **{"sub/x.c": "one\n", "sub/deep/y.c": "one two\n", "sub/z.h": "two\n"})
    words = shlex.split(arguments)
    named = {"a", "b", "sub", "empty", "missing"} & set(words)
    # GNU grep takes the files of a folder as they lie on the disk.
    both(*words, *([] if named else ["a"]), any_order="-r" in arguments)


def test_patterns_from_files(both, files, grep):  # noqa: F811
    files(a=TEXT, p="one\nthree\n", nothing="", q="x\n\ny\n")
    both("-n", "-f", "p", "a")
    both("-f", "nothing", "a")
    both("-vf", "nothing", "a")
    both("-f", "q", "a")
    both("-f", "p", "-e", "five", "a")
    both("-f", "-", "a", stdin="four\n")
    both("-n", "one\nsev", "a")
    assert grep("-f", "missing", "a")[0] == 2


def test_standard_input(both, grep, files):  # noqa: F811
    both("-n", "o", stdin=TEXT)
    both("-H", "o", stdin=TEXT)
    files(a=TEXT)
    both("-c", "o", "a", "-", stdin=TEXT)
    assert grep("o", stdin="")[:2] == (1, b"")


def test_folders_by_name_and_links(grep, files, tmp_path):  # noqa: F811
    files(**{"c/2": "x\n", "c/10": "x\n", "b": "x\n", "a/z": "x\n", "other/l": "x\n"})
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "file").symlink_to(tmp_path / "b")
    (tmp_path / "link").symlink_to(tmp_path / "other")
    os.mkfifo(tmp_path / "pipe")
    assert grep("-r", "x")[1] == b"a/z:x\nb:x\nc/10:x\nc/2:x\nother/l:x\n"
    assert grep("-r", "x", "a", "link")[1] == b"a/z:x\nlink/l:x\n"
    code, out, error = grep("x", "c", "b")
    assert (code, out) == (2, b"b:x\n") and "c: is a directory" in error


@pytest.mark.parametrize("pack, name", [(gzip.compress, "gz"), (bz2.compress, "bz2"), (lambda data: run_zstd(data), "zst")])
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
    assert grep("-c", "line 99998$", f"a.{name}")[0] == 1  # without -z it is bytes


def run_zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


def test_binary_files(grep, both, files):  # noqa: F811
    files(early=b"x\n\0\nx y\n", late=b"x 1\n" + b"." * 70000 + b"\nx\0\nx 2\n", text="x\n")
    assert grep("x", "early")[1] == b"Binary file early matches\n"
    assert grep("x", "late")[1] == b"x 1\nBinary file late matches\n"
    assert grep("z", "early")[:2] == (1, b"")
    for arguments in (["-c", "x", "early"], ["-l", "x", "early", "text"], ["-a", "x", "early"], ["-q", "x", "early"], ["-I", "x", "early"],
                      ["-Ic", "x", "early", "text"], ["-ao", "x", "early"], ["-L", "x", "early", "text"]):
        both(*arguments)
    assert grep("-c", "x", stdin=b"x\0\nx\n")[1] == b"2\n"


def test_invalid_utf8_is_text(grep, files):  # noqa: F811
    """It is printed as it is; neither . nor a class takes a malformed byte, \\C takes any."""
    files(a=b"ok\n\xff\nb\xffb\n\xc3\n")
    assert grep("b", "a")[1] == b"b\xffb\n"
    assert grep("^.$", "a")[:2] == (1, b"")
    assert grep("b.b", "a")[0] == 1
    assert grep(r"b\Cb", "a")[1] == b"b\xffb\n"
    assert grep("-v", ".", "a")[1] == b"\xff\n\xc3\n"
    code, _, error = grep("-F", b"\xff", "a")  # patterns are UTF-8
    assert code == 2 and "UTF-8" in error


def test_odd_lines(both, files):  # noqa: F811
    texts = {"crlf": b"one\r\ntwo\r\n", "bare": b"no end", "only": b"\n", "nothing": b"", "cr": b"a\rb\n"}
    files(**texts)
    for pattern in ("o", "e$", "one.$", "^", "^$", "."):
        both("-n", pattern, *texts)
        both("-vc", pattern, *texts)


def test_lines_of_every_size(both, grep, files, tmp_path):  # noqa: F811
    """Also lines that cross the blocks in which files are read."""
    sizes = [0, 1, 31, 32, 33, 63, 64, 65, 2**20 - 1, 2**20, 2**20 + 1, 2**21, 3 * 2**20 + 7]
    for size in sizes:
        line = b"-" * size
        files(**{f"a{size}": line + b"x\n" + line + b"\nx" + line + b"\n" + line + b"x", f"b{size}": (b"short\n" * (size // 6 + 1))[: size + 1]})
    names = [f"{letter}{size}" for letter in "ab" for size in sizes]
    for arguments in (["x$"], ["-c", "x"], ["-vn", "x"], ["-n", "^x"], ["-c", "-F", "-"], ["-nB1", "^x"]):
        code, out = both(*arguments, *names)
        for threads in ("1", "2", "5"):
            assert grep(*arguments, "--threads", threads, *names) == (code, out, "")
    for name in ("a63", f"a{2**20 + 1}"):
        both("-vn", "^x", stdin=(tmp_path / name).read_bytes())


def test_many_blocks_and_files_in_order(both, grep, files):  # noqa: F811
    lines = [b"%d %s" % (i, b"even" if i % 2 == 0 else b"odd" * (i % 7)) for i in range(400000)]
    files(big=b"\n".join(lines), **{f"small{i:03}": b"7 even\n" * (i % 3) for i in range(200)})
    names = ["big", *(f"small{i:03}" for i in range(200)), "big"]
    for arguments in (["-c", "even"], ["-n", "7 even"], ["-nC2", "777 "], ["-vc", "odd"], ["-m", "3", "-A1", "odd"], ["-l", "7 e"], ["-L", "odd"]):
        _, out = both(*arguments, *names)
        assert grep("--threads", "7", *arguments, *names)[1] == out


def test_lanes(grep, files, level):  # noqa: F811
    files(a=TEXT * 100)
    for pattern in ("seven", "s[a-z]+n", "^o", "e{2}", "five.*x"):
        code, out, error = grep("--lanes", level, "-n", "--stats", pattern, "a")
        assert (code, out) == grep("-n", pattern, "a")[:2]
        if level == "packed":
            assert "packed: registers of" in error
        assert "GB/s" in error and f"{out.count(10)} lines" in " ".join(error.split())


def test_stats_say_how(grep, files):  # noqa: F811
    files(a=TEXT)
    assert "'seven' searched in all lines at once" in grep("--stats", "seven", "a")[2]
    reasons = grep("--stats", "[a-z]{20}", "a")[2]
    assert "a run of 20" in reasons
    assert "contains: no, the pattern is not" in reasons, reasons  # and why not otherwise


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["(", "a"], "closing"),
        (["-e", "a", "-e", "[z-a]", "a"], "range"),
        ([], "a pattern is missing"),
        (["--nonsense", "a"], "--nonsense"),
        (["-m", "x", "a"], "x"),
        (["-A", "-1", "a"], "-1"),
        (["--color=pink", "a"], "pink"),
        (["--lanes", "wide", "a"], "wide"),
        (["--threads", "0", "a"], "threads"),
        (["a", "missing"], "missing: No such file or directory"),
        (["a", ""], ": No such file"),
    ],
)
def test_what_is_wrong_is_said(grep, arguments, said):  # noqa: F811
    code, out, error = grep(*arguments)
    assert (code, out) == (2, b"") and said in error


def test_an_unreadable_file_stops_nothing(files, tmp_path):  # noqa: F811
    files(a="x\n", locked="x\n", z="x\n", **{"dir/b": "x\n"})
    (tmp_path / "locked").chmod(0)
    (tmp_path / "dir").chmod(0)
    command = [*PROGRAM, "-r", "x", "a", "locked", "dir", "z"]
    if os.geteuid() == 0:  # root reads everything, unless it gives that up
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
    """Nothing waits for more than a line; Ctrl-C ends it with 130."""
    with subprocess.Popen([*PROGRAM, "--line-buffered", "o"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        for line in (b"one\n", b"two\n"):
            program.stdin.write(line)
            program.stdin.flush()
            assert program.stdout.readline() == line
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=60) == 130


def test_many_threads_open_few_files(files, tmp_path):  # noqa: F811
    files(**{f"f{i:04}": f"x{i}\n" for i in range(3000)})
    command = ["prlimit", "--nofile=64", *PROGRAM, "-rh", "--threads", "40", "x"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(f"x{i}\n" for i in range(3000))
