"""Copies the tables of published and measured values from a report's last chapter into docs/study/index.md.

python3 tools/study_page.py docs/study/xeon.html
"""

import html
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "study" / "index.md"
BLOCK = re.compile(r"(<!-- published -->\n).*?(<!-- end -->)", re.S)


def plain(text):
    return html.unescape(re.sub(r"<[^>]*>", "", text)).replace("|", "\\|").strip()


def tables(report):
    """The tables of the chapter on published results, as Markdown."""
    chapter = report[report.index("Published and measured</h2>"):]
    for table in re.findall(r"<table.*?</table>", chapter, re.S):
        caption = re.sub(r"^Table \d+\. ", "", plain(re.search(r"<caption>(.*?)</caption>", table, re.S)[1]))
        rows = [[plain(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", row, re.S)] for row in re.findall(r"<tr>.*?</tr>", table, re.S)]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        yield "\n".join([f"**{caption}**", "", lines[0], "| " + " | ".join(["---"] * len(rows[0])) + " |", *lines[1:]])


if __name__ == "__main__":
    found = "\n\n".join(tables(Path(sys.argv[1]).read_text()))
    PAGE.write_text(BLOCK.sub(lambda block: f"{block[1]}\n{found}\n\n{block[2]}", PAGE.read_text()))
