"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterable

from vbn.evaluation.paper._report._about import About
from vbn.evaluation.paper._report._wording import MARKS, difference_text, paper_text, tally, value_text, verdict_of
from vbn.evaluation.paper._results import DomainResult, Row, Table, Texts, Verdicts

TITLE = "The paper's tables, reproduced"


def markdown(results: tuple[DomainResult, ...], made: About, pictures: str) -> str:
    """The whole report; `pictures` is the folder of the pictures, as seen from the file."""
    parts = [f"# {TITLE}", *(f"{line}  " for line in made.lines())]
    for result in results:
        parts += ["", f"## {result.title}", "", result.text]
        parts += [text for table in result.tables for text in ("", *_table(table))]
        parts += [text for found in result.verdicts for text in ("", *_verdicts(found))]
        parts += [text for found in result.texts for text in ("", *_texts(found))]
        for picture in result.pictures:
            if picture.series:
                parts += ["", f"### {picture.title}", "", picture.text, ""]
                parts += [f"![{picture.title}]({pictures}/{picture.name}.png)"]
        if result.notes:
            parts += ["", "### Notes", "", *(f"- {note}" for note in result.notes)]
    return "\n".join(parts) + "\n"


def _table(table: Table) -> list[str]:
    winners = table.winners()
    notes = any(row.note for row in table.rows)
    lines, group = [], ""
    for number, row in enumerate(table.rows):
        if row.group and row.group != group:
            lines.append(_line([f"*{row.group}*", *[""] * (len(table.columns) + notes)]))
            group = row.group
        cells = [_cell(table, row, column, winners[column] == number) for column in range(len(table.columns))]
        lines.append(_line([f"**{row.name}**" if row.ours else row.name, *cells, *([row.note] if notes else [])]))
    titles = ["", *table.columns, *([""] if notes else [])]
    rule = ["---", *["---:"] * len(table.columns), *(["---"] if notes else [])]
    return [f"### {table.title}", "", *_paragraph(table.text), _line(titles), _line(rule), *lines]


def _cell(table: Table, row: Row, column: int, wins: bool) -> str:
    cell = row.cells[column]
    text, paper = value_text(cell, table.digits), paper_text(cell, table.digits)
    return f"{f'**{text}**' if wins else text}{f' ({paper})' if paper else ''}"


def _verdicts(found: Verdicts) -> list[str]:
    lines = [
        _line([rival, *(f"{MARKS.get(verdict_of(entry), '')} {difference_text(entry)}".strip() for entry in line)])
        for rival, line in zip(found.rivals, found.differences, strict=True)
    ]
    text = f"{found.text} {MARKS['ahead']} ahead, {MARKS['level']} level, {MARKS['behind']} behind: {tally(found)}."
    head = [_line(["", *found.columns]), _line(["---", *["---:"] * len(found.columns)])]
    return [f"### {found.title}", "", *_paragraph(text.strip()), *head, *lines]


def _texts(found: Texts) -> list[str]:
    head = [_line(found.columns), _line(["---"] * len(found.columns))]
    return [f"### {found.title}", "", *_paragraph(found.text), *head, *(_line(row) for row in found.rows)]


def _paragraph(text: str) -> list[str]:
    return [text, ""] if text else []


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
