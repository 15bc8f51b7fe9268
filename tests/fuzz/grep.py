"""Random `lanewise grep` commands against ripgrep: patterns x options x trees, with files in the order of their names.

    tests/fuzz/grep.py --count 2000 --seed 1

Prints each difference in exit code or standard output, and how many there were. Needs ripgrep 13 (`rg`).

Differences are explained, and counted apart, where
- `rg -P`, PCRE2, prints what `lanewise grep` prints: ripgrep's own automata err on some patterns, most with \\b or \\B;
- a pattern has \\B, ^ after something else, or \\b and may match the empty text: ripgrep's automata lose some places, PCRE2 does not;
- -w with several patterns or repetitions: ripgrep looks for a match before it looks beside it;
- -U -x, or -U with context, and a pattern may match the empty text: ripgrep sees a line after the last line's end;
- -U and a pattern that looks back: after a match ripgrep goes on as if a text began there; the matches themselves (-o -b) are the same;
- --crlf --passthru, and -U or a pattern that may match the empty text: ripgrep mixes up lines that match with others;
- --crlf with $ or -x, and a line ends with two \\r: ripgrep passes over both;
- --null-data -U -w -c: ripgrep loses matches whose neighbour ends a record;
- ripgrep panics (exit code 101);
- -F --no-unicode with letters beyond ASCII: ripgrep rejects them, unless there are many patterns;
- an ignore file is not UTF-8: ripgrep passes over its rules from that line on;
- --null-data with ^ or $: to ripgrep they mean lines within a record, too;
- -E of one byte a character, and a file has a NUL byte: how much is searched before it follows from ripgrep's buffers;
- -U -r replaces in text that ripgrep repeats after the matching lines (see docs/use/grep.md);
- a folder is named and an ignore file above it has a rule with a slash: ripgrep 13 passes over some of these rules.
"""

import argparse
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import warnings

