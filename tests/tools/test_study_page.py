"""tools/study_page.py: one table from several reports."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import study_page


def report(*rows):
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return (
        '<p class="below">A machine.</p><table><caption>Table 1. Of it.</caption><tr><td></td></tr><tr><td>command</td>'
        "<td>lanewise study --quick</td></tr></table>\n"
        '<h2>7. Published and measured</h2>\n<table class="words">\n<caption>Table 9. Trees.</caption>\n<thead><tr><th scope="col">table</th>'
        f"<th>work</th><th>2012</th><th>here</th><th>ratio</th><th>cause</th></tr></thead>\n{lines}</table>"
    )


CPU = report(["B-T3", "launch", "7 µs", "–", "–", "no GPU"], ["B-T4", "a|b &lt;c&gt;", "1.3 µs", "1 µs", "1.3 ×", "clock"])
GPU = report(["B-T3", "launch", "7 µs", "14 µs", "0.5 ×", "waits"], ["B-T5", "n-ary", "4 µs", "2 µs", "2 ×", "launch"])


def test_each_report_is_a_column_and_causes_come_from_those_that_measured():
    text, count = study_page.published({"xeon": CPU, "h200": GPU})
    assert count == 3
    assert text.splitlines() == [
        "**Trees.**", "",
        "| table | work | 2012 | xeon | h200 | cause |",
        "| --- | --- | --- | --- | --- | --- |",
        "| B-T3 | launch | 7 µs | – | 14 µs (0.5 ×) | waits |",
        "| B-T4 | a\\|b <c> | 1.3 µs | 1 µs (1.3 ×) | – | clock |",
        "| B-T5 | n-ary | 4 µs | – | 2 µs (2 ×) | launch |",
    ]


def test_reports_that_agree_share_a_column():
    head = ["item", "content", "here"]
    found = {"xeon": (head, [["F1", "a trace", "A figure"], ["F2", "a kernel", "not measured: no GPU"]]),
             "h200": (head, [["F1", "a trace", "A figure"], ["F2", "a kernel", "Another figure"]])}
    assert list(study_page.merged(found)) == [["item", "content", "here", "reports"], ["F1", "a trace", "A figure", "all"],
                                              ["F2", "a kernel", "Another figure", "h200"]]


def test_causes_that_differ_in_their_numbers_become_one_with_ranges():
    assert study_page.causes({"a": "int32: 24 % of it", "b": "int32: 9.5 % of it", "c": "int32: 24 % of it"}) == "int32: 9.5 to 24 % of it"
    assert study_page.causes({"a": "memory: 90 %; 2^30 rows", "b": "clock; 2^30 rows", "c": "memory: 80 %; 2^30 rows"}) == (
        "2^30 rows; **a, c:** memory: 80 to 90 %; **b:** clock")


def test_reports_are_listed_with_their_commands():
    assert "| A machine. | `lanewise study --quick` | [xeon.html](xeon.html) |" in study_page.listed([Path("docs/xeon.html")], {"xeon": CPU})
