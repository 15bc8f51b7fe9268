"""Finds text that does not belong in the repository: paths of one machine, paths out of the repository, addresses that a
build would fetch from, names of files that do not exist, notes of work to be done, long READMEs of the engine's folders."""

import re
import subprocess
from pathlib import Path

PARENT = r"\.\./"
RULES = [
    (re.compile(r"(?<![\w./$}{])/(root|home|work|mnt|Users)/"), "a path of somebody's machine"),
    (re.compile(r"https?://(?=\w)(?!(doi\.org|arxiv\.org|(www|arrow)\.apache\.org|www\.unicode\.org|www\.w3\.org|127\.0\.0\.1|localhost|[\w.]+\.invalid)\b)"),
     "an address; cite a paper by its DOI, a package by its name"),
    (re.compile(r"\b(" + "TO" + "DO|FIX" + "ME|X" + r"XX)\b"), "work left to be done"),
    (re.compile(r"\bissues? #?\d"), "a ticket; say what it is about"),
    (re.compile(r"\b(pypi|npmjs|debian|files\.pythonhosted)\.org\b"), "a registry's host; its name is enough"),
]
MENTION = re.compile(r"\b(?:engine|apps|docs|tools|tests|bench|cmake)/[\w./-]*\w\.(?:md|h|cc|py|sh|test|sql|cmake|cuh|supp)\b(?!\.\w)")
LINK = re.compile(r"\]\(([\w./-]*)(?:#([\w-]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)
RELATIVE = re.compile(r"(?<![\w.])((?:\.\./)+[\w./-]+)")
BINARY = {".png", ".parquet", ".gz", ".zst", ".arrow", ".db", ".ico"}
VERBATIM = {"LICENSE"}
LINES = 8  # of the README of a folder of engine/, below its title


def files(root):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                            capture_output=True, check=True).stdout.decode()
    return sorted({f for f in listed.split("\0") if f and (Path(root) / f).is_file()})


def anchors(path):
    """The anchors of this page's headings."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(path.read_text())}


def check(root):
    root = Path(root).resolve()
    problems = []
    for name in files(root):
        path = root / name
        if path.suffix in BINARY or name in VERBATIM:
            continue
        text = path.read_text(errors="replace")
        if name.startswith("engine/") and path.name == "README.md" and (lines := len(re.findall(r"^.*\S", text, re.M)) - 1) > LINES:
            problems.append(f"{name}: {lines} lines, of {LINES} at most: how it works belongs into docs/understand")
        for number, line in enumerate(text.splitlines(), 1):
            where = f"{name}:{number}"
            for pattern, what in RULES:
                if name != "tools/check_text.py" and pattern.search(line):
                    problems.append(f"{where}: {what}: {line.strip()[:100]}")
            for mention in RELATIVE.findall(line):
                target = (path.parent / mention).resolve()
                if not target.is_relative_to(root):
                    problems.append(f"{where}: {mention} leaves the repository")
                elif path.suffix == ".md" and not target.exists():
                    problems.append(f"{where}: {mention} is not there")
            for link, anchor in LINK.findall(line) if path.suffix == ".md" else ():
                target = path.parent / link if link else path
                if not target.exists():
                    problems.append(f"{where}: the link {link} leads nowhere")
                elif anchor and (target.suffix != ".md" or anchor not in anchors(target)):
                    problems.append(f"{where}: {link or name} does not have a heading #{anchor}")
            if path.suffix == ".md" or name.startswith("cmake/"):
                for mention in MENTION.findall(line):
                    if not (root / mention).exists():
                        problems.append(f"{where}: {mention} is not there")
    return problems
