"""A program whose types mypy and pyright check strictly."""

import lanewise as lw
import pyarrow as pa
import pyarrow.compute as pc
from lanewise import compute


def slow_paths(limit: int) -> list[str]:
    with lw.connect(threads=2, memory_limit="1GB") as connection:
        cursor = connection.execute("SELECT 'p' || i AS path, i AS ms FROM range(100) AS r(i)")
        name: str = (cursor.description or [])[0][0]
        result: lw.Result = connection.sql("SELECT 'p' || i AS path FROM range(100) AS r(i) WHERE i > ?", [limit])
        lengths = compute.call("length", result.arrow().column(0))
        return [name, *(str(row[0]) for row in result.fetchall()), str(len(lengths))]


def position() -> int:
    try:
        lw.sql("SELEC 1")
    except lw.SqlError as error:
        return -1 if error.position is None else error.position
    return -1


@lw.udf
def doubled(x: pa.Int64Array) -> pa.Int64Array:
    return pc.multiply(x, 2)


def halves(x: pa.DoubleArray) -> pa.DoubleArray:
    return pc.divide(x, 2.0)


half: lw.Function = lw.udf(halves, arguments=[float], result="float64")


@lw.udf(arguments=[str], result=bool, nulls=True)
def absent(text: object) -> object:
    return text is None


def nearest(edges: pa.Table) -> list[int]:
    graph = lw.graph.Graph(edges, vertices=10)
    path = graph.shortest_path(0, 9)
    return [] if path is None else [int(vertex) for vertex in path]


def on_gpu(name: str) -> int:
    with lw.connect(device="cuda") as connection:
        table: lw.DeviceTable = connection.sql("SELECT 1 AS x").to_device()
        column: lw.DeviceColumn = table[name]
        return len(column) + column.null_count + column.__dlpack_device__()[1]


def total(numbers: list[int]) -> int:
    return int(lw.pram.run("reduction", A=numbers)["sum"])
