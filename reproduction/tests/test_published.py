"""What is published of a report: docs/results and the README, both made from report.json and nothing else."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from reproduction.report import About, about, read_about, read_results, readme_part, with_part, write_report
from reproduction.report.markdown import BEGIN, END
from reproduction.tests.test_opening import domain, words
from vbn import DataError

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "results" / "report.json"


def test_a_report_goes_into_the_documentation_and_the_readme(tmp_path):
    made = About("2026-01-02", "abc", "a machine", {"vbn": "0"})
    write_report((domain(), words()), tmp_path / "report", made)
    (tmp_path / "README.md").write_text(f"above\n{BEGIN}\nwritten before\n{END}\nbelow\n", encoding="utf-8")
    main = runpy.run_path(str(ROOT / "scripts" / "results.py"))["main"]
    folder = main(tmp_path / "report", tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert text.startswith("above\n")
    assert text.endswith(f"{END}\nbelow\n")
    assert "written before" not in text
    assert "| **VBN** | **40.0** (paper 39.4) | 25.0 (paper 25.1) |" in text
    assert "Commit abc, a machine." in text
    assert "docs/results/pictures/long-tail.png" in text
    assert (folder / "pictures" / "long-tail.png").is_file()
    assert read_results(folder / "report.json") == (domain(), words())
    assert json.loads((folder / "report.json").read_text())["about"]["commit"] == "abc"


def test_a_readme_without_the_marks_is_refused():
    with pytest.raises(DataError, match="results: begin"):
        with_part("# vbn", "part")
    with pytest.raises(DataError, match="results: end"):
        with_part(BEGIN, "part")


def test_the_readme_has_a_place_for_the_results():
    assert "a part" in with_part((ROOT / "README.md").read_text(encoding="utf-8"), "a part")


@pytest.mark.skipif(not PUBLISHED.is_file(), reason="no report has been published yet")
def test_the_readme_shows_what_the_published_report_says():
    part = readme_part(read_results(PUBLISHED), read_about(PUBLISHED), "docs/results")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_part(readme, part) == readme


def test_a_folder_without_a_report_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"report\.json"):
        read_about(tmp_path / "report.json")
    assert about().versions["vbn"]
