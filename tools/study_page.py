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
    """One text for several that differ in their numbers only, with ranges."""
    columns = iter(zip(*(NUMBER.findall(text) for text in texts)))

    def in_range(_):
        numbers = sorted(set(next(columns)), key=float)
        return numbers[0] if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"

    return NUMBER.sub(in_range, texts[0])


def causes(by_name):
    """The causes that the reports name, part by part: first those of all, then those of some with their names."""
    parts = {}  # without numbers: the part as each report has it
    for name, text in by_name.items():
        for part in text.split("; "):
            parts.setdefault(NUMBER.sub("#", part), {})[name] = part
    groups = {tuple(by_name): []}
    for found in parts.values():
        groups.setdefault(tuple(found), []).append(joined([*found.values()]))
    return "; ".join(("" if len(names) == len(by_name) else f"**{', '.join(names)}:** ") + "; ".join(texts) for names, texts in groups.items() if texts)


def measured(rows, at):
    """The rows with a value at `at`, by report."""
    return {name: row for name, row in rows.items() if row[at] != NONE and not row[at].startswith("not measured")}


def merged(found):
    """One table of `found`, which has the header and the rows of each report by its name: a column for each report.

    If the reports agree where they have a value, it is one column, and another one names the reports."""
    names = list(found)
    head = found[names[0]][0]
    at, ratio, cause = (head.index(name) if name in head else None for name in ("here", "ratio", "cause"))
    rows = {name: {tuple(row[:at]): row for row in found[name][1]} for name in names}
    keys = list(dict.fromkeys(key for name in names for key in rows[name]))
    of_keys = {key: {name: rows[name][key] for name in names if key in rows[name]} for key in keys}
    if cause is None and all(len({row[at] for row in measured(of_key, at).values()}) <= 1 for of_key in of_keys.values()):
        yield [*head[:at], "here", "reports"]
        for key, of_key in of_keys.items():
            having = measured(of_key, at)
            yield [*key, next(iter((having or of_key).values()))[at], "all" if len(having) == len(names) else ", ".join(having) or NONE]
        return
    yield head[:at] + names + (["cause"] if cause else [])
    for key, of_key in of_keys.items():
        cells = [NONE if name not in of_key else of_key[name][at] if ratio is None or of_key[name][ratio] == NONE
                 else f"{of_key[name][at]} ({of_key[name][ratio]})" for name in names]
        having = measured(of_key, at) or of_key
        yield [*key, *cells] + ([causes({name: row[cause] for name, row in having.items()})] if cause else [])


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
