"""What a reproduction found, as plain data: tables, pictures and notes of one domain, to and from JSON.

The evaluation of a domain fills these in; the report only draws them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cell:
    """A figure: ours, its spread over seeds (one standard deviation), and the paper's beside it; None where absent."""

    value: float | None = None
    spread: float | None = None
    paper: float | None = None


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Attributes
    ----------
    name : str
        The model, or whatever the line is about.
    cells : tuple of Cell
        One for each column.
    group : str
        Lines of one group stand together under this heading.
    note : str
        Why cells are empty, for example.
    ours : bool
        Whether it is a line of this library's model, to be set off.
    ranks : bool
        Whether it takes part in the choice of each column's winner.
    """

    name: str
    cells: tuple[Cell, ...]
    group: str = ""
    note: str = ""
    ours: bool = False
    ranks: bool = True


@dataclass(frozen=True)
class Table:
    """Lines of figures.

    Attributes
    ----------
    best : tuple of str
        For each column whether "high" or "low" wins, or "none"; empty: "high" throughout.
    digits : int
        After the point.
    grouped : bool
        Whether each group of lines has winners of its own.
    role : str
        Which of the paper's tables it is a part of: "inference", "similarity" or "antonyms"; the opening page of a
        report gathers these. Empty: none.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    text: str = ""
    best: tuple[str, ...] = ()
    digits: int = 1
    role: str = ""
    grouped: bool = False

    def winners(self) -> tuple[frozenset[int], ...]:
        """For each column the numbers of the lines that win: those that show the best figure, unless all do."""
        return tuple(self._winners(column) for column in range(len(self.columns)))

    def _winners(self, column: int) -> frozenset[int]:
        kind = self.best[column] if self.best else "high"
        groups: dict[str, dict[int, float]] = {}
        for number, row in enumerate(self.rows):
            value = row.cells[column].value
            if row.ranks and kind != "none" and value is not None:
                shown = round(value, self.digits)  # a reader sees no more, so that equal figures share the mark
                found = groups.setdefault(row.group if self.grouped else "", {})
                found[number] = shown if kind == "high" else -shown
        return frozenset(
            number
            for found in groups.values()
            for number, shown in found.items()
            if shown == max(found.values()) and (len(found) == 1 or shown > min(found.values()))
        )


@dataclass(frozen=True)
class Verdicts:
    """Ahead, level or behind: our model against each rival in each figure, with intervals of the difference.

    Attributes
    ----------
    differences : tuple
        For each rival, for each column: difference, lower and upper end of its interval; None where not comparable.
    role : str
        What is compared: "inference" or "similarity" (the paper's models), "as in the paper", "all" (every rival),
        "dominance" (the best position of the dial against each rival), "no parameter" (`VBN()` against tuned rivals),
        "no parameter, tuned" (against the tuned VBN), "similarity, no parameter" (both), "first ten" and
        "first ten, no parameter" (HR@10 and NDCG@10), "new users" and "by time", "amounts" (`VBN()` against rivals
        by the share of the users), "weights" (against fixed weights), "content" (taxonomy and text against either) and
        "text alone".
    remarks : tuple
        For each rival what else is to be said, under the headings `about`.
    """

    title: str
    columns: tuple[str, ...]
    rivals: tuple[str, ...]
    differences: tuple[tuple[tuple[float, float, float] | None, ...], ...]
    text: str = ""
    role: str = ""
    about: tuple[str, ...] = ()
    remarks: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Series:
    """Points of one model in a picture.

    Attributes
    ----------
    spread : tuple of float
        How far above and below to shade.
    ours : bool
        Whether it is drawn in front.
    joined : bool
        Whether a line joins the points.
    faint : bool
        Whether it is drawn in the background, without its name.
    frame : str
        Heading of the frame that it is drawn in, for pictures of the kind "frames".
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    spread: tuple[float, ...] = ()
    ours: bool = False
    joined: bool = True
    faint: bool = False
    frame: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture of several series.

    Attributes
    ----------
    name : str
        Of its file.
    ticks : tuple of str
        Names of the places 0, 1, ... of the horizontal axis.
    kind : str
        "lines", all in one frame; "panels", a frame for each rival with ours beside it; "frames", as the series say;
        "diagonal", lines that are best where x = y.
    role : str
        "long tail" for the one that the opening page gathers.
    """

    name: str
    title: str
    text: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    ticks: tuple[str, ...] = ()
    kind: str = "lines"
    role: str = ""


@dataclass(frozen=True)
class Texts:
    """A table of words, such as the neighbours of one in several models."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str = ""


@dataclass(frozen=True)
class DomainResult:
    """All that was found in one domain, in the order in which the report shows it.

    Attributes
    ----------
    name : str
        "movies", "music", "medical", "phenotypes" or "words".
    title, text : str
        Heading and what the data is.
    tables, verdicts, texts, pictures : tuple
        What is shown.
    notes : tuple of str
        What a reader must know: models that were not installed, cases pooled, differences from the paper.
    facts : dict
        Anything else that fits into JSON, such as seconds, parameters, counts.
    """

    name: str
    title: str
    text: str = ""
    tables: tuple[Table, ...] = ()
    verdicts: tuple[Verdicts, ...] = ()
    texts: tuple[Texts, ...] = ()
    pictures: tuple[Picture, ...] = ()
    notes: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As nested dicts and lists.

        Examples
        --------
        >>> result = DomainResult("movies", "Movies", tables=(Table("T", ("MPR",), (Row("VBN", (Cell(93.0),)),)),))
        >>> DomainResult.from_dict(result.to_dict()) == result
        True
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> DomainResult:
        """Back from `to_dict`, also by way of JSON."""
        return cls(
            **{key: given[key] for key in ("name", "title", "text", "facts")},
            tables=tuple(_table(entry) for entry in given["tables"]),
            verdicts=tuple(_verdicts(entry) for entry in given["verdicts"]),
            texts=tuple(_texts(entry) for entry in given["texts"]),
            pictures=tuple(_picture(entry) for entry in given["pictures"]),
            notes=tuple(given["notes"]),
        )


def _table(given: dict[str, Any]) -> Table:
    rows = tuple(Row(**{**row, "cells": tuple(Cell(**cell) for cell in row["cells"])}) for row in given["rows"])
    return Table(**{**given, "rows": rows, "columns": tuple(given["columns"]), "best": tuple(given["best"])})


def _verdicts(given: dict[str, Any]) -> Verdicts:
    differences = tuple(
        tuple(None if entry is None else (entry[0], entry[1], entry[2]) for entry in line)
        for line in given["differences"]
    )
    remarks = tuple(tuple(line) for line in given["remarks"])
    lists = {key: tuple(given[key]) for key in ("columns", "rivals", "about")}
    return Verdicts(**{**given, **lists, "differences": differences, "remarks": remarks})


def _texts(given: dict[str, Any]) -> Texts:
    return Texts(given["title"], tuple(given["columns"]), tuple(tuple(row) for row in given["rows"]), given["text"])


def _picture(given: dict[str, Any]) -> Picture:
    series = tuple(
        Series(**{**entry, **{key: tuple(entry[key]) for key in ("x", "y", "spread")}}) for entry in given["series"]
    )
    return Picture(**{**given, "series": series, "ticks": tuple(given["ticks"])})
