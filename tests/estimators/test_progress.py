"""How a fit tells of itself."""

import sys
import types
import warnings

import pytest

from vbn.estimators import duration
from vbn.estimators.progress import NotebookLine


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "0 s"),
        (99, "99 s"),
        (99.6, "2 min"),
        (3_569, "59 min"),
        (3_599, "1 h 0 min"),
        (3_967, "1 h 6 min"),
        (86_399, "1 d 0 h"),
        (183_600, "2 d 3 h"),
    ],
)
def test_time_left_as_one_would_say_it(seconds, said):
    assert duration(seconds) == said


CELL = """import vbn
model = vbn.VBN(dim=2, epochs=3).fit(vbn.Dataset.from_baskets([["a", "b"], ["b", "c"]] * 5))
print("done")"""


def test_a_progress_bar_leaves_nothing_behind_in_a_notebook():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    nbconvert = pytest.importorskip("nbconvert")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the notebook's own packages
        client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
        seen = []
        client.on_cell_executed = lambda **_: seen.append(True)
        client.execute()
        made, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(notebook)
    assert seen
    outputs = notebook.cells[0].outputs
    assert [one.text for one in outputs if one.output_type == "stream"] == ["done\n"]
    for one in outputs:
        if one.output_type == "display_data":
            assert not any(one.data.values())
    assert "epoch" not in made.replace("epochs", "")
    assert "<progress" not in made


class Cell:
    """What a notebook would show below its cell."""

    def __init__(self):
        self.shown = []

    def display(self, made, **_):
        self.shown.append(made)
        return self

    def update(self, made, **_):
        self.shown.append(made)


def test_a_notebook_sees_a_bar_grow_and_go(monkeypatch):
    cell = Cell()
    display = types.SimpleNamespace(display=cell.display)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    line = NotebookLine()
    line.clear()
    assert cell.shown == []  # nothing was there to remove
    line.show("epoch 1/2 <fast>", 0.5)
    line.clear()
    assert 'value="0.5000"' in cell.shown[0]["text/html"]
    assert "&lt;fast&gt;" in cell.shown[0]["text/html"]
    assert cell.shown[-1] == {"text/plain": "", "text/html": ""}
