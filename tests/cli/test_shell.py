"""The interactive shell, in a terminal of its own."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

import duckdb
import pytest
from conftest import PROGRAM

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][A-Z0-9]|\r|\x0f")


class Terminal:
    def __init__(self, folder, *arguments):
        self.child, self.file = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.environ.update(HOME=str(folder), TERM="xterm", LANG="C.UTF-8", COLUMNS="100", NO_COLOR="1")
            for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "LANEWISE_HISTORY"):
                os.environ.pop(name, None)
            os.execv(PROGRAM, [PROGRAM, *arguments])
        self.shown = ""
        self.until("lanewise> ")

    def until(self, text, seconds=30):
        """Waits for a text; returns everything shown up to it."""
        end = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < end, (text, self.shown)
            if select.select([self.file], [], [], 0.1)[0]:
                try:
                    self.shown += ESCAPES.sub("", os.read(self.file, 1 << 16).decode(errors="replace"))
                except OSError:
                    raise AssertionError((text, self.shown)) from None
        before, _, self.shown = self.shown.partition(text)
        return before

    def type(self, keys):
        os.write(self.file, keys.encode())

    def line(self, text, *answers):
        """Types a line, and waits for the answers in order, and for the next prompt."""
        self.type(text + "\r")
        shown = "".join(self.until(answer) + answer for answer in answers)
        return shown + self.until("> ")

    def leave(self, keys="\x04"):
        time.sleep(0.3)  # libedit shows the prompt before it handles control keys
        self.type(keys)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            done, status = os.waitpid(self.child, os.WNOHANG)
            if done:
                self.child = None
                return os.waitstatus_to_exitcode(status)
            if select.select([self.file], [], [], 0.05)[0]:
                try:
                    os.read(self.file, 1 << 16)
                except OSError:
                    pass
        raise AssertionError("it did not end")

    def close(self):
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        os.close(self.file)


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def start(*arguments):
        opened.append(Terminal(tmp_path, *arguments))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_the_program_alone_is_the_shell(terminal):
    shell = terminal()
    shell.line("SELECT 40 + 2 AS answer;", "answer", "42", "1 row")
    assert shell.leave() == 0


def test_statements_have_several_lines(terminal):
    shell = terminal()
    shell.type("SELECT 'a;\r")
    shell.until("     ...> ")
    shell.type("b' AS x -- no end;\r")
    shell.until("     ...> ")
    shell.line("; SELECT 'second' AS y;", "a;\\nb", "second")


def test_an_error_does_not_end_it(terminal):
    shell = terminal()
    shell.line("SELECT nothing;", "error: ", "nothing")
    shell.line("SELECT 1 AS a; SELECT b FROM nowhere; SELECT 2 AS c;", "error: statement 2: ", "nowhere")
    shell.line(".mod csv", "there is no command '.mod'; did you mean '.mode'?")
    shell.line(".mode cvs", "did you mean 'csv'?")
    shell.line("SELECT 3 AS a;", "1 row")


def test_ctrl_c_cancels_the_statement_and_not_the_shell(terminal):
    shell = terminal()
    shell.type("SELECT nev")
    time.sleep(0.2)
    shell.type("\x03")
    shell.until("^C")
    shell.until("lanewise> ")
    shell.type("SELECT count(*) FROM range(100000000000) t(i) WHERE (i * i) % 7 = 3;\r")
    time.sleep(0.5)
    shell.type("\x03")
    shell.until("cancelled")
    shell.until("lanewise> ")
    shell.line("SELECT 'still here' AS a;", "still here", "1 row")


def test_tab_completes(terminal, tmp_path):
    duckdb.sql("COPY (SELECT 5 AS height_of_trees) TO '" + str(tmp_path / "forest.parquet") + "'")
    shell = terminal()
    shell.line("CREATE TABLE orchard AS SELECT 7 AS apples_and_pears;")
    shell.line("SELECT 'x' AS a FROM orch\t;", "FROM orchard;", "1 row")
    shell.line("SELECT apples_\t FROM orchard;", "apples_and_pears FROM orchard;", "7")
    shell.line("FROM 'for\t';", "FROM 'forest.parquet';", "height_of_trees", "5")
    shell.type("FROM 'forest.parquet'\r")
    shell.until("...> ")
    shell.line("WHERE heig\t > 4;", "WHERE height_of_trees > 4;", "1 row")
    shell.line("SELECT regexp_match\t('a', 'a') AS b;", "regexp_matches('a', 'a') AS b;", "true")
    shell.type("SELECT len\t")
    shell.until("length")
    shell.until("SELECT len")
    shell.type("\x03")
    shell.until("lanewise> ")
    shell.line(".tab\t", ".tables", "orchard")


def test_long_results_are_paged(terminal, tmp_path, monkeypatch):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nhead -n 3\necho left the pager\n")
    pager.chmod(0o755)
    monkeypatch.setenv("PAGER", str(pager))
    shell = terminal()
    shell.line("SELECT 'short' AS a;", "short", "1 row")
    shell.line(".rows 0")
    # The pager ends before all output was read: neither the next statement nor the shell ends.
    assert "500000" not in shell.line("SELECT i FROM range(1000000) t(i); SELECT 7 AS next;", "left the pager", "next", "1 row")
    shell.line(".pager off", "pager off")
    assert "left the pager" not in shell.line("SELECT i FROM range(100) t(i);", "100 rows")
    monkeypatch.setenv("PAGER", "/no/such/pager")
    shell = terminal()
    shell.line("SELECT i FROM range(30) t(i);", "PAGER names '/no/such/pager', which cannot be run")


def test_history_outlives_the_shell(terminal, tmp_path):
    shell = terminal()
    shell.line("SELECT 'remember', 'me' AS a;", "1 row")
    assert shell.leave() == 0
    assert oct((tmp_path / ".local/state/lanewise/history").stat().st_mode & 0o777) == "0o600"
    shell = terminal()
    shell.type("\x1b[A")
    shell.until("SELECT 'remember', 'me' AS a;")
    shell.line("", "1 row")


def test_help_fits_the_terminal(terminal):
    shell = terminal("sql")
    fcntl.ioctl(shell.file, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    shown = shell.line(".help", "Leave the shell")
    assert max(len(line) for line in shown.splitlines() if line.startswith("  ")) <= 60
    assert re.search(r"^  \.schema \[NAME\] +List columns of a table, a\n {10,}file", shown, re.M), shown


def test_dot_commands(terminal, tmp_path):
    (tmp_path / "script.sql").write_text("CREATE TABLE t (i INTEGER, s VARCHAR);\nINSERT INTO t VALUES (1, NULL), (2, 'b');\n")
    shell = terminal("sql", "--null-text", "-")
    help_text = shell.line(".help", ".quit")
    for command in ".help .tables .schema .mode .timer .profile .explain .read .open .device .quit".split():
        assert command in help_text + ".quit"
    shell.line(".read script.sql")
    assert re.search(r"main +t +table +2", shell.line(".tables", "1 row"))
    assert re.search(r"t +s +VARCHAR", shell.line(".schema", "2 rows"))
    shell.line(".schema t", "2 rows")
    shell.line(".schema main.t", "2 rows")
    shell.line(".schema script.sqlite", "Table with name script.sqlite does not exist!")
    assert "LINE" not in shell.line(".schema u", "error: Catalog Error: Table with name u does not exist!")
    shell.line(".mode", "table")
    shell.line(".mode csv")
    assert "i,s\n1,-\n2,b\n" in shell.line("FROM t;", "2,b\n")
    shell.line(".mode table")
    shell.line(".rows 1")
    shell.line("FROM t;", "2 rows, 1 shown")
    shell.line(".timer on", "timer on")
    shell.line("SELECT 1 AS a;", "plan ", " by lanewise")
    shell.line(".timer", "timer off")
    shell.line(".profile on", "profile on")
    shell.line("SELECT count(*) AS n FROM t WHERE i > 1;", "rows")
    shell.line(".profile off", "profile off")
    shell.line(".explain", "explain on")
    shell.line("SELECT i FROM t WHERE i > 1;", "lanes ")
    shell.line(".explain off", "explain off")
    shell.line(".device", "cpu")
    shell.line(".device cuda", "would lose the tables in memory")
    shell.line(".open shop.duckdb")
    shell.line("CREATE TABLE kept AS SELECT 1 AS a;")
    shell.line(".open missing/x.duckdb", "error: ")
    shell.line(".tables", "kept")
    assert shell.leave(".quit\r") == 0
    assert duckdb.connect(str(tmp_path / "shop.duckdb"), read_only=True).sql("FROM kept").fetchall() == [(1,)]
