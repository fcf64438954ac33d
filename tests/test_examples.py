"""The notebooks of docs/examples are those of the pages beside them, and run from their first cell to their last."""

import re

import pytest
from scripts.notebooks import PAGES, notebook, pictures, run, text_of

NAMES = [page.stem for page in PAGES]


def test_there_are_four_examples():
    assert NAMES == ["patients", "rare-diseases", "shops", "words"]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_notebook_has_the_text_and_the_code_of_its_page(page):
    made = page.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert made == text_of(page), "run python scripts/notebooks.py"
    code = ["".join(cell["source"]) for cell in notebook(page)["cells"] if cell["cell_type"] == "code"]
    assert len(code) >= 5
    assert not any(">>>" in source or "doctest" in source for source in code)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_notebook_runs_and_draws_the_pictures_of_its_page(page, tmp_path):
    pytest.importorskip("ipykernel")
    pytest.importorskip("nbclient")
    for package in re.findall(r"<!-- needs: (\w+) -->", page.read_text(encoding="utf-8")):
        pytest.importorskip(package)
    drawn = pictures(run(page, tmp_path))
    assert len(drawn) == len(re.findall(r"\.\./images/example-", page.read_text(encoding="utf-8"))) > 0
