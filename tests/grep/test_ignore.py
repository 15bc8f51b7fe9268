"""Ignore rules of `lanewise grep` against `git check-ignore`, on random trees; LANEWISE_TEST_ALL=1 makes more of them."""

import os
import random
import subprocess

from programs import PROGRAM

TREES = 400 if os.environ.get("LANEWISE_TEST_ALL") else 20
NAMES = ["a", "b", "foo", "foo.c", "bar.c", "bar.h", "a b", "ü", "[x]", "#n", "!n", "x.tar.gz", "build"]
PIECES = ["*", "?", "a", "b", "foo", "*.c", "*.[ch]", "[!a]*", "[a-f]*", "**", "build", "ba?.h", r"\!n", r"\#n", r"a\ b", "*.tar.*", r"\[x]", "f*o", "ü"]


def make_tree(choice, root):
    folders = [root]
    for _ in range(choice.randint(1, 5)):
        folder = choice.choice(folders) / choice.choice(NAMES)
        if not folder.exists():
            folder.mkdir()
            folders.append(folder)
    for folder in folders:
        for name in choice.sample(NAMES, k=choice.randint(1, 6)):
            if not (folder / name).exists():
                (folder / name).write_text("x\n")
    for folder in folders:
        if folder == root or choice.random() < 0.3:
            (folder / ".gitignore").write_text("\n".join(make_rule(choice) for _ in range(choice.randint(1, 4))) + "\n")


def make_rule(choice):
    rule = "/".join(choice.choice(PIECES) for _ in range(choice.choice([1, 1, 1, 2, 2, 3])))
    return choice.choice(["", "", "", "!"]) + choice.choice(["", "", "/"]) + rule + choice.choice(["", "", "/", " "])


def test_as_git(tmp_path):
    """The searched files are those that git does not ignore."""
    environment = os.environ | {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    for number in range(TREES):
        choice = random.Random(number)
        root = tmp_path / str(number)
        root.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=root, check=True, env=environment)
        make_tree(choice, root)
        paths = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts)
        asked = "\0".join(paths).encode() + b"\0"
        ignored = subprocess.run(["git", "check-ignore", "-z", "--stdin"], cwd=root, input=asked, capture_output=True, env=environment).stdout
        expected = set(paths) - set(ignored.decode().split("\0"))
        found = subprocess.run([*PROGRAM, "--no-config", "--files", "--hidden", "-0", "-g", "!.git"], cwd=root, capture_output=True, env=environment).stdout
        rules = {str(path.relative_to(root)): path.read_text() for path in root.rglob(".gitignore")}
        assert set(filter(None, found.decode().split("\0"))) == expected, (number, rules)
