"""Regression tests of `lanewise grep`."""

import random
import subprocess
import time

import pytest
from programs import PROGRAM, both, files, grep, to_bytes  # noqa: F401


def test_word_lists_are_fast(both, grep, files):  # noqa: F811
    choice = random.Random(1)
    words = ["".join(choice.choices("abcdefghijklmnop", k=choice.randint(5, 12))) for _ in range(20000)]
    text = "\n".join("".join(choice.choices("abcdefghijklmnop ", k=60)) for _ in range(20000)) + "\n"
    files(words="\n".join(words), few="\n".join(words[:5000]), text=text)
    begin = time.monotonic()
    grep("-cFf", "words", "text")
    assert time.monotonic() - begin < 5
    for name in ("few", "words"):
        both("-cFf", name, "text")


@pytest.mark.parametrize("closing", ["2>&-", "2>/dev/full"])
def test_errors_that_cannot_be_written(files, tmp_path, closing):  # noqa: F811
    files(a="foo\n")
    done = subprocess.run(["bash", "-c", f"'{PROGRAM[0]}' grep foo missing a {closing}"], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"a:foo\n")


@pytest.mark.parametrize("option", [["--exclude=.*"], ["--include=*.c"], ["-g", "*.c"], ["-g", "sub/*"], ["-g", "{a,b}.c"], ["-g", "*/x"]])
def test_globs(grep, files, option):  # noqa: F811
    files(**{"a.c": "foo\n", "b.c": "foo\n", "c": "foo\n", "sub/x": "foo\n", "sub/y.c": "foo\n", "sub/deep/x": "foo\n"})
    expected = {"--exclude=.*": "a.c b.c c sub/deep/x sub/x sub/y.c", "--include=*.c": "a.c b.c sub/y.c", "*.c": "a.c b.c sub/y.c", "sub/*": "sub/x sub/y.c",
                "{a,b}.c": "a.c b.c", "*/x": "sub/x"}  # fmt: skip
    assert grep("-l", *option, "foo")[1].decode().split() == expected[option[-1]].split()


def test_counts_have_no_line_numbers(grep, files):  # noqa: F811
    files(a="foo\nfoo\n")
    assert grep("-cnH", "foo", "a")[1] == b"a:2\n"


def test_the_last_value_counts(grep, files):  # noqa: F811
    files(a="1\nfoo\n2\n")
    assert grep("-C1", "-C0", "foo", "a")[1] == b"foo\n"
    assert grep("-A1", "-A0", "-m2", "-m1", "--threads", "1", "--threads", "2", "foo", "a")[1] == b"foo\n"
    assert grep("-I", "-H", "foo", "a")[1] == b"a:foo\n"


def test_nul_in_an_unterminated_line(both):  # noqa: F811
    assert b"binary file matches" in both("foo", stdin=b"foo\n\0")[1]


@pytest.mark.parametrize("name, magic, said", [("a.Z", b"\x1f\x9d\x90", ".Z"), ("a.br", b"xxx", "Brotli")])
def test_packed_files_that_are_not_read(grep, files, name, magic, said):  # noqa: F811
    files(**{name: magic + b"foo\n"})
    code, out, error = grep("-z", "foo", name)
    assert (code, out) == (2, b"") and said in error


@pytest.mark.parametrize("words, said", [([r"\<foo\>"], r"\b"), ([r"a\nb"], "-U"), (["-1", "5"], "-C 1"), (["-C", "x", "5"], "not a number")])
def test_traps_are_errors_with_advice(grep, files, words, said):  # noqa: F811
    files(a="foo\n")
    code, out, error = grep(*words, "a")
    assert (code, out) == (2, b"") and said in error and len(error) < 200


def test_words_are_unicode(grep):  # noqa: F811
    assert grep("-w", "berall", stdin="überall\n")[0] == 1
    assert grep(r"\bberall", stdin="überall\n")[0] == 1
    assert grep(r"(?-u)\bberall", stdin="überall\n")[0] == 0
    assert grep("--no-unicode", r"\bberall", stdin="überall\n")[0] == 0


@pytest.mark.parametrize("text", [b"\xed\xa0\x80", b"\xff", b"\xc3", b"\xc0\x80", b"\xf4\x90\x80\x80"])
def test_malformed_text_is_not_a_character(both, text):  # noqa: F811
    both("-c", "^.$", stdin=text + b"\n")
    both("-c", "[^a]", stdin=text + b"\n")
    both("-o", ".", stdin=b"a" + text + b"b\n")


def test_differences_are_in_the_help(grep):  # noqa: F811
    code, out, _ = grep("--help")
    assert code == 0 and b"Differences from ripgrep" in out
