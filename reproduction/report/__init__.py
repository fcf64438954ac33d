"""The report of a reproduction: Markdown with pictures beside it, one HTML file with all inside, and JSON."""

from __future__ import annotations

from reproduction.report.markdown import readme_part, with_part
from reproduction.report.wording import About, about
from reproduction.report.writing import read_about, read_results, write_report

__all__ = ["About", "about", "read_about", "read_results", "readme_part", "with_part", "write_report"]
