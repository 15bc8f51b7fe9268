"""`lanewise grep` against ripgrep 13: options, trees, ignore rules, encodings. tests/fuzz/grep.py makes random commands."""

import os
import re
import shlex
import subprocess

import pytest
from programs import both, files, grep  # noqa: F401

TEXT = "one\ntwo\nthree\nfour\n\nfive six\nseven\none two one\n  trimmed one"

COMMANDS = r"""
-n o | -c o | -vc o | -v o | -m2 o | -m 2 -c e | -m0 o | -A1 two | -B1 two | -C1 two | -C 1 -n five | -A1 -B2 -n seven | -C9 six | -A0 o
-m1 -A3 o | -m2 -A3 -n o | -vm2 -B1 -n o | -o o | -on -i O | -H o | -I o a b | o a b | -c o a b | -l seven a b | --files-without-match seven a b
-lc o a b | -0l o a b | -0n o a b | -q o | -q nothing | -x one | -xv one | -w one | -wo one | -e one -e seven | -i ONE | -F . | -c '' | -C1 one a b
-C1 -n one b a | --color=always o | --color=always -nH o | --color=always -C1 -n six a b | --color=always -vC1 six | --color=always -c o a b
--color=always -0no o a b | --color=never o | -o -C1 one | -ov one | nothing | -n '^$' | -vn . | -- -x a | -e -x a | o missing a | o sub a | -c o empty
-r X o | -r '[$0]' -o 'o.' | -r '${1}-$2' '(t)(w)' | -r '$n$$' '(?P<n>ee)' | --vimgrep o a b | --column -n o | -b o | -bo o | -S One | -S one | -s One | -iS One
-M 5 one | -M 8 --max-columns-preview one | --trim one | --heading one a b | --heading -n one a b | -p one a b | --passthru -n one | --count-matches o | -co o
--include-zero -c zzz a b | --context-separator == -A1 one | --no-context-separator -A1 one | --field-match-separator @ -n one | --field-context-separator '~' -C1 -n two
-U 'two\nthree' | -Uo 'o\ntw' | -U --multiline-dotall 'two.*four' | -Uc 'e\n' | -U -n 'e$\n' | --null-data one | --crlf 'one$' crlf | --crlf -r X 'one$' crlf | -n o crlf
-uuu one | -uu one | -u one | --hidden one | --no-ignore one | -tc one | -Tc one | -Tc -tall one | -g '*.c' one | -g '!*.c' one | --iglob '*.C' one | -g 'sub/**' one | -g '*.{c,h}' one
--files | --files --hidden | --files -tc | --files -g '!sub' | --files --no-ignore | --max-depth 1 one | --max-depth 0 --files | -L --files | --type-add 'my:*.odd' -tmy one
--type-add 'my:include:c,h' -tmy one | --type-clear c -tc one | --no-ignore-vcs one | --no-ignore-dot one | --ignore-file extra one | --sortr path one | --max-filesize 10 one
-a one bin | one bin | -c one bin | one bin a | -l one bin | -v zzz bin | --binary one binsub | one binsub | -c one binsub | -uuu one binsub | --text one bin
ber uber | -w ber uber | '\bber' uber | -o '\w+' uber | -i ÜBER uber | -o '[[:alpha:]&&[^e]]+' a | -o '\p{Greek}+' uber | '(?-u)\xC3' uber | --no-unicode -o '\w+' uber
one utf16 | -b one utf16 | one bom | -b '^one' bom | -E none one utf16 | -E latin1 ü latin | -E utf-8 b latin | '(?i)ONE' a | -x 'one|two' | -f patterns a | -Ff patterns a
-f nothing a | '(?x) o n e # comment' a | -o '' a | -o 'x*' a | 'a{' a | '[' a | '\y' a | '(?P<n>a)(?P<n>b)' a | 'a\nb' a | --no-messages o missing a | -N -n one | -n -N one
"""  # fmt: skip


