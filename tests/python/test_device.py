"""Tables and results in the memory of a GPU, on the emulated GPU."""

import os
import re
import subprocess
import sys
from pathlib import Path

from conftest import BUILD


def test_on_the_emulated_gpu(emulated_gpu):
    """In a process of its own: the driver is opened once in a process."""
    cases = Path(__file__).with_name("device_cases.py")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", cases], env=os.environ | emulated_gpu, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_kept_rows_do_not_come_to_the_host(emulated_gpu, tmp_path):
    code = """
import sys
import lanewise as lw, numpy as np
from device_cases import in_host_memory
GPU = lw.connect(device="cuda")
GPU.register("t", {"i": np.arange(1_000_000)})
result = GPU.sql("SELECT i, i * 0.5::DOUBLE AS x FROM t WHERE i % 4 > 0")
if sys.argv[1] == "device":
    table = result.to_device()
    i, x = (in_host_memory(table[name].__cuda_array_interface__) for name in ("i", "x"))
else:
    i, x = (result.numpy()[name] for name in ("i", "x"))
print(len(i), i.sum(), x.sum() == i.sum() / 2)
"""
    path = os.pathsep.join([str(Path(__file__).parent), str(BUILD / "python")])
    copied = {}
    for place in ("device", "host"):
        counts = tmp_path / place
        env = os.environ | emulated_gpu | {"PYTHONPATH": path, "FAKE_CUDA_COUNTS": str(counts)}
        done = subprocess.run([sys.executable, "-c", code, place], env=env, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "750000 375000000000 True\n"), done.stderr
        copied[place] = int(re.search(r"(\d+) bytes to the host", counts.read_text())[1])
    assert copied["device"] < 20_000 and copied["host"] > 12_000_000, copied


def test_a_process_ends_while_others_hold_its_memory(emulated_gpu):
    code = """
import lanewise as lw
from device_cases import Array, GPU
lw.connection("cuda").register("held", {"v": Array([1, 2])})
table = GPU.sql("SELECT 1 AS x").to_device()
tensor, stream = table["x"].__dlpack__(), table.__arrow_c_device_stream__()
print(lw.sql("SELECT sum(v) FROM held", device="cuda").fetchall())
"""
    path = os.pathsep.join([str(Path(__file__).parent), str(BUILD / "python")])
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | emulated_gpu | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[(3,)]\n", "")
