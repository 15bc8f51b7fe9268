"""lanewise.ray on a GPU: two actors share it and keep their tables in its memory; one is killed in the middle. `bash gpu.sh ray`; it needs ray and pyarrow."""

import os
import signal
import tempfile
from pathlib import Path

import lanewise as lw
import lanewise.ray
import pyarrow as pa
import ray
import ray.data

ROWS, BLOCKS = 4_000_000, 8
QUERIES = ["SELECT g, count(*) AS n, sum(x) AS s, max(t) AS m FROM input WHERE x > 1 GROUP BY g", "SELECT name, count(*) AS n FROM input JOIN names USING (g) GROUP BY name",
           "SELECT g, x FROM input WHERE t LIKE '%77'", "SELECT x FROM input WHERE regexp_matches(t, '[13]5$') ORDER BY x DESC LIMIT 10"]  # fmt: skip


def rows_of(answer):
    """The rows in an order of their own: Ray keeps none."""
    return sorted(tuple(sorted(row.items())) for row in answer)


def killed_once(actor_class, mark):
    """An actor whose process ends the first time that it is called."""

    def call(actor, block):
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return actor_class.__call__(actor, block)

    return type("Killed", (actor_class,), {"__call__": call})


table = lw.sql(f"SELECT (i % 1000)::INTEGER AS g, (hash(i) % 100)::INTEGER AS x, 'text ' || hash(i + 1) % 1000 AS t FROM range({ROWS}) r(i)").arrow()
names = lw.sql("SELECT g::INTEGER AS g, 'name ' || g % 7 AS name FROM range(500) n(g)").arrow()
ray.init(num_cpus=4, num_gpus=1, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {name: os.environ[name] for name in ("LD_LIBRARY_PATH", "PYTHONPATH")}})
ray.data.DataContext.get_current().enable_progress_bars = False
block = ROWS // BLOCKS
dataset = ray.data.from_arrow([table.slice(i * block, block) for i in range(BLOCKS)])
connection = lw.connect(device="cpu")
connection.register("input", table)
connection.register("names", names)
actors = lanewise.ray._Actor
for query in QUERIES:
    expected = rows_of(connection.sql(query).arrow().to_pylist())
    for kill in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            mark = Path(folder) / "killed"
            lanewise.ray._Actor = killed_once(actors, mark) if kill else actors
            answer = lanewise.ray.sql(dataset, query, tables={"names": names}, device="cuda", num_gpus=0.5, actors=2, batch_size=block).take_all()
            assert rows_of(answer) == expected, query
            assert mark.exists() == kill, "an actor was killed"
    print(f"equal to the CPU, also after an actor was killed: {len(expected)} rows, {query}")