@pytest.mark.parametrize("command", [command.strip() for line in COMMANDS.strip().splitlines() for command in line.split(" | ")])
def test_as_ripgrep(both, files, tmp_path, command):  # noqa: F811
    files(a=TEXT, b="seven\nx\ny\none", empty="", crlf="one\r\ntwo one\r\n", patterns="one\nseven\n", nothing="", extra="b\n", bom=b"\xef\xbb\xbfone\n",
          bin=b"one\n\0\none two\n", utf16="\ufeffone\ntwo\n".encode("utf-16-le"), latin="b\xfc\n".encode("latin1"), uber="überall ber\nαβγ x\nber\n", ignored="one\n",
          **{"sub/x.c": "one\n", "sub/deep/y.c": "one two\n", "sub/z.h": "two one\n", ".hidden": "one\n", "w.odd": "one\n", "binsub/n": b"one\n\0one\n",
             ".gitignore": "/ignored\n*.odd\n!w.odd\n", ".ignore": "deep/\n", ".rgignore": "latin\n", ".git/config": ""})  # fmt: skip
    (tmp_path / "link").symlink_to("sub")
    words = shlex.split(command)
    named = {"a", "b", "sub", "empty", "missing", "crlf", "bin", "binsub", "uber", "utf16", "bom", "latin"} & set(words)
    below = ("-u", "-t", "-T", "-g", "--hidden", "--no-ig", "--iglob", "--files", "--max-d", "--max-f", "--type", "--ignore", "--sort")
    walks = words[0].startswith(below) and not words[0].startswith("--files-") or "-L" in words
    both(*words, *([] if named or walks else ["a"]))


def test_standard_input(both, grep):  # noqa: F811
    both("-n", "o", stdin=TEXT)
    both("-H", "o", stdin=TEXT)
    both("-c", "o", "-", stdin=TEXT)
    both("-A1", "two", stdin=TEXT)
    both("o", stdin=b"one\n\0")
    assert grep("o", stdin="")[:2] == (1, b"")


