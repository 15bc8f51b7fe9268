"""The tutorial as a notebook, run by a kernel."""

import os
import sys
from pathlib import Path

import nbformat
import pytest
from conftest import BUILD
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from notebook import cells, text_of  # noqa: E402

PAGE = (ROOT / "docs/use/python.md").read_text()
ENVIRONMENT = os.environ | {"PYTHONPATH": str(BUILD / "python")}  # the kernel's


def text(outputs):
    return "".join(output.text if output.output_type == "stream" else output.data["text/plain"] + "\n" for output in outputs)


def test_it_is_that_of_the_page():
    assert (ROOT / "docs/use/python.ipynb").read_text() == text_of(PAGE), "stale: run ./dev docs"


def test_its_cells_give_what_the_page_shows():
    notebook = nbformat.reads(text_of(PAGE), 4)
    nbformat.validate(notebook)
    shown = [want for kind, _, want in cells(PAGE) if kind == "code"]
    NotebookClient(notebook, timeout=120).execute(env=ENVIRONMENT)
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert len(shown) == len(outputs) > 20
    for want, got in zip(shown, outputs):
        assert want is None or text(got) == want
    assert "<td>40</td>" in outputs[len(shown) - 1 - shown[::-1].index(None)][0].data["text/html"]


@pytest.mark.parametrize("cell", ["%%lanewise -c mine\n{}", "mine.sql('{}')"])
def test_progress_is_shown_below_the_cell(cell):
    """The bar disappears when the statement ends."""
    start = f"import lanewise as lw, threading\n%load_ext lanewise\nmine = lw.connect(progress={cell[0] == 'm'})\nthreading.Timer(2.5, mine.cancel).start()"
    long = "SELECT sum(a.i * b.i % 7) FROM range(100000) AS a(i), range(1000000) AS b(i)"
    client = NotebookClient(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in (start, cell.format(long))]), timeout=120, allow_errors=True)
    messages, process = [], client.process_message
    client.process_message = lambda message, *rest: (messages.append(message), process(message, *rest))[1]
    client.execute(env=ENVIRONMENT)
    bars = [message["content"]["data"]["text/html"] for message in messages if message["msg_type"] == "update_display_data"]
    assert any("<progress" in bar for bar in bars) and bars[-1] == ""
    assert client.nb.cells[1].outputs[-1].ename == "Cancelled"
