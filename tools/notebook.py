"""Writes the tutorial of the Python package, docs/use/python.md, as a notebook next to it. ./dev docs runs this."""

import doctest
import json
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "docs/use"
BLOCK = re.compile(r"^```(pycon|ipython)\n(.*?)^```\n", re.M | re.S)


def cells(page):
    """(kind, text, output) of each cell. A cell of code ends where the page shows an output; other blocks stay text."""
    place = 0
    for block in BLOCK.finditer(page):
        yield "markdown", page[place : block.start()], None
        place = block.end()
        if block[1] == "ipython":
            yield "code", block[2], None
            continue
        code = ""
        for example in doctest.DocTestParser().get_examples(block[2]):
            code += example.source
            if example.want:
                yield "code", code, example.want
                code = ""
        if code:
            yield "code", code, ""
    yield "markdown", page[place:], None


def notebook(page):
    made = []
    for kind, text, _ in cells(page):
        if text.strip():
            cell = {"cell_type": kind, "id": f"cell-{len(made)}", "metadata": {}, "source": text.strip().splitlines(keepends=True)}
            made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


def text_of(page):
    return json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    (FOLDER / "python.ipynb").write_text(text_of((FOLDER / "python.md").read_text()))
