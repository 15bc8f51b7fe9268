"""lanewise.ray with actors on GPUs: the emulated one, which two actors share as two of Ray's GPUs. See test_scale_out.py for what it needs."""

import lanewise as lw
import pytest
import test_scale_out as scale_out
from test_scale_out import SMALL, compare, folder, killed_once, small_groups  # noqa: F401: fixtures
from test_split import TABLE

QUERIES = ["SELECT g, count(*) AS n, sum(x) AS s FROM input WHERE x > 1 GROUP BY g", "SELECT name, count(*) AS n FROM input JOIN names USING (k) GROUP BY name",
           "SELECT g, x FROM input WHERE k LIKE 'a%'"]  # fmt: skip


@pytest.fixture
def dataset(emulated_gpu):
    ray = pytest.importorskip("ray")
    import ray.data

    ray.init(num_cpus=4, num_gpus=2, include_dashboard=False, runtime_env={"env_vars": scale_out.WORKERS | emulated_gpu}, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray.data.from_arrow([TABLE.slice(start, 300) for start in range(0, TABLE.num_rows, 300)])
    ray.shutdown()


def test_actors_on_gpus(dataset, tmp_path):
    import lanewise.ray

    for number, query in enumerate(QUERIES):
        compare(query, lanewise.ray.sql(dataset, query, tables=SMALL, parts=2, device="cuda", batch_size=300).take_all())
        mark = str(tmp_path / f"killed{number}")

        def killed(actor, block, step=killed_once(mark), call=lanewise.ray._Actor.__call__):
            return call(actor, step(block))

        steps = type("Killed", (lanewise.ray._Actor,), {"__call__": killed})
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lanewise.ray, "_Actor", steps)
            compare(query, lanewise.ray.sql(dataset, query, tables=SMALL, parts=2, device="cuda", batch_size=300).take_all())
        assert (tmp_path / f"killed{number}").exists()


def test_actors_read_files(dataset, folder, small_groups):  # noqa: F811
    import lanewise.ray

    for query in QUERIES[:2]:
        compare(query, lanewise.ray.sql(folder, query, tables=SMALL, device="cuda").take_all())


def test_actors_on_cores(dataset):
    import lanewise.ray

    compare(QUERIES[1], lanewise.ray.sql(dataset, QUERIES[1], tables=SMALL, parts=2, actors=2).take_all())


def test_without_a_gpu(dataset):
    import lanewise.ray
    import ray

    with pytest.raises((ray.exceptions.RayError, lw.Error), match="no GPU 7"):
        lanewise.ray.sql(dataset, QUERIES[0], device="cuda:7", batch_size=300).take_all()
