"""What the README and docs/evidence.md show of a report: a small table, a picture, the claims."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction.models import NO_PARAMETER
from reproduction.opening import of_role, opening
from reproduction.report.markdown import table_lines
from reproduction.report.plots import FAINT, GREY, INK, LINE, OTHERS, OURS, check_drawing
from reproduction.report.wording import About, commits
from reproduction.results import Cell, DomainResult, Picture, Row, Series, Table
from vbn._errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
OWN = ("VBN", NO_PARAMETER)
FIGURES = {"all": "HR@10% full", "rare": "HR@10% rare", "new": "MPR among cold"}
_NAMED = dict(zip(("LightFM", "BPR", "ALS", "EASE"), OTHERS, strict=False))
_BEST_RIVALS = 4  # in word similarity
_DOMAIN = "movies"  # the one that the picture shows


def readme_part(results: tuple[DomainResult, ...], folder: str) -> str:
    """Return what stands between the marks; `folder` is that of the report, as seen from the README."""
    table = front_table(results)
    text = f"{table.text} Intervals, seeds, machine, commits, all rivals: [the report]({folder}/report.md)."
    return "\n".join([*_triples(table), "", text])


def _triples(table: Table) -> list[str]:
    """Return the lines of the table with the figures of a domain in one cell, the best of each in bold."""
    lines = table_lines(table, heading=False)[2:]
    domains = list(dict.fromkeys(title.rpartition(",")[0] for title in table.columns))
    made = [["", *domains], ["---", *["---:"] * len(domains)]]
    for line in lines:
        name, *figures = (part.strip() for part in line.strip("|").split("|"))
        made.append(
            [name, *(" / ".join(figures[at : at + len(FIGURES)]) for at in range(0, len(figures), len(FIGURES)))]
        )
    return ["| " + " | ".join(cells) + " |" for cells in made]


def evidence_part(results: tuple[DomainResult, ...], made: About) -> str:
    """Return what stands between the marks of docs/evidence.md: what should hold, and whether it does."""
    first = opening(results)
    lines = [
        f"- **{claim.verdict}**: {claim.what}. {claim.found.partition(' (')[0].rstrip('.')}." for claim in first.claims
    ]
    parts = [f"{commits(results, made.commit)}, {made.machine}.{_seeds(results)}", "", *lines]
    for _, table in of_role(results, "similarity"):
        parts += ["", *table_lines(_averages(table), heading=False)]
    return "\n".join(parts)


def _averages(table: Table) -> Table:
    """Keep the average over the sets, and of the rivals the best; without spreads and the paper's figures."""
    place = table.columns.index("AVG")
    groups = list(dict.fromkeys(row.group for row in table.rows))
    rivals = [row for row in table.rows if _is_rival(row.name) and row.group == groups[0]]
    best = sorted(rivals, key=lambda row: -(row.cells[place].value or 0.0))[:_BEST_RIVALS]
    names = dict.fromkeys(row.name for row in (*(row for row in table.rows if row.name in OWN), *best))
    cells = {(row.name, row.group): Cell(row.cells[place].value) for row in table.rows}
    rows = tuple(
        Row(name, tuple(cells.get((name, group), Cell()) for group in groups), ours=name in OWN) for name in names
    )
    return Table(table.title, tuple(groups), rows)


def front_table(results: tuple[DomainResult, ...]) -> Table:
    """Compare VBN with each rival that is the best rival in at least one column."""
    domains = [result for result in results if _figure(result, "VBN", FIGURES["all"]) is not None]
    places = [(result, title) for result in domains for title in FIGURES.values()]
    rivals = list(dict.fromkeys(row.name for result in domains for row in _rows(result) if _is_rival(row.name)))
    best = {max(rivals, key=lambda name: _figure(*_at(place, name)) or -1.0) for place in places if rivals}
    rows = tuple(
        Row(name, tuple(Cell(_figure(*_at(place, name))) for place in places), ours=name in OWN)
        for name in (*OWN, *(name for name in rivals if name in best))
        if any(_figure(*_at(place, name)) is not None for place in places)
    )
    return Table(
        "Results",
        tuple(f"{result.title}, {part}" for result in domains for part in FIGURES),
        rows,
        "*All / rare / new*. All, and the rarest fifth: per cent of hidden items in the first tenth of the ranking. "
        "New: mean percentile rank among items without data (50 is chance). Rivals were tuned; shown are those that "
        "lead the others somewhere.",
    )


def _at(place: tuple[DomainResult, str], name: str) -> tuple[DomainResult, str, str]:
    return place[0], name, place[1]


def _rows(result: DomainResult) -> list[Row]:
    titles = set(FIGURES.values())
    return [row for table in result.tables if titles & set(table.columns) for row in table.rows]


def _is_rival(name: str) -> bool:
    return not name.startswith("VBN")


def _figure(result: DomainResult, name: str, title: str) -> float | None:
    """Look up a figure of a model; None where no table has it."""
    for table in result.tables:
        if title in table.columns:
            for row in table.rows:
                if row.name == name:
                    return row.cells[table.columns.index(title)].value
    return None


def _seeds(results: tuple[DomainResult, ...]) -> str:
    """Return over how many seeds figures are, in words; empty where the report does not say."""
    found = sorted({int(result.facts["seeds"]) for result in results if "seeds" in result.facts})
    return f" Seeds: {', '.join(map(str, found))}." if found else ""


