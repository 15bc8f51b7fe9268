"""After any failure of a command, its output file is complete or as before, inputs are unchanged, and no other file stays.

Each command is interrupted at a random time, meets a full disk, a limit of a file's size, a closed pipe and a folder that
cannot be written, and is told to write over its own inputs."""

import os
import random
import resource
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM, cancel, wait_until_it_runs
from outputs import COMMANDS, LONG, World, files, shape

ALL = "LANEWISE_TEST_ALL" in os.environ
EVERY = {**COMMANDS, **(LONG if ALL else {})}
TIMES = 1000 // (5 * len(COMMANDS)) + 1 if ALL else 1  # a thousand runs in all
BEFORE = "what stood here before\n"


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="session")
def small_disk(tmp_path_factory):
    """A folder in a file system of 24 MiB, which the tests fill up."""
    folder = tmp_path_factory.mktemp("disk")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", folder], capture_output=True).returncode != 0:
        pytest.skip("no file system can be mounted here; the limit of a file's size is tested instead")
    yield folder
    subprocess.run(["umount", "-l", folder])


@pytest.fixture(params=EVERY)
def command(request):
    return EVERY[request.param]


class Run:
    """A command in its own folder, the files before, and those that must be there afterwards."""

    def __init__(self, world, command, folder, scratch, old):
        self.command, self.folder, self.output = command, folder, folder / command.output
        self.whole = world.expected(command, scratch)
        world.copy(folder)
        if old and not command.in_place and not command.fresh:
            self.output.write_text(BEFORE)
        self.before = files(folder)
        self.old = shape(self.output) if command.in_place else BEFORE if self.output.exists() else None

    def start(self, wrap=(), **more):
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE} | more
        return subprocess.Popen([*wrap, PROGRAM, *self.command.words()], cwd=self.folder, **streams)

    def check(self, code, error, codes):
        after, name = files(self.folder), self.command.output
        assert code in codes, (code, error)
        assert b"bug in lanewise" not in error and b"Traceback" not in error, error
        assert code == 0 or error, "an error without a message"
        assert {file for file in after if file not in self.before} <= {name}, "files are left behind"
        assert {file: after.get(file) for file in self.before if file != name} == {file: d for file, d in self.before.items() if file != name}
        found = self.old if after.get(name) == self.before.get(name) else shape(self.output)
        assert found in ([self.whole] if code == 0 else [self.old, self.whole]), "the output is neither whole nor as before"


@pytest.fixture
def run(world, command, tmp_path, request):
    """Prepares runs of the command; in every second one the output exists already."""
    made = []

    def make(folder=None):
        number = len(made)
        made.append(number)
        folder = folder or tmp_path / f"run{number}"
        folder.mkdir(exist_ok=True)
        scratch = tmp_path / "whole"
        scratch.mkdir(exist_ok=True)
        return Run(world, command, folder, scratch, old=(number + len(request.node.name)) % 2 == 0)

    return make


def seconds(run):
    """The duration of an undisturbed run."""
    start = time.monotonic()
    program = run.start()
    run.check(program.wait(400), program.stderr.read(), [0])
    return time.monotonic() - start


def test_interrupted_at_any_time(run, request):
    draw = random.Random(request.node.name if not ALL else None)
    usual = seconds(run())
    for _ in range(TIMES):
        one = run()
        program = one.start()
        wait_until_it_runs(program)
        time.sleep(draw.uniform(0, 1) * min(usual, 20))
        code, used = cancel(program, draw.choice([signal.SIGINT, signal.SIGTERM]))
        one.check(code, program.stderr.read(), [0, 130])
        assert used < 2


def test_full_disk(run, small_disk):
    """A random number of pages is free."""
    draw = random.Random()
    for _ in range(TIMES):
        for path in small_disk.iterdir():
            path.unlink()
        one = run(small_disk)
        with open(small_disk / "filler", "wb", buffering=0) as filler:
            try:
                while filler.write(bytes(1 << 20)):
                    pass
            except OSError:
                filler.truncate(max(0, filler.tell() - 4096 * draw.randrange(0, 40)))
        one.before = files(small_disk)
        program = one.start()
        one.check(program.wait(400), program.stderr.read(), [0, 2])


def test_limit_of_file_sizes(run):
    """As with `ulimit -f`; its signal does not end the program."""
    draw = random.Random()
    for _ in range(TIMES):
        one = run()
        size = draw.randrange(0, 200_000)
        limits = lambda size=size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # noqa: E731
        program = one.start(preexec_fn=limits)
        one.check(program.wait(400), program.stderr.read(), [0, 2])


def test_closed_pipe(run):
    """Standard output has no reader: that is not an error, and the file is written."""
    for _ in range(TIMES):
        one = run()
        reader, writer = os.pipe()
        os.close(reader)
        program = one.start(stdout=writer)
        os.close(writer)
        one.check(program.wait(400), program.stderr.read(), [0])


