"""Finds foreign English in *.md and in the program's messages, as far as a program can: words that mean something else to a
reader, the word order of another language, sentences that are too long. In comments it finds only the words."""

import re
from pathlib import Path

from check_text import files

LONGEST = 25  # words per sentence
LEFT_OUT = ("docs/use/reference/functions.md",)  # It follows the names in the code.
UNSEEN = r"_(test|bench)\.cc$|/testing/|^engine/text/|^apps/cli/(grep|bench)/"  # not visible to users, or code in other words
WORDS = [
    (r"besides?", "compared with, next to, together with"),
    (r"behind", "after"),
    (r"texts", "strings, values"),
    (r"ask(s|ed|ing)?", "a query requests, reads or looks up; objects do not ask"),
    (r"tells?|told", "says, reports, shows"),
    (r"dearer", "costlier"),
    (r"the present (?!of\b)[a-z]+", "the current"),
    (r"anew", "again; rebuilt"),
    (r"by halves", "by binary search"),
    (r"refuse[sd]?|refusal", "rejects"),
    (r"nobody|somebody", "name the person or thing; use the passive"),
    (r"less (rows|keys|columns|queries|bytes|threads|lanes|instructions|steps)", "fewer"),
    (r"(?<!there )(?<!there's )is no(?! (longer|more|faster|slower|larger|smaller|greater|less))", "is not a"),
    (r"(?<!there )are no(?! (longer|more|faster|slower|larger|smaller|greater|less))", "are not"),
    (r"ha(s|ve) not(?! (been|yet|begun|read|run|\w+ed|\w+en))", "does not have"),
]
RULES = [(re.compile(rf"\b(?:{pattern})\b", re.I), advice) for pattern, advice in WORDS]
RULES += [
    (re.compile(r"\b(Predicted|Expected|Found|Measured|Tried|Printed|Wanted|Shown|Left) (was|were|is|are)\b"), "subject first, then the verb"),
    (re.compile(r"^(What|Whoever) [^?]*\.$"), "a subject that is a noun: 'The filter writes a bitmap'"),
    (re.compile(r"^Of (?!course)"), "head noun first: 'Output format', not 'Of the output'"),
]
COMMENT_RULES = RULES[: len(WORDS)]
COMMENT = re.compile(r"(?:^|\s)//[/!]?<?\s(.*)")
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SENTENCE = re.compile(r"(?<=[.!?:;])\s+")
HELP = re.compile(r'R"\((.*?)\)"|"((?:[^"\\\n]|\\.)*)"', re.S)


def paragraphs(text):
    """Line number and text of each paragraph, list item and table cell; code and headings are left out."""
    fence, held, begin = False, [], 0

    def flush():
        nonlocal held
        joined, held = " ".join(held), []
        return [(begin, joined)] if joined else []

    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
            yield from flush()
        elif fence or line.startswith(("#", "    ", "<!--")):
            yield from flush()
        elif line.startswith("|"):
            yield from flush()
            yield from ((number, cell.strip()) for cell in CODE.sub("code", line).strip("|").split("|"))
        elif not line.strip():
            yield from flush()
        else:
            if re.match(r"\s*([-*]|\d+\.) ", line):
                yield from flush()
            begin = begin if held else number
            held.append(re.sub(r"^\s*([-*]|\d+\.) ", "", line).strip())
    yield from flush()


def strings(source):
    """Line number and text of each string of a C++ source that reads as a sentence; adjacent ones are joined."""
    at, end, held = 0, -1, ""
    for match in HELP.finditer(source):
        text = match[1] if match[1] is not None else match[2].replace("\\n", " ").replace('\\"', '"')
        if held and source[end:match.start()].strip():
            yield at, held
            held = ""
        at = at if held else source.count("\n", 0, match.start()) + 1
        held, end = held + text, match.end()
    yield at, held


def comments(source):
    """Line number and text of each line of a comment in C++ or CUDA."""
    for number, line in enumerate(source.splitlines(), 1):
        match = COMMENT.search(line)
        if match and line.count('"', 0, match.start()) % 2 == 0:
            yield number, match[1]


def word_faults(text):
    """The words of a comment that mean something else to a reader."""
    for pattern, advice in COMMENT_RULES:
        if found := pattern.search(CODE.sub("code", text)):
            yield f"'{found[0][:30]}': {advice}"


def faults(text):
    """The faults of a paragraph."""
    plain = LINK.sub(r"\1", CODE.sub("code", text)).replace("**", "").replace("*", "")
    plain = re.sub(r"code(?:,? (?:and |or )?code)+", "code", plain)  # A list of names counts as one word.
    for sentence in SENTENCE.split(plain):
        for pattern, advice in RULES:
            if found := pattern.search(sentence):
                yield f"'{found[0][:30]}': {advice}"
        words = len(re.findall(r"[\w'’/-]*[A-Za-z][\w'’/-]*", sentence))
        if words > LONGEST:
            yield f"a sentence of {words} words: {sentence[:60]}…"


def check(root):
    root = Path(root)
    problems = []
    for name in files(root):
        if name.endswith(".md") and not name.startswith(LEFT_OUT):
            found = paragraphs((root / name).read_text())
        elif re.fullmatch(r"(apps/cli|engine)/.*\.cc", name) and not re.search(UNSEEN, name):
            found = [(line, part) for line, text in strings((root / name).read_text()) if " " in text and "::" not in text and not text.startswith("SELECT ")
                     for part in re.split(r"\n\s*\n|\n(?=  )", text) if not part.startswith("  ")]
        else:
            found = []
        problems += [f"{name}:{line}: {fault}" for line, text in found for fault in faults(text)]
        if re.fullmatch(r"(apps|bench|engine)/.*\.(h|cc|cu|cuh)", name):
            problems += [f"{name}:{line}: {fault}" for line, text in comments((root / name).read_text()) for fault in word_faults(text)]
    return problems
