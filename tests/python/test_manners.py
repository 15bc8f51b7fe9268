"""Behaviour in a process: interrupts, threads, forks, the time of the import, memory."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import lanewise as lw
import polars  # noqa: F401: its handler of SIGINT wraps that of Python
import pytest
from conftest import BUILD

LONG = "SELECT sum(a.i * b.i % 7) FROM range(100000) AS a(i), range(1000000) AS b(i)"


def python(code, **options):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=os.environ | {"PYTHONPATH": str(BUILD / "python")}, text=True,
                          capture_output=True, timeout=60, **options)


def test_control_c_ends_a_statement():
    lw.sql("SELECT 1")  # opens the session
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        lw.sql(LONG)
    assert 0.3 <= time.monotonic() - start < 2  # 0.2 s on an idle machine
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler and lw.sql("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize("after", [0, 0.0001, 0.001, 0.01])
def test_control_c_is_never_lost(after):
    """It arrives before a statement runs, or while it is parsed or planned."""
    half_a_minute = LONG.replace("100000)", "5000)")
    for _ in range(10):
        timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            lw.sql(half_a_minute)
        timer.join()
        assert time.monotonic() - start < 8


def test_cancel_from_another_thread():
    with lw.connect() as connection:
        timer = threading.Timer(0.3, connection.cancel)
        timer.start()
        with pytest.raises(lw.Cancelled):
            connection.sql(LONG)


def test_progress(capsys):
    with lw.connect(progress=True, threads=1) as connection:
        assert connection.progress is None
        seen = []

        def watch():
            while len(seen) < 8:
                time.sleep(0.2)
                seen.append(connection.progress)
            connection.cancel()

        thread = threading.Thread(target=watch)
        thread.start()
        with pytest.raises(lw.Cancelled):
            connection.sql(LONG)
        thread.join()
    assert all(share is None or 0 <= share <= 1 for share in seen)
    shown = capsys.readouterr().err
    assert "1 s" in shown and shown.endswith("\r\033[K")


def test_other_threads_run_meanwhile():
    """The interpreter's lock is released while a statement runs."""
    counted = 0
    with lw.connect() as connection:
        thread = threading.Thread(target=lambda: pytest.raises(lw.Cancelled, connection.sql, LONG))
        thread.start()
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            counted += 1
        connection.cancel()
        while thread.is_alive():
            connection.cancel()
            thread.join(0.01)
    assert counted > 1000


def test_threads_share_a_connection():
    with lw.connect() as connection:
        sums = []
        threads = [threading.Thread(target=lambda: sums.extend(connection.sql("SELECT sum(i) FROM range(1000) AS r(i)").fetchall())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sums == [(499500,)] * 8


def test_other_threads_close_what_is_used():
    """A call that runs ends as usual; later ones are errors."""
    done = python("""
        import threading, lanewise as lw
        def repeat(call, *arguments):
            try:
                while True:
                    call(*arguments)
            except lw.InterfaceError as error:
                ended.append(str(error))
        def query(connection):
            try:
                connection.sql("SELECT sum(i) FROM range(100000) AS r(i)")
            except lw.Cancelled:
                pass
        ended = []
        for _ in range(5):
            connection, index = lw.connect(threads=1), lw.Index(list(range(100_000)))
            calls = [(lambda: connection.progress,), (connection.cancel,), (query, connection), (index.find, list(range(10_000)))]
            threads = [threading.Thread(target=repeat, args=call) for call in calls * 2]
            for thread in threads:
                thread.start()
            connection.close()
            index.close()
            for thread in threads:
                thread.join()
        print(len(ended), *sorted(set(ended)), sep="; ")
    """)
    assert done.stdout == "40; the connection is closed; the index is closed\n", done.stdout + done.stderr


@pytest.mark.parametrize("use", ["next(stream)", "threading.Thread(target=list, args=[stream], daemon=True).start()",
                                 "stream.close(); threading.Thread(target=lw.sql, args=[query], daemon=True).start()"])  # fmt: skip
def test_exit_while_functions_are_called(use):
    done = python(f"""
        import threading, time, lanewise as lw
        same = lw.udf(lambda x: x, arguments=[int], result=int)
        lw.connection().register_function(same, "same")
        query = "SELECT sum(same(i)) OVER () AS s FROM range(100000000) AS r(i)"
        stream = lw.stream("SELECT same(i) FROM range(100000000) AS r(i)")
        {use}
        time.sleep(0.1)
    """)
    assert done.returncode == 0 and "FATAL" not in done.stderr, done.stderr


def test_forked_processes_get_an_error():
    done = python("""
        import os, lanewise as lw
        lw.sql("SELECT 1")
        graph = lw.graph.Graph(([0], [1]))
        if os.fork() == 0:
            for use in (lambda: lw.sql("SELECT 1"), graph.components):
                try:
                    use()
                except lw.Error as error:
                    print(error, flush=True)
        else:
            print("child ended with", os.wait()[1])
    """)
    assert done.stdout.count("forked") == done.stdout.count("'spawn'") == 2 and "child ended with 0" in done.stdout, done.stdout + done.stderr


def test_the_import_leaves_large_packages_alone():
    large = ("IPython", "anywidget", "ibis", "numpy", "pandas", "polars", "pyarrow", "pyspark", "ray")
    assert python(f"import sys, lanewise; print(sorted(set({large}) & set(sys.modules)))").stdout == "[]\n"


def test_results_larger_than_memory():
    """The rows are in temporary files, and their batches are loaded and freed."""
    done = python("""
        import lanewise as lw, pyarrow.compute as pc
        def anonymous():
            return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("RssAnon"))) // 1024
        connection = lw.connect(memory_limit="100MB", threads=2)
        before, most, rows, last = anonymous(), 0, 0, ""
        for batch in connection.sql("SELECT repeat('x', 100) || lpad(i::VARCHAR, 9, '0') AS s FROM range(5000000) AS r(i)").batches():
            rows, last, most = rows + batch.num_rows, pc.max(batch["s"]).as_py(), max(most, anonymous() - before)
        print(rows, last[-9:], most)
    """)
    rows, last, most = done.stdout.split()
    assert (rows, last) == ("5000000", "004999999") and int(most) < 200, done.stdout + done.stderr  # of 560 MB
    with lw.connect(memory_limit="100MB", temp_directory="none") as connection, pytest.raises(lw.OutOfMemory):
        connection.sql("SELECT repeat('x', 100) AS s FROM range(5000000)")


def test_a_connection_is_closed_with_its_last_reference(tmp_path):
    path = str(tmp_path / "x.duckdb")
    lw.connect(path).execute("CREATE TABLE t AS SELECT 1 AS x")
    assert lw.connect(path).sql("SELECT x FROM t").fetchall() == [(1,)]