BUILD = pathlib.Path(os.environ.get("LANEWISE_BUILD", pathlib.Path(__file__).parents[2] / "build"))
GREP = [str(BUILD / "lanewise"), "grep"]
ENVIRONMENT = os.environ | {"LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "TERM": "xterm"}

ATOMS = ["a", "b", "foo", "bar", "ab", "_", "-", "0", " ", ".", "[ab]", "[^a]", "[0-9a]", r"\w", r"\W", r"\d", r"\s", r"\b", r"\B", "(a|b)", "(foo|-)",
         "(?:a|ab)", r"\.", "x", "ä", "[äb]", "[^ä]", "ß", "Ü", "[a-z&&[^b]]", r"\p{Greek}", "π", "(?i:FOO)", "(?P<n>o+)", "^", "$"]  # fmt: skip
REPEATS = ["", "", "", "", "", "*", "+", "?", "{2}", "{1,3}", "*?", "+?"]
FLAGS = ["-v", "-i", "-w", "-x", "-n", "-c", "-o", "-b", "-S", "-s", "-F", "-l", "--files-without-match", "--count-matches", "--column", "--vimgrep", "-H", "-I",
         "-N", "-q", "--heading", "--trim", "-0", "--passthru", "--include-zero", "-a", "--no-mmap", "--crlf", "--null-data", "-U", "-U", "--multiline-dotall",
         "-u", "-uu", "-uuu", "--hidden", "--no-ignore", "--no-ignore-dot", "--no-ignore-vcs", "--no-ignore-parent", "-L", "--no-require-git", "--binary",
         "--color=always", "--color=ansi", "-p", "--no-context-separator", "--max-columns-preview", "--files", "--json", "--no-unicode", "--text"]  # fmt: skip
VALUES = [("-m", ["0", "1", "2", "5"]), ("-A", ["0", "1", "2"]), ("-B", ["0", "1", "3"]), ("-C", ["0", "1", "2"]), ("-r", ["X", "<$0>", "$1", "${n}y", "$$", "", "$nope"]),
          ("-M", ["0", "5", "20"]), ("-g", ["*.c", "!*.c", "sub/**", "**/deep/*", "*.{c,h}", "!sub", "/a*", "[ab]*", ".*"]), ("--iglob", ["*.C", "!A*"]),
          ("-t", ["c", "py", "md", "all"]), ("-T", ["c", "txt"]), ("--max-depth", ["0", "1", "2"]), ("--max-filesize", ["10", "1K", "1M"]),
          ("--context-separator", ["==", "", "\\t"]), ("--field-match-separator", ["@", "\\x3A"]), ("--field-context-separator", ["~"]), ("--path-separator", ["|"]),
          ("--colors", ["match:fg:blue", "path:none", "line:bg:yellow", "match:style:underline", "column:fg:1,2,3", "match:none", "line:style:intense"]),
          ("-E", ["utf-8", "utf-16le", "latin1", "none"]), ("--ignore-file", ["extra"]), ("-f", ["words"])]  # fmt: skip
TIME = re.compile(rb'"elapsed(_total)?":\{[^}]*\}|"bytes_printed":\d+|"bytes_searched":\d+|[0-9.]+ seconds[a-z ]*\n')


def make_lines(choice):
    letters = choice.choice(["ab foo-_0.xAB", "abäÄß foüπ ", "fo\r\tbar"])
    lines = []
    for _ in range(choice.choice([0, 1, 3, 10, 40])):
        line = "".join(choice.choice([*letters, "foo", "bar", "ab"]) for _ in range(choice.choice([0, 1, 3, 8, 20, 60])))
        lines.append(line + choice.choice(["", "", "", "\r"]))
    return "\n".join(lines) + choice.choice(["\n", "\n", ""])


def make_file(choice):
    text = make_lines(choice)
    kind = choice.random()
    if kind < 0.75:
        return text.encode()
    if kind < 0.82:
        place = choice.randint(0, len(text))
        return (text[:place] + "\0" + text[place:]).encode()
    if kind < 0.88:
        return b"\xff\xfe" + text.encode("utf-16-le")
    if kind < 0.92:
        return b"\xef\xbb\xbf" + text.encode()
    data = bytearray(text.encode())
    for _ in range(3):
        if data:
            data[choice.randrange(len(data))] = choice.choice([0xFF, 0xC3, 0xED, 0x80])
    return bytes(data)


def make_tree(choice, root):
    names = ["a", "b.c", "A.h", "c.py", "d.md", ".hid", "sub/x.c", "sub/deep/y.c", "sub/z.h", "sub/.hidden/w", "t.txt", "odd name", "ü.c", "sub/a", "extra"]
    for name in names:
        if choice.random() < 0.7:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(make_file(choice))
    rules = ["*.c", "!x.c", "sub/", "/a", "deep", "# no", "", "*.h ", "sub/*.h", "**/y.c", "!.hid", "b*", r"\!odd", "sub/**", "*.[ch]", "odd name", "/sub/deep/"]
    for name in (".gitignore", ".ignore", ".rgignore", "sub/.gitignore", "sub/.ignore", "extra"):
        if choice.random() < 0.3:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(choice.choices(rules, k=choice.randint(1, 4))) + "\n")
    if choice.random() < 0.5:
        (root / ".git" / "info").mkdir(parents=True)
        if choice.random() < 0.3:
            (root / ".git" / "info" / "exclude").write_text(choice.choice(rules) + "\n")
    letters = choice.choice(["abfo", "abAoßäÄk"])
    words = ["".join(choice.choices(letters, k=choice.choice([1, 2, 3, 4, 6]))) for _ in range(choice.choice([3, 80]))]
    (root / "words").write_text("\n".join(words) + "\n")
    if choice.random() < 0.4:
        (root / "link").symlink_to(choice.choice(["a", "sub", "nowhere"]))
    if choice.random() < 0.2:
        os.mkfifo(root / "pipe")


