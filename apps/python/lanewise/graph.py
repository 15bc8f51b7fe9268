"""Graph algorithms on edges: NumPy and Arrow arrays, data frames, sparse matrices.

>>> g = Graph({"src": [0, 1, 2, 4], "dst": [1, 2, 0, 3], "weight": [3, 1, 1, 2]})
>>> g.components().tolist()
[0, 0, 0, 3, 3]
>>> g.shortest_path(0, 2).tolist()
[0, 1, 2]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _tables, errors
from ._connection import host_table
from ._library import check, ffi, in_main_thread, lib, options

if TYPE_CHECKING:
    import numpy as np

    Int64 = np.ndarray[Any, np.dtype[np.int64]]
    Float64 = np.ndarray[Any, np.dtype[np.float64]]

__all__ = ["Graph"]


class Graph:
    """A directed graph of vertices 0 to n - 1, in memory or on a GPU. Loops and parallel edges are kept.

    Threads may share a graph: it answers one question at a time.
    """

    def __init__(self, edges: Any, *, vertices: int | None = None, device: str = "cpu", threads: int = 0, memory_limit: int | str = "4GB") -> None:
        """Copies the edges.

        edges: a table with columns src, dst and perhaps weight; or a tuple (sources, targets) or (sources, targets, weights) of arrays
        or lists; or a sparse matrix of SciPy, whose stored entries are edges from row to column with the value as weight. Without
        weights each is 1. vertices: n; None: one more than the largest vertex, or the larger side of the matrix. device: "cpu", "cuda",
        "cuda:1". threads: 0 is one for each core. memory_limit: for the edges, and for the distances of all pairs.

        Raises OperationalError: a vertex that is not there, or a weight that is not finite. OutOfMemory.
        """
        import numpy as np

        source, target, weight, least = _edges(edges)
        source, target = _array(source, np.int64, "sources"), _array(target, np.int64, "targets")
        weight = None if weight is None else _array(weight, np.float64, "weights")
        if len(source) != len(target) or (weight is not None and len(weight) != len(source)):
            raise errors.InterfaceError(f"{len(source)} sources, {len(target)} targets" + ("" if weight is None else f", {len(weight)} weights"))
        out, error = ffi.new("lw_graph**"), ffi.new("lw_error*")
        with options(device=device, threads=threads, memory_limit=memory_limit) as (given, count):
            count_of = least if vertices is None else int(vertices)
            check(lib.lw_graph_open(count_of, _pointer(source), _pointer(target), _pointer(weight), len(source), given, count, out, error), error)
        self._handle = ffi.gc(out[0], lib.lw_graph_close)

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return int(lib.lw_graph_vertices(self._handle))

    @property
    def edges(self) -> int:
        """The number of edges."""
        return int(lib.lw_graph_edges(self._handle))

    def components(self) -> Int64:
        """The least vertex of each vertex's connected component. The direction of edges is ignored."""
        return self._numbers(lib.lw_graph_components)

    def spanning_forest(self) -> Int64:
        """The numbers of the edges of a minimum spanning forest, ascending. The direction of edges is ignored; among
        equal edges the first one counts."""
        count = ffi.new("int64_t*")
        return self._numbers(lambda graph, edges, error: lib.lw_graph_spanning_forest(graph, edges, count, error))[: count[0]]

    def matching(self) -> Int64:
        """A maximum matching of rows (sources) with columns (targets): each row's column, or -1."""
        return self._numbers(lib.lw_graph_matching)

    def levels(self, root: int) -> Int64:
        """The least number of directed edges from `root` to each vertex, by breadth-first search; -1 if there is no
        path."""
        return self._numbers(lambda graph, level, error: lib.lw_graph_levels(graph, root, level, error))

    def distances(self) -> Float64:
        """The length of a shortest path from each vertex (row) to each other (column), along directed edges; infinite
        if there is none.

        The matrix is kept for `shortest_path`. Raises OperationalError: a cycle has a negative weight. OutOfMemory.
        """
        import numpy as np

        try:
            matrix = np.empty((self.vertices, self.vertices))
        except MemoryError as error:
            raise errors.OutOfMemory(f"no memory is left for the distances: {error}") from error
        self._interruptible("distances", _pointer(matrix))
        return matrix

    def shortest_path(self, start: int, end: int) -> Int64 | None:
        """The vertices of a shortest path, including both ends; None if there is none. The first call finds all
        distances."""
        import numpy as np

        path, count = np.empty(self.vertices, np.int64), ffi.new("int64_t*")
        self._interruptible("path", start, end, _pointer(path), count)
        return path[: count[0]] if count[0] else None

    def __repr__(self) -> str:
        return f"<lanewise.graph.Graph of {self.vertices} vertices and {self.edges} edges>"

    def _numbers(self, call: Any) -> Int64:
        """An output array: a number for each vertex."""
        import numpy as np

        numbers, error = np.empty(self.vertices, np.int64), ffi.new("lw_error*")
        check(call(self._handle, _pointer(numbers), error), error)
        return numbers

    def _interruptible(self, name: str, *arguments: Any) -> None:
        call = getattr(lib, ("interruptible_graph_" if in_main_thread() else "lw_graph_") + name)
        cancellation, error = ffi.gc(lib.lw_cancellation_new(), lib.lw_cancellation_free), ffi.new("lw_error*")
        check(call(self._handle, *arguments, cancellation, error), error)


def _edges(edges: Any) -> tuple[Any, Any, Any, int]:
    """Sources, targets, weights or None, and the number of vertices or -1."""
    import numpy as np

    if hasattr(edges, "indptr") and hasattr(edges, "indices"):
        lines = np.repeat(np.arange(len(edges.indptr) - 1), np.diff(edges.indptr))
        ends = (edges.indices, lines) if getattr(edges, "format", "csr") == "csc" else (lines, edges.indices)
        return *ends, edges.data, max(edges.shape)
    if hasattr(edges, "tocoo"):
        matrix = edges.tocoo()
        return matrix.row, matrix.col, matrix.data, max(matrix.shape)
    if isinstance(edges, tuple) and len(edges) in (2, 3):
        return edges[0], edges[1], edges[2] if len(edges) == 3 else None, -1
    table = host_table(edges, "edges")
    missing = [name for name in ("src", "dst") if name not in table.column_names]
    if missing:
        raise errors.InterfaceError(f"the edges have no column '{missing[0]}'; there are: {', '.join(table.column_names)}")
    return table["src"], table["dst"], table["weight"] if "weight" in table.column_names else None, -1


def _array(values: Any, kind: Any, what: str) -> Any:
    """Values as a NumPy array of this type."""
    import numpy as np

    if _tables.has_nulls(values):
        raise errors.DataError(f"the {what} have NULLs")
    array = np.asarray(values)
    if array.ndim != 1:
        raise errors.InterfaceError(f"the {what} have {array.ndim} dimensions, not one")
    if array.size and array.dtype.kind not in ("iu" if kind is np.int64 else "biuf"):
        raise errors.DataError(f"the {what} are {array.dtype}, not {'whole ' if kind is np.int64 else ''}numbers")
    if array.dtype == np.uint64 and kind is np.int64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise errors.DataError(f"the {what} do not fit 64 bits with a sign")
    return np.ascontiguousarray(array, kind)


def _pointer(array: Any) -> Any:
    """The address of an array's values; the caller keeps the array."""
    if array is None:
        return ffi.NULL
    return ffi.cast("double*" if array.dtype.kind == "f" else "int64_t*", array.ctypes.data)