def test_read_only_folder(run):
    for _ in range(TIMES):
        one = run()
        for path in [one.folder, *one.folder.iterdir()]:
            path.chmod(0o555 if path == one.folder else 0o444)
        drop = "-dac_override,-dac_read_search"  # root can write everywhere, unless it gives up that right
        wrap = ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}"] if os.geteuid() == 0 else []
        program = one.start(wrap)
        error = program.communicate(timeout=400)[1]
        one.folder.chmod(0o755)
        one.check(program.returncode, error, [2])
        assert one.command.output.encode() in error, error


SPELLINGS = ["name", "./", "..", "whole path", "link", "hard link", "link to the folder"]


def spelled(how, folder, name):
    """Another path of a file."""
    if how == "link":
        (folder / "link").symlink_to(name)
    if how == "hard link":
        os.link(folder / name, folder / "link")
    if how == "link to the folder":
        (folder / "link").symlink_to(".")
    return {"name": name, "./": f"./{name}", "..": f"../{folder.name}/{name}", "whole path": str(folder / name),
            "link": "link", "hard link": "link", "link to the folder": f"link/{name}"}[how]


# Commands whose output is one of their inputs. --format, so that no other rule rejects the name.
SAME = {
    "sql": ("rows.csv", "sql", "-c", "FROM 'rows.csv'", "--format", "csv", "-o", "OUT"),
    "sql of several": ("rows.csv", "sql", "-c", "SELECT count(*) FROM 'row*.csv'", "--format", "csv", "-o", "OUT"),
    "sql parquet": ("rows.parquet", "sql", "-c", "FROM 'rows.parquet' LIMIT 3", "-o", "OUT"),
    "sql -f": ("query.sql", "sql", "-f", "query.sql", "--format", "csv", "-o", "OUT"),
    "sql --db": ("shop.duckdb", "sql", "--db", "shop.duckdb", "-c", "SELECT 1", "--format", "csv", "-o", "OUT"),
    "sql fallback": ("rows.csv", "sql", "--fallback", "duckdb", "-c", "SELECT [k] AS l FROM 'rows.csv'", "--format", "csv", "-o", "OUT"),
    "COPY": ("rows.csv", "sql", "-c", "COPY (FROM 'rows.csv' LIMIT 3) TO 'OUT' (FORMAT csv)"),
    "index build": ("rows.csv", "index", "build", "rows.csv", "--key", "k", "-o", "OUT"),
    "index query": ("rows.index", "index", "query", "rows.index", "--keys", "rows.csv", "--format", "csv", "-o", "OUT"),
    "index query parquet": ("rows.index", "index", "query", "rows.index", "--keys", "rows.csv", "--format", "parquet", "-o", "OUT"),
    "index query keys": ("rows.csv", "index", "query", "rows.index", "--keys", "rows.csv", "--format", "csv", "-o", "OUT"),
    "pram run": ("copy.pram", "pram", "run", "copy.pram", "-i", "A=1,2", "--format", "text", "-o", "OUT"),
    "pram run numbers": ("numbers", "pram", "run", "copy.pram", "-i", "A=@numbers", "--format", "text", "-o", "OUT"),
    "pram run graph": ("edges", "pram", "run", "components", "--graph", "./edges", "--format", "text", "-o", "OUT"),
    "pram trace": ("copy.pram", "pram", "trace", "copy.pram", "-i", "A=1,2", "-o", "OUT"),
    "graph": ("edges", "graph", "components", "./edges", "-o", "OUT"),
    "graph csv": ("edges.csv", "graph", "components", "edges.csv", "-o", "OUT"),
}


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    """The input files of the commands in SAME."""
    small = World(tmp_path_factory.mktemp("sources"), rows=200)
    (small.folder / "query.sql").write_text("SELECT 1 AS i")
    (small.folder / "edges.csv").write_text("src,dst\n1,2\n")
    for arguments in (["-c", "FROM 'rows.csv'", "-o", "rows.parquet"], ["--db", "shop.duckdb", "-c", "CREATE TABLE t AS SELECT 1 AS i"]):
        subprocess.run([PROGRAM, "sql", *arguments], cwd=small.folder, check=True)
    return small


@pytest.mark.parametrize("how", SPELLINGS)
@pytest.mark.parametrize("case", SAME)
def test_an_output_that_is_an_input(sources, tmp_path, case, how):
    name, *arguments = SAME[case]
    folder = tmp_path / "in"
    sources.copy(folder)
    path = spelled(how, folder, name)
    before = files(folder)
    done = subprocess.run([PROGRAM, *[word.replace("OUT", path) for word in arguments]], cwd=folder, capture_output=True, text=True)
    assert files(folder) == before
    assert done.returncode == 2 and done.stdout == "", done
    assert f"'{path}' is also an input" in done.stderr, done.stderr

