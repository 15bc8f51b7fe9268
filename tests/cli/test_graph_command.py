"""`lanewise graph`: each file format, compared with answers that were computed in another way."""

import csv
import itertools
import json

import pytest

EDGES = [(10, 20, 3), (20, 30, 1), (10, 30, 1), (40, 50, 2), (50, 50, 7), (20, 10, 9)]
TEXT = "".join(f"{a} {b} {w}\n" for a, b, w in EDGES)
MARKET = """%%MatrixMarket matrix coordinate real symmetric
% two stored entries, one of them zero
3 4 2
2 1 0
3 1 2.5
"""


def answer(lanewise, *arguments):
    code, out, error = lanewise("graph", *arguments, "--format", "json", "--verify")
    assert (code, error) == (0, "")
    return json.loads(out)


def distances(edges):
    """Computed by trying all paths."""
    vertices = sorted({v for a, b, _ in edges for v in (a, b)})
    far = {(a, b): 0 if a == b else float("inf") for a in vertices for b in vertices}
    for _ in vertices:
        for (v, (a, b, w)) in itertools.product(vertices, edges):
            far[v, b] = min(far[v, b], far[v, a] + w)
    return {pair: d for pair, d in far.items() if d < float("inf")}


@pytest.fixture
def files(tmp_path, lanewise):
    (tmp_path / "g.txt").write_text(TEXT)
    (tmp_path / "g.csv").write_text("src,dst,weight\n" + TEXT.replace(" ", ","))
    code, _, error = lanewise("sql", "-c", "SELECT * FROM 'g.csv'", "-o", "g.parquet")
    assert code == 0, error
    return ["g.txt", "g.csv", "g.parquet"]


def test_all_formats_give_the_same(lanewise, files):
    expected = distances(EDGES)
    for file in files:
        assert answer(lanewise, "components", file) == {"components": 2}
        assert answer(lanewise, "spanning-tree", file) == {"trees": 2, "weight": 4}
        assert answer(lanewise, "matching", file) == {"matching": 3, "cover": 3}
        assert answer(lanewise, "distances", file) == {"pairs": len(expected), "sum": sum(expected.values())}


def test_breadth_first_search(lanewise, files, tmp_path):
    for file in files:
        assert answer(lanewise, "bfs", file, "--root", "10", "-o", "out.csv") == {"reached": 3, "levels": 2}
        assert (tmp_path / "out.csv").read_text() == "vertex,level\n10,0\n20,1\n30,1\n"
        assert answer(lanewise, "bfs", file, "--root", "50") == {"reached": 1, "levels": 1}
    assert lanewise("graph", "bfs", "grid:3:4", "--root=0")[1] == "12 vertices reached, 6 levels\n"


def test_matrix_market(lanewise, tmp_path):
    (tmp_path / "a.mtx").write_text(MARKET)
    assert answer(lanewise, "components", "a.mtx") == {"components": 2}
    assert answer(lanewise, "spanning-tree", "a.mtx") == {"trees": 2, "weight": 2.5}
    assert answer(lanewise, "distances", "a.mtx") == {"pairs": 10, "sum": 2 * (0 + 2.5 + 2.5)}
    (tmp_path / "b.mtx").write_text(MARKET.replace("real symmetric", "pattern general").replace(" 0\n", "\n").replace(" 2.5", ""))
    assert answer(lanewise, "distances", "b.mtx") == {"pairs": 6, "sum": 2}


def test_paths(lanewise, files):
    code, out, error = lanewise("graph", "distances", "g.txt", "--path", "10,30")
    assert (code, error) == (0, "") and out.endswith("10 -> 30: length 1\n")
    assert answer(lanewise, "distances", "g.txt", "--path", "20,10")["path"] == [20, 10]
    assert answer(lanewise, "distances", "g.txt", "--path", "50,10")["path"] is None
    assert lanewise("graph", "distances", "g.txt", "--path", "40,40")[1].endswith("40: length 0\n")
    code, _, error = lanewise("graph", "distances", "g.txt", "--path", "10,99")
    assert (code, error) == (2, "error: the graph has no vertex 99\n")


def test_whole_results(lanewise, files, tmp_path):
    def written(command, file="g.txt"):
        answer(lanewise, command, file, "-o", "out.csv")
        lines = (tmp_path / "out.csv").read_text().splitlines()[1:]
        return [tuple(float(cell) for cell in line.split(",")) for line in lines]

    assert written("components") == [(10, 10), (20, 10), (30, 10), (40, 40), (50, 40)]
    assert written("spanning-tree") == [(20, 30, 1), (10, 30, 1), (40, 50, 2)]
    assert {pair[:2]: pair[2] for pair in written("distances")} == distances(EDGES)
    pairs = written("matching")
    assert len(pairs) == 3 and len({a for a, _ in pairs}) == len({b for _, b in pairs}) == 3
    assert {(a, b) for a, b in pairs} <= {(a, b) for a, b, _ in EDGES}
    answer(lanewise, "components", "g.txt", "-o", "out.parquet")
    assert "5" in lanewise("sql", "-c", "SELECT count(*) FROM 'out.parquet'", "--format", "csv")[1]


def test_people_read_lines(lanewise):
    assert lanewise("graph", "components", "tree:1000", "--verify") == (0, "1 component\nverified\n", "")
    assert lanewise("graph", "spanning-tree", "grid:10:10", "--threads", "3")[1] == "1 tree of 99 edges, weight 99\n"


@pytest.mark.parametrize(
    "text, arguments, message",
    [
        ("1 2\n2 x\n", ["components", "a.txt"], "a.txt:2: 'x' is not an integer"),
        ("1 2 1\n2 1 -2\n", ["distances", "a.txt"], "a negative cycle leads to vertex"),
        ("src,dst\n1,\n", ["components", "a.csv"], "dst is NULL"),
        ("a,b\n1,2\n", ["components", "a.csv"], "src"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n", ["components", "a.mtx"], "a.mtx:1: expected a sparse matrix"),
        ("%%MatrixMarket matrix coordinate complex general\n", ["components", "a.mtx"], "pattern, not 'complex'"),
        ("%%MatrixMarket matrix coordinate real hermitian\n", ["components", "a.mtx"], "skew-symmetric, not 'hermitian'"),
        ("%%MatrixMarket matrix coordinate real\n", ["components", "a.mtx"], "FIELD SYMMETRY"),
        ("%%MatrixMarket matrix coordinate real general\n2 3 1\n3 1 2\n", ["components", "a.mtx"], "a.mtx:3: the entry is outside"),
        ("%%MatrixMarket matrix coordinate real general\n2 3 2\n2 1 2\n", ["components", "a.mtx"], "the header states 2 entries, and 1 were found"),
        ("", ["components", "missing.txt"], "missing.txt"),
        ("1 2\n", ["bfs", "a.txt", "--root", "3"], "the graph has no vertex 3"),
        ("", ["bfs", "grid:2:2", "--root", "4"], "the graph has no vertex 4"),
        ("", ["distances", "random:20000:5", "--memory-limit", "1MB"], "the distances between all vertices"),
    ],
)
def test_bad_input_is_named(lanewise, tmp_path, text, arguments, message):
    if arguments[1].startswith("a."):
        (tmp_path / arguments[1]).write_text(text)
    code, out, error = lanewise("graph", *arguments)
    assert (code, out) == (2, "") and message in error, error


def test_a_gpu_is_asked_for_only_where_there_is_one(lanewise):
    code, out, error = lanewise("graph", "components", "grid:3:4", "--executor", "cuda")
    assert (code, out) == (0, "1 component\n") or (code == 2 and error.startswith("error: "))
