"""Tables and results in the memory of a GPU, on the emulated GPU."""

import os
import subprocess
import sys
from pathlib import Path


def test_on_the_emulated_gpu(emulated_gpu):
    """In a process of its own: the driver is opened once in a process."""
    cases = Path(__file__).with_name("device_cases.py")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", cases], env=os.environ | emulated_gpu, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
