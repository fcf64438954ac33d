"""The report as one HTML file, by day and by night."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from itertools import groupby

from reproduction.claims import Claim
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

CSS = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #222222; --faint: #6b6b6b; --line: #d9d9d9;
  --grey: #bdbdbd; --soft: #f4f6f8; --ours: #e8f2fa; --ahead: #0b7a4b; --behind: #b3441a; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181b; --ink: #e6e6e6; --faint: #9aa0a6; --line: #3a3f45;
  --grey: #565c63; --soft: #1f2327; --ours: #16303f; --ahead: #4cc38a; --behind: #f0936b; --accent: #6db7e8; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
header, main, nav { max-width: 84rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.5rem; padding-bottom: .75rem; }
nav { position: sticky; top: 0; z-index: 3; background: var(--paper); border-bottom: 1px solid var(--line);
  padding-top: .5rem; padding-bottom: .5rem; overflow-x: auto; white-space: nowrap; }
section { scroll-margin-top: 3rem; }
h1 { margin: 0 0 .5rem; font-size: 2rem; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .5rem; font-size: 1.5rem; }
h3 { margin: 2rem 0 .25rem; font-size: 1.1rem; }
nav a { margin-right: 1.25rem; color: var(--accent); text-decoration: none; }
nav a:hover { text-decoration: underline; }
.facts, .about, figcaption, .note { color: var(--faint); font-size: .875rem; }
.facts { margin-top: .75rem; }
.about { margin: .25rem 0 .75rem; max-width: 60rem; }
.scroll { overflow-x: auto; }
.claims { list-style: none; padding: 0; margin: 1rem 0; display: grid; gap: .6rem; max-width: 70rem; }
.claims li { display: grid; grid-template-columns: 7.5rem 1fr; gap: .9rem; align-items: start; }
.detail { color: var(--faint); font-size: .875rem; }
.badge { font-size: .8rem; font-weight: 600; text-align: center; border: 1px solid currentColor; border-radius: 1rem;
  padding: .1rem .5rem; white-space: nowrap; }
.badge.holds { color: var(--ahead); }
.badge.in-part { color: var(--faint); }
.badge.does-not-hold { color: var(--behind); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem; }
th, td { padding: .35rem .6rem; text-align: right; white-space: nowrap; vertical-align: top; }
thead th { color: var(--faint); font-weight: 600; border-bottom: 2px solid var(--line); }
thead th { vertical-align: bottom; white-space: normal; min-width: 4.2rem; }
tbody th { text-align: left; font-weight: 500; position: sticky; left: 0; background: var(--paper); z-index: 1; }
tr.ours th { background: var(--ours); }
th.note { text-align: left; }
tbody tr { border-bottom: 1px solid var(--line); }
tr.group th { color: var(--faint); font-weight: 600; background: var(--soft); font-size: .8rem; }
tr.ours { background: var(--ours); }
td.wins { font-weight: 700; color: var(--accent); }
td.wins small, td small { font-weight: 400; color: var(--faint); }
td.note, td.word { text-align: left; }
td.note { white-space: normal; }
td.ahead { color: var(--ahead); }
td.behind { color: var(--behind); }
td.level { color: var(--faint); }
.paper { display: block; color: var(--faint); font-size: .75rem; font-weight: 400; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: 1.5rem; }
figure { margin: 1.5rem 0 0; padding: 1rem; border: 1px solid var(--line); border-radius: .5rem; }
figure svg { width: 100%; min-width: 30rem; height: auto; display: block; }
.texts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(34rem, 100%), 1fr)); gap: 0 2rem; }
.texts > div { min-width: 0; }
.texts thead th { text-align: left; }
td.word { white-space: normal; }
@media (max-width: 40rem) {
  body { font-size: 15px; } header, main, nav { padding-left: 1rem; padding-right: 1rem; } h1 { font-size: 1.5rem; }
  .claims li { grid-template-columns: 1fr; gap: .2rem; } .badge { justify-self: start; }
  th, td { padding: .3rem .4rem; } tbody th { white-space: normal; min-width: 6rem; max-width: 9rem; }
  figure { padding: .5rem; }
}
main { padding-bottom: 4rem; }
"""


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
