"""lanewise.ray and lanewise.spark against DuckDB over the same rows, where Ray and Spark are installed.

They are not in this project's environment, since they take 500 MB: `./dev scale-out` makes one for them and runs a few queries of each test,
`./dev scale-out --all` all of them.
"""

import datetime
import importlib.util
import os
import signal
import sys

import duckdb
import lanewise as lw
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import test_split_clickbench as clickbench
import test_split_joins as joins
from conftest import BUILD
from lanewise import _files
from test_split import QUERIES, TABLE, same
from test_split_joins import tpch  # noqa: F401: a fixture



def some(cases, few=2):
    """Without LANEWISE_TEST_ALL a few of the cases, evenly spread."""
    cases = list(cases)
    return cases if os.environ.get("LANEWISE_TEST_ALL") else cases[:: max(1, len(cases) // few)][:few]


WORKERS = {"PYTHONPATH": os.pathsep.join([str(BUILD / "python"), str(os.environ.get("PYTHONPATH", ""))])}


def compare(query, got):
    connection = duckdb.connect()
    connection.register("input", TABLE)
    connection.register("names", SMALL["names"])
    expected = connection.execute(query).to_arrow_table().to_pylist()
    if "ORDER BY" not in query:
        got, expected = (sorted(rows, key=lambda row: tuple((v is None, str(v)) for v in row.values() if not isinstance(v, float))) for rows in (got, expected))
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        assert list(a) == list(b) and all(map(same, a.values(), b.values())), (a, b)


@pytest.fixture(scope="module")
def dataset():
    ray = pytest.importorskip("ray")
    import ray.data

    ray.init(num_cpus=4, include_dashboard=False, runtime_env={"env_vars": WORKERS}, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray.data.from_arrow([TABLE.slice(start, 300) for start in range(0, TABLE.num_rows, 300)])
    ray.shutdown()


MANY = "SELECT g, x, k, count(*) AS n, sum(m) AS s FROM input GROUP BY g, x, k"  # nearly a group for each row, with NULLs


@pytest.mark.parametrize("query", some([*QUERIES, MANY]))
def test_ray(dataset, query):
    import lanewise.ray

    compare(query, lanewise.ray.sql(dataset, query, parts=3).take_all())


SMALL = {"names": pa.table({"k": ["a", "b", "c"], "name": ["A!", "B!", "C!"]})}
JOINS = ["SELECT name, count(*) AS n, sum(x) AS s FROM input JOIN names USING (k) GROUP BY name", "SELECT g, name FROM input LEFT JOIN names USING (k) WHERE g < 5",
         "SELECT count(DISTINCT g) AS n FROM input WHERE k IN (SELECT k FROM names)"]  # fmt: skip


@pytest.mark.parametrize("query", some(JOINS))
def test_ray_joins_small_tables(dataset, query):
    import lanewise.ray

    compare(query, lanewise.ray.sql(dataset, query, tables=SMALL, parts=3).take_all())


def killed_once(mark):
    """A step of a pipeline that kills its worker process the first time."""

    def step(block):
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return block
        os.kill(os.getpid(), signal.SIGKILL)

    return step


@pytest.mark.parametrize("query", some(QUERIES[5:8] + JOINS[:1]))
def test_ray_repeats_what_a_killed_worker_did(dataset, query, tmp_path):
    import lanewise.ray

    mark = str(tmp_path / "killed")
    steps = dataset.map_batches(killed_once(mark), batch_format="pyarrow", batch_size=None)
    compare(query, lanewise.ray.sql(steps, query, tables=SMALL, parts=3).take_all())
    assert os.path.exists(mark)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Parquet files of 300 rows; the last one has none."""
    path = tmp_path_factory.mktemp("input")
    for number, start in enumerate(range(0, TABLE.num_rows + 300, 300)):
        pq.write_table(TABLE.slice(start, 300), path / f"{number:02}.parquet")
    return path


@pytest.fixture
def small_groups(monkeypatch):
    """A task for each file."""
    monkeypatch.setattr(_files, "_BYTES", 1)


@pytest.mark.parametrize("query", some([*QUERIES, MANY]))
def test_ray_files(dataset, folder, small_groups, query):
    import lanewise.ray

    compare(query, lanewise.ray.sql(folder, query).take_all())


@pytest.mark.parametrize("query", some(QUERIES[5:6] + QUERIES[10:14] + QUERIES[19:20] + [MANY]))
def test_ray_shuffles_large_states(dataset, monkeypatch, query):
    import lanewise.ray

    monkeypatch.setattr(lanewise.ray, "_FEW", 0)
    compare(query, lanewise.ray.sql(dataset, query, parts=3).take_all())


@pytest.mark.parametrize("query", some(QUERIES))
def test_ray_without_rows(dataset, query):
    import lanewise.ray

    none = dataset.map_batches(lambda block: block.slice(0, 0), batch_format="pyarrow")
    got = lanewise.ray.sql(none, query).take_all()
    connection = duckdb.connect()
    connection.register("input", TABLE.slice(0, 0))
    assert [tuple(row.values()) for row in got] == connection.execute(query).fetchall()


def test_ray_reads_named_columns(dataset):
    import lanewise.ray

    wide = dataset.add_column("wrong", lambda rows: rows["k"], batch_format="pyarrow")
    rows = lanewise.ray.sql(wide, "SELECT K, sum(X) AS s FROM input GROUP BY k")
    compare("SELECT K, sum(X) AS s FROM input GROUP BY k", rows.take_all())
    assert lanewise.ray.sql(wide, "SELECT count(*) AS n FROM input").take_all() == [{"n": TABLE.num_rows}]


@pytest.mark.parametrize("query", some([QUERIES[5], JOINS[0]]))
def test_ray_repeats_files_that_a_killed_worker_read(dataset, folder, small_groups, query, tmp_path, monkeypatch):
    import lanewise.ray

    kill = killed_once(str(tmp_path / "killed"))

    class Killed(lanewise.ray._Work):
        def run(self, block):
            return super().run(kill(block))

    monkeypatch.setattr(lanewise.ray, "_Work", Killed)
    compare(query, lanewise.ray.sql(folder, query, tables=SMALL).take_all())
    assert os.path.exists(tmp_path / "killed")


@pytest.mark.parametrize("given", [{"actors": 2}, {"num_cpus": 2}, {"threads": 2, "batch_size": 100}])
def test_ray_options(dataset, folder, small_groups, given):
    import lanewise.ray

    for source in (folder, str(folder / "*.parquet"), dataset):
        compare(JOINS[0], lanewise.ray.sql(source, JOINS[0], tables=SMALL, **given).take_all())


def test_ray_errors_of_files(dataset, tmp_path):
    import lanewise.ray

    with pytest.raises(lw.OperationalError, match="no Parquet file"):
        lanewise.ray.sql(tmp_path, "SELECT 1 FROM input")
    pq.write_table(TABLE.slice(0, 10), tmp_path / "0.parquet")
    (tmp_path / "1.parquet").write_text("no Parquet")
    with pytest.raises(Exception, match="1.parquet"):
        lanewise.ray.sql(tmp_path, "SELECT count(*) FROM input").take_all()


def check_rows(got, connection, query):
    """Rows in any order, if the query has none."""
    got = [tuple(x.replace(tzinfo=None) if isinstance(x, datetime.datetime) else x for x in row.values()) for row in got]  # Spark's timestamps have a time zone
    expected = connection.execute(query).fetchall()
    if "order by" not in query.lower():
        got, expected = sorted(got), sorted(expected)
    assert len(got) == len(expected)
    for a, b in zip(got, expected):
        assert all(same(float(x), float(y)) if isinstance(x, float) or isinstance(y, float) else x == y for x, y in zip(a, b)), (a, b)


def check_clickbench(sql, spread, number):
    check_rows(sql(spread(clickbench.INPUT), clickbench.QUERIES[number - 1]), duckdb.connect().register("input", clickbench.INPUT), clickbench.QUERIES[number - 1])


def check_tpch(sql, spread, tpch, number):
    large = joins.LARGE[number]
    connection = duckdb.connect()
    for name, table in tpch.items():
        connection.register(name, table)
    query = joins.query_over_input(number, large)
    check_rows(sql(spread(tpch[large]), query, tables=tpch), connection, joins.QUERIES[number - 1].read_text())


@pytest.fixture(scope="module")
def on_ray(dataset):
    import lanewise.ray
    import ray.data

    def spread(table):
        step = table.num_rows // 4 + 1
        return ray.data.from_arrow([table.slice(first, step) for first in range(0, table.num_rows, step)])

    return lambda ds, query, **given: lanewise.ray.sql(ds, query, parts=3, **given).take_all(), spread


@pytest.mark.parametrize("number", some(range(1, 44)))
def test_ray_clickbench(on_ray, number):
    check_clickbench(*on_ray, number)


@pytest.mark.parametrize("number", some(joins.LARGE))
def test_ray_tpch(on_ray, tpch, number):
    check_tpch(*on_ray, tpch, number)


def test_ray_errors(dataset):
    import lanewise.ray

    with pytest.raises(lw.NotSupportedError, match="median"):
        lanewise.ray.sql(dataset, "SELECT median(x) FROM input")


@pytest.fixture(scope="module")
def frame():
    if not importlib.util.find_spec("pyspark"):
        pytest.skip("pyspark is not installed")
    from pyspark.sql import SparkSession

    os.environ.update(WORKERS, PYSPARK_PYTHON=sys.executable)
    session = SparkSession.builder.master("local[4]").config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "4").getOrCreate()
    yield session.createDataFrame(TABLE).repartition(5)
    session.stop()


@pytest.mark.parametrize("query", some(QUERIES))
def test_spark(frame, query):
    import lanewise.spark

    compare(query, pa.table(lanewise.spark.sql(frame, query, parts=3).toArrow()).to_pylist())


@pytest.mark.parametrize("query", some(JOINS))
def test_spark_joins_small_tables(frame, query):
    import lanewise.spark

    compare(query, pa.table(lanewise.spark.sql(frame, query, tables=SMALL, parts=3).toArrow()).to_pylist())


@pytest.mark.parametrize("query", some([*QUERIES, MANY]))
def test_spark_files(frame, folder, small_groups, query):
    import lanewise.spark

    compare(query, pa.table(lanewise.spark.sql(folder, query).toArrow()).to_pylist())


@pytest.mark.parametrize("query", some([*QUERIES, MANY]))
def test_spark_adaptive(frame, query):
    import lanewise.spark

    compare(query, pa.table(lanewise.spark.sql(frame, query).toArrow()).to_pylist())


@pytest.mark.parametrize("query", some(QUERIES))
@pytest.mark.parametrize("nothing", ["false", "g < 0"])  # Spark plans a scan of no rows, or finds none
def test_spark_without_rows(frame, query, nothing):
    import lanewise.spark

    got = lanewise.spark.sql(frame.where(nothing), query).toArrow().to_pylist()
    connection = duckdb.connect()
    connection.register("input", TABLE.slice(0, 0))
    assert [tuple(row.values()) for row in got] == connection.execute(query).fetchall()


def test_spark_reads_named_columns(frame):
    import lanewise.spark

    query = "SELECT K, sum(X) AS s FROM input GROUP BY k"
    wide = frame.withColumn("a.`b`", frame.k)  # a name that mapInArrow rejects
    compare(query, lanewise.spark.sql(wide, query).toArrow().to_pylist())
    assert lanewise.spark.sql(wide.withColumn("a b", frame.k), 'SELECT count("a b") AS n FROM input').toArrow().to_pylist() == [{"n": TABLE.num_rows - TABLE["k"].null_count}]
    assert lanewise.spark.sql(wide, "SELECT count(*) AS n FROM input").toArrow().to_pylist() == [{"n": TABLE.num_rows}]


def test_spark_joins_files_with_small_tables(frame, folder, small_groups):
    import lanewise.spark

    for query in JOINS:
        compare(query, lanewise.spark.sql(str(folder / "*.parquet"), query, tables=SMALL).toArrow().to_pylist())


@pytest.fixture(scope="module")
def on_spark(frame):
    import lanewise.spark

    held = {}

    def spread(table):
        if id(table) not in held:
            held[id(table)] = frame.sparkSession.createDataFrame(table).repartition(4).cache()
        return held[id(table)]

    return lambda df, query, **given: pa.table(lanewise.spark.sql(df, query, parts=3, **given).toArrow()).to_pylist(), spread


@pytest.mark.parametrize("number", some(range(1, 44)))
def test_spark_clickbench(on_spark, number):
    check_clickbench(*on_spark, number)


@pytest.mark.parametrize("number", some(joins.LARGE))
def test_spark_tpch(on_spark, tpch, number):
    check_tpch(*on_spark, tpch, number)


def test_spark_errors(frame):
    import lanewise.spark

    with pytest.raises(lw.NotSupportedError, match="median"):
        lanewise.spark.sql(frame, "SELECT median(x) FROM input")
