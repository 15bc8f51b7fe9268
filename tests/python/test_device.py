"""Tables and results in the memory of a GPU, on the emulated GPU."""

import os
import subprocess
import sys
from pathlib import Path

from conftest import BUILD


def test_on_the_emulated_gpu(emulated_gpu):
    """In a process of its own: the driver is opened once in a process."""
    cases = Path(__file__).with_name("device_cases.py")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", cases], env=os.environ | emulated_gpu, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


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
