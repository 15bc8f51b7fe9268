"""The commands that write files, and the mark of a complete file."""

import hashlib
import json
import shutil
import subprocess
from dataclasses import dataclass

import pyarrow.parquet
from conftest import PROGRAM

ROWS = 100_000
QUERY = f"SELECT i, 'text ' || i AS s FROM range({ROWS}) t(i)"
PROGRAM_TEXT = "mode EREW\ninput A[n] : int\noutput B[n] : int\nprocessors n\nB[p]   =  A[p]\n"


@dataclass(frozen=True)
class Command:
    """A command that writes the file `output`; OUT in its arguments stands for the file's path."""
    arguments: tuple
    output: str
    in_place: bool = False  # the output exists before, and is changed
    fresh: bool = False  # the output must not exist before

    def words(self):
        return [word.replace("OUT", self.output) for word in self.arguments]


def writes(output, *arguments, **more):
    return Command(arguments, output, **more)


COMMANDS = {
    **{f"sql {end}": writes(f"out.{end}", "sql", "-c", QUERY, "-o", "OUT") for end in ("csv", "json", "ndjson", "md", "txt", "parquet")},
    **{f"COPY {end}": writes(f"out.{end}", "sql", "-c", f"COPY ({QUERY}) TO 'OUT'") for end in ("csv", "json", "parquet")},
    "COPY of a table": writes("out.csv", "sql", "-c", f"CREATE TABLE t AS {QUERY}; COPY t TO 'OUT'"),
    "index build": writes("out.index", "index", "build", "rows.csv", "--key", "k", "-o", "OUT"),
    "index query csv": writes("out.csv", "index", "query", "rows.index", "--keys", "rows.csv", "-o", "OUT"),
    "index query parquet": writes("out.parquet", "index", "query", "rows.index", "--keys", "rows.csv", "-o", "OUT"),
    "index insert": writes("rows.index", "index", "insert", "OUT", "--from", "rows.csv", "--first-row", "1000000", in_place=True),
    "index erase": writes("rows.index", "index", "erase", "OUT", "--from", "rows.csv", in_place=True),
    "pram run": writes("out.txt", "pram", "run", "copy.pram", "-i", "A=@numbers", "-o", "OUT"),
    "pram run json": writes("out.json", "pram", "run", "copy.pram", "-i", "A=@numbers", "-o", "OUT"),
    "pram trace": writes("out.ndjson", "pram", "trace", "copy.pram", "-i", "A=@numbers", "-o", "OUT"),
    "pram fmt": writes("copy.pram", "pram", "fmt", "-w", "OUT", in_place=True),
    "pram new": writes("new.pram", "pram", "new", "OUT", fresh=True),
    "graph csv": writes("out.csv", "graph", "components", "edges", "-o", "OUT"),
    "graph parquet": writes("out.parquet", "graph", "components", "edges", "-o", "OUT"),
    "bench": writes("out.svg", "bench", "scan", "--rows", "100000", "--work", "count", "--selectivity", "1,50", "--repeat", "1",
                    "--plot", "OUT"),
}
LONG = {"tune": writes("profile.json", "tune", "--output", "./OUT")}


def make_inputs(folder, rows):
    """The input files of the commands."""
    numbers = range(0, 7 * rows, 7)
    (folder / "rows.csv").write_text("k,s\n" + "".join(f"{i % 1_000_003},name {i}\n" for i in numbers))
    (folder / "numbers").write_text("\n".join(map(str, numbers)))
    (folder / "edges").write_text("".join(f"{i} {i // 2}\n" for i in range(1, rows)))
    (folder / "copy.pram").write_text(PROGRAM_TEXT)
    subprocess.run([PROGRAM, "index", "build", "rows.csv", "--key", "k", "-o", "rows.index"], cwd=folder, check=True)


def files(folder):
    """Each file of a folder with a digest of its bytes."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir() if not path.is_symlink()}


def shape(path):
    """A digest that differs between a complete output and a truncated one; it is the same for each run of a command."""
    if path.suffix == ".parquet":
        table = pyarrow.parquet.read_table(path)
        return table.num_rows, table.schema.names, table.slice(table.num_rows - 1).to_pylist()
    if path.name == "profile.json":
        return sorted(json.loads(path.read_text()))
    if path.suffix == ".index":
        done = subprocess.run([PROGRAM, "index", "verify", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout
    text = path.read_text()
    return text.endswith("</svg>\n") if path.suffix == ".svg" else text


class World:
    """A folder with all inputs, and the output of each undisturbed command."""

    def __init__(self, folder, rows=60_000):
        self.folder = folder
        make_inputs(folder, rows)
        self.whole = {}

    def copy(self, folder):
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)

    def expected(self, command, scratch):
        """The digest of a command's complete output, from one undisturbed run."""
        if command not in self.whole:
            self.copy(scratch)
            subprocess.run([PROGRAM, *command.words()], cwd=scratch, check=True, capture_output=True)
            self.whole[command] = shape(scratch / command.output)
        return self.whole[command]