def test_lines_of_every_size(both, grep, files, tmp_path):  # noqa: F811
    """Also for lines across the blocks in which files are read."""
    sizes = [0, 1, 31, 32, 33, 63, 64, 65, 2**16 - 1, 2**20 - 1, 2**20, 2**20 + 1, 3 * 2**20 + 7]
    for size in sizes:
        line = b"-" * size
        files(**{f"a{size}": line + b"x\n" + line + b"\nx" + line + b"\n" + line + b"x", f"b{size}": (b"short\n" * (size // 6 + 1))[: size + 1]})
    names = [f"{letter}{size}" for letter in "ab" for size in sizes]
    for arguments in (["x$"], ["-c", "x"], ["-vn", "x"], ["-n", "^x"], ["-c", "-F", "-"], ["-nB1", "^x"]):
        code, out = both(*arguments, *names)
        for threads in ("1", "2", "5"):
            assert grep(*arguments, "--threads", threads, *names) == (code, out, "")


def test_many_blocks_and_files_in_order(both, grep, files):  # noqa: F811
    lines = [b"%d %s" % (i, b"even" if i % 2 == 0 else b"odd" * (i % 7)) for i in range(200000)]
    files(big=b"\n".join(lines), **{f"small{i:03}": b"7 even\n" * (i % 3) for i in range(200)})
    names = ["big", *(f"small{i:03}" for i in range(200)), "big"]
    for arguments in (["-c", "even"], ["-n", "7 even"], ["-nC2", "777 "], ["-vc", "odd"], ["-m", "3", "-A1", "odd"], ["-l", "7 e"]):
        _, out = both(*arguments, *names)
        assert grep("--threads", "7", *arguments, *names)[1] == out


def test_odd_names(both, files, tmp_path):  # noqa: F811
    files(**{"with space": "x\n", "new\nline": "x\n", "-dash": "x\n", "ü": "x\n"})
    os.mkfifo(tmp_path / "pipe")
    both("x", "./")
    both("--files")


@pytest.mark.parametrize("shows", ["-n", "-o", "--vimgrep", "-r X", "-C1 -n"])
@pytest.mark.parametrize("way", ["", "--trim", "--color=always", "--color=always --colors match:none", "--crlf --color=always"])
def test_long_lines(both, files, shows, way):  # noqa: F811
    files(a="xx fo\u00e4bofo\n  foobfooobabbofoof A -B\u00e4b\r\no\u00c4\n\u0065\u0301\u0301\u0301 foob\nshort\n\n", b="o b\n" * 3)
    for limit in ("1", "4", "8", "40"):
        for pattern in ("o+", "[ab]{2}|\\s$", "nothing", ""):
            both(*shows.split(), *way.split(), "-M", limit, pattern, "a", "b")
            both(*shows.split(), *way.split(), "-M", limit, "--max-columns-preview", pattern, "a", "b")
        if shows != "-r X":
            both("-U", *shows.split(), *way.split(), "-M", limit, "--max-columns-preview", "b\\s*f|o+", "a", "b")
            both("-U", *shows.split(), *way.split(), "-M", limit, "[^a]+", "a", "b")


def test_nul_bytes_end_lines(both, files):  # noqa: F811
    """In a file that is not mapped, ripgrep treats each NUL byte as a line end."""
    files(**{"sub/a": b"\r\0", "sub/b": b"foo\0", "sub/c": b"foo\0\nbar\0\0", "sub/d": b"\0", "sub/e": b"foo\0bar"})
    for pattern in ("^$", "foo$", "^bar", "$", "."):
        for options in ([], ["-c"], ["-v"], ["--no-mmap"], ["-U"], ["-n"]):
            for name in "abcde":
                both("--binary", *options, pattern, "sub/" + name)
                both("--binary", *options, "-g", name, pattern, "sub")


def test_anchors_of_texts(both, files):  # noqa: F811
    files(a="one\ntwo\n", b="two")
    for pattern in ("\\Aone", "\\Atwo", "one\\z", "two\\z", "(?-m)^two", "(?-m)two$"):
        for options in ([], ["-U"], ["-Uo"], ["-Uc"]):
            both(*options, pattern, "a", "b")


def test_repositories_above(both, files):  # noqa: F811
    files(**{".git/config": "", ".gitignore": "b\n", "sub/.gitignore": "deep\n", "sub/deep/a": "x\n", "sub/b": "x\n", "sub/c": "x\n"})
    for options in ([], ["--no-ignore-parent"], ["--no-ignore-vcs"]):
        both(*options, "--files", "sub")
        both(*options, "x", "sub")


def test_offsets_have_the_colour_of_columns(both, files):  # noqa: F811
    files(a=TEXT)
    both("-b", "--column", "--color=always", "--colors", "column:fg:blue", "two", "a")


def test_counted_bytes(grep, files, tmp_path):  # noqa: F811
    """The output of --json without times."""
    times = re.compile(rb'"elapsed(_total)?":\{[^}]*\}')

    def both(*arguments):
        theirs = subprocess.run(["rg", "--no-config", "--sort", "path", *arguments], capture_output=True, cwd=tmp_path, timeout=120)
        assert times.sub(b"", grep(*arguments)[1]) == times.sub(b"", theirs.stdout), arguments

    files(a=TEXT, bin=b"one\n\0\none\n", **{"sub/a": TEXT, "sub/bin": b"one\n\0one\n"})
    for options in ([], ["-m1"], ["-C1"], ["-m2", "-A1"], ["-U"], ["--no-mmap"], ["-a"]):
        both("--json", *options, "one", "a", "bin")
        if "-m2" not in options:  # the ends of ripgrep's buffers decide
            both("--json", *options, "one", "sub")