def make_pattern(choice):
    if choice.random() < 0.3:
        return choice.choice(["foo", "a", "FOO", "", "ab|foo", "o.*b", "foo\\nbar", "a\\s+b", "^", "$", "^$", "x*", ".", "bar$", "(a)(b)?"])
    atoms = choice.choices(ATOMS, k=choice.randint(1, 4))
    # Repeated assertions are left out: ripgrep's automata get some of them wrong.
    return "".join(atom + ("" if atom in ("^", "$", r"\b", r"\B") else choice.choice(REPEATS)) for atom in atoms)


def make_command(choice, root):
    words = choice.sample(FLAGS, k=choice.choice([0, 1, 1, 2, 2, 3, 4]))
    for name, values in choice.sample(VALUES, k=choice.choice([0, 0, 1, 1, 2])):
        words += [name, choice.choice(values)]
    patterns = [] if "--files" in words else [make_pattern(choice) for _ in range(choice.choice([1, 1, 1, 2]))]
    for pattern in patterns:
        words += ["-e", pattern]
    if "--files" in words and "-f" in words:
        place = words.index("-f")
        del words[place : place + 2]
    files = sorted(path.name for path in root.iterdir() if path.name not in ("pipe", ".git") and not path.name.startswith("."))
    if choice.random() < 0.5 and files:
        words += choice.sample(files, k=min(len(files), choice.choice([1, 1, 2])))
    elif choice.random() < 0.3:
        words += ["./"]
    return words


def run(command, root, stdin):
    done = subprocess.run(command, cwd=root, input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL, capture_output=True, env=ENVIRONMENT, timeout=60)
    return done.returncode, TIME.sub(b"", done.stdout), done.stderr


def slashes_above(root):
    """Whether an ignore file of the root has a rule with a slash that is not its last letter."""
    files = [root / name for name in (".gitignore", ".ignore", ".rgignore", ".git/info/exclude")]
    return any("/" in line.strip()[:-1] for path in files if path.is_file() for line in path.read_text().splitlines())


def loses_places(patterns):
    """Whether ripgrep's automata find fewer places than PCRE2."""
    whole = "|".join(patterns)
    return re.search(r"\\B|\$.*\^|[^\[|(^$]\^", whole) is not None or (r"\b" in whole and any(map(matches_nothing, patterns)))


def matches_nothing(pattern):
    rest = re.sub(r"\\b|\^|\$", "", pattern).replace("&&[^b]", "").replace(r"\p{Greek}", "π")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # A later Python may read nested classes differently.
        return re.fullmatch(rest, "") is not None


def is_utf8(path):
    try:
        path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    return True


def ignore_files(root, words):
    names = {".gitignore", ".ignore", ".rgignore"} | ({"extra"} if "--ignore-file" in words else set())
    return [path for path in root.rglob("*") if path.name in names and path.is_file()]


def all_text(root, stdin):
    return b"\n".join([stdin or b"", *(path.read_bytes() for path in root.rglob("*") if path.is_file())])


def same_matches(words, root, stdin):
    """Whether both find the same matches, regardless of the lines that they print for them."""
    with_value = {"-A", "-B", "-C", "-m", "-M", "-r"}
    shows = {"-v", "-c", "-l", "-q", "--count-matches", "--files-without-match", "--json", "--vimgrep", "--passthru", "--heading", "--stats"}
    kept = [word for before, word in zip(["", *words], words) if word not in with_value | shows and before not in with_value]
    theirs, ours = (run([*program, "-o", "-b", *kept], root, stdin) for program in (["rg", "--no-config", "--sort", "path"], GREP))
    return theirs[:2] == ours[:2]


