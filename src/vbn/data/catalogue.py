"""A catalogue: one row an item, levels of categories in columns, several values in a cell, a title to show.

Levels go from general to specific: the values of the last one are the parents of the items, those of the level before
are the parents of these, and so on; a value's parents weigh as many items as they share. An empty cell is stepped over.
"""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError, TaxonomyError, VBNWarning, caller_level
from vbn.data.counting import check_flag
from vbn.data.describe import counted
from vbn.data.io.columns import INDEX, ITEMS, TIMES, Header, plain_name, position_of
from vbn.data.io.files import check_reading, checked_rows, find_file, open_sheet
from vbn.data.io.inputs import Table, as_table, read_parquet, speaking_as
from vbn.data.io.numbers import is_number
from vbn.data.vocabulary import MISSING_TEXTS, Vocabulary, missing_name, row_number

_LABELS = ("title", "label", "name", "product_name", "item_name", "display_name", "titel", "bezeichnung")
_TRUTHS = frozenset(("yes", "no", "true", "false", "y", "n", "t", "f", "0", "1", "ja", "nein", "x"))
_MARKS = ("|", ";", ",")  # what may separate the values of a cell
_WITHIN = "\x1f"  # separates the values of a cell that was a list
_LONG = 40  # characters of a cell, on average, from which on a column is prose
_SHOWN = 5  # names that a message lists
_WHOLE = re.compile(r"[+-]?\d+\.0+")
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T].*)?")


@dataclass(frozen=True)
class Cells:
    """A table of texts by column; an empty text is a missing cell."""

    header: Header
    columns: list[list[str]]
    where: Callable[[int], str] = row_number

    @property
    def names(self) -> Sequence[str]:
        """Return the names of the columns."""
        return self.header.names

    @cached_property
    def filled(self) -> list[list[str]]:
        """Return the cells of each column that are not missing."""
        return [[cell for cell in column if cell] for column in self.columns]


def read_cells(source: Any, header: bool | None, delimiter: str | None) -> Cells:
    """Read all columns of a table or file."""
    check_reading(header, delimiter)
    if isinstance(source, str | os.PathLike):
        file = find_file(source, delimiter=delimiter)
        if file.kind != "parquet":
            sheet = open_sheet(file, {}, (), header is not False, delimiter)
            rows = [row for _, row in checked_rows(sheet, file.path.name)]
            columns = [[_text(cell) for cell in column] for column in zip(*rows, strict=True)]
            found = sheet.header(file.path.name)
            return Cells(found, columns or [[] for _ in found.names])
        table: Table | None = read_parquet(file)
    else:
        table = as_table(source)
    if table is None:
        raise DataError(f"expected a table or the path of a file, not a value of type {type(source).__name__}")
    given: list[Any] = [table.column(at) for at in range(len(table.names))]
    return Cells(table.header, [[_text(value) for value in column] for column in given])


def _text(value: object) -> str:
    """Return a cell as text: whole numbers without a point, lists as one text, nothing for what is missing."""
    if isinstance(value, str):
        return "" if value.strip() in MISSING_TEXTS else value.strip()
    if isinstance(value, list | tuple | np.ndarray):
        return _WITHIN.join(filter(None, map(_text, value)))
    if missing_name(value):
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


@dataclass(frozen=True)
class Catalogue:
    """What a catalogue says of items: their values at each level, general first, and their labels."""

    items: list[str]
    levels: list[tuple[str, list[list[str]]]]  # name of the column, and the values of each item
    labels: dict[str, str]
    ambiguous: tuple[str, ...] = ()  # values that are at several levels, or items too

    def edges(self) -> list[tuple[str, str, float]]:
        """Return (child, parent, weight) for items and values; a value is never its own parent."""
        above: Counter[tuple[str, str]] = Counter()
        for row, item in enumerate(self.items):
            below = [item]
            for _, cells in reversed(self.levels):
                values = cells[row]
                for child in below if values else ():
                    for parent in values:
                        if child != parent:
                            above[child, parent] += 1.0 / len(values)  # type: ignore[assignment]
                below = values or below
        return [(child, parent, float(weight)) for (child, parent), weight in above.items()]


