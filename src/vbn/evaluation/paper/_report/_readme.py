"""The part of the README that a report fills in: the two key tables and the long tail, between two marks."""

from __future__ import annotations

from dataclasses import replace

from vbn._errors import DataError
from vbn.evaluation.paper._opening import opening
from vbn.evaluation.paper._report._about import About
from vbn.evaluation.paper._report._markdown import table_lines
from vbn.evaluation.paper._report._wording import commits
from vbn.evaluation.paper._results import DomainResult, Table

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def readme_part(results: tuple[DomainResult, ...], made: About, folder: str) -> str:
    """What stands between the marks; `folder` is that of the report, as seen from the README."""
    first = opening(results)
    parts = [
        "## Results",
        "",
        f"`vbn reproduce all` on public data ([protocol](docs/protocol.md), [whole report]({folder}/report.md)). "
        f"{commits(results, made.commit)}, {made.machine}.",
    ]
    for table in (table for table in first.tables if table.role in ("inference", "similarity")):
        parts += ["", f"**{table.title}.** {_caption(table)}", "", *table_lines(_plain(table), heading=False)]
    for picture in first.pictures:
        parts += ["", f"![{picture.title}]({folder}/pictures/{picture.name}.png)", "", picture.text]
    parts += ["", "What should hold, and what came out:", ""]
    parts += [f"- {claim.what}: **{claim.verdict}**. {claim.found}" for claim in first.claims]
    return "\n".join(parts)


def _caption(table: Table) -> str:
    kinds = {
        "inference": "Hidden items, diagnoses and words, ranked among the whole catalogue: HR@10% and MPR, over all "
        "targets and over the rarest fifth.",
        "similarity": "Spearman's correlation with human judgements, times 100.",
    }
    return f"{kinds[table.role]} In brackets the paper's number, on its own data; bold is best."


def _plain(table: Table) -> Table:
    """Without the spreads, which the report has."""
    rows = tuple(replace(row, cells=tuple(replace(cell, spread=None) for cell in row.cells)) for row in table.rows)
    return replace(table, rows=rows)


def with_part(text: str, part: str) -> str:
    r"""A README with the part between its marks replaced.

    Examples
    --------
    >>> with_part(f"a {BEGIN} old {END} b", "new") == f"a {BEGIN}\nnew\n{END} b"
    True
    """
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise DataError(f"the README has no {BEGIN} with {END} after it.")
    return f"{head}{BEGIN}\n{part}\n{END}{tail}"
