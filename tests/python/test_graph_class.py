"""lw.graph against networkx."""

import os
import signal
import threading
import time
from types import SimpleNamespace

import lanewise as lw
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

SOURCE, TARGET, WEIGHT = [0, 1, 0, 3, 4, 1], [1, 2, 2, 4, 4, 0], [3.0, 1, 1, 2, 7, 9]
TABLE = pa.table({"src": SOURCE, "dst": TARGET, "weight": WEIGHT})


@st.composite
def edges(draw):
    n = draw(st.integers(1, 12))
    ends = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(ends, ends, st.integers(0, 9)), max_size=40))


def graphs(n, edges):
    """Our graph, and the same without parallel edges, of which the lightest stay."""
    columns = [np.array(column, kind) for column, kind in zip(zip(*edges), (np.int32, np.uint64, np.float32))] or [[], [], []]
    directed = nx.DiGraph()
    directed.add_nodes_from(range(n))
    for a, b, w in sorted(edges, key=lambda edge: -edge[2]):
        directed.add_edge(a, b, weight=w)
    return lw.graph.Graph(tuple(columns), vertices=n), directed


@given(edges())
def test_components_and_forest(drawn):
    n, edges = drawn
    ours, _ = graphs(n, edges)
    undirected = nx.MultiGraph()
    undirected.add_nodes_from(range(n))
    undirected.add_weighted_edges_from(edges)
    expected = np.empty(n, np.int64)
    for component in nx.connected_components(undirected):
        expected[list(component)] = min(component)
    assert ours.components().tolist() == expected.tolist()
    forest = ours.spanning_forest()
    assert sorted(forest) == list(forest) and sum(edges[e][2] for e in forest) == undirected_weight(undirected)
    joined = nx.MultiGraph([edges[e][:2] for e in forest])
    assert len(forest) == n - len(set(expected)) and (not len(forest) or nx.is_forest(joined))


def undirected_weight(graph):
    return sum(data["weight"] for *_, data in nx.minimum_spanning_edges(graph, data=True))


@given(edges(), st.data())
def test_distances_and_paths(drawn, data):
    n, edges = drawn
    ours, theirs = graphs(n, edges)
    lengths = dict(nx.all_pairs_dijkstra_path_length(theirs))
    matrix = ours.distances()
    assert matrix.tolist() == [[lengths[a].get(b, np.inf) for b in range(n)] for a in range(n)]
    a, b = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n - 1))
    hops = nx.single_source_shortest_path_length(theirs, a)
    assert ours.levels(a).tolist() == [hops.get(v, -1) for v in range(n)]
    path = ours.shortest_path(a, b)
    if b not in lengths[a]:
        assert path is None
    else:
        assert path[0] == a and path[-1] == b and sum(theirs.edges[edge]["weight"] for edge in zip(path, path[1:])) == lengths[a][b]


@given(edges())
def test_matching(drawn):
    n, edges = drawn
    target = graphs(n, edges)[0].matching()
    sides = nx.Graph()
    sides.add_nodes_from(range(n))
    sides.add_edges_from((a, n + b) for a, b, _ in edges)
    matched = [(a, b) for a, b in enumerate(target) if b >= 0]
    assert len({b for _, b in matched}) == len(matched) == len(nx.bipartite.maximum_matching(sides, range(n))) // 2
    assert {(a, b) for a, b, _ in edges} >= set(matched)


@pytest.mark.parametrize("given", [
    TABLE, pd.DataFrame(TABLE.to_pydict()), pl.DataFrame(TABLE), {name: np.array(TABLE[name]) for name in TABLE.column_names}, (SOURCE, TARGET, WEIGHT),
    (TABLE["src"], np.array(TARGET, np.uint8), pl.Series(WEIGHT)), pa.concat_tables([TABLE[:2], TABLE[2:]]), lw.sql("SELECT * FROM \"TABLE\""),
    SimpleNamespace(tocoo=lambda: SimpleNamespace(row=np.array(SOURCE), col=np.array(TARGET), data=np.array(WEIGHT), shape=(5, 5)))],
    ids=["arrow", "pandas", "polars", "dict", "lists", "mixed", "chunks", "result", "sparse"])  # fmt: skip
