"""`lanewise graph` and the PRAM programs for graphs against networkx, on files of every format and on all generators."""

import json
import os
import pathlib
import random
import subprocess

import networkx
import pytest

BUILD = pathlib.Path(os.environ.get("LANEWISE_BUILD", pathlib.Path(__file__).parents[2] / "build"))
ECHO = """mode EREW
input n : int
input source[m] : int
input target[m] : int
input weight[m] : {type}
output edges[m, 3] : {type}
processors m
edges[p, 0] = source[p]
edges[p, 1] = target[p]
edges[p, 2] = weight[p]
"""


@pytest.fixture
def answer(tmp_path):
    """Runs the program in an empty folder, and returns the JSON object that it prints."""

    def run(*arguments):
        command = [str(BUILD / "lanewise"), *arguments, "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
        assert (done.returncode, done.stderr) == (0, ""), (arguments, done.stderr)
        return json.loads(done.stdout)

    return run


def random_edges(seed):
    """Parallel edges and loops, any integers as vertices; some weights are negative, but no cycle."""
    draw = random.Random(seed)
    names = draw.sample(range(-50, 1000), draw.randint(2, 16))
    height = {name: draw.randint(0, 30) for name in names}
    edges = []
    for _ in range(draw.randint(1, 40)):
        a, b = draw.choice(names), draw.choice(names)
        edges.append((a, b, draw.randint(0, 9) + height[a] - height[b]))
    return edges


def undirected(edges, vertices):
    """Without loops; of parallel edges the lightest."""
    graph = networkx.Graph()
    graph.add_nodes_from(vertices)
    for a, b, weight in sorted(edges, key=lambda edge: -edge[2]):
        if a != b:
            graph.add_edge(a, b, weight=weight)
    return graph


def expected_answers(edges, vertices):
    graph = undirected(edges, vertices)
    trees = networkx.minimum_spanning_edges(graph, data=True)
    sides = networkx.Graph((("row", a), ("column", b)) for a, b, _ in edges)
    pairs = networkx.bipartite.hopcroft_karp_matching(sides, [node for node in sides if node[0] == "row"])
    directed = networkx.DiGraph()
    directed.add_nodes_from(vertices)
    for a, b, weight in sorted(edges, key=lambda edge: -edge[2]):
        directed.add_edge(a, b, weight=weight)
    far = [d for v in directed for d in networkx.single_source_bellman_ford_path_length(directed, v).values()]
    components = networkx.number_connected_components(graph)
    return {
        "components": {"components": components},
        "spanning-tree": {"trees": components, "weight": sum(data["weight"] for _, _, data in trees)},
        "matching": {"matching": len(pairs) // 2, "cover": len(pairs) // 2},
        "distances": {"pairs": len(far), "sum": sum(far)},
    }


def check(answer, graph, edges, vertices):
    for command, expected in expected_answers(edges, vertices).items():
        assert answer("graph", command, graph) == expected, command


def check_programs(answer, graph, edges, vertices):
    """`edges` in the program's order; `vertices` ascend, as the program numbers them."""
    number = {v: i for i, v in enumerate(vertices)}
    components = [{number[v] for v in found} for found in networkx.connected_components(undirected(edges, vertices))]
    label = answer("pram", "run", "components", "--graph", graph)["label"]
    assert label == [min(next(found for found in components if v in found)) for v in range(len(vertices))]
    tree = answer("pram", "run", "spanning_forest", "--graph", graph)["tree"]
    chosen = [edge for edge, taken in zip(edges, tree) if taken]
    forest = networkx.Graph((a, b) for a, b, _ in chosen)
    assert networkx.is_forest(forest) if chosen else True
    expected = expected_answers(edges, vertices)["spanning-tree"]
    assert (len(vertices) - len(chosen), sum(weight for _, _, weight in chosen)) == (expected["trees"], expected["weight"])


@pytest.mark.parametrize("seed", range(8))
def test_lists_of_edges(answer, tmp_path, seed):
    edges = random_edges(seed)
    vertices = sorted({v for a, b, _ in edges for v in (a, b)})
    (tmp_path / "g.txt").write_text("".join(f"{a} {b} {w}\n" for a, b, w in edges))
    check(answer, "g.txt", edges, vertices)
    if seed < 3:
        check_programs(answer, "./g.txt", edges, vertices)


@pytest.mark.parametrize("seed", range(4))
def test_lists_of_neighbours(answer, tmp_path, seed):
    edges = random_edges(100 + seed)
    vertices = sorted({v for a, b, _ in edges for v in (a, b)} | {5000})  # one without an edge
    lines = [f"{v} : " + " ".join(str(b) for a, b, _ in edges if a == v) + "\n" for v in vertices]
    (tmp_path / "g.txt").write_text("".join(lines))
    check(answer, "g.txt", [(a, b, 1) for a, b, _ in edges], vertices)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize("field", ["integer", "pattern", "real"])
@pytest.mark.parametrize("seed", range(2))
def test_matrix_market(answer, tmp_path, seed, field, symmetry):
    draw = random.Random(seed)
    rows, columns = (7, 12) if symmetry == "general" else (9, 9)
    last = {"general": lambda i: columns, "symmetric": lambda i: i, "skew-symmetric": lambda i: i - 1}[symmetry]
    cells = draw.sample([(i, j) for i in range(1, rows + 1) for j in range(1, last(i) + 1)], 14)
    height = [draw.randint(0, 6) / (2 if field == "real" else 1) for _ in range(columns + 1)]
    # In a skew-symmetric matrix the reverse edge has the negative weight; with heights no cycle is negative.
    weight = {"general": lambda i, j: height[j], "symmetric": lambda i, j: height[i], "skew-symmetric": lambda i, j: height[i] - height[j]}
    stored = [(i, j, 1 if field == "pattern" else weight[symmetry](i, j)) for i, j in cells]
    back = -1 if symmetry == "skew-symmetric" and field != "pattern" else 1
    edges = stored + ([(j, i, back * w) for i, j, w in stored if i != j] if symmetry != "general" else [])
    lines = [f"{i} {j}" + ("" if field == "pattern" else f" {w:g}") for i, j, w in stored]
    header = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{rows} {columns} {len(stored)}\n"
    (tmp_path / "g.mtx").write_text(header + "\n".join(lines) + "\n")
    check(answer, "g.mtx", edges, range(1, max(rows, columns) + 1))


@pytest.mark.parametrize("graph", ["random:40:30", "random:30:90", "bipartite:20:15:40", "grid:4:6", "kronecker:4", "tree:40"])
def test_generators(answer, tmp_path, graph):
    (tmp_path / "echo.pram").write_text(ECHO.format(type="int"))
    edges = [tuple(edge) for edge in answer("pram", "run", "echo.pram", "--graph", graph)["edges"]]
    count = {"random": lambda n, m: n, "grid": lambda r, c: r * c, "kronecker": lambda s: 2**s, "bipartite": lambda l, r, m: l + r, "tree": lambda n: n}
    kind, *sizes = graph.split(":")
    vertices = range(count[kind](*map(int, sizes)))
    check(answer, graph, edges, vertices)
    check_programs(answer, graph, edges, vertices)


def test_all_programs_for_graphs_take_generated_ones(answer, tmp_path):
    """The matrices, the neighbours and the parents of a graph, too."""
    (tmp_path / "echo.pram").write_text(ECHO.format(type="int"))
    for graph, vertices in [("random:30:40", 30), ("bipartite:20:15:40", 35), ("tree:40", 40)]:
        edges = answer("pram", "run", "echo.pram", "--graph", graph)["edges"]
        expected = expected_answers([tuple(edge) for edge in edges], range(vertices))

        def run(program):
            return answer("pram", "run", program, "--graph", graph)

        assert len(set(run("components_matrix")["label"])) == expected["components"]["components"]
        assert sum(match >= 0 for match in run("matching")["match"]) == expected["matching"]["matching"]
        tree = run("spanning_forest_matrix")["tree"]
        assert vertices - sum(map(sum, tree)) / 2 == expected["spanning-tree"]["trees"]
        far = [d for row in run("all_pairs_distances")["D"] for d in row if not isinstance(d, str)]
        assert (len(far), sum(far)) == (expected["distances"]["pairs"], expected["distances"]["sum"])
    depth = answer("pram", "run", "tree_depth", "--graph", "tree:40")["depth"]
    assert depth[0] == 0 and all(depth[a] == depth[b] + 1 for a, b, _ in edges)


def rows(matrix):
    return "; ".join(" ".join(str(cell) for cell in row) for row in matrix)


@pytest.mark.parametrize("seed", range(3))
def test_programs_on_matrices(answer, seed):
    draw = random.Random(seed)
    n = draw.randint(2, 14)
    far = [[0 if i == j else draw.randint(1, 9) if draw.random() < 0.3 else "infinity" for j in range(n)] for i in range(n)]
    directed = networkx.DiGraph()
    directed.add_nodes_from(range(n))
    directed.add_weighted_edges_from((i, j, far[i][j]) for i in range(n) for j in range(n) if far[i][j] != "infinity")
    expected = {v: networkx.single_source_dijkstra_path_length(directed, v) for v in range(n)}
    found = answer("pram", "run", "all_pairs_distances", "-i", f"W={rows(far).replace('infinity', 'inf')}")
    assert {v: {w: d for w, d in enumerate(found["D"][v]) if not isinstance(d, str)} for v in range(n)} == expected

    graph = networkx.gnm_random_graph(n, draw.randint(0, 2 * n), seed)
    for a, b in graph.edges:
        graph.edges[a, b]["weight"] = draw.randint(-5, 5)
    edge = [["true" if graph.has_edge(i, j) else "false" for j in range(n)] for i in range(n)]
    weight = [[graph.edges[i, j]["weight"] if graph.has_edge(i, j) else 0 for j in range(n)] for i in range(n)]
    tree = answer("pram", "run", "spanning_forest_matrix", "-i", f"edge={rows(edge)}", "-i", f"weight={rows(weight)}")["tree"]
    chosen = [(i, j) for i in range(n) for j in range(n) if tree[i][j]]
    assert all((j, i) in chosen and graph.has_edge(i, j) for i, j in chosen)
    best = networkx.minimum_spanning_tree(graph)
    assert len(chosen) == 2 * best.number_of_edges()
    assert sum(weight[i][j] for i, j in chosen) == 2 * best.size("weight")
