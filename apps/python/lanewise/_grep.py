"""Search of files: the lines that `lanewise grep` finds, as rows."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import errors

if TYPE_CHECKING:
    import pyarrow as pa

_PROGRAM = Path(__file__).parent / "lanewise"


def grep(
    pattern: str | Sequence[str],
    *paths: str | os.PathLike[str],
    fixed: bool = False,
    ignore_case: bool = False,
    word: bool = False,
    invert: bool = False,
    multiline: bool = False,
    hidden: bool = False,
    no_ignore: bool = False,
    glob: str | Sequence[str] = (),
    file_type: str | Sequence[str] = (),
    max_count: int | None = None,
    threads: int = 0,
) -> pa.Table:
    """The lines of files that match a pattern of Rust's crate regex, or one of several patterns, as found by `lanewise
    grep`.

    Folders are searched with all below them, but for hidden and binary files and those that .gitignore excludes; without paths the
    current folder. fixed: patterns are plain text. glob: "*.py", "!*.md". file_type: "py", see `lanewise grep --type-list`. max_count: of
    lines of a file.

    Rows: path, line (from 1; where `multiline` the first one), offset (bytes before the line in its file), text (without its end; bytes that are
    not UTF-8 become U+FFFD), matches (a list of strings). It runs in a process of its own, which Ctrl-C ends.

    Raises PatternError: a wrong pattern; OperationalError: a file that cannot be read.
    """
    import pyarrow as pa

    switches = {"-F": fixed, "-i": ignore_case, "-w": word, "-v": invert, "-U": multiline, "--hidden": hidden, "--no-ignore": no_ignore}
    words = ["--no-config", "--json", *(switch for switch, on in switches.items() if on)]
    words += [f"--glob={one}" for one in _several(glob)] + [f"--type={one}" for one in _several(file_type)]
    words += [] if max_count is None else [f"--max-count={int(max_count)}"]
    words += [f"--threads={int(threads)}"] + [f"--regexp={one}" for one in _several(pattern)]
    try:
        done = subprocess.run([_PROGRAM, "grep", *words, "--", *([os.fspath(path) for path in paths] or ["."])],
                              stdin=subprocess.DEVNULL, capture_output=True)  # fmt: skip
    except ValueError as error:
        raise errors.InterfaceError(f"a pattern or a path has a NUL character: {error}") from error
    if done.returncode not in (0, 1):
        message = done.stderr.decode(errors="replace").strip().removeprefix("lanewise grep: ").removeprefix("error: ")
        raise (errors.PatternError if "regular expression" in message else errors.OperationalError)(message)
    found = [line["data"] for line in map(json.loads, done.stdout.splitlines()) if line["type"] == "match"]
    return pa.table({
        "path": pa.array([_text(line["path"]) for line in found], pa.string()),
        "line": pa.array([line["line_number"] for line in found], pa.int64()),
        "offset": pa.array([line["absolute_offset"] for line in found], pa.int64()),
        "text": pa.array([_text(line["lines"]).removesuffix("\n") for line in found], pa.string()),
        "matches": pa.array([[_text(match["match"]) for match in line["submatches"]] for line in found], pa.list_(pa.string())),
    })  # fmt: skip


def _several(values: str | Sequence[str]) -> Sequence[str]:
    return [values] if isinstance(values, str) else values


def _text(value: dict[str, Any]) -> str:
    """A string of ripgrep's JSON, which encodes bytes that are not UTF-8 as base64."""
    return value["text"] if "text" in value else base64.b64decode(value["bytes"]).decode(errors="replace")