def test_all_inputs_give_the_same(given):
    graph = lw.graph.Graph(given)
    assert (graph.vertices, graph.edges) == (5, 6)
    assert graph.spanning_forest().tolist() == [1, 2, 3] and graph.distances()[0].tolist() == [0, 3, 1, np.inf, np.inf]


def test_rows_of_sparse_matrices():
    rows = SimpleNamespace(indptr=np.array([0, 2, 3]), indices=np.array([1, 3, 0], np.int32), data=np.array([5, 1, 2], np.int8), shape=(2, 4))
    graph = lw.graph.Graph(rows)
    assert (graph.vertices, graph.distances()[:2].tolist()) == (4, [[0, 5, np.inf, 1], [2, 0, np.inf, 3]])
    assert lw.graph.Graph(SimpleNamespace(**vars(rows) | {"shape": (4, 2), "format": "csc"})).distances().T[:2].tolist() == graph.distances()[:2].tolist()


def test_no_edges():
    graph = lw.graph.Graph(([], []), vertices=3)
    assert graph.components().tolist() == [0, 1, 2] and graph.spanning_forest().tolist() == [] and graph.matching().tolist() == [-1] * 3
    assert lw.graph.Graph(([], [])).distances().shape == (0, 0)


@pytest.mark.parametrize(("edges", "more", "kind", "message"), [
    (([0, 5], [1, 2]), {"vertices": 3}, lw.OperationalError, "the vertex 5, but the number of vertices is 3"),
    (([0, -1], [1, 2]), {}, lw.OperationalError, "the vertex -1, which is negative"),
    (([0], [1], [float("nan")]), {}, lw.OperationalError, "the weight of edge 0 is not finite"),
    (([0], [2**62]), {}, lw.OperationalError, "more than 2\\^32 vertices"),
    (([0], [2**31]), {}, lw.OutOfMemory, "raise memory_limit"),
    (([0] * 1000, [1] * 1000), {"memory_limit": 1000}, lw.OutOfMemory, "the edges of a graph"),
    (([0, 1], [1]), {}, lw.InterfaceError, "2 sources, 1 targets"),
    (([0.5], [1]), {}, lw.DataError, "the sources are float64"),
    ((pa.array([None, 1]), [0, 1]), {}, lw.DataError, "the sources have NULLs"),
    (([[0]], [[1]]), {}, lw.InterfaceError, "2 dimensions"),
    ({"src": np.array([0]), "x": np.array([1])}, {}, lw.InterfaceError, "no column 'dst'; there are: src, x"),
    (7, {}, lw.InterfaceError, "'edges' is a int"),
    (([0], [1]), {"device": "auto"}, lw.OperationalError, "'auto'"),
    (([0], [1]), {"threads": -1}, lw.OperationalError, "'threads'"),
])  # fmt: skip
def test_errors(edges, more, kind, message):
    with pytest.raises(kind, match=message):
        lw.graph.Graph(edges, **more)


def test_distances_of_too_many_vertices():
    with pytest.raises(lw.OutOfMemory, match="no memory is left for the distances"):
        lw.graph.Graph(([0], [20_000_000])).distances()  # 3 PB, more than a process may address


def test_questions_with_errors():
    graph = lw.graph.Graph(([0, 1], [1, 0], [1, -3]))
    with pytest.raises(lw.OperationalError, match="negative"):
        graph.distances()
    for question in (lambda: graph.levels(2), lambda: graph.shortest_path(0, 2), lambda: graph.shortest_path(-1, 0)):
        with pytest.raises(lw.OperationalError, match="vert"):
            question()


def test_control_c_ends_distances():
    graph = lw.graph.Graph(([0, 7999], [1, 2]))
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        graph.shortest_path(0, 1)
    assert 0.3 <= time.monotonic() - start < 3