def read_catalogue(
    source: Any,
    vocabulary: Vocabulary,
    *,
    id: str | int | None,  # noqa: A002 - as users know it
    levels: Any,
    split: str | None,
    label: str | int | None,
    prefix: bool,
    header: bool | None,
    delimiter: str | None,
) -> Catalogue:
    """Read a catalogue of the entities of a vocabulary; see `Dataset.with_catalogue`."""
    check_flag("prefix", prefix)
    if split is not None and not (isinstance(split, str) and split):
        raise ParameterError(f"split must be the text between two values of a cell, such as '|', got {split!r}")
    with speaking_as(DataError, "catalogue"):
        cells = read_cells(source, header, delimiter)
        place = _find_id(cells, vocabulary) if id is None else position_of(id, cells.header, "id")
        titles = _find_label(cells, place) if label is None else position_of(label, cells.header, "label")
        found = _find_levels(cells, place, titles, split) if levels is None else _given(cells, levels)
        known = _canonical(cells.columns[place], vocabulary)
        rows = [row for row, cell in enumerate(cells.columns[place]) if cell]
        if not rows:
            raise DataError(f"there is no data: column {cells.names[place]!r} of {cells.header.source} is empty")
        items = [known[cells.columns[place][row]] for row in rows]
        _warn_of_strangers(cells, place, items, vocabulary)
        parts = {at: _splitter(cells.filled[at], split) for at in found}
        read = [(cells.names[at], [parts[at](cells.columns[at][row]) for row in rows]) for at in found]
        clashes = _clashes(read, items, vocabulary)
        if prefix:
            read = [(name, [[f"{name}:{value}" for value in cell] for cell in column]) for name, column in read]
        elif clashes:
            _warn_of_clashes(clashes)
        texts = [""] * len(items) if titles is None else [cells.columns[titles][row] for row in rows]
    labels = {item: text for item, text in zip(items, texts, strict=True) if text}
    return Catalogue(items, read, labels, () if prefix else clashes)


def find_columns(
    source: Any,
    vocabulary: Vocabulary,
    *,
    id: str | int | None = None,  # noqa: A002 - as users know it
    levels: Any = None,
    split: str | None = None,
    label: str | int | None = None,
) -> dict[str, Any]:
    """Return the columns that `with_catalogue` finds where none are named, to read another catalogue alike.

    Examples
    --------
    >>> films = {"item": ["m1", "m2", "m3"], "genres": ["Crime|Drama", "Crime", "Drama"], "title": ["Heat", "Ray", "M"]}
    >>> find_columns(films, Vocabulary(["m1", "m2"]))
    {'id': 'item', 'levels': ['genres'], 'label': 'title', 'split': '|'}
    """
    with warnings.catch_warnings(), speaking_as(DataError, "catalogue"):
        warnings.simplefilter("ignore")  # with_catalogue warns
        cells = read_cells(source, None, None)
        place = _find_id(cells, vocabulary) if id is None else position_of(id, cells.header, "id")
        titles = _find_label(cells, place) if label is None else position_of(label, cells.header, "label")
        found = _find_levels(cells, place, titles, split) if levels is None else _given(cells, levels)
    marks = {_mark(cells.filled[at]) for at in found} - {_WITHIN} if split is None else {split}
    named = {
        "id": cells.names[place],
        "levels": [cells.names[at] for at in found],
        "label": None if titles is None else cells.names[titles],
        "split": marks.pop() if len(marks) == 1 else None,
    }
    return {name: value for name, value in named.items() if value}


def _given(cells: Cells, levels: Any) -> list[int]:
    several = [levels] if isinstance(levels, str | int) else levels
    if not isinstance(several, Iterable):
        raise ParameterError(f"levels must be a list of columns, from general to specific, got {levels!r}")
    return [position_of(level, cells.header, "levels") for level in several]


