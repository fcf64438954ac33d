"""Make the notebooks of docs/examples from the pages beside them: python scripts/notebooks.py [--pictures].

A page is the source: prose becomes Markdown cells, a block of doctests a cell of code without prompts and results. The
notebooks have no outputs. With --pictures they are run, and what they draw is kept for the pages, as
docs/images/example-NAME-N.png.
"""

from __future__ import annotations

import argparse
import base64
import doctest
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[1]
PAGES = sorted((HOME / "docs" / "examples").glob("*.md"))
IMAGES = HOME / "docs" / "images"
_CODE = re.compile(r"^```python\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_LEFT_OUT = re.compile(r"!\[[^]]*\]\(\.\./images/example-.*\)\n|<!--.*?-->\n|\[This page as a notebook\]\(.*?\)\.")
_DIRECTIVE = re.compile(r"\s+# doctest: .*$", re.MULTILINE)


def notebook(page: Path) -> dict[str, Any]:
    """Return the notebook of a page, in nbformat 4.5."""
    cells = []
    for number, part in enumerate(_CODE.split(page.read_text(encoding="utf-8"))):
        kind = "code" if number % 2 else "markdown"
        sources = code(part) if number % 2 else [_LEFT_OUT.sub("", part).strip()]
        cells += [(kind, source) for source in sources if source]
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    made = [cell(kind, source, number) for number, (kind, source) in enumerate(cells)]
    return {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def code(block: str) -> list[str]:
    """Return the statements of a block of doctests, a cell up to each that shows something."""
    sources = [""]
    for example in doctest.DocTestParser().get_examples(block):
        sources[-1] += _DIRECTIVE.sub("", example.source)
        if example.want:
            sources.append("")
    return [source.strip() for source in sources]


def cell(kind: str, source: str, number: int) -> dict[str, Any]:
    """Return a cell; its id is its number, so that the same page gives the same file."""
    made: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    return made | {"source": source.splitlines(keepends=True)}


def text_of(page: Path) -> str:
    """Return the file of a page's notebook."""
    return json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"


def run(page: Path, folder: Path) -> list[dict[str, Any]]:
    """Run the notebook of a page in a folder, and return its cells with their outputs."""
    import nbformat
    from nbclient import NotebookClient

    inline = {
        "MPLBACKEND": "module://matplotlib_inline.backend_inline"
    }  # pictures are outputs, whatever is set outside
    made = nbformat.reads(text_of(page), as_version=4)
    client = NotebookClient(made, timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, **inline})
    return list(made.cells)


def pictures(cells: list[dict[str, Any]]) -> list[bytes]:
    """Return the pictures among the outputs of cells."""
    shown = [output.get("data", {}) for one in cells for output in one.get("outputs", [])]
    return [base64.b64decode(data["image/png"]) for data in shown if "image/png" in data]


def main(draw: bool) -> None:
    """Write the notebooks and, if asked, the pictures."""
    for page in PAGES:
        page.with_suffix(".ipynb").write_text(text_of(page), encoding="utf-8")
        if draw:
            with tempfile.TemporaryDirectory() as folder:
                for number, png in enumerate(pictures(run(page, Path(folder))), start=1):
                    (IMAGES / f"example-{page.stem}-{number}.png").write_bytes(png)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the notebooks of docs/examples.")
    parser.add_argument("--pictures", action="store_true", help="Run them, and keep what they draw for the pages.")
    main(parser.parse_args().pictures)
