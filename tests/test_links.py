"""Links between the pages of the repository lead to files and headings that exist."""

import re
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
FOLDERS = (".", "docs", "docs/examples", "benchmarks", "reproduction")
PAGES = sorted(page for folder in FOLDERS for page in (HOME / folder).glob("*.md"))
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")


def prose(page):
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page):
    """The headings of a page, as they are called in addresses."""
    titles = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(HOME)) for page in PAGES])
def test_every_link_leads_somewhere(page):
    for target, anchor in LINK.findall(prose(page)):
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), f"{target}#{anchor}"


def test_the_documentation_names_no_page_that_is_gone():
    named = re.compile(r"docs/[\w/-]+\.md")
    files = [
        *PAGES,
        *(HOME / "src").rglob("*.py"),
        *(HOME / "scripts").glob("*.py"),
        *(HOME / "reproduction").rglob("*.py"),
    ]
    gone = {
        (str(file.relative_to(HOME)), name)
        for file in files
        for name in named.findall(file.read_text(encoding="utf-8"))
        if not (HOME / name).is_file()
    }
    assert not gone
