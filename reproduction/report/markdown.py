"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from reproduction.opening import Opening
from reproduction.report.wording import (
    MARKS,
    SUMMARY,
    TITLE,
    About,
    difference_text,
    paper_text,
    times,
    value_text,
    verdict_of,
    verdict_text,
)
from reproduction.results import DomainResult, Picture, Row, Table, Texts, Verdicts


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
