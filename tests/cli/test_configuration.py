"""The configuration file: defaults of options, by command."""

import os

import pytest

EXAMPLE = '[sql]\nformat = "csv"\nnull-text = "none"\ntiming = true\n\n[index.query]\nformat = "json"\n'


@pytest.fixture
def configured(lanewise, tmp_path):
    """Runs the program with a configuration file of this text."""

    def run(text, *arguments, **more):
        folder = tmp_path / "config" / "lanewise"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text(text)
        return lanewise(*arguments, env=os.environ | {"XDG_CONFIG_HOME": str(tmp_path / "config")} | more)

    return run


def test_it_sets_defaults_of_the_command_that_runs(configured):
    code, out, error = configured(EXAMPLE, "sql", "-c", "SELECT NULL AS x")
    assert (code, out) == (0, "x\nnone\n") and "run" in error


def test_the_command_line_goes_before(configured):
    assert configured(EXAMPLE, "sql", "--format", "json", "-c", "SELECT 1 AS x")[1] == '[\n{"x":1}\n]\n'


def test_other_commands_have_their_own(configured, files):
    assert configured(EXAMPLE, "index", "query", "a.index", "--keys", "a.csv")[1].startswith("[\n{")


def test_another_file_or_none(configured, tmp_path):
    (tmp_path / "other.toml").write_text('[sql]\nformat = "markdown"\n')
    run = ["sql", "-c", "SELECT 1 AS x"]
    assert configured(EXAMPLE, *run, LANEWISE_CONFIG=str(tmp_path / "other.toml"))[1].startswith("| x")
    assert "integer" in configured(EXAMPLE, *run, LANEWISE_CONFIG="")[1]
    code, _, error = configured(EXAMPLE, *run, LANEWISE_CONFIG="nowhere.toml")
    assert code == 2 and "'nowhere.toml' cannot be read" in error


MISTAKES = {
    '[sql]\nthread = 1\n': "'thread' is not an option of lanewise sql; did you mean 'threads'?",
    '[sqll]\nthreads = 1\n': "[sqll] is not a command; did you mean 'sql'?",
    '[sql]\nthreads = 0\n': "--threads must be a number from 1 to 1024, not '0'",
    '[sql]\nformat = "cvs"\n': "--format cannot be 'cvs'; did you mean 'csv'?",
    'threads = 1\n': "options stand in the section of their command, such as [sql]",
    '[grep]\ncount = true\n': "LANEWISE_GREP_CONFIG",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_errors(configured, text):
    code, out, error = configured(text, "sql", "-c", "SELECT 1")
    assert (code, out) == (2, "") and "config.toml: " in error and MISTAKES[text] in error, error


def test_mistakes_of_other_commands_values_do_not_matter(configured):
    assert configured('[index.query]\nformat = "cvs"\n', "sql", "--format", "csv", "-c", "SELECT 1 AS x") == (0, "x\n1\n", "")