def with_part(text: str, part: str) -> str:
    r"""Return a page with the part between its marks replaced.

    Examples
    --------
    >>> with_part(f"a {BEGIN} old {END} b", "new") == f"a {BEGIN}\nnew\n{END} b"
    True
    """
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise DataError(f"the page has no {BEGIN} with {END} after it.")
    return f"{head}{BEGIN}\n{part}\n{END}{tail}"


def write_picture(results: tuple[DomainResult, ...], file: Path) -> bool:
    """Draw the score against how often an item was seen, and rare items against all; False without such results."""
    found = next((result for result in results if result.name == _DOMAIN), None)
    pictures = found.pictures if found is not None else ()
    tail = next((picture for picture in pictures if picture.role == "long tail"), None)
    against = next((picture for picture in pictures if picture.name == f"{_DOMAIN}-pareto-hr"), None)
    if tail is None or against is None:
        return False
    check_drawing()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.3), layout="constrained", dpi=110)
    left, right = figure.subplots(1, 2)
    _draw_tail(left, tail)
    _draw_against(right, against)
    file.parent.mkdir(parents=True, exist_ok=True)
    target = io.BytesIO()
    figure.savefig(target, format="png", pil_kwargs={"optimize": True}, metadata={"Software": None})
    file.write_bytes(target.getvalue())
    return True


def _draw_tail(axes: Axes, tail: Picture) -> None:
    """Lines of the named rivals, and VBN at two positions of its dial with the space between them shaded."""
    for one in tail.series:
        if one.name in _NAMED:
            axes.plot(one.x, one.y, color=_NAMED[one.name], linewidth=1.6, marker="o", markersize=3, label=one.name)
    ours = [one for one in tail.series if one.name == "VBN" or one.name.startswith("VBN, dial 0")]
    for one in ours:
        axes.plot(one.x, one.y, color=OURS, linewidth=2.8, linestyle="-" if one.name == "VBN" else "--", zorder=5)
    if len(ours) == 2:
        axes.fill_between(ours[0].x, ours[0].y, ours[1].y, color=OURS, alpha=0.12, linewidth=0)
    _frame(axes, "Score against how often an item was seen", "tenth of the catalogue, from the rarest", tail.y_label)
    axes.set_xticks(range(len(tail.ticks)), tail.ticks)
    _names(axes, [*ours, *(one for one in tail.series if one.name in _NAMED)])


_PLACES = {"VBN": (2.05, 35), "LightFM": (-0.1, 54), "BPR": (1.9, 58.5), "ALS": (4.5, 36), "EASE": (4.2, 17)}
_BESIDE = {"LightFM": (8, -4), "BPR": (8, -4), "ALS": (7, -5), "EASE": (-34, -4), "CMF": (-26, 6), "BSG": (-28, -4)}


def _names(axes: Axes, series: list[Series]) -> None:
    """Name the lines where the picture of the published report has room for it."""
    for one in series:
        if one.name in _PLACES:
            weight, colour = ("bold", OURS) if one.name == "VBN" else ("normal", _NAMED[one.name])
            text = axes.text(*_PLACES[one.name], one.name, color=colour, fontsize=10, fontweight=weight)
            text.set_in_layout(False)


def _draw_against(axes: Axes, against: Picture) -> None:
    """VBN as its tail is lifted, a line; every rival as the points that were tuned for one end or the other."""
    lifted = [one for one in against.series if one.name.startswith("VBN, long tail from 0.5")]
    ours = next(one for one in (*lifted, *against.series) if one.name.startswith("VBN"))
    axes.plot(ours.x, ours.y, color=OURS, linewidth=2.8, marker="o", markersize=4, zorder=5)
    text = axes.text(61.0, 63.0, "one VBN, its\nlong tail lifted", color=OURS, fontsize=10, fontweight="bold")
    text.set_in_layout(False)
    alone = next((one for one in against.series if one.name == NO_PARAMETER), None)
    if alone is not None:
        axes.plot(alone.x, alone.y, color=OURS, marker="*", markersize=13, linestyle="none", zorder=6)
        axes.annotate("no parameter", (alone.x[0], alone.y[0]), (8, -4), textcoords="offset points", color=OURS)
    rivals = [one for one in against.series if not one.name.startswith("VBN") and one.name != "Popularity"]
    for one in rivals:
        colour = _NAMED.get(one.name, GREY)
        axes.plot(one.x, one.y, color=colour, marker="s", markersize=6, linestyle="none", zorder=4)
        if one.name in _BESIDE:
            best = one.x.index(max(one.x)) if one.name in ("ALS", "CMF") else 0
            place, ink = (one.x[best], one.y[best]), colour if one.name in _NAMED else FAINT
            axes.annotate(one.name, place, _BESIDE[one.name], textcoords="offset points", color=ink, fontsize=9)
    _frame(axes, "Rare items against all items", against.x_label, against.y_label)
    axes.set_xlim(60, 91)


def _frame(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    axes.set_title(title, loc="left", fontsize=11, color=INK)
    axes.set_xlabel(x_label, color=FAINT)
    axes.set_ylabel(y_label, color=FAINT)
    axes.grid(color=LINE, linewidth=0.5)
    axes.tick_params(colors=FAINT, labelsize=9)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(LINE)
