"""lanewise.spark on a cluster of two executors, one of which is killed. See test_scale_out.py for what it needs."""

import importlib.util
import os
import signal
import sys
from pathlib import Path

import pytest
import test_scale_out as scale_out
from test_split import QUERIES, TABLE


@pytest.fixture(scope="module")
def frame():
    if not importlib.util.find_spec("pyspark"):
        pytest.skip("pyspark is not installed")
    from pyspark.sql import SparkSession

    os.environ.update(scale_out.WORKERS, PYSPARK_PYTHON=sys.executable)
    settings = {"ui.enabled": "false", "sql.session.timeZone": "UTC", "sql.shuffle.partitions": "4", "executor.memory": "600m", "executorEnv.PYTHONPATH": scale_out.WORKERS["PYTHONPATH"]}
    builder = SparkSession.builder.master("local-cluster[2,2,600]")
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    yield session.createDataFrame(TABLE).repartition(5)
    session.stop()


def killed_once(mark, generations):
    """A step that kills its Python worker, or its ancestor this many levels up, the first time."""

    def parent(process):
        return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])

    def step(batches):
        for batch in batches:
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                yield batch
                continue
            victim = os.getpid()
            for _ in range(generations):
                victim = parent(victim)
            assert generations == 0 or b"java" in Path(f"/proc/{victim}/cmdline").read_bytes()
            os.kill(victim, signal.SIGKILL)

    return step


@pytest.mark.parametrize("query", scale_out.some(QUERIES[5:8] + scale_out.JOINS[:1], 1))
@pytest.mark.parametrize("generations", [0, 2], ids=["worker", "executor"])
def test_what_was_killed_is_repeated(frame, query, generations, tmp_path):
    import lanewise.spark

    mark = str(tmp_path / "killed")
    steps = frame.mapInArrow(killed_once(mark, generations), frame.schema)
    scale_out.compare(query, lanewise.spark.sql(steps, query, tables=scale_out.SMALL, parts=3).toArrow().to_pylist())
    assert os.path.exists(mark)
