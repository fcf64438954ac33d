"""A catalogue: one row an item, levels of categories in columns, several values in a cell, a title to show.

Levels go from general to specific: the values of the last one are the parents of the items, those of the level before
are the parents of these, and so on; a value's parents weigh as many items as they share. An empty cell is stepped over.
Several such chains may stand side by side, and share the weight of an item's parents evenly.
"""

from __future__ import annotations

import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError, TaxonomyError, VBNWarning, caller_level
from vbn.data.counting import check_flag
from vbn.data.describe import counted
from vbn.data.io.columns import ITEMS, Header, plain_name, position_of
from vbn.data.io.files import check_reading, checked_rows, find_file, open_sheet
from vbn.data.io.inputs import Table, as_table, read_parquet, speaking_as
from vbn.data.levels import WITHIN, find_levels, flat, mark_of, splitter
from vbn.data.vocabulary import MISSING_TEXTS, Vocabulary, missing_name, row_number

_NAMES = ("product_name", "item_name", "display_name", "produktname", "artikelname", "artikelbezeichnung")
_LABELS = ("title", "label", "name", "titel", "bezeichnung", *_NAMES, "product", "article", "artikel", "produkt")
_SHOWN = 5  # names that a message lists
_WHOLE = re.compile(r"[+-]?\d+\.0+")


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

    def but(self, *left_out: int | None) -> dict[int, tuple[str, list[str]]]:
        """Return the name and the cells of the other columns, by number."""
        return {at: (self.names[at], cells) for at, cells in enumerate(self.columns) if at not in left_out}

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
        return WITHIN.join(filter(None, map(_text, value)))
    if missing_name(value):
        return ""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


@dataclass(frozen=True)
class Catalogue:
    """What a catalogue says of items: their values at each level, general first, and their labels."""

    items: list[str]
    chains: list[list[list[list[str]]]]  # of each chain the levels, of each level the values of each item
    labels: dict[str, str]
    ambiguous: tuple[str, ...] = ()  # values that are at several levels, or items too
    levels: tuple[tuple[str, ...], ...] = ()  # the names of the columns of each chain

    def edges(self) -> list[tuple[str, str, float]]:
        """Return (child, parent, weight) for items and values; a value is never its own parent."""
        above: Counter[tuple[str, str]] = Counter()
        for row, item in enumerate(self.items):
            for chain in self.chains:
                below = [item]
                for cells in reversed(chain):
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
        chains = _find_chains(cells, place, titles, split) if levels is None else _given(cells, levels)
        found = list(dict.fromkeys(at for chain in chains for at in chain))
        known = _canonical(cells.columns[place], vocabulary)
        rows = [row for row, cell in enumerate(cells.columns[place]) if cell]
        if not rows:
            raise DataError(f"there is no data: column {cells.names[place]!r} of {cells.header.source} is empty")
        items = [known[cells.columns[place][row]] for row in rows]
        _warn_of_strangers(cells, place, items, vocabulary)
        parts = {at: splitter(cells.filled[at], split) for at in found}
        read = {at: [parts[at](cells.columns[at][row]) for row in rows] for at in found}
        clashes = _clashes(list(read.values()), items, vocabulary)
        if prefix:
            read = {at: [[f"{cells.names[at]}:{value}" for value in cell] for cell in read[at]] for at in read}
        elif clashes:
            _warn_of_clashes(clashes)
        texts = [""] * len(items) if titles is None else [cells.columns[titles][row] for row in rows]
    labels = {item: text for item, text in zip(items, texts, strict=True) if text}
    named = tuple(tuple(cells.names[at] for at in chain) for chain in chains)
    return Catalogue(items, [[read[at] for at in chain] for chain in chains], labels, () if prefix else clashes, named)


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
        chains = find_levels(cells.but(place, titles), split) if levels is None else _given(cells, levels)
    found = {at for chain in chains for at in chain}
    named_chains = [[cells.names[at] for at in chain] for chain in chains]
    marks = {mark_of(cells.filled[at]) for at in found} - {WITHIN} if split is None else {split}
    named = {
        "id": cells.names[place],
        "levels": named_chains[0] if len(chains) == 1 else named_chains,
        "label": None if titles is None else cells.names[titles],
        "split": marks.pop() if len(marks) == 1 else None,
    }
    return {name: value for name, value in named.items() if value}


def _given(cells: Cells, levels: Any) -> list[list[int]]:
    """Return the chains that a user gives: one column, a list of them, or a list of such lists."""
    several = [levels] if isinstance(levels, str | int) else levels
    if not isinstance(several, Iterable):
        raise ParameterError(f"levels must be a list of columns, from general to specific, got {levels!r}")
    several = list(several)
    if all(isinstance(level, str | int) for level in several):
        several = [several] if several else []
    chains = [[chain] if isinstance(chain, str | int) else list(chain) for chain in several]
    return [[position_of(level, cells.header, "levels") for level in chain] for chain in chains]


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
    """Return the column called like a title; one that repeats the ids, or whose values mostly repeat, is none."""
    plain = [plain_name(name) for name in cells.names]
    for usual in _LABELS:
        at = plain.index(usual) if usual in plain else place
        titles = cells.filled[at]
        if at != place and 2 * len(set(titles)) > len(titles) and cells.columns[at] != cells.columns[place]:
            return at
    return None


def _find_chains(cells: Cells, place: int, titles: int | None, split: str | None) -> list[list[int]]:
    """Return the columns of categories that are found, and say so where there are none or their order is unknown."""
    chains = find_levels(cells.but(place, titles), split)
    if not chains:
        others = [name for at, name in enumerate(cells.names) if at not in (place, titles)]
        if others:
            message = (
                f"no column of {cells.header.source} was taken for categories; if one is, name it with {REMEDY}: "
                f"{_listed(others)}"
            )
            _warn(message, [("levels", others[:1])])
    elif len(chains) > 1:
        named = [[cells.names[at] for at in chain] for chain in chains]
        shown = ", ".join(" > ".join(chain) for chain in named)
        message = (
            f"categories were found in these columns of {cells.header.source}: {shown}. Columns with a comma between "
            f"them stand side by side, as neither decides the other. Pass {REMEDY} for the same, or a list with fewer "
            "columns or another order"
        )
        _warn(message, [("levels", named)])
    return chains


def _clashes(levels: Sequence[list[list[str]]], items: Sequence[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the values that stand for several things: at two levels, or a level and an item."""
    sets = [dict.fromkeys(flat(column)) for column in levels]
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
    elif 2 * len(set(items)) <= len(items):
        message = (
            f"{cells.header.source} has {len(items):,} rows for {len(set(items)):,} entities, and a catalogue one for "
            "each; is it the data, or are the two files swapped?"
        )
        _warn(message, [])


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


def _listed(names: Sequence[str], most: int = 20) -> str:
    return ", ".join(map(repr, names[:most])) + (", ..." if len(names) > most else "")


def labels_by_id(labels: Mapping[str, str], vocabulary: Vocabulary) -> dict[int, str]:
    """Return labels by the numbers of the entities that have them."""
    return dict(zip(vocabulary.ids(labels).tolist(), labels.values(), strict=True))
