"""docs/use/reference/settings.md: every setting of DuckDB is listed once, and those that change answers do what the page says."""

import re
from pathlib import Path

import corpus
import duckdb
import engine
import pytest
from corpus import Block

PAGE = (Path(__file__).resolve().parents[2] / "docs/use/reference/settings.md").read_text()
EXAMPLES = re.findall(r"^\| `(\w+)` \| (\w+) \| `(.+?)` \| `(.+)` \|$", PAGE, re.M)


def test_every_setting_is_listed_once():
    listed = [name for name, *_ in EXAMPLES]
    for section in PAGE.split("\n## ")[2:]:
        listed += re.findall(r"`(\w+)`", section)
    names = corpus.json_answers(engine.run("SELECT name FROM duckdb_settings() WHERE name <> 'lanewise_fallback';").stdout)[0].rows
    assert sorted(listed) == sorted(name for (name,) in names)


@pytest.mark.parametrize("name, what, value, query", EXAMPLES)
def test_setting(name, what, value, query):
    setting = Block("statement", False, "", f"SET {name} = {value}", 0)
    if what == "rejected":
        result = engine.run(engine.script([setting, Block("query", False, "", query, 1)]))
        assert result.returncode == 2 and value.strip("'") in result.stderr, result.stderr
        return
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(setting.sql)
        try:
            connection.execute(query).fetchall()
            block = Block("query", True, "", query, 1)
        except duckdb.Error as error:
            block = Block("error", True, str(error).splitlines()[0][:20], query, 1)
        expected = corpus.duckdb_answers(connection, [block])
    assert not engine.failures([setting, block], expected)


def test_threads_and_memory_reach_our_engine():
    query = "SET threads = 3; SET memory_limit = '50MB'; {} SELECT count(*) FROM (SELECT DISTINCT i FROM range(10000000) t(i));"
    result = engine.run(query.format("SET temp_directory = '';"))
    assert result.returncode == 2 and "memory" in result.stderr.lower(), result.stderr
    result = engine.run(query.format("SET temp_directory = '/no/such/folder';"))
    assert result.returncode == 2 and "/no/such/folder" in result.stderr, result.stderr
    assert corpus.json_answers(engine.run(query.format("")).stdout)[-1].rows == [("10000000",)]
