"""The report's opening: its claims, the paper's tables over all domains, and the long tail of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reproduction.claims import Claim, claims
from reproduction.models import NO_PARAMETER
from reproduction.paper_numbers import MODELS
from reproduction.results import Cell, DomainResult, Picture, Row, Table

_PARTS = ("full", "rare")
_FIGURES = ("HR@10%", "MPR")
_GROUPS = {
    "known pairs": "full: both words in the corpus",
    "rare pairs": "rare: one of them at most five times there",
}
_TO_THE_FORE = 4  # rivals with a name in the picture
AS_IN_THE_PAPER = "VBN, as in the paper"
_OF_THE_OPENING = tuple(name for model in MODELS for name in ((model, NO_PARAMETER) if model == "VBN" else (model,)))


@dataclass(frozen=True)
class Opening:
    """What stands first."""

    claims: tuple[Claim, ...]
    tables: tuple[Table, ...]
    pictures: tuple[Picture, ...]


def opening(results: tuple[DomainResult, ...]) -> Opening:
    """Gather it from the domains that are there."""
    tables = [table for table in (inference_table(results), similarity_table(results)) if table.rows]
    tables += [replace(table, title="Antonyms") for _, table in of_role(results, "antonyms")]
    tail = long_tail(results)
    return Opening(claims(results), tuple(tables), (tail,) if tail.series else ())


def of_role(results: tuple[DomainResult, ...], role: str) -> Iterator[tuple[DomainResult, Table]]:
    """The tables of one role, with their domains."""
    for result in results:
        yield from ((result, table) for table in result.tables if table.role == role)


def inference_table(results: tuple[DomainResult, ...]) -> Table:
    """The paper's table of inference tasks: domains beside each other, HR@10% above MPR."""
    found = list(of_role(results, "inference"))
    columns = tuple(f"{result.title} {part}" for part in _PARTS for result, _ in found)
    rows = []
    for figure in _FIGURES:
        for model in (*_OF_THE_OPENING, AS_IN_THE_PAPER):
            cells = [_cell(table, model, figure, part) for part in _PARTS for _, table in found]
            if any(cell.value is not None for cell in cells):
                ours = model in ("VBN", NO_PARAMETER, AS_IN_THE_PAPER)
                rows.append(Row(model, tuple(cells), figure, ours=ours, ranks=model != AS_IN_THE_PAPER))
    return Table(
        "Inference tasks",
        columns,
        tuple(rows),
        "Hidden items, diagnoses and words, ranked among the whole catalogue; rare ones are its least frequent fifth. "
        f"{_but_ours(rows)} tuned on validation data, which for VBN also chose rows (users, items or both), how to "
        f"ask and the position of its dial; '{AS_IN_THE_PAPER}' has items x items, averaged queries and no dial, and "
        "takes no part in the choice of the winner. After ±, one standard deviation over seeds. The paper's "
        "numbers are those of its own data.",
        role="inference",
        grouped=True,
    )


def _cell(table: Table, model: str, figure: str, part: str) -> Cell:
    """A figure of one of the paper's models, or of ours as the paper has it; empty where it was not run."""
    column = next((n for n, title in enumerate(table.columns) if title.replace(",", "") == f"{figure} {part}"), None)
    row = next((row for row in table.rows if stands_for(row) == model), None)
    return Cell() if column is None or row is None else row.cells[column]


def _but_ours(rows: list[Row]) -> str:
    """Who was tuned, in words."""
    return f"All but '{NO_PARAMETER}' were" if any(row.name == NO_PARAMETER for row in rows) else "All were"


def stands_for(row: Row) -> str:
    """The paper's model that a line stands for: named like it, and with the paper's numbers.

    Examples
    --------
    >>> stands_for(Row("VBN", (Cell(40.0, paper=39.4),))), stands_for(Row("VBN, fold-in", (Cell(40.0),)))
    ('VBN', '')
    >>> stands_for(Row("VBN, items x items", (Cell(40.0),), ranks=False)) == AS_IN_THE_PAPER
    True
    """
    if not row.ranks:
        return AS_IN_THE_PAPER
    if row.name == NO_PARAMETER:
        return NO_PARAMETER
    name = row.name.partition(",")[0]
    return name if name in MODELS and any(cell.paper is not None for cell in row.cells) else ""


def similarity_table(results: tuple[DomainResult, ...]) -> Table:
    """The paper's table of word similarity: its models, full and rare."""
    rows: list[Row] = []
    columns: tuple[str, ...] = ()
    for _, table in of_role(results, "similarity"):
        columns = table.columns
        for group, heading in _GROUPS.items():
            lines = {stands_for(row): row for row in table.rows if row.group == group}
            rows += [replace(lines[model], name=model, group=heading) for model in _OF_THE_OPENING if model in lines]
    return Table(
        "Word similarity",
        columns,
        tuple(rows),
        "Spearman's correlation with human judgements, times 100, on the half of the pairs that chose nothing. Further "
        "rivals, with the same graph as VBN among them, are under Words.",
        role="similarity",
        grouped=True,
    )


def long_tail(results: tuple[DomainResult, ...]) -> Picture:
    """The long tail of every domain, a frame each, with the strongest rivals named."""
    series = []
    found = [(result, picture) for result in results for picture in result.pictures if picture.role == "long tail"]
    for result, picture in found:
        rivals = [one for one in picture.series if not one.ours and not one.name.startswith("VBN,")]
        best = sorted(rivals, key=lambda one: -sum(one.y) / max(len(one.y), 1))[:_TO_THE_FORE]
        ours = [one for one in picture.series if one.ours and one.name in ("VBN", NO_PARAMETER)]
        faint = [replace(one, faint=True) for one in rivals if one not in best]
        series += [replace(one, frame=result.title) for one in (*faint, *best, *ours)]
    first = found[0][1] if found else Picture("", "", "", "", "", ())
    return Picture(
        "long-tail",
        "The long tail",
        f"{first.y_label} by how frequent the hidden item is in training, from the rarest tenth of the catalogue to "
        f"the most frequent. Named are the {_TO_THE_FORE} rivals with the highest mean over the tenths; others grey.",
        first.x_label,
        first.y_label,
        tuple(series),
        first.ticks,
        kind="frames",
    )
