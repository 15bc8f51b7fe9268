"""Resident memory stays flat over many statements of one kind, each in a process of its own: 2,000, and 100,000 in the long run."""

import os
import subprocess
import sys

import pytest
from conftest import BUILD

COUNT = 100_000 if os.environ.get("LANEWISE_TEST_ALL") else 2_000
LIMIT = 2_000_000  # bytes after the first 1,000 statements, which fill caches
PREAMBLE = """
import sys
import lanewise as lw, pyarrow as pa, pyarrow.compute as pc
frame = pa.table({"s": ["x" * 100] * 1000, "i": list(range(1000))})
@lw.udf
def twice(x: pa.Int64Array) -> pa.Int64Array:
    return pc.multiply(x, 2)
def fails(error, *query):
    try:
        lw.sql(*query).fetchall()
    except error:
        return
    sys.exit("no error")
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
"""
KINDS = {
    "scalar": "lw.sql('SELECT 1').fetchall()",
    "text": "lw.sql(f'SELECT {i} AS n').fetchall()",
    "frame": "lw.sql('SELECT max(s) FROM frame WHERE s LIKE ?', ['x%']).arrow()",
    "parameters": "lw.connection().execute('SELECT ? || ? AS t', [str(i), 'x' * 10000]).fetchone()",
    "function": "lw.sql('SELECT sum(twice(i)) FROM frame').fetchall()",
    "syntax": "fails(lw.SqlError, f'SELECT nix{i} FROM frame')",
    "value": "fails(lw.DataError, 'SELECT CAST(s || ? AS INTEGER) FROM frame', [str(i)])",
    "connection": "lw.connect(threads=1).sql('SELECT 1').fetchall() if i % 20 == 0 else None",
    "index": "lw.Index([3, 1, 2]).find([1, 2])",
    "graph": "lw.graph.Graph(([0, 1, 2], [1, 2, 0])).distances()",
    "program": "lw.pram.run('reduction', A=[1, 2, 3, 4])['sum']",
}


@pytest.mark.parametrize("kind", KINDS)
def test_memory_stays_flat(kind):
    code = f"{PREAMBLE}for i in range({COUNT}):\n    {KINDS[kind]}\n    if i == 1000: before = resident()\nprint(resident() - before)"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(BUILD / "python")}, text=True, capture_output=True, timeout=1800)
    assert done.returncode == 0 and int(done.stdout) < LIMIT, done.stdout + done.stderr
