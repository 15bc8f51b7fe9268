"""Messages say what is wrong, where, and what to do. Readers share a lock, and --wait waits for it."""

import fcntl
import os
import re
import subprocess
import time

import duckdb
import pytest
from conftest import PROGRAM


@pytest.fixture
def shop(lanewise, tmp_path):
    assert lanewise("sql", "--db", "shop.duckdb", "-c", "CREATE TABLE t AS SELECT 7 AS i")[0] == 0
    return str(tmp_path / "shop.duckdb")


READ = ["sql", "--db", "shop.duckdb", "--format", "csv", "-c", "SELECT i FROM t"]
WRITE = ["sql", "--db", "shop.duckdb", "-c", "INSERT INTO t VALUES (8)"]


def test_two_may_read_a_database(lanewise, shop):
    with duckdb.connect(shop, read_only=True):
        assert lanewise(*READ) == (0, "i\n7\n", "")
        code, _, error = lanewise(*WRITE)
        assert code == 2 and "shop.duckdb" in error and str(os.getpid()) in error, error
        assert "-readonly" not in error and "CLI" not in error, "it speaks of another program"
    assert lanewise(*WRITE) == (0, "", "")
    assert lanewise(*READ)[1] == "i\n7\n8\n"


def test_a_file_that_is_not_a_database(lanewise, files):
    """It is the commonest mistake with --db and with sql's arguments: a data file in their place."""
    for name, content in {"a.csv": b"a,b\n1,2\n" * 9, "a.bin": os.urandom(64)}.items():
        (files / name).write_bytes(content)
        for command in ["SELECT 1", "CREATE TABLE t(i INT)"]:
            assert lanewise("sql", "--db", name, "-c", command) == \
                (2, "", f"error: '{name}' is not a database; query a data file without --db: FROM '{name}'\n")
    assert lanewise("sql", "-o", "a.parquet", "-c", "SELECT 1 AS i")[0] == 0
    assert "'a.parquet' is not a database" in lanewise("sql", "--db", "a.parquet", "-c", "SELECT 1")[2]
    assert lanewise("sql", "a.csv")[2].startswith("lanewise: unexpected argument 'a.csv'; query a file with -c \"FROM 'a.csv'\"\n")


def test_binary_files_and_sizes_of_pram(lanewise, files):
    (files / "a.pram").write_bytes(b"PAR1\0\1\2" * 99)
    for command in ["check", "run"]:
        assert lanewise("pram", command, "a.pram") == (2, "", "error: 'a.pram' is not a PRAM program: it is a binary file\n")
    for word, example in {"random": "random:8", "constant": "constant:8:1"}.items():
        error = f"error: A: the generator '{word}' needs a size, for example {example}\n"
        assert lanewise("pram", "run", "scan", "-i", f"A={word}") == (2, "", error)
        assert lanewise("pram", "run", "scan", "-i", f"A={example}")[0] == 0


def test_a_string_in_double_quotes(lanewise):
    error = lanewise("sql", "-c", "SELECT * FROM (VALUES ('v1')) t(s) WHERE s = \"v1\"")[2]
    assert error.endswith("Double quotes are for names; write a string as 'v1'\n")
    assert "Double quotes" not in lanewise("sql", "-c", "SELECT v1 FROM (VALUES ('v1')) t(s)")[2]


def test_unknown_options_of_grep(lanewise):
    assert lanewise("grep", "--recursive", "a") == (2, "", "error: unknown option --recursive; folders are searched without an option\n")
    assert lanewise("grep", "--frobnicate-it", "a") == (2, "", "error: unknown option --frobnicate-it; see lanewise grep --help\n")


def test_a_view_that_takes_numbers_is_read_after_checkpoint(lanewise, shop):
    assert lanewise("sql", "--db", "shop.duckdb", "-c", "CREATE SEQUENCE s; CREATE VIEW numbered AS SELECT nextval('s') AS n")[0] == 0
    code, _, error = lanewise("sql", "--db", "shop.duckdb", "-c", "SELECT n FROM numbered")
    assert code == 2 and "begin with CHECKPOINT to open it for writing" in error, error
    assert lanewise("sql", "--db", "shop.duckdb", "--format", "csv", "-c", "CHECKPOINT; SELECT n FROM numbered")[:2] == (0, "Success\nn\n1\n")


def test_read_only_is_kept(lanewise, shop):
    code, _, error = lanewise(*WRITE, "--read-only")
    assert code == 2 and "read-only" in error, error
    assert lanewise(*READ, "--read-only") == (0, "i\n7\n", "")
    code, _, error = lanewise("sql", "--read-only", "--db", "missing.duckdb", "-c", "SELECT 1")
    assert code == 2 and "missing.duckdb" in error and not os.path.exists(os.path.join(os.path.dirname(shop), "missing.duckdb"))


def test_reads_and_writes_in_one_run(lanewise, shop):
    """The first statement only reads; a later one writes."""
    out = lanewise("sql", "--db", "shop.duckdb", "--format", "csv", "-c", "SELECT i FROM t; INSERT INTO t VALUES (8); SELECT sum(i) AS s FROM t")
    assert out == (0, "i\n7\ns\n15\n", "")


def test_a_database_that_may_only_be_read(shop):
    os.chmod(shop, 0o444)
    os.chmod(os.path.dirname(shop), 0o555)
    drop = "-dac_override,-dac_read_search"
    wrap = ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}"] if os.geteuid() == 0 else []
    done = subprocess.run([*wrap, PROGRAM, *READ], cwd=os.path.dirname(shop), capture_output=True, text=True)
    os.chmod(os.path.dirname(shop), 0o755)
    assert (done.returncode, done.stdout, done.stderr) == (0, "i\n7\n", "")


