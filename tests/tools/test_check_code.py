"""The check of units finds a name that two files of a target share, though no unit of the build has both."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import check_code  # noqa: E402
import pytest  # noqa: E402


@pytest.mark.parametrize("second, problems", [("struct Walk {};", 1), ("struct OtherWalk {};", 0)])
def test_units(tmp_path, second, problems):
    folder = tmp_path / "build/check/engine/a/CMakeFiles/lanewise_a.dir/Unity"
    folder.mkdir(parents=True)
    entries = []
    for number, text in enumerate(["struct Walk {};", second]):
        source, unit = tmp_path / f"{number}.cc", folder / f"unity_{number}_cxx.cxx"
        source.write_text(f"namespace {{ {text} }}\n")
        unit.write_text(f'#include "{source}"\n')
        entries.append({"file": str(unit), "command": f"c++ -std=c++20 -o {number}.o -c {unit}"})
    (tmp_path / "build/check/compile_commands.json").write_text(json.dumps(entries))
    found = check_code.units(tmp_path)
    assert len(found) == problems
    assert all("lanewise_a: two files use one name" in problem and "Walk" in problem for problem in found)