def _canonical(ids: Iterable[str], vocabulary: Vocabulary) -> dict[str, str]:
    """Return the name of each id in the vocabulary: 1.0 and 1 are the same where only one of them is known."""
    distinct = dict.fromkeys(filter(None, ids))
    known = set(vocabulary.names)
    shorter = {text: text.partition(".")[0] for text in distinct if _WHOLE.fullmatch(text)}
    drop = any(text not in known and short in known for text, short in shorter.items())
    found = {}
    for text in distinct:
        found[text] = text
        if text not in known and drop and text in shorter:
            found[text] = shorter[text]
        elif text not in known and f"{text}.0" in known:
            found[text] = f"{text}.0"
    return found


def _find_id(cells: Cells, vocabulary: Vocabulary) -> int:
    """Return the column that holds the names of the entities: most of them by far, or as many and of a usual name."""
    seen = set(vocabulary.names)
    hits = [len(seen.intersection(_canonical(column, vocabulary).values())) for column in cells.filled]
    order = sorted(range(len(hits)), key=lambda at: (-hits[at], at))
    if order and hits[order[0]]:
        best, others = order[0], [at for at in order[1:] if 2 * hits[at] > hits[order[0]]]
        if not others:
            return best
        usual = [at for at in (best, *others) if plain_name(cells.names[at]) in (*ITEMS, "id")]
        if len(usual) == 1:
            return usual[0]
    example = ", ".join(map(repr, vocabulary.names[:2]))
    raise DataError(
        f"which column of {cells.header.source} holds the names of the entities, such as {example}? Name it with "
        f"{REMEDY}; the columns are {_listed(cells.names)}",
        remedies=[("id",)],
    )


def _find_label(cells: Cells, place: int) -> int | None:
    """Return the column called like a title; one that repeats the ids is none."""
    plain = [plain_name(name) for name in cells.names]
    for usual in _LABELS:
        at = plain.index(usual) if usual in plain else place
        if at != place and cells.filled[at] and cells.columns[at] != cells.columns[place]:
            return at
    return None


def _find_levels(cells: Cells, place: int, titles: int | None, split: str | None) -> list[int]:
    """Return the columns of categories, general first, if there is no doubt: one of them, or each within the last."""
    values = {}
    for at, filled in enumerate(cells.filled):
        if at not in (place, titles) and _categorical(plain_name(cells.names[at]), filled):
            cut = _splitter(filled, split)
            parts = [part for cell in filled for part in cut(cell)]
            if 2 * len(set(parts)) <= len(parts):
                values[at] = [cut(cell) for cell in cells.columns[at]]
    order = sorted(values, key=lambda at: (len(set(_flat(values[at]))), at))
    if not order:
        others = [name for at, name in enumerate(cells.names) if at not in (place, titles)]
        if others:
            message = (
                f"no column of {cells.header.source} was taken for categories; if one is, name it with {REMEDY}: "
                f"{_listed(others)}"
            )
            _warn(message, [("levels", others[:1])])
        return []
    if all(_within(values[a], values[b]) for a, b in pairwise(order)):
        return order
    shown = ", ".join(f"{cells.names[at]!r} ({counted(len(set(_flat(values[at]))), 'value')})" for at in order)
    raise DataError(
        f"which columns of {cells.header.source} are categories, from general to specific? These may be: {shown}. "
        f"Pass {REMEDY}, or fewer of them, or in another order",
        remedies=[("levels", [cells.names[at] for at in order])],
    )


def _categorical(name: str, filled: Sequence[str]) -> bool:
    """Return whether a column may hold categories: not numbers, dates, yes and no, or prose."""
    if not filled or name in INDEX or name in TIMES:
        return False
    numbers = sum(is_number(cell) or _DATE.fullmatch(cell) is not None for cell in filled)
    if 2 * numbers > len(filled) or {cell.casefold() for cell in filled} <= _TRUTHS:
        return False
    return sum(map(len, filled)) <= _LONG * len(filled)


