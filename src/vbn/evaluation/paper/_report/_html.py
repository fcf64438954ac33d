"""The report as one HTML file that needs nothing else: styles and pictures are inside."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from itertools import groupby

from vbn.evaluation.paper._report._about import About
from vbn.evaluation.paper._report._css import CSS
from vbn.evaluation.paper._report._markdown import TITLE
from vbn.evaluation.paper._report._wording import MARKS, difference_text, paper_text, tally, value_text, verdict_of
from vbn.evaluation.paper._results import DomainResult, Picture, Row, Table, Texts, Verdicts


def html(results: tuple[DomainResult, ...], made: About, draw: Callable[[Picture], str]) -> str:
    """The whole report; `draw` makes the svg of a picture."""
    links = "".join(f'<a href="#{escape(result.name)}">{escape(result.title)}</a>' for result in results)
    facts = "".join(f"<div>{escape(line)}</div>" for line in made.lines())
    body = "".join(_domain(result, draw) for result in results)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(TITLE)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape(TITLE)}</h1><nav>{links}</nav><div class=facts>{facts}</div></header>\n"
        f"<main>{body}</main>\n</body>\n</html>\n"
    )


def _domain(result: DomainResult, draw: Callable[[Picture], str]) -> str:
    pictures = "".join(_picture(picture, draw) for picture in result.pictures if picture.series)
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    return (
        f'\n<section id="{escape(result.name)}"><h2>{escape(result.title)}</h2><p>{escape(result.text)}</p>'
        + "".join(_table(table) for table in result.tables)
        + "".join(_verdicts(found) for found in result.verdicts)
        + "".join(_texts(found) for found in result.texts)
        + (f"<div class=pictures>{pictures}</div>" if pictures else "")
        + (f"<h3>Notes</h3><ul>{notes}</ul>" if notes else "")
        + "</section>"
    )


def _table(table: Table) -> str:
    winners = table.winners()
    notes = any(row.note for row in table.rows)
    width = len(table.columns) + 1 + notes
    body = []
    for group, members in groupby(enumerate(table.rows), key=lambda entry: entry[1].group):
        if group:
            body.append(f'<tr class=group><th colspan="{width}">{escape(group)}</th></tr>')
        body += [_row(table, row, number, winners, notes) for number, row in members]
    head = "".join(f"<th>{escape(title)}</th>" for title in table.columns) + ("<th></th>" if notes else "")
    return _framed(table.title, table.text, f"<tr><th></th>{head}</tr>", "".join(body))


def _row(table: Table, row: Row, number: int, winners: tuple[int | None, ...], notes: bool) -> str:
    cells = []
    for column, cell in enumerate(row.cells):
        paper = paper_text(cell, table.digits)
        text = value_text(cell, table.digits).replace(" ± ", " <small>± ", 1)
        text += "</small>" if "<small>" in text else ""
        below = f"<span class=paper>{escape(paper)}</span>" if paper else ""
        cells.append(f"<td{' class=wins' if winners[column] == number else ''}>{text}{below}</td>")
    note = f"<td class=note>{escape(row.note)}</td>" if notes else ""
    return f"<tr{' class=ours' if row.ours else ''}><th>{escape(row.name)}</th>{''.join(cells)}{note}</tr>"


def _verdicts(found: Verdicts) -> str:
    lines = []
    for rival, line in zip(found.rivals, found.differences, strict=True):
        cells = "".join(
            f'<td class="{verdict_of(entry)}">{MARKS.get(verdict_of(entry), "")} {escape(difference_text(entry))}</td>'
            for entry in line
        )
        lines.append(f"<tr><th>{escape(rival)}</th>{cells}</tr>")
    head = "".join(f"<th>{escape(title)}</th>" for title in found.columns)
    text = f"{found.text} {MARKS['ahead']} ahead, {MARKS['level']} level, {MARKS['behind']} behind: {tally(found)}."
    return _framed(found.title, text, f"<tr><th></th>{head}</tr>", "".join(lines))


def _texts(found: Texts) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in found.columns)
    rows = ("".join(f"<td class=word>{escape(text)}</td>" for text in row) for row in found.rows)
    return _framed(found.title, found.text, f"<tr>{head}</tr>", "".join(f"<tr>{row}</tr>" for row in rows))


def _framed(title: str, text: str, head: str, body: str) -> str:
    shown = f"<p class=about>{escape(text)}</p>" if text else ""
    table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f"<h3>{escape(title)}</h3>{shown}<div class=scroll>{table}</div>"


def _picture(picture: Picture, draw: Callable[[Picture], str]) -> str:
    caption = f"<figcaption><b>{escape(picture.title)}</b> {escape(picture.text)}</figcaption>"
    return f"<figure>{draw(picture)}{caption}</figure>"
