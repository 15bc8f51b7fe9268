"""`lanewise grep` against GNU grep on the same lines, where both dialects mean the same: patterns x lines x options.

Each pair of runs covers all lines of a file, so that few process starts test very many (pattern, line) pairs.
"""

import random
import re

import pytest
from programs import both, files, grep  # noqa: F401

ATOMS = ["a", "b", "ab", "ba", "_", "-", "0", " ", ".", "[ab]", "[^a]", "[0-9a]", "[a-c_]", "(a|b)", "(ab|-)", "(a|ab)", r"\.", "(a|b|)", "x"]
WORDS = [r"\w", r"\W", r"\b", r"\B"]  # of ASCII here, of all letters in GNU grep
NO_ASCII = ["ä", "[äb]", "[^ä]"]
ENDS = ["", "", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}"]
# Without -o and colours: where a match starts and ends may differ, whether there is one may not.
OPTIONS = [[], ["-v"], ["-i"], ["-x"], ["-n"], ["-c"], ["-m", "7"], ["-nC1"], ["-nA2", "-B1"], ["-vn", "-B2"], ["-ci"], ["-xi"],
           ["-c", "-m", "3"], ["-nHm", "5", "-A3"], ["-l"], ["-L"], ["-hn"]]
OF_WORDS = [["-w"], ["-wv", "-n"], ["-wc"]]


def make_pattern(choice, atoms):
    pieces = [atom + choice.choice(ENDS if atom not in (r"\b", r"\B") else [""]) for atom in choice.choices(atoms, k=choice.randint(1, 4))]
    return choice.choice(["", "", "", "^"]) + "".join(pieces) + choice.choice(["", "", "", "$"])


def make_lines(choice, count, letters="aabb_-0 .xAB"):
    return ["".join(choice.choice(letters) for _ in range(choice.choice([0, 1, 2, 3, 5, 8, 31, 32, 33, 63, 64, 65]))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(6))
def test_regular_expressions(both, files, seed):  # noqa: F811
    choice = random.Random(seed)
    ascii_only = seed % 2 == 0
    letters = "aabb_-0 .xAB" + ("" if ascii_only else "äÄ")
    atoms = ATOMS + (WORDS if ascii_only else NO_ASCII)
    options = OPTIONS + (OF_WORDS if ascii_only else [])
    files(one="\n".join(make_lines(choice, 700, letters)), two="\n".join(make_lines(choice, 90, letters)) + "\n")
    for _ in range(20):
        arguments = [*choice.choice(options), *choice.choice([[], ["--threads", "1"]])]
        patterns = [make_pattern(choice, atoms) for _ in range(choice.choice([1, 1, 1, 2, 3]))]
        if arguments[0:1] in (["-w"], ["-wv"], ["-wc"]):  # GNU grep does not look for empty words everywhere
            patterns = [pattern for pattern in patterns if not re.match(pattern, "")] or ["ab"]
        named = choice.choice([["one"], ["one", "two"]])
        given = [argument for pattern in patterns for argument in ("-e", pattern)]
        gnu = [argument for argument in arguments if argument not in ("--threads", "1")]
        both(*arguments, *given, *named, gnu=["-E", *gnu, *given, *named])


def test_plain_text(both, files):  # noqa: F811
    choice = random.Random(99)
    files(one="\n".join(make_lines(choice, 3000, "ab_-0 .[*^$\\")))
    for _ in range(40):
        text = "".join(choice.choice("ab_-0 .[*^$\\") for _ in range(choice.choice([1, 1, 2, 3, 5])))
        arguments = ["-F", *choice.choice([*OPTIONS, *OF_WORDS, ["-o"], ["-on"]]), "-e", text, *choice.choice([[], ["-e", "ab"]]), "one"]
        both(*arguments)


@pytest.mark.parametrize("pattern", ["a", "a+", "[ab]*", "x*", "[0-9]+-", "^a", "b$", "(ab)+", "^", "$", ""])
def test_what_matched(both, files, pattern):  # noqa: F811
    """Patterns whose leftmost-first match is the longest."""
    files(one="\n".join(make_lines(random.Random(5), 400)))
    for options in (["-on"], ["--color=always"], ["--color=always", "-onH"], ["--color=always", "-vnC1"], ["-ow"], ["-ox"], ["-io"], ["-oc"]):
        both(*options, "-e", pattern, "one")


def test_leftmost_first(grep):  # noqa: F811
    assert grep("-o", "a|ab", stdin="ab\n")[1] == b"a\n"  # GNU grep takes the longest: ab
    assert grep("-o", "(a|ab)(c|bcd)?", stdin="abcd\n")[1] == b"abcd\n"
    assert grep("-o", "a+?", stdin="aaa\n")[1] == b"a\na\na\n"


def test_re2_syntax(grep):  # noqa: F811
    lines = "été\nETE\nx1\nпривет\n"
    assert grep(r"\d", stdin=lines)[1] == b"x1\n"
    assert grep(r"^\w+$", stdin=lines)[1] == b"ETE\nx1\n"  # \w is ASCII
    assert grep(r"^\p{Cyrillic}+$", stdin=lines)[1] == "привет\n".encode()
    assert grep(r"(?i)ÉT", stdin=lines)[1] == "été\n".encode()
    assert grep(r"\bx", stdin=lines)[1] == b"x1\n"
