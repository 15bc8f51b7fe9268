"""Draws the bar charts of docs/plots/claims.json, and writes its tables into docs/understand/performance.md.

usage: charts.py [FOLDER]   FOLDER is a copy of docs/; default: docs/ itself
"""

import json
import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TITLES = {
    "rivals": "Lanewise compared with other programs",
    "sql": "SQL on one core, columns in memory",
    "text": "Patterns on one core, grep on two",
    "index": "Ordered indexes on one core",
    "gpu": "One NVIDIA H200, data in its memory",
}
WIDTH, LEFT, RIGHT = 860, 250, 130
STYLE = """text { font: 13px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #24292f }
.title { font-size: 16px; font-weight: 600 }
.claim { font-weight: 600 }
.note { font-size: 11px; fill: #59636e }
.panel { fill: #fff }
.ours { fill: #0a7d6c }
.rival { fill: #a8b1bb }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.note { fill: #9198a1 }
.panel { fill: #161b22 }
.ours { fill: #2fbfa7 }
.rival { fill: #6e7681 }
}"""


def bars(claim):
    """Name, value and speed of each bar; ours first."""
    values = {"Lanewise": claim["ours"], **claim["rivals"]}
    return [(name, value, value if claim["unit"] == "GB/s" else 1 / value) for name, value in values.items()]


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def svg(title, claims, machines):
    """Bars of one claim share a scale: the fastest fills the width."""
    y, body = 54, []

    def text(x, y, what, kind="", anchor="start"):
        body.append(f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(what)}</text>')

    for claim in claims:
        y += 24
        text(16, y, claim["claim"], "claim")
        text(WIDTH - 16, y, f"{claim['data']}; {machines[claim['machine']].split(' (')[0].split(' with')[0]}", "note", "end")
        fastest = max(speed for _, _, speed in bars(claim))
        y -= 12
        for name, value, speed in bars(claim):
            y += 20
            width = max(2, (WIDTH - LEFT - RIGHT) * speed / fastest)
            text(LEFT - 8, y + 12, name, anchor="end")
            body.append(f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="15" class="{"ours" if name == "Lanewise" else "rival"}"/>')
            text(round(LEFT + width + 6), y + 12, f"{number(value)} {claim['unit']}")
        y += 24
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}" role="img" '
            f'aria-label="{escape(title)}">', f"<style>\n{STYLE}\n</style>", '<rect width="100%" height="100%" class="panel"/>',
            f'<text x="16" y="28" class="title">{escape(title)}</text>',
            '<text x="16" y="48" class="note">Longer bars are faster; each group has its own scale.</text>']
    return "\n".join([*head, *body, "</svg>"]) + "\n"


def table(claims):
    """One row for each rival, then how and when it was measured."""
    lines = ["| work | data | Lanewise | compared with | ratio |", "| --- | --- | ---: | --- | ---: |"]
    for claim in claims:
        ours = bars(claim)[0][2]
        for name, value, speed in bars(claim)[1:]:
            lines.append(f"| {claim['claim']} | {claim['data']} | {number(claim['ours'])} {claim['unit']} | {name}: {number(value)} {claim['unit']} | "
                         f"{number(float(f'{ours / speed:.2g}'))} × |")
    measured = sorted({f"`{claim['command']}` on {claim['date']}" for claim in claims})
    return "\n".join(lines) + f"\n\nMeasured by {', '.join(measured)}.\n"


def write(docs):
    held = json.loads((docs / "plots" / "claims.json").read_text())
    page = docs / "understand" / "performance.md"
    text = page.read_text()
    for chart, title in TITLES.items():
        claims = [claim for claim in held["claims"] if chart in claim["chart"]]
        (docs / "plots" / f"{chart}.svg").write_text(svg(title, claims, held["machines"]))
        text = re.sub(f"(<!-- {chart} -->\n).*?(<!-- end -->)", lambda m: m[1] + table(claims) + m[2], text, flags=re.S)
    page.write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
