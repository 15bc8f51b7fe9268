"""Highlighting of the shell's input line, on the screen of a real terminal."""

import re
import subprocess
import time

import pytest
from conftest import PROGRAM

BOLD, GREEN, PURPLE, RED, DIM = "1", "32", "35", "31", "2"


class Screen:
    """tmux, in which the shell runs."""

    def __init__(self, folder, name, columns=50, rows=20, **environment):
        self.socket = str(folder / name)
        settings = {"HOME": str(folder), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "LANEWISE_HISTORY": str(folder / f"{name}.history")}
        assignments = [f"{key}={value}" for key, value in {**settings, **environment}.items()]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "env", *assignments, PROGRAM)
        self.until("lanewise>")

    def tmux(self, *arguments):
        done = subprocess.run(["tmux", "-u", "-S", self.socket, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def until(self, text, seconds=30):
        end = time.monotonic() + seconds
        while text not in (shown := self.text()):
            assert time.monotonic() < end, (text, shown)
            time.sleep(0.02)
        return shown

    def settled(self):
        """The screen, after it has not changed for a while."""
        before = None
        while (now := self.tmux("capture-pane", "-p", "-e") + self.cursor()) != before:
            before = now
            time.sleep(0.15)
        return now

    def text(self):
        return self.tmux("capture-pane", "-p")

    def cursor(self):
        return self.tmux("display-message", "-p", "#{cursor_x},#{cursor_y}")

    def type(self, text):
        self.tmux("send-keys", "-l", text[:-1] + "\\;" if text.endswith(";") else text)  # otherwise ';' ends tmux's command

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def coloured(self, word):
        """The set of colours of the last `word` on the screen."""
        self.settled()
        colours, found, plain, shades = set(), None, "", []
        for escape, character in re.findall(r"\x1b\[([0-9;]*)m|(.)", self.tmux("capture-pane", "-p", "-e"), re.DOTALL):
            if character:
                plain += character
                shades.append(frozenset(colours))
            for code in escape.split(";") if not character else []:
                colours -= {BOLD, DIM, GREEN, PURPLE, RED} if code in ("", "0") else {GREEN, PURPLE, RED} if code == "39" else set()
                colours |= {code} & {BOLD, GREEN, PURPLE, RED, DIM}
        at = plain.rindex(word)
        found = set(shades[at : at + len(word)])
        assert len(found) == 1, (word, found, plain)
        return set(found.pop())

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)


@pytest.fixture
def screen(tmp_path):
    opened = []

    def start(**options):
        opened.append(Screen(tmp_path, f"screen{len(opened)}", **options))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_words_have_colours(screen):
    shell = screen(columns=90)
    shell.type("select name, 42 AS n, 'it''s' AS s FROM (VALUES (1")
    shell.until("VALUES (1")
    assert shell.coloured("select") == shell.coloured("FROM") == {BOLD}
    assert shell.coloured(" n,") == set()
    assert shell.coloured("42") == {PURPLE}
    assert shell.coloured("'it''s'") == {GREEN}
    assert shell.coloured("(") == {BOLD, RED}
    shell.type(")) v(x)) -- done")
    shell.until("done")
    assert shell.coloured("-- done") == {DIM}
    assert shell.coloured("(x") == set()
    assert shell.coloured("x)") == set()
    assert shell.coloured(")") == {BOLD, RED}
    shell.keys("C-c")
    shell.type("SELECT 'open")
    shell.until("'open")
    assert shell.coloured("open") == {GREEN}
    assert shell.coloured("'") == {BOLD, RED}
    shell.type("'")
    assert shell.coloured("'open'") == {GREEN}


def test_a_statement_of_several_lines(screen):
    shell = screen(columns=90)
    shell.type("SELECT 'begins")
    shell.keys("Enter")
    shell.until("...>")
    shell.type("ends' AS x, 7 AS y")
    shell.until("AS y")
    assert shell.coloured("ends'") == {GREEN}
    assert shell.coloured("7") == {PURPLE}
    shell.keys("C-c")
    shell.type(".explain on")
    shell.until(".explain on")
    assert shell.coloured(".explain") == {BOLD}
    shell.keys("Enter")
    shell.until("explain on\n")
    shell.type(".explian")
    shell.until(".explian")
    assert shell.coloured(".explian") == set()


def test_ctrl_c_cancels_the_statement_and_not_the_shell(screen):
    shell = screen(columns=90)
    shell.type("SELECT count(*) FROM range(100000000000) t(i) WHERE (i * i) % 7 = 3;")
    shell.keys("Enter")
    time.sleep(0.5)
    shell.keys("C-c")
    shell.until("cancelled")
    shell.type("SELECT 40 + 2 AS still_here;")
    shell.keys("Enter")
    shell.until("1 row")


def test_the_screen_is_the_same_as_without_colours(screen):
    """After any edit, text and cursor are where libedit puts them."""
    shells = [screen(), screen(NO_COLOR="1")]
    steps = [
        "SELECT 'a long text with 日本語 in it, so that it takes more than a line' AS a, ",
        ["Home"], "/* 漢字 */", ["End"], "12345 AS b, 'x' AS c FROM range(3) t(i) WHERE i > 1", ["C-a"], ["C-e"],
        *[["Left"]] * 9, "é", ["BSpace"], ["DC"], ["C-k"], "日本", ["C-w"], ["C-y"], ["C-c"],
        "1" * 40, ["Left"], "2", ["End"], "日", ["C-c"],  # a row is full
        "SELECT 1 AS remembered;", ["Enter"], ["Up"], ["C-c"], ["C-r"], "rem", ["C-r"], ["Escape"], ["C-c"],
        "ab\u0301c", ["C-c"], "x" * 700, ["C-a"], ["C-c"],  # combining characters; more rows than the screen has
        "SELECT 8 AS next;", ["Enter"],
    ]  # fmt: skip
    for step in steps:
        seen = []
        for shell in shells:
            shell.type(step) if isinstance(step, str) else shell.keys(*step)
        for shell in shells:
            shell.settled()
            seen.append(shell.text() + shell.cursor())
        assert seen[0] == seen[1], step
    assert "1m" in shells[0].tmux("capture-pane", "-p", "-e")
    assert "\x1b" not in shells[1].tmux("capture-pane", "-p", "-e")


def test_pasted_lines(screen, tmp_path):
    shell = screen(columns=90, rows=40)
    pasted = tmp_path / "pasted.sql"
    pasted.write_text("".join(f"SELECT {i} AS n, 'text {i}'\nAS s;\n" for i in range(5)) + "SELECT 'last")
    shell.tmux("load-buffer", str(pasted))
    shell.tmux("paste-buffer")
    shown = shell.until("'last")
    assert [int(n) for n in re.findall(r"(\d)  text \1", shown)] == [0, 1, 2, 3, 4]
    assert shell.coloured("SELECT") == {BOLD}
    assert shell.coloured("'text 4'") == {GREEN}


@pytest.mark.parametrize("columns", [30, 70])
def test_another_size(screen, columns):
    shell = screen()
    line = "SELECT 'a text that is longer than a row of the screen' AS a, 5 AS b"
    shell.type(line)
    shell.until("AS b")
    shell.tmux("resize-window", "-x", str(columns), "-y", "20")
    shell.settled()
    shell.type("5")
    shell.settled()
    shown = shell.text()
    assert re.sub(r"\s", "", "lanewise> " + line + "5") in re.sub(r"\s", "", shown), shown
    assert shown.count("lanewise>") == 1, shown
    assert shell.coloured("SELECT") == {BOLD}


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colours(screen, environment):
    shell = screen(columns=90, **environment)
    shell.type("SELECT 1 AS answer;")
    shell.keys("Enter")
    shell.until("1 row")
    assert "\x1b" not in shell.tmux("capture-pane", "-p", "-e")
