"""The report as one HTML file that needs nothing else: styles and pictures are inside."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from itertools import groupby

from vbn.evaluation.paper._opening import Opening
from vbn.evaluation.paper._report._about import About
from vbn.evaluation.paper._report._css import CSS
from vbn.evaluation.paper._report._wording import (
    MARKS,
    SUMMARY,
    TITLE,
    difference_text,
    paper_text,
    times,
    value_text,
    verdict_of,
    verdict_text,
)
from vbn.evaluation.paper._results import DomainResult, Picture, Row, Table, Texts, Verdicts
from vbn.evaluation.paper._summary import Claim

Draw = Callable[[Picture], str]


def html(first: Opening, results: tuple[DomainResult, ...], made: About, draw: Draw) -> str:
    """The whole report; `draw` makes the svg of a picture."""
    links = [("shows", SUMMARY), *((result.name, result.title) for result in results)]
    nav = "".join(f'<a href="#{escape(name)}">{escape(title)}</a>' for name, title in links)
    facts = "".join(f"<div>{escape(line)}</div>" for line in (*made.lines(), *times(results)))
    body = _opening(first, draw) + "".join(_domain(result, draw) for result in results)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(TITLE)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f"<header><h1>{escape(TITLE)}</h1><div class=facts>{facts}</div></header><nav>{nav}</nav>\n"
        f"<main>{body}</main>\n</body>\n</html>\n"
    )


def _opening(first: Opening, draw: Draw) -> str:
    claims = "".join(_claim(claim) for claim in first.claims)
    return (
        f'\n<section id="shows"><h2>{escape(SUMMARY)}</h2>'
        + (f"<ul class=claims>{claims}</ul>" if claims else "")
        + "".join(_table(table) for table in first.tables)
        + "".join(_picture(picture, draw) for picture in first.pictures)
        + "</section>"
    )


def _claim(claim: Claim) -> str:
    kind = claim.verdict.replace(" ", "-")
    details = "".join(f"<div class=detail>{escape(line)}</div>" for line in claim.details)
    return (
        f"<li><span class='badge {kind}'>{escape(claim.verdict)}</span>"
        f"<div><b>{escape(claim.what)}.</b> {escape(claim.found)}{details}</div></li>"
    )


def _domain(result: DomainResult, draw: Draw) -> str:
    pictures = [picture for picture in result.pictures if picture.series]
    wide = "".join(_picture(picture, draw) for picture in pictures if picture.kind == "panels")
    others = "".join(_picture(picture, draw) for picture in pictures if picture.kind != "panels")
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    return (
        f'\n<section id="{escape(result.name)}"><h2>{escape(result.title)}</h2><p>{escape(result.text)}</p>'
        + "".join(_table(table) for table in result.tables)
        + "".join(_verdicts(found) for found in result.verdicts)
        + wide
        + (f"<div class=pictures>{others}</div>" if others else "")
        + (f"<div class=texts>{''.join(_texts(found) for found in result.texts)}</div>" if result.texts else "")
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


def _row(table: Table, row: Row, number: int, winners: tuple[frozenset[int], ...], notes: bool) -> str:
    cells = []
    for column, cell in enumerate(row.cells):
        paper = paper_text(cell, table.digits)
        text = value_text(cell, table.digits).replace(" ± ", " <small>± ", 1)
        text += "</small>" if "<small>" in text else ""
        below = f"<span class=paper>{escape(paper)}</span>" if paper else ""
        cells.append(f"<td{' class=wins' if number in winners[column] else ''}>{text}{below}</td>")
    note = f"<td class=note>{escape(row.note)}</td>" if notes else ""
    return f"<tr{' class=ours' if row.ours else ''}><th>{escape(row.name)}</th>{''.join(cells)}{note}</tr>"


def _verdicts(found: Verdicts) -> str:
    lines = []
    for number, (rival, line) in enumerate(zip(found.rivals, found.differences, strict=True)):
        cells = "".join(
            f'<td class="{verdict_of(entry)}">{MARKS.get(verdict_of(entry), "")} {escape(difference_text(entry))}</td>'
            for entry in line
        )
        remarks = found.remarks[number] if found.remarks else ()
        cells += "".join(f'<td class="note {_kind(remark)}">{escape(remark)}</td>' for remark in remarks)
        lines.append(f"<tr><th>{escape(rival)}</th>{cells}</tr>")
    head = "".join(f"<th>{escape(title)}</th>" for title in found.columns)
    head += "".join(f"<th class=note>{escape(title)}</th>" for title in found.about)
    return _framed(found.title, verdict_text(found), f"<tr><th></th>{head}</tr>", "".join(lines))


def _kind(remark: str) -> str:
    return {"dominated": "ahead", "level or better": "level", "not dominated": "behind"}.get(remark, "")


def _texts(found: Texts) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in found.columns)
    rows = ("".join(f"<td class=word>{escape(text)}</td>" for text in row) for row in found.rows)
    return (
        f"<div>{_framed(found.title, found.text, f'<tr>{head}</tr>', ''.join(f'<tr>{row}</tr>' for row in rows))}</div>"
    )


def _framed(title: str, text: str, head: str, body: str) -> str:
    shown = f"<p class=about>{escape(text)}</p>" if text else ""
    table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f"<h3>{escape(title)}</h3>{shown}<div class=scroll tabindex=0>{table}</div>"


def _picture(picture: Picture, draw: Draw) -> str:
    caption = f"<figcaption><b>{escape(picture.title)}.</b> {escape(picture.text)}</figcaption>"
    return f"<figure><div class=scroll tabindex=0>{draw(picture)}</div>{caption}</figure>"
