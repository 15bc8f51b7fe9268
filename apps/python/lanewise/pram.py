"""PRAM programs: check, run, trace and explain them.

A program is a name, a file or a text. Names are those of programs that come with Lanewise; files are a pathlib.Path or end in ".pram".
Inputs are numbers, lists, or arrays of one or two dimensions, by their names.

>>> run("reduction", A=[1, 2, 3, 4])["sum"]
10
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union

from . import errors
from ._library import Stream, check as _check, ffi, in_main_thread, lib, options as _options, taken_text, text as _text
from ._tables import has_nulls as _has_nulls

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Check", "Cost", "Run", "check", "explain", "programs", "run", "trace", "widget"]

Source = Union[str, "os.PathLike[str]"]
_WIDGET = Path(__file__).parent / "pram_widget.js"


class Cost(NamedTuple):
    """The cost of a run on a PRAM: steps, work (active processors, summed over the steps), depth, and the most
    processors at once."""

    steps: int
    work: int
    depth: int
    peak: int


class Check(NamedTuple):
    """The findings of `check`. `needs` and `conflicts` come from a run, so they need inputs; without inputs they are
    empty.

    `mode` is what the program declares, `needs` the weakest mode that allows what it did.
    """

    mode: str
    warnings: str
    needs: str
    conflicts: str


class Run(Mapping[str, Any]):
    """Outputs of a run by name: numbers, or NumPy arrays of one or two dimensions."""

    def __init__(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.lw_run_close)
        self._outputs: dict[str, Any] = {}
        cells = ffi.new("lw_cells*")
        while lib.lw_run_output(handle, len(self._outputs), cells):
            self._outputs[ffi.string(cells.name).decode()] = _value(cells)

    def __getitem__(self, name: str) -> Any:
        return self._outputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._outputs)

    def __len__(self) -> int:
        return len(self._outputs)

    def __repr__(self) -> str:
        return "\n".join(f"{name} = {value}" for name, value in self._outputs.items())

    @property
    def cost(self) -> Cost:
        """The counts of the interpreter; zeros for other executors."""
        cost = lib.lw_run_cost(self._handle)
        return Cost(cost.steps, cost.work, cost.depth, cost.peak)

    @property
    def lines(self) -> pa.Table:
        """A row for each line that ran: steps, work and peak; for other executors launches, processors, occupancy,
        bytes, seconds."""
        import pyarrow as pa

        return pa.table(Stream(lambda out, error: lib.lw_run_lines(self._handle, out, error)))


def programs() -> pa.Table:
    """The programs that come with Lanewise: name, summary, text."""
    import pyarrow as pa

    return pa.table(Stream(lib.lw_programs))


def run(
    source: Source,
    inputs: Mapping[str, Any] | None = None,
    /,
    *,
    executor: str = "interpreter",
    seed: int = 0,
    max_steps: int = 10_000_000,
    threads: int = 0,
    memory_limit: int | str = "4GB",
    one_group: bool = False,
    **more: Any,
) -> Run:
    """Runs a program.

    executor: "interpreter" works step by step, finds conflicts and counts costs; "cpu" runs the compiled program on all cores;
    "cuda" and "opencl" run it as kernels. seed: of the draw in mode CRCW arbitrary. memory_limit: bytes, or text such as "4GB".
    one_group: the whole program is one kernel of one group on a GPU, with at most 256 processors and 4,080 cells.

    Raises ProgramError: the program is wrong, or failed while it ran; OperationalError: a missing or wrong input.
    """
    out = ffi.new("lw_run**")
    _call("run", source, {**(inputs or {}), **more}, out, executor=executor, seed=seed, max_steps=max_steps, threads=threads, memory_limit=memory_limit,
          one_group=one_group)  # fmt: skip
    return Run(out[0])


def check(source: Source, inputs: Mapping[str, Any] | None = None, /, **more: Any) -> Check:
    """Checks a program, and with inputs also runs it to find conflicts.

    >>> check("reduction", A=[1, 2, 3, 4]).needs
    'EREW'
    """
    given = {**(inputs or {}), **more}
    program = _open(source)
    mode, warnings = _string(lib.lw_program_mode(program)), _string(lib.lw_program_warnings(program))
    if not given:
        return Check(mode, warnings, "", "")
    out = ffi.new("lw_run**")
    _call("run", source, given, out, survey=True)
    ran = ffi.gc(out[0], lib.lw_run_close)
    return Check(mode, warnings, _string(lib.lw_run_needs(ran)), _string(lib.lw_run_conflicts(ran)))


def trace(
    source: Source, inputs: Mapping[str, Any] | None = None, /, *, executor: str = "interpreter", by: str = "statement", seed: int = 0, **more: Any
) -> list[dict[str, Any]]:
    """The lines of `lanewise pram trace` as dicts: the start, each step with its changes, the end.

    by: "kernel" gives one for each kernel of the compiled program. An error of the run has the trace up to it as `trace`.
    """
    out = ffi.new("char**")
    try:
        _call("trace", source, {**(inputs or {}), **more}, out, executor=executor, by=by, seed=seed)
        return _steps(out[0])
    except errors.ProgramError as error:
        if out[0]:
            error.trace = _steps(out[0])
        raise
    finally:
        lib.lw_text_free(out[0])


def explain(source: Source, *, without: str = "") -> str:
    """The compiled program next to its text. without: an optimisation to leave out, or "all"."""
    out, error = ffi.new("char**"), ffi.new("lw_error*")
    with _options(**({"without": without} if without else {})) as (given, count):
        _check(lib.lw_program_explain(_open(source), given, count, out, error), error)
    return taken_text(out[0])


def widget(source: Source, inputs: Mapping[str, Any] | None = None, /, **more: Any) -> Any:
    """A widget of anywidget for notebooks that shows a run as the lab does: memory and processors, step by step.

    It has at most the first 100,000 steps. A run that fails shows where. Raises ProgramError: the program is wrong. Raises InterfaceError:
    anywidget is not installed, or the package was built without the widget.
    """
    name, text = _program_text(source)
    summary, arrays = _recorded(_parsed(name, text), {**(inputs or {}), **more})
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise errors.InterfaceError("the widget needs anywidget: pip install anywidget") from error
    if not _WIDGET.exists():
        raise errors.InterfaceError("this package was built without the widget, which ./dev wheel builds")
    members = {"__module__": __name__, "_esm": _WIDGET, "summary": traitlets.Unicode(summary).tag(sync=True), "source": traitlets.Unicode(text).tag(sync=True),
               "arrays": traitlets.List(arrays).tag(sync=True)}  # fmt: skip
    return type("PramWidget", (anywidget.AnyWidget,), members)()


def _recorded(program: Any, inputs: Mapping[str, Any]) -> tuple[str, list[bytes]]:
    """A recording's summary as JSON, and its arrays."""
    held = [_cells(name, value) for name, value in inputs.items()]
    out, error = ffi.new("lw_recording**"), ffi.new("lw_error*")
    _check(lib.lw_program_record(program, ffi.new("lw_cells[]", [given for given, *_ in held]), len(held), out, error), error)
    recording = ffi.gc(out[0], lib.lw_recording_close)
    data, size = ffi.new("void**"), ffi.new("size_t*")
    arrays: list[bytes] = []
    while lib.lw_recording_array(recording, len(arrays), ffi.cast("void const**", data), size):
        arrays.append(bytes(ffi.buffer(data[0], size[0])) if size[0] else b"")
    return _string(lib.lw_recording_summary(recording)), arrays


