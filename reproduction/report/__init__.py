"""The report of a reproduction: Markdown with pictures beside it, one HTML file with all inside, and JSON."""

from __future__ import annotations

from reproduction.report.front import evidence_part, readme_part, with_part, write_picture
from reproduction.report.plots import check_drawing
from reproduction.report.wording import About, about
from reproduction.report.writing import (
    read_about,
    read_amounts,
    read_results,
    write_amounts,
    write_report,
)

__all__ = [
    "About",
    "about",
    "check_drawing",
    "evidence_part",
    "read_about",
    "read_amounts",
    "read_results",
    "readme_part",
    "with_part",
    "write_amounts",
    "write_picture",
    "write_report",
]
