"""What is published of a report: docs/results and the README, both made from report.json and nothing else."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from reproduction.report import (
    About,
    about,
    evidence_part,
    read_about,
    read_results,
    readme_part,
    with_part,
    write_report,
)
from reproduction.report.front import BEGIN, END, front_table, write_picture
from reproduction.tests.test_opening import domain, words
from vbn import DataError

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "results" / "report.json"


def test_a_report_goes_into_the_documentation_and_the_readme(tmp_path):
    made = About("2026-01-02", "abc", "a machine", {"vbn": "0"})
    write_report((domain(), words()), tmp_path / "report", made)
    (tmp_path / "README.md").write_text(f"above\n{BEGIN}\nwritten before\n{END}\nbelow\n", encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "evidence.md").write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    main = runpy.run_path(str(ROOT / "scripts" / "results.py"))["main"]
    folder = main(tmp_path / "report", tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert text.startswith("above\n")
    assert text.endswith(f"{END}\nbelow\n")
    assert "written before" not in text
    assert "|  | Movies |" in text
    assert "| **VBN** | **40.0** / 25.0 / **70.0** |" in text
    assert "| SG | 30.0 / **26.0** / \u2013 |" in text
    assert "paper" not in text.partition(BEGIN)[2]
    assert "(docs/results/report.md)" in text
    assert "Commit abc, a machine." in (folder.parent / "evidence.md").read_text(encoding="utf-8")
    claims = (tmp_path / "docs" / "evidence.md").read_text(encoding="utf-8")
    assert "- **holds**: " in claims
    assert "| BSG | 30.0 | 30.0 |" in claims
    assert (folder / "pictures" / "long-tail.png").is_file()
    assert read_results(folder / "report.json") == (domain(), words())
    assert json.loads((folder / "report.json").read_text())["about"]["commit"] == "abc"


def test_the_table_of_the_readme_has_each_rival_that_leads_the_others_somewhere():
    table = front_table((domain(),))
    assert [row.name for row in table.rows] == ["VBN", "SG", "CMF"]
    assert [[cell.value for cell in row.cells] for row in table.rows[1:]] == [[30.0, 26.0, None], [None, None, 60.0]]


def test_the_picture_needs_the_long_tail_and_the_dial_of_movies(tmp_path):
    assert not write_picture((domain(),), tmp_path / "long-tail.png")
    tail = domain().pictures[0]
    dial = replace(tail, name="movies-pareto-hr", role="")
    assert write_picture((replace(domain(), pictures=(tail, dial)),), tmp_path / "new" / "long-tail.png")
    assert (tmp_path / "new" / "long-tail.png").read_bytes().startswith(b"\x89PNG")


def test_a_readme_without_the_marks_is_refused():
    with pytest.raises(DataError, match="results: begin"):
        with_part("# vbn", "part")
    with pytest.raises(DataError, match="results: end"):
        with_part(BEGIN, "part")


def test_the_readme_has_a_place_for_the_results():
    assert "a part" in with_part((ROOT / "README.md").read_text(encoding="utf-8"), "a part")


@pytest.mark.skipif(not PUBLISHED.is_file(), reason="no report has been published yet")
def test_the_readme_shows_what_the_published_report_says():
    part = readme_part(read_results(PUBLISHED), "docs/results")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_part(readme, part) == readme
    evidence = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    assert with_part(evidence, evidence_part(read_results(PUBLISHED), read_about(PUBLISHED))) == evidence
    assert "docs/images/long-tail.png" in readme
    assert len(readme.split()) <= 1200


def test_a_folder_without_a_report_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"report\.json"):
        read_about(tmp_path / "report.json")
    assert about().versions["vbn"]
