"""The report as Markdown, and the part of it that stands in the README."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reproduction.opening import Opening, opening
from reproduction.report.wording import (
    MARKS,
    SUMMARY,
    TITLE,
    About,
    commits,
    difference_text,
    paper_text,
    times,
    value_text,
    verdict_of,
    verdict_text,
)
from reproduction.results import DomainResult, Picture, Row, Table, Texts, Verdicts
from vbn._errors import DataError


def markdown(first: Opening, results: tuple[DomainResult, ...], made: About, pictures: str) -> str:
    """The whole report; `pictures` is the folder of the pictures, as seen from the file."""
    parts = [f"# {TITLE}", "", *(f"- {line}" for line in (*made.lines(), *times(results)))]
    parts += ["", f"## {SUMMARY}", ""]
    for claim in first.claims:
        parts += [f"- **{claim.verdict}**: {claim.what}. {claim.found}", *(f"    - {line}" for line in claim.details)]
    parts += [text for table in first.tables for text in ("", *table_lines(table))]
    parts += [text for picture in first.pictures for text in _picture(picture, pictures)]
    return "\n".join([*parts, *sections(results, pictures)]) + "\n"


def sections(results: tuple[DomainResult, ...], pictures: str) -> list[str]:
    """The lines of the results, a section each."""
    parts: list[str] = []
    for result in results:
        parts += ["", f"## {result.title}", "", result.text]
        parts += [text for table in result.tables for text in ("", *table_lines(table))]
        parts += [text for found in result.verdicts for text in ("", *_verdicts(found))]
        parts += [text for picture in result.pictures if picture.series for text in _picture(picture, pictures)]
        parts += [text for found in result.texts for text in ("", *_texts(found))]
        if result.notes:
            parts += ["", "### Notes", "", *(f"- {note}" for note in result.notes)]
    return parts


def table_lines(table: Table, *, heading: bool = True) -> list[str]:
    """A table, with its title and its text unless only its lines are wanted."""
    winners = table.winners()
    notes = any(row.note for row in table.rows)
    lines, group = [], ""
    for number, row in enumerate(table.rows):
        if row.group and row.group != group:
            lines.append(_line([f"*{row.group}*", *[""] * (len(table.columns) + notes)]))
            group = row.group
        cells = [_cell(table, row, column, number in winners[column]) for column in range(len(table.columns))]
        lines.append(_line([f"**{row.name}**" if row.ours else row.name, *cells, *([row.note] if notes else [])]))
    titles = ["", *table.columns, *([""] if notes else [])]
    rule = ["---", *["---:"] * len(table.columns), *(["---"] if notes else [])]
    above = [f"### {table.title}", "", *_paragraph(table.text)] if heading else []
    return [*above, _line(titles), _line(rule), *lines]


def _cell(table: Table, row: Row, column: int, wins: bool) -> str:
    cell = row.cells[column]
    text, paper = value_text(cell, table.digits), paper_text(cell, table.digits)
    return f"{f'**{text}**' if wins else text}{f' ({paper})' if paper else ''}"


def _verdicts(found: Verdicts) -> list[str]:
    lines = []
    for number, (rival, line) in enumerate(zip(found.rivals, found.differences, strict=True)):
        cells = [f"{MARKS.get(verdict_of(entry), '')} {difference_text(entry)}".strip() for entry in line]
        lines.append(_line([rival, *cells, *(found.remarks[number] if found.remarks else ())]))
    rule = ["---", *["---:"] * len(found.columns), *["---"] * len(found.about)]
    head = [_line(["", *found.columns, *found.about]), _line(rule)]
    return [f"### {found.title}", "", *_paragraph(verdict_text(found)), *head, *lines]


def _texts(found: Texts) -> list[str]:
    head = [_line(found.columns), _line(["---"] * len(found.columns))]
    return [f"### {found.title}", "", *_paragraph(found.text), *head, *(_line(row) for row in found.rows)]


def _picture(picture: Picture, folder: str) -> list[str]:
    shown = f"![{picture.title}]({folder}/{picture.name}.png)"
    return ["", f"### {picture.title}", "", picture.text, "", shown]


def _paragraph(text: str) -> list[str]:
    return [text, ""] if text else []


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


def readme_part(results: tuple[DomainResult, ...], made: About, folder: str) -> str:
    """What stands between the marks; `folder` is that of the report, as seen from the README."""
    first = opening(results)
    parts = [
        "## Results",
        "",
        f"`make reproduce` on public data ([protocol](docs/protocol.md), [whole report]({folder}/report.md)). "
        f"{commits(results, made.commit)}, {made.machine}.{_seeds(results)}",
    ]
    for table in (table for table in first.tables if table.role in ("inference", "similarity")):
        parts += ["", f"**{table.title}.** {_caption(table)}", "", *table_lines(_plain(table), heading=False)]
    for picture in first.pictures:
        parts += ["", f"![{picture.title}]({folder}/pictures/{picture.name}.png)", "", picture.text]
    parts += ["", "What should hold, and what came out:", ""]
    parts += [f"- {claim.what}: **{claim.verdict}**. {claim.found}" for claim in first.claims]
    return "\n".join(parts)


def _seeds(results: tuple[DomainResult, ...]) -> str:
    """Over how many seeds figures are, in words; empty where the report does not say."""
    found = sorted({int(result.facts["seeds"]) for result in results if "seeds" in result.facts})
    return f" Seeds: {', '.join(map(str, found))}." if found else ""


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
