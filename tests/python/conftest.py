"""The package in the build folder."""

import os
import signal
import sys
from pathlib import Path

BUILD = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parents[2] / "build")
sys.path.insert(0, str(BUILD / "python"))
# Before Polars wraps it: a shell makes background processes ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
