"""lanewise.ray and lanewise.spark against DuckDB over the same rows, where Ray and Spark are installed.

They are not in this project's environment, since they take 500 MB. In one of your own:
pip install ray==2.60.0 pyspark==4.3.0 cffi duckdb numpy pandas polars pyarrow pytest
LANEWISE_TEST_ALL=1 LANEWISE_BUILD=$PWD/build python -m pytest tests/python/test_scale_out.py
"""

import importlib.util
import os
import sys

import duckdb
import lanewise as lw
import pyarrow as pa
import pytest
from conftest import BUILD
from test_split import QUERIES, TABLE, same

pytestmark = pytest.mark.skipif(not os.environ.get("LANEWISE_TEST_ALL"), reason="long: runs with ./dev test --all, and needs Ray or Spark")
WORKERS = {"PYTHONPATH": os.pathsep.join([str(BUILD / "python"), str(os.environ.get("PYTHONPATH", ""))])}


def compare(query, got):
    connection = duckdb.connect()
    connection.register("input", TABLE)
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


@pytest.mark.parametrize("query", QUERIES)
def test_ray(dataset, query):
    import lanewise.ray

    compare(query, lanewise.ray.sql(dataset, query, parts=3).take_all())


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
    session = SparkSession.builder.master("local[4]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4").getOrCreate()
    yield session.createDataFrame(TABLE).repartition(5)
    session.stop()


@pytest.mark.parametrize("query", QUERIES)
def test_spark(frame, query):
    import lanewise.spark

    compare(query, pa.table(lanewise.spark.sql(frame, query, parts=3).toArrow()).to_pylist())


def test_spark_errors(frame):
    import lanewise.spark

    with pytest.raises(lw.NotSupportedError, match="median"):
        lanewise.spark.sql(frame, "SELECT median(x) FROM input")