def _program_text(source: Source) -> tuple[str, str]:
    """The program's name for errors, and its text."""
    if isinstance(source, os.PathLike) or (source.endswith(".pram") and "\n" not in source):
        name = os.fspath(source)
        try:
            return name, Path(name).read_text(encoding="utf-8")
        except OSError as error:
            raise errors.OperationalError(f"'{name}' cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise errors.OperationalError(f"'{name}' is not UTF-8 text") from error
    if "\n" in source:
        return "program", source
    texts = {row["name"]: row["text"] for row in programs().to_pylist()}
    if source not in texts:
        raise errors.OperationalError(f"there is no program '{source}'; there are: {', '.join(texts)}")
    return f"{source}.pram", texts[source]


def _open(source: Source) -> Any:
    return _parsed(*_program_text(source))


def _parsed(name: str, program: str) -> Any:
    out, error_out = ffi.new("lw_program**"), ffi.new("lw_error*")
    _check(lib.lw_program_open(_text(program, "the program"), _text(name, "the name"), out, error_out), error_out)
    return ffi.gc(out[0], lib.lw_program_close)


def _call(kind: str, source: Source, inputs: Mapping[str, Any], out: Any, **settings: object) -> None:
    """lw_program_run() or lw_program_trace()."""
    program = _open(source)
    held = [_cells(name, value) for name, value in inputs.items()]
    cells = ffi.new("lw_cells[]", [given for given, *_ in held])
    call = getattr(lib, ("interruptible_program_" if in_main_thread() else "lw_program_") + kind)
    cancellation = ffi.gc(lib.lw_cancellation_new(), lib.lw_cancellation_free)
    error = ffi.new("lw_error*")
    with _options(**settings) as (given, count):
        _check(call(program, cells, len(held), given, count, cancellation, out, error), error)


def _cells(name: str, value: Any) -> tuple[Any, ...]:
    """An input as lw_cells, and the owner of its memory."""
    import numpy as np

    if _has_nulls(value):
        raise errors.InterfaceError(f"the input '{name}' has NULLs, which a PRAM program does not have")
    array = np.asarray(value)
    if array.ndim > 2:
        raise errors.InterfaceError(f"the input '{name}' has {array.ndim} dimensions; there are 0 to 2")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)  # an empty list has no type
    kinds = {"b": (lib.LW_BOOL, np.int64), "i": (lib.LW_INT, np.int64), "u": (lib.LW_INT, np.int64), "f": (lib.LW_REAL, np.float64)}
    if array.dtype.kind not in kinds or (array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max):
        raise errors.InterfaceError(f"the input '{name}' is not of whole numbers of 64 bits, floats or booleans, but {array.dtype}")
    cell, words_type = kinds[array.dtype.kind]
    words = np.ascontiguousarray(array, words_type)
    given, label = ffi.new("lw_cells*"), ffi.new("char[]", _text(name, "the name of an input"))
    given.name, given.type, given.dimensions = label, cell, array.ndim
    for dimension, extent in enumerate(array.shape):
        given.extents[dimension] = extent
    given.words = ffi.cast("int64_t*", words.ctypes.data)
    return given[0], given, label, words


def _value(cells: Any) -> Any:
    import numpy as np

    shape = tuple(cells.extents[dimension] for dimension in range(cells.dimensions))
    count = 1
    for extent in shape:
        count *= extent
    kind = {lib.LW_BOOL: np.dtype(bool), lib.LW_INT32: np.dtype(np.int32), lib.LW_INT: np.dtype(np.int64)}.get(cells.type)
    words = np.frombuffer(ffi.buffer(cells.words, 8 * count), np.int64 if kind else np.float64) if count else np.empty(0, np.int64)
    array = words.astype(kind or np.dtype(np.float64)).reshape(shape)
    return array if shape else array.item()


def _steps(lines: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _string(lines).splitlines()]


def _string(value: Any) -> str:
    text: bytes = ffi.string(value)
    return text.decode()
