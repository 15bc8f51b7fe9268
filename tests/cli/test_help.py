"""Help is short, mistakes get a suggestion, and manual pages and completions come from the same source."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import PROGRAM

ROOT = Path(__file__).resolve().parents[2]
MISTAKES = {
    ("sqll", "-c", "SELECT 1"): "there is no command 'sqll'; did you mean 'sql'?",
    ("index", "bild"): "there is no command 'index bild'; did you mean 'build'?",
    ("index", "nosuch"): "there is no command 'index nosuch'; choose build, query,",
    ("--hlep",): "there is no option '--hlep'; did you mean '--help'?",
    ("index", "--hlep"): "there is no option '--hlep'; did you mean '--help'?",
    ("sql", "--formt", "csv"): "there is no option '--formt'; did you mean '--format'?",
    ("sql", "--formt=csv", "-c", "SELECT 1"): "there is no option '--formt'; did you mean '--format'?",
    ("sql", "--format", "cvs"): "--format cannot be 'cvs'; did you mean 'csv'? Choose table, csv,",
    ("sql", "--threads", "0"): "--threads must be a number from 1 to 1024, not '0'",
    ("sql", "--max-rows", "-4"): "--max-rows must be a number from 0 to 1000000000000, not '-4'",
    ("index", "query", "a.index", "--keys", "a.csv", "--wait", "-1"): "--wait must be a number from 0 to 1000000000, not '-1'",
    ("sql", "-c", "SELECT 1", "-c", "SELECT 2"): "--command is given more than once",
    ("sql", "-c"): "--command needs a value",
    ("sql", "-c", "SELECT 1", "-f", "a"): "--command and --file exclude each other",
    ("sql", "-c", "SELECT 1", "more"): "unexpected argument 'more'",
    ("sql", "SELECT 1"): "unexpected argument 'SELECT 1'; put -c before the SQL",
    ("index",): "a command is missing: build, query,",
    ("index", "build"): "DATA is missing; usage: lanewise index build [OPTIONS] DATA --key COLUMN,... --output FILE",
    ("completions", "bsh"): "did you mean 'bash'?",
}


def text_of(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"})
    assert done.returncode == 0 and not done.stderr, (arguments, done.stderr)
    return done.stdout


def commands(*path):
    """All commands as word lists, from the lists in the help."""
    found = [path]
    _, _, tail = text_of(*path, "--help").partition("\nCommands:\n")
    for name in re.findall(r"^  (\S+)", tail.partition("\n\n")[0], re.M):
        found += commands(*path, name)
    return found


def test_the_help_of_the_program_is_short():
    lines = text_of("--help").splitlines()
    assert len(lines) <= 25 and all(len(line) <= 100 for line in lines)
    assert len(commands()) > 20


def test_the_help_of_a_command_names_no_library():
    for path in commands():
        text = text_of(*path, "--help")
        assert text == text_of("help", *path), path
        assert all(len(line) <= 100 for line in text.splitlines()), [line for line in text.splitlines() if len(line) > 100]
        for noise in ("Excludes", "UINT", "INT ", ":INT", "TEXT", "REQUIRED", " ...\n", "VALUE in", "x 2", ":{", "={"):
            assert noise not in text, (path, noise)
        assert f"Usage: {' '.join(('lanewise', *path))} " in text


@pytest.mark.parametrize("arguments", MISTAKES)
def test_a_mistake_gets_a_suggestion(lanewise, arguments):
    code, out, error = lanewise(*arguments)
    assert (code, out) == (2, "") and MISTAKES[arguments] in error, error
    assert re.search(r"^Try 'lanewise.* --help'\.$", error, re.M), error


def test_what_is_far_from_all_names_gets_none(lanewise):
    assert lanewise("frobnicate")[2] == "lanewise: there is no command 'frobnicate'\nTry 'lanewise --help'.\n"


def test_values_that_look_like_options_are_values(lanewise):
    assert lanewise("sql", "--format", "csv", "-c", "--formt is a comment\nSELECT 1 AS a")[:2] == (0, "a\n1\n")


@pytest.mark.parametrize("topic", ["files", "functions", "configuration", "environment", "exit-codes"])
def test_topics(lanewise, topic):
    assert len(text_of("help", topic).splitlines()) > 4
    code, _, error = lanewise("help", topic[:-1] + "x")
    assert code == 2 and f"did you mean '{topic}'?" in error


def test_functions_are_listed_by_group():
    """All functions of the reference page, which comes from the same table, are in the manual page, too."""
    page = (ROOT / "docs/use/reference/functions.md").read_text().partition("\n## Functions of DuckDB")[0]
    names = set(re.findall(r"^\| `+([^`]+)`", page.replace("\\|", "|"), re.M))
    text = text_of("help", "functions")
    assert names == set(re.findall(r"^  (\S.*?)  +\S", text, re.M)) and len(names) > 250
    assert all(len(line) <= 100 for line in text.splitlines())
    assert re.findall(r"^(\S.*):$", text, re.M)[:2] == ["Comparisons", "Arithmetic"] and "\nAggregates:\n" in text
    assert "split_part" in text_of("manual")


def test_a_function_is_shown_with_its_results(lanewise):
    assert text_of("help", "functions", "lower") == (
        "lower\n\nThe string in lower case, letter by letter (Unicode's simple mapping).\n  lower('ÄPFEL')\n    äpfel\n")
    assert text_of("help", "functions", "POWER") == text_of("help", "functions", "pow")
    assert text_of("help", "functions", "mean").startswith("avg\n") and "\n    1.5\n" in text_of("help", "functions", "mean")
    assert text_of("help", "functions", "is", "null").startswith("IS NULL\n")
    assert text_of("help", "functions", "count").count("\n    ") == 2  # count(*) too
    assert text_of("help", "functions", "md5").startswith("md5, computed by DuckDB's library\n")
    assert re.search(r"^  ~~ ", text_of("help", "functions", "like"), re.M)
    code, out, error = lanewise("help", "functions", "uper")
    assert (code, out, error) == (2, "", "error: there is no function 'uper'; did you mean 'upper'?\n")
    assert "no function 'it''s'" in lanewise("help", "functions", "it''s")[2]


def completed(line):
    """Bash's completions of the last word of the line."""
    script = f"""source <({PROGRAM} completions bash)
COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _lanewise; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_bash_completes():
    assert completed("lanewise in") == ["index", "info"]
    assert completed("lanewise index b") == ["build"]
    assert completed("lanewise sql --form") == ["--format"]
    assert "parquet" in completed("lanewise sql --format ''") and completed("lanewise sql --format c") == ["csv"]
    assert "environment" in completed("lanewise help e")
    assert completed("lanewise graph bfs --ro") == ["--root"]
    assert completed("lanewise grep --sort m") == completed("lanewise grep --sortr m") == ["modified"]
    assert completed("lanewise grep --color al") == ["always"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_their_scripts(shell, tmp_path):
    (tmp_path / "script").write_text(text_of("completions", shell))
    assert "'--format[" in text_of("completions", "zsh") and "-l format" in text_of("completions", "fish")
    assert re.search(r"-l format .*-d 'Output format'", text_of("completions", "fish"))
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", tmp_path / "script"], check=True)


def test_manual_pages_hold_every_option():
    for path in [(), *(path for path in commands() if len(path) == 1)]:
        page = text_of("manual", *path)
        assert page.startswith(".TH LANEWISE")
        assert re.search(r"^\.SH NAME\n\S+ \\- [a-z]", page, re.M), path
        assert all(title == title.upper() for title in re.findall(r"^\.SH (.*)", page, re.M)), path
        for option in re.findall(r"--[a-z-]+", text_of(*path, "--help").partition("ptions:")[2]):
            assert option.replace("-", "\\-") in page, (path, option)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Kutf8", "-Tutf8", "-ww"], input=page, capture_output=True, text=True)
            assert done.returncode == 0 and not done.stderr, (path, done.stderr)