def is_explained(words, root, stdin, ours, theirs):
    if theirs[0] == 101:
        return True
    if {"-F", "--no-unicode"} <= set(words) and b"Unicode not allowed here" in theirs[2]:
        return True
    if "-U" in words and "-r" in words:
        return True
    patterns = [pattern for option, pattern in zip(words, words[1:]) if option == "-e"]
    if loses_places(patterns) or ("-w" in words and re.search(r"[*+?{|]", "|".join(patterns))):
        return True
    given, nothing = set(words), any(map(matches_nothing, patterns))
    if "-U" in given and given & {"-x", "-A", "-B", "-C"} and nothing:
        return True
    if "-U" in given and ("-x" in given or re.search(r"\^|\\[bB]", "|".join(patterns))) and same_matches(words, root, stdin):
        return True
    if {"--crlf", "--passthru"} <= given and ("-U" in given or nothing):
        return True
    if "--crlf" in given and ("-x" in given or "$" in "".join(patterns)) and b"\r\r\n" in all_text(root, stdin):
        return True
    if {"--null-data", "-U", "-w"} <= given and given & {"-c", "--count-matches"}:
        return True
    if not all(map(is_utf8, ignore_files(root, words))):
        return True
    if "--null-data" in words and ("-x" in words or any(re.search(r"[$^]", pattern) for pattern in patterns)):
        return True
    if "latin1" in words and any(b"\0" in path.read_bytes() for path in root.rglob("*") if path.is_file()):
        return True
    if {"sub", "link"} & set(words) and slashes_above(root):
        return True
    if "-F" in words or "--files" in words:
        return False
    pcre = run(["rg", "--no-config", "--sort", "path", "-P", *words], root, stdin)
    return pcre[0] == ours[0] and agree(ours[1].splitlines(), theirs[1].splitlines(), pcre[1].splitlines())


def agree(ours, theirs, pcre):
    """Whether PCRE2 prints our line wherever ripgrep's automata print another; it replaces malformed UTF-8 in others."""
    return ours == pcre or (len(ours) == len(theirs) == len(pcre) and all(our in (their, other) for our, their, other in zip(ours, theirs, pcre)))


def compare(choice, root, show):
    words = make_command(choice, root)
    stdin = make_file(choice) if choice.random() < 0.15 and "--files" not in words else None
    if stdin is not None:
        words = [word for word in words if not (root / word).exists() or word in ("", ".")] + ["-"]
    theirs = run(["rg", "--no-config", "--sort", "path", *words], root, stdin)
    ours = run([*GREP, *words], root, stdin)
    if ours[:2] == theirs[:2]:
        return "same"
    if is_explained(words, root, stdin, ours, theirs):
        return "explained"
    if show:
        print(f"--- in {root}: {shlex.join(words)}")
        if stdin is not None:
            print("    standard input", stdin[:200])
        same = len(os.path.commonprefix([theirs[1], ours[1]]))
        first = max(0, theirs[1].rfind(b"\n", 0, same) - 20)
        for name, (code, out, error) in (("ripgrep", theirs), ("lanewise", ours)):
            print(f"    {name}: {code} {out[first:same + 120]!r} {error[:200]!r}")
    return "different"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="commands")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=int, help="write only this tree, to the current folder, and compare nothing")
    parser.add_argument("--show", type=int, default=10, help="differences that are printed")
    given = parser.parse_args()
    counts = dict.fromkeys(("same", "explained", "different"), 0)
    for tree in range((given.count + 19) // 20):
        if given.keep is not None and tree != given.keep:
            continue
        choice = random.Random(f"{given.seed}/{tree}")
        if given.keep is not None:
            make_tree(choice, pathlib.Path())
            return
        with tempfile.TemporaryDirectory(prefix=f"grep-{given.seed}-{tree}-") as folder:
            root = pathlib.Path(folder)
            make_tree(choice, root)
            for _ in range(20):
                counts[compare(choice, root, counts["different"] < given.show)] += 1
    print(f"{sum(counts.values())} commands, {counts['different']} differ from ripgrep, {counts['explained']} explained")
    sys.exit(counts["different"] > 0)


if __name__ == "__main__":
    main()
