"""Which columns of a catalogue hold categories, and which of these is above which, where nobody says so.

A column of categories has short texts that repeat, or several values in a cell; ids, titles, prose, numbers, dates and
columns that say the same of nearly every item are none. A column is put below another if its values go with one value
of that one each. Where they do not, both stand side by side: each says something of the items, and nothing of the
other. A wrong order would hide the column above from the items.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from vbn.data.io.columns import INDEX, TIMES, plain_name
from vbn.data.io.numbers import is_number
from vbn.data.vocabulary import MISSING_TEXTS

WITHIN = "\x1f"
"""Separates the values of a cell that was a list."""
_TRUTHS = frozenset(("yes", "no", "true", "false", "y", "n", "t", "f", "0", "1", "ja", "nein", "x"))
_MARKS = ("|", ";", ",")  # what may separate the values of a cell
_LONG = 40  # characters of a cell, on average, from which on a column is prose
_NESTED = 0.95  # share of the items that must agree for one column to be above another
_COMMON = 0.95  # share of the items with one value, from which on a column tells nothing apart
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T].*)?")

Values = list[list[str]]
"""The values of a column, by row."""


def find_levels(columns: Mapping[int, tuple[str, Sequence[str]]], split: str | None) -> list[list[int]]:
    """Return the columns of categories in chains, each general first; several chains stand side by side.

    `columns` has the name and the cells of each column that may be one, by its number; an empty cell says nothing.
    """
    values: dict[int, Values] = {}
    for at, (name, cells) in columns.items():
        filled = [cell for cell in cells if cell]
        if _may_be_categories(plain_name(name), filled):
            cut = splitter(filled, split)
            column = [cut(cell) for cell in cells]
            if _tells_apart(column) and not any(_same(column, other) for other in values.values()):
                values[at] = column
    return _chains(values)


def _may_be_categories(name: str, filled: Sequence[str]) -> bool:
    """Return whether a column may hold categories: not numbers, dates, yes and no, or prose."""
    if not filled or name in INDEX or name in TIMES:
        return False
    numbers = sum(is_number(cell) or _DATE.fullmatch(cell) is not None for cell in filled)
    if 2 * numbers > len(filled) or {cell.casefold() for cell in filled} <= _TRUTHS:
        return False
    return sum(map(len, filled)) <= _LONG * len(filled)


def _tells_apart(column: Values) -> bool:
    """Return whether values repeat, as those of ids do not, and not nearly all items have the same ones."""
    values = flat(column)
    if 2 * len(set(values)) > len(values):
        return False
    cells = Counter(tuple(cell) for cell in column if cell)
    return len(cells) == 1 or max(cells.values()) < _COMMON * cells.total()


def _same(column: Values, other: Values) -> bool:
    """Return whether two columns say the same in other words, as a category's code and its name do."""
    pairs = {(tuple(ours), tuple(theirs)) for ours, theirs in zip(column, other, strict=True)}
    return len(pairs) == len({ours for ours, _ in pairs}) == len({theirs for _, theirs in pairs})


def _chains(values: dict[int, Values]) -> list[list[int]]:
    """Return a chain for each column that none is below: the nearest one above it, the nearest above that, ..."""
    size = {at: len(set(flat(column))) for at, column in values.items()}
    order = sorted(values, key=lambda at: (size[at], at))
    over: dict[int, int] = {}
    for place, at in enumerate(order):
        above = [other for other in order[:place] if size[other] < size[at] and _within(values[other], values[at])]
        if above:
            over[at] = above[-1]
    chains = []
    for at in order:
        if at not in over.values():
            chain = [at]
            while chain[0] in over:
                chain.insert(0, over[chain[0]])
            chains.append(chain)
    return chains


def _within(general: Values, specific: Values) -> bool:
    """Return whether nearly all items with a specific value have the same general one; those alone tell nothing."""
    above: dict[str, Counter[str]] = {}
    for parents, children in zip(general, specific, strict=True):
        if children and len(parents) > 1:
            return False
        for child in children if parents else ():
            above.setdefault(child, Counter())[parents[0]] += 1
    agree = sum(max(seen.values()) - 1 for seen in above.values())
    others = sum(seen.total() - 1 for seen in above.values())
    return others > 0 and agree >= _NESTED * others


def splitter(filled: Sequence[str], split: str | None) -> Callable[[str], list[str]]:
    """Return what takes a cell apart; without a mark, one that leaves fewer different values than there were cells."""
    split = mark_of(filled) if split is None else split

    def parts(cell: str) -> list[str]:
        pieces = [piece for one in cell.split(WITHIN) for piece in one.split(split)]
        return list(dict.fromkeys(piece for part in pieces if (piece := part.strip()) and piece not in MISSING_TEXTS))

    return parts


def mark_of(filled: Sequence[str]) -> str:
    """Return what separates the values of a cell."""
    return next((mark for mark in _MARKS if _separates(mark, filled)), WITHIN)


def _separates(mark: str, filled: Sequence[str]) -> bool:
    cells = {cell for cell in filled if mark in cell}
    if not cells:
        return False
    whole = set(filled)
    pieces = {piece.strip() for cell in whole for piece in cell.split(mark)}
    return mark == "|" or len(pieces) < len(whole)


def flat(column: Iterable[Iterable[str]]) -> list[str]:
    """Return all values of a column."""
    return [value for cell in column for value in cell]
