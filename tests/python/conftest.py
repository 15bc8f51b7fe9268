"""The package as the build folder has it."""

import os
import sys
from pathlib import Path

BUILD = Path(os.environ.get("LANEWISE_BUILD") or Path(__file__).resolve().parents[2] / "build")
sys.path.insert(0, str(BUILD / "python"))
