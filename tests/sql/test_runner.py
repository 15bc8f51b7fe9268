"""The comparison of answers finds differences, and only those."""

import corpus
import pytest
from corpus import Answer, difference, json_answers

TYPES = ["INTEGER", "VARCHAR", "DOUBLE"]
ROWS = [("1", "a", "0.5"), ("2", None, "1e300"), ("3", "", "nan")]


def test_equal_answers():
    assert difference(Answer(ROWS), Answer(ROWS, TYPES), ordered=True) is None


def test_any_order_unless_ordered():
    shuffled = [ROWS[2], ROWS[0], ROWS[1]]
    assert difference(Answer(shuffled), Answer(ROWS, TYPES), ordered=False) is None
    assert "row 0" in difference(Answer(shuffled), Answer(ROWS, TYPES), ordered=True)


@pytest.mark.parametrize("row, column, value", [
    (0, 0, "7"), (0, 0, None), (0, 1, "A"), (1, 1, ""), (2, 1, None), (0, 2, "0.500001"), (1, 2, "inf"), (2, 2, "0"),
    (0, 2, None), (0, 2, "text"),
])
def test_one_wrong_value(row, column, value):
    wrong = [list(r) for r in ROWS]
    wrong[row][column] = value
    for ordered in (True, False):
        assert difference(Answer([tuple(r) for r in wrong]), Answer(ROWS, TYPES), ordered)


def test_missing_rows_and_columns():
    assert difference(Answer(ROWS[:2]), Answer(ROWS, TYPES), ordered=False)
    assert difference(Answer([]), Answer(ROWS, TYPES), ordered=False)
    assert difference(Answer([r[:2] for r in ROWS]), Answer(ROWS, TYPES), ordered=False)


def test_floats_within_the_tolerance():
    assert difference(Answer([("1", "a", "0.50000000000001")]), Answer(ROWS[:1], TYPES), ordered=True) is None


def test_json():
    text = '[{"a":1,"a":"x"},{"a":null,"a":true}]\n[]\n[{"b":0.10,"c":123456789012345678901234567890}]'
    assert [a.rows for a in json_answers(text)] == [
        [("1", "x"), (None, "true")], [], [("0.10", "123456789012345678901234567890")]]


def test_every_file_is_read():
    blocks = [b for path in corpus.FOLDER.glob("*.test") for b in corpus.read(path)]
    assert sum(b.kind != "statement" for b in blocks) > 1000


@pytest.mark.parametrize("text", ["querry\nSELECT 1", "query sorted\nSELECT 1", "query\n"])
def test_a_bad_block_is_an_error(tmp_path, text):
    path = tmp_path / "bad.test"
    path.write_text(text)
    with pytest.raises(ValueError, match="bad.test:1"):
        corpus.read(path)
