"""Writes the tables of published and measured values from the reports' last chapter, and the list of reports, into docs/study/index.md.

python3 tools/study_page.py docs/study/epyc.html docs/study/xeon.html docs/study/h200.html

Each report becomes a column, named after its file. Causes come from the reports that measured the row.
"""

import html
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "study" / "index.md"
NONE = "–"


def plain(text):
    text = html.unescape(re.sub(r"<[^>]*>", "", text)).replace("|", "\\|").strip()
    return text.replace("docs/study/profile.md", "[profile.md](profile.md)")


def cells_of(table):
    return [[plain(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)] for row in re.findall(r"<tr>.*?</tr>", table, re.S)]


def tables(report):
    """Caption, header and rows of each table of the chapter on published results."""
    chapter = report[report.index("Published and measured</h2>"):]
    for table in re.findall(r"<table.*?</table>", chapter, re.S):
        caption = re.sub(r"^Table \d+\. ", "", plain(re.search(r"<caption>(.*?)</caption>", table, re.S)[1]))
        head, *rows = cells_of(table)
        yield caption, head, rows


NUMBER = re.compile(r"(?<![\w^])\d+(?:\.\d+)?(?![\w^])")


def joined(texts):
    """One text for several that differ in their numbers only, with ranges; None for other texts."""
    if len({NUMBER.sub("#", text) for text in texts}) > 1:
        return None
    columns = iter(zip(*(NUMBER.findall(text) for text in texts)))

    def in_range(_):
        numbers = sorted(set(next(columns)), key=float)
        return numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"

    return NUMBER.sub(in_range, texts[0])


def causes(by_name):
    """The causes that the reports name: one for all, or each with the reports that name it."""
    groups = []
    for name, text in by_name.items():
        group = next((group for group in groups if joined([*group.values(), text])), None)
        groups.append({name: text}) if group is None else group.update({name: text})
    if len(groups) == 1:
        return joined([*groups[0].values()])
    return "; ".join(f"**{', '.join(group)}:** {joined([*group.values()])}" for group in groups)


def merged(found):
    """One table of `found`, which has the header and the rows of each report by its name: a column for each report."""
    names = list(found)
    head = found[names[0]][0]
    at, ratio, cause = (head.index(name) if name in head else None for name in ("here", "ratio", "cause"))
    rows = {name: {tuple(row[:at]): row for row in found[name][1]} for name in names}
    keys = list(dict.fromkeys(key for name in names for key in rows[name]))
    same = ratio is None and all(len({rows[name][key][at] for name in names if key in rows[name]}) == 1 for key in keys)
    yield head[:at] + (["here"] if same else names) + (["cause"] if cause else [])
    for key in keys:
        of_key = {name: rows[name][key] for name in names if key in rows[name]}

        def cell(name):
            row = of_key.get(name)
            if row is None:
                return NONE
            return row[at] if ratio is None or row[ratio] == NONE else f"{row[at]} ({row[ratio]})"

        cells = [next(iter(of_key.values()))[at]] if same else [cell(name) for name in names]
        measured = {name: row for name, row in of_key.items() if row[at] != NONE} or of_key
        yield [*key, *cells] + ([causes({name: row[cause] for name, row in measured.items()})] if cause else [])


def markdown(rows):
    head, *rest = rows
    return "\n".join(["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rest)])


def published(reports):
    """The tables, and the number of their rows."""
    found = {}  # by caption, then by report
    for name, report in reports.items():
        for caption, head, rows in tables(report):
            found.setdefault(caption, {})[name] = (head, rows)
    texts, count = [], 0
    for caption, of_reports in found.items():
        rows = list(merged(of_reports))
        count += len(rows) - 1
        texts.append(f"**{caption}**\n\n{markdown(rows)}")
    return "\n\n".join(texts), count


def listed(paths, reports):
    """A row for each report: its machine, its command, its file."""
    rows = [["machine", "command", "report"]]
    for path in paths:
        report = reports[path.stem]
        machine = plain(re.search(r'<p class="below">(.*?)</p>', report, re.S)[1])
        command = next((row[1] for table in re.findall(r"<table.*?</table>", report, re.S) for row in cells_of(table) if row[0] == "command"), "")
        rows.append([machine, f"`{command}`" if command else NONE, f"[{path.name}]({path.name})"])
    return markdown(rows)


def replace(page, mark, text):
    block = re.compile(rf"(<!-- {mark} -->\n).*?(\n<!-- end -->)", re.S)
    assert block.search(page), f"the page has no <!-- {mark} -->"
    return block.sub(lambda part: f"{part[1]}\n{text}\n{part[2]}", page)


def write(paths):
    reports = {path.stem: path.read_text() for path in paths}
    text, count = published(reports)
    page = replace(PAGE.read_text(), "published", text)
    page = replace(page, "reports", listed(paths, reports))
    PAGE.write_text(page)
    print(f"{count} rows of published results from {len(paths)} reports")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    write([Path(name) for name in sys.argv[1:]])