@pytest.fixture
def locked(files):
    """An index that this process holds."""
    with open(files / "a.index", "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


USES = {"query": ["--keys", "a.csv"], "insert": ["--from", "a.csv"], "erase": ["--from", "a.csv"], "verify": [], "stats": []}


@pytest.mark.parametrize("use", USES)
def test_who_holds_an_index_is_said(lanewise, locked, use):
    code, out, error = lanewise("index", use, "a.index", *USES[use])
    assert (code, out) == (2, "") and f"'a.index' is in use by process {os.getpid()}" in error and "--wait" in error, error


@pytest.mark.parametrize("use", USES)
def test_an_index_is_waited_for(tmp_path, locked, use):
    program = subprocess.Popen([PROGRAM, "index", use, "a.index", *USES[use], "--wait", "60"], cwd=tmp_path,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.3)
    assert program.poll() is None, program.stderr.read()
    fcntl.flock(locked, fcntl.LOCK_UN)
    out, error = program.communicate(timeout=60)
    assert program.returncode == 0 and out, error


def test_waiting_ends(lanewise, locked):
    code, _, error = lanewise("index", "stats", "a.index", "--wait", "0.2")
    assert code == 2 and "after 0.2 seconds" in error, error


def test_columns_of_a_graph_that_are_missing(lanewise, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    for command in (["graph", "components", "a.csv"], ["pram", "run", "components", "--graph", "a.csv"]):
        code, _, error = lanewise(*command)
        assert (code, error) == (2, "error: 'a.csv' has no column 'src'; it has a, b\n")


def test_timestamps_are_shown_in_the_time_zone(lanewise):
    sql = "SET TimeZone = 'Europe/Berlin'; SELECT x, [x] AS l, {'x': x} AS s, 1 AS i FROM (VALUES (TIMESTAMPTZ '2024-07-01 00:00:00+00')) t(x)"
    text = "2024-07-01 02:00:00+02"
    assert lanewise("sql", "--format", "csv", "-c", sql)[1] == f"x,l,s,i\n{text},['{text}'],{{'x': '{text}'}},1\n"
    assert lanewise("sql", "--format", "ndjson", "-c", sql)[1] == f'{{"x":"{text}","l":["{text}"],"s":{{"x":"{text}"}},"i":1}}\n'


HEAD = "mode EREW\ninput A[n] : int\noutput B[n] : int\nshared x : int\nprocessors n\n"
PROGRAMS = {
    "x += 1": "write x = x + 1",
    "x -= 1": "write x = x - 1",
    "x := 1": "write x = 1",
    "for i = 0 to n - 1 pardo { B[i] = A[i] }": "processors",
    "for i in 0..n pardo { B[i] = A[i] }": "processors",
    "for all i in parallel do { B[i] = A[i] }": "processors",
    "x++": "write x = x + 1",
}


@pytest.mark.parametrize("line", PROGRAMS)
def test_habits_of_other_languages_get_a_hint(lanewise, tmp_path, line):
    (tmp_path / "a.pram").write_text(f"{HEAD}{line}\n")
    code, out, error = lanewise("pram", "check", "a.pram")
    assert (code, out) == (2, "") and PROGRAMS[line] in error, error
    assert re.findall(r"^(?:error: )?(a\.pram:\d+):", error, re.M) == ["a.pram:6"], "one mistake is one error"


@pytest.mark.parametrize("name", ["n", "A"])
@pytest.mark.parametrize("kind", ["private", "shared", "input"])
def test_a_name_is_not_declared_twice(lanewise, tmp_path, kind, name):
    declaration = f"private {name} = 3" if kind == "private" else f"{kind} {name} : int"
    (tmp_path / "a.pram").write_text(f"mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\n{declaration}\nB[p] = A[p]\n")
    code, _, error = lanewise("pram", "check", "a.pram")
    assert code == 2 and f"'{name}'" in error and "a.pram:5:" in error, (code, error)


def test_an_input_is_given_once(lanewise, tmp_path):
    (tmp_path / "a.pram").write_text("mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p] = A[p]\n")
    code, out, error = lanewise("pram", "run", "a.pram", "-i", "A=1,2", "-i", "A=9")
    assert (code, out) == (2, "") and "the input 'A' is given twice" in error, error


def test_a_folder_is_not_a_table(refused, tmp_path):
    (tmp_path / "data").mkdir()
    for name in ("data", "'data/'", "'./data'"):
        message = refused(f"FROM {name}")
        assert "data' is a folder; name the files in it, for example '" in message and "data/*.parquet'" in message
    (tmp_path / "data/day=1").mkdir()
    assert "data/**/*.parquet'" in refused("FROM data")
    (tmp_path / "data/notes.txt").touch()
    assert "data/**/*.parquet'" in refused("FROM data")
    assert "does not exist" in refused("FROM orders") and "pg_" not in refused("FROM orders")


@pytest.mark.parametrize("source, extension", [("'s3://bucket/x.parquet'", "httpfs"), ("'gcs://bucket/x.parquet'", "httpfs"),
                                               ("sqlite_scan('x.db', 't')", "sqlite_scanner"),
                                               ("postgres_scan('', 'public', 't')", "postgres_scanner")])
def test_a_missing_extension_is_named_with_what_loads_it(lanewise, source, extension):
    code, _, error = lanewise("sql", "-c", f"FROM {source}")
    assert code == 2 and error.count("\n") == 1, error
    assert error.endswith(f'; "INSTALL {extension}" fetches it once, "LOAD {extension}" loads it in each session\n')
