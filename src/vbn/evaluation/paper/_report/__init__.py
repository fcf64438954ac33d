"""The report of a reproduction: Markdown with pictures beside it, one HTML file with all inside, and JSON."""

from vbn.evaluation.paper._report._about import About, about
from vbn.evaluation.paper._report._readme import readme_part, with_part
from vbn.evaluation.paper._report._writing import read_about, read_results, write_report

__all__ = ["About", "about", "read_about", "read_results", "readme_part", "with_part", "write_report"]