def _within(general: Sequence[Sequence[str]], specific: Sequence[Sequence[str]]) -> bool:
    """Return whether each specific value goes with one general value only."""
    above: dict[str, str] = {}
    for parents, children in zip(general, specific, strict=True):
        if children and len(parents) > 1:
            return False
        for child in children if parents else ():
            if above.setdefault(child, parents[0]) != parents[0]:
                return False
    return True


def _splitter(filled: Sequence[str], split: str | None) -> Callable[[str], list[str]]:
    """Return what takes a cell apart; without a mark, one that leaves fewer different values than there were cells."""
    split = _mark(filled) if split is None else split

    def parts(cell: str) -> list[str]:
        pieces = [piece for one in cell.split(_WITHIN) for piece in one.split(split)]
        return list(dict.fromkeys(piece for part in pieces if (piece := part.strip()) and piece not in MISSING_TEXTS))

    return parts


def _mark(filled: Sequence[str]) -> str:
    return next((mark for mark in _MARKS if _separates(mark, filled)), _WITHIN)


def _separates(mark: str, filled: Sequence[str]) -> bool:
    cells = {cell for cell in filled if mark in cell}
    if not cells:
        return False
    whole = set(filled)
    pieces = {piece.strip() for cell in whole for piece in cell.split(mark)}
    return mark == "|" or len(pieces) < len(whole)


def _clashes(
    levels: Sequence[tuple[str, list[list[str]]]], items: Sequence[str], vocabulary: Vocabulary
) -> tuple[str, ...]:
    """Return the values that stand for several things: at two levels, or a level and an item."""
    sets = [dict.fromkeys(_flat(column)) for _, column in levels]
    seen = {name for name, count in zip(vocabulary.names, vocabulary.counts.tolist(), strict=True) if count > 0}
    seen |= set(items)
    times = Counter(value for values in sets for value in values)
    return tuple(value for value, number in times.items() if number > 1 or value in seen)


def _warn_of_clashes(clashes: Sequence[str]) -> None:
    message = (
        f"{counted(len(clashes), 'name')} of the catalogue ({_listed(clashes, _SHOWN)}) stand for several things, such "
        f"as categories of two levels, or a category and an item; pass {REMEDY} to keep them apart"
    )
    _warn(message, [("prefix", True)])


def _warn_of_strangers(cells: Cells, place: int, items: Sequence[str], vocabulary: Vocabulary) -> None:
    known = set(vocabulary.names)
    if known.isdisjoint(items):
        message = (
            f"none of the names in column {cells.names[place]!r} of {cells.header.source}, such as {items[0]!r}, is in "
            f"the data, where they are like {vocabulary.names[0]!r}; is {REMEDY} another column?"
        )
        _warn(message, [("id",)])


def _warn(message: str, remedies: Iterable[tuple[str, object] | tuple[str]]) -> None:
    warning = VBNWarning(f"catalogue: {message}", remedies=remedies)
    warning.about = "catalogue"
    warnings.warn(warning, stacklevel=caller_level())


def of_levels(error: TaxonomyError) -> TaxonomyError:
    """Return an error about a cycle among the levels of a catalogue with the remedy for it."""
    message = f"catalogue: {error.template}; names that stand for several things are kept apart by {REMEDY}"
    told = TaxonomyError(message, remedies=[*error.remedies, ("prefix", True)])
    told.about = "catalogue"
    return told


def _flat(column: Iterable[Iterable[str]]) -> list[str]:
    return [value for cell in column for value in cell]


def _listed(names: Sequence[str], most: int = 20) -> str:
    return ", ".join(map(repr, names[:most])) + (", ..." if len(names) > most else "")


def labels_by_id(labels: Mapping[str, str], vocabulary: Vocabulary) -> dict[int, str]:
    """Return labels by the numbers of the entities that have them."""
    return dict(zip(vocabulary.ids(labels).tolist(), labels.values(), strict=True))
