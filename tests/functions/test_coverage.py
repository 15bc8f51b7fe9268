"""At least 98 % of DuckDB's functions can be called: tools/reference_coverage.py calls each."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
import reference_coverage  # noqa: E402

MOST_LEFT_OUT = 40


@pytest.fixture(scope="module")
def found():
    return reference_coverage.coverage()


def test_nearly_all_functions_can_be_called(found):
    assert set(found) == set(reference_coverage.KINDS)
    for kind, (there, missing, _) in found.items():
        assert len(there) >= 0.98 * (len(there) + len(missing)), f"{kind}: {missing}"
    assert sum(len(there) for there, *_ in found.values()) > 900


def test_what_is_not_counted_cannot_be_called(found):
    left_out = {name for *_, names in found.values() for name in names}
    assert len(left_out) < MOST_LEFT_OUT
    stale = set(reference_coverage.LEFT_OUT) - left_out
    assert not stale, "they can be called, or DuckDB lacks them: drop them from LEFT_OUT"


def test_a_missing_function_is_found():
    """Calls that fail are not taken for calls that run."""
    statements = ["SELECT 1 AS a", "SELECT no_such_function(1) AS a", "SELECT (1 AS a", "SELECT 2 AS a"]
    messages = reference_coverage.run(statements)
    assert [message is None for message in messages] == [True, False, False, True]
