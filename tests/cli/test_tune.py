"""`lanewise tune` stores a profile that later runs read; one that is broken or from another machine is reported, not used."""

import json
import os
import re
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM, processor_seconds


@pytest.fixture
def home(tmp_path):
    """An environment whose profile is in the test's folder, and the profile's path."""
    return {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}, tmp_path / "config" / "lanewise" / "profile.json"


def line_of(out, name):
    lines = out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(name))
    return "\n".join([lines[at], *[line for line in lines[at + 1 : at + 2] if line.startswith(" ")]])


def test_tune_measures_stores_and_is_used(lanewise, home):
    environment, path = home
    code, out, error = lanewise("info", env=environment)
    assert code == 0 and "none, defaults" in line_of(out, "profile")

    before = processor_seconds()
    code, out, error = lanewise("tune", env=environment)
    assert (code, error) == (0, "") and processor_seconds() - before < 60
    assert f"Stored in {path}" in out and ("placement" in path.read_text()) == ("\nGPU: none: " not in out)
    profile = json.loads(path.read_text())
    assert profile["version"] == 3 and profile["processor"] in out and profile["read_gb_per_second"] > 0
    for name in ("vector_rows", "interleaved_width", "refill_interleaved"):
        assert profile[name] > 0
        (line,) = [line for line in out.splitlines() if line.startswith(name)]
        assert int(line.split()[1]) == profile[name] and "GB/s" in line

    for name, form in {"literal_ns": "contains", "rows_ns": "rows", "lazy_ns": "lazy"}.items():
        assert profile[name] > 0
        (line,) = [line for line in out.splitlines() if line.startswith(form + " ")]
        assert abs(float(line.split()[1]) - profile[name]) < 0.001

    # The profile is used: naive lanes are idle for long, and sql shows their occupancy.
    sql = """CREATE TABLE t AS SELECT repeat('x', CASE WHEN i % 8 = 0 THEN 500 ELSE 5 END) AS s FROM range(20000) r(i);
             SELECT count(*) FROM t WHERE regexp_matches(s, '^[a-x]*[0-9]')"""

    def occupancy(refill_below):
        path.write_text(json.dumps(profile | {"interleaved_width": 4, "refill_interleaved": refill_below, "vector_rows": 12345}))
        code, _, error = lanewise("sql", "-c", sql, "--lanes", "interleaved", "--profile", env=environment)
        (line,) = [line for line in error.splitlines() if line.lstrip().startswith("Scan t ")]
        return float(re.findall(r"([0-9.]+) %", line)[-1])

    assert occupancy(1) < 60 < 90 < occupancy(4)

    # The cheapest strategy of this machine is chosen.
    def matcher(**costs):
        path.write_text(json.dumps(profile | costs))
        code, _, error = lanewise("sql", "-c", sql, "--profile", env=environment)
        (line,) = [line for line in error.splitlines() if line.lstrip().startswith("regexp_matches(")]
        return re.search(r"'\): (\w+)", line)[1] if code == 0 else error

    assert matcher(rows_ns=0.001, packed_ns=1, lazy_ns=1) == "rows"
    assert matcher(rows_ns=1, packed_ns=1, lazy_ns=0.001) == "lazy"
    path.write_text(json.dumps(profile | {"interleaved_width": 4, "refill_interleaved": 4, "vector_rows": 12345}))
    code, out, _ = lanewise("info", env=environment)
    assert "interleaved width 4; refill below 4 (interleaved)" in line_of(out, "profile") and "12345 rows" in out


@pytest.mark.parametrize("text, why", [("{", "broken"), ('{"version": 99}', "another version"), (None, "another processor, Z80")])
def test_other_profiles_are_told_and_not_used(lanewise, home, text, why):
    environment, path = home
    path.parent.mkdir(parents=True)
    path.write_text(text or json.dumps({
        "version": 3, "processor": "Z80", "read_gb_per_second": 0.001, "vector_rows": 0, "interleaved_width": 4,
        "refill_interleaved": 0, "refill_packed_avx2": 0, "refill_packed_avx512": 0,
        "literal_ns": 0, "packed_ns": 0, "rows_ns": 0, "lazy_ns": 0}))
    code, out, _ = lanewise("info", env=environment)
    assert code == 0 and why in line_of(out, "profile")
    code, out, error = lanewise("sql", "-c", "SELECT 42 AS i", "--format", "csv", env=environment)
    assert (code, out) == (0, "i\n42\n") and error.startswith("note: ") and why in error and str(path) in error


def test_tune_to_a_file_that_cannot_be(lanewise, home):
    code, _, error = lanewise("tune", "--output", "/dev/null/profile.json", env=home[0])
    assert code == 2 and "/dev/null/profile.json" in error


def test_tune_can_be_stopped(home):
    environment, path = home
    program = subprocess.Popen([PROGRAM, "tune"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    time.sleep(1)
    assert program.poll() is None, program.stderr.read()
    program.send_signal(signal.SIGINT)
    assert program.wait(20) == 130
    assert b"cancelled" in program.stderr.read() and not path.exists()
