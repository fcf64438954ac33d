"""Counts from baskets: items that are in one basket co-occur."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data._columns import as_table, read_columns
from vbn.data._counts import Counts
from vbn.data._fields import Field
from vbn.data._files import File, check_reading, find_file
from vbn.data._lines import basket_a_line, differ_in_length, holds_lists, split_baskets
from vbn.data._missing import check_missing, settle
from vbn.data._names import Coded, Encoder
from vbn.data._pairs import Parts, check_limits, positions, ranked, refuse_nothing
from vbn.data._types import BoolArray, IdArray
from vbn.data._vocabulary import Vocabulary

FIELDS = (
    Field(
        "baskets",
        (
            "basket",
            "baskets",
            "user",
            "users",
            "userid",
            "user_id",
            "order",
            "transaction",
            "session",
            "patient",
        ),
    ),
    Field("items", ("item", "items", "itemid", "item_id", "product", "movie", "movieid", "movie_id", "code")),
)


class Entries(NamedTuple):
    """The basket of each entry, its item, and the columns that they were read from, if any."""

    baskets: IdArray
    items: Coded
    reading: dict[str, str | None] | None = None


def read_baskets(
    source: object,
    positional: Sequence[object],
    given: Mapping[str, object],
    header: bool | None,
    delimiter: str | None,
    missing: str,
) -> Entries:
    """Read the baskets from any form that `Dataset.from_baskets` documents."""
    check_missing(missing)
    if source is None and not positional and given.get("items") is None:
        source, given = given.get("baskets"), {}
    file: File | None = None
    listed = not positional and all(value is None for value in given.values())
    if listed and isinstance(source, str | os.PathLike):
        check_reading(header, delimiter)
        file = find_file(source, delimiter=delimiter)
        if holds_lists(file) and header is None:
            return _from_lists(split_baskets(file, delimiter), missing, file.path.name)
    elif listed and isinstance(source, Mapping):
        return _from_lists(source.values(), missing)
    elif listed and as_table(source) is None:
        return _from_lists(source, missing)
    try:
        read = read_columns(source, positional, given, FIELDS, header=header, delimiter=delimiter, missing=missing)
    except DataError as error:
        if file is not None and differ_in_length(file, delimiter):
            raise DataError(f"{error} ({basket_a_line(file, delimiter)})") from error
        raise
    return Entries(read.labels["baskets"].codes, read.labels["items"], read.reading(FIELDS))


def _from_lists(baskets: object, missing: str, file: str = "") -> Entries:
    if not isinstance(baskets, Iterable):
        raise DataError(f"expected baskets, a table or a path, not a value of type {type(baskets).__name__}")
    items, sizes = Encoder(), []
    for number, basket in enumerate(baskets):
        if isinstance(basket, str | bytes) or not isinstance(basket, Iterable):
            raise DataError(f"basket {number} (counted from 0) is {basket!r}; each must be a list of items")
        if isinstance(basket, Set):
            basket = sorted(basket, key=str)  # a set has another order in every process
        before = len(items)
        items.extend(basket, lambda item, number=number: f"item {item} of basket {number} (from 0)")  # type: ignore[misc]
        sizes.append(len(items) - before)
    starts, basket_of, coded = np.cumsum([0, *sizes]), np.repeat(np.arange(len(sizes)), sizes), items.result()

    def where(entry: int) -> str:
        basket = int(basket_of[entry])
        if file:
            return f"line {basket + 1} of {file}"
        return f"item {entry - int(starts[basket])} of basket {basket} (from 0)"

    there = settle(coded, missing, where, file)
    return Entries(basket_of[there], coded if there.all() else coded.only(there))


def from_entries(entries: Entries, min_count: float, max_size: int | None, max_basket: int | None) -> Parts:
    """Count, for every ordered pair of different items, the baskets that hold both."""
    baskets, items, _ = entries
    check_limits(min_count, max_size)
    if max_basket is not None and (isinstance(max_basket, bool) or max_basket < 2):
        raise ParameterError(f"max_basket={max_basket!r} must be a whole number of at least 2, or None for no limit.")
    membership = Counts.from_coo(
        baskets, items.codes, np.ones(len(baskets)), (int(baskets.max(initial=-1)) + 1, len(items.names))
    )
    seen = np.bincount(membership.indices, minlength=len(items.names)).astype(np.float64)
    kept = ranked(seen, (seen > 0) & (seen >= min_count), max_size)
    place = positions(kept, len(items.names))[membership.indices]
    held, place = membership.row_ids()[place >= 0], place[place >= 0]
    if max_basket is not None:
        there = _thinned(held, membership.shape[0], max_basket)
        held, place = held[there], place[there]
    counts = together(held, place, membership.shape[0], len(kept))
    refuse_nothing(counts.nnz, min_count)
    vocabulary = Vocabulary([items.names[code] for code in kept.tolist()], seen[kept])
    return Parts(vocabulary, vocabulary, counts)


def _thinned(baskets: IdArray, n_baskets: int, most: int) -> BoolArray:
    """Which entries of baskets, in their order, are counted: of a larger basket `most`, the same in every run."""
    sizes = np.bincount(baskets, minlength=n_baskets)
    there, starts = np.ones(len(baskets), dtype=bool), np.concatenate(([0], np.cumsum(sizes)))
    large = np.flatnonzero(sizes > most)
    for basket in large.tolist():
        chosen = np.random.default_rng(basket).choice(sizes[basket], most, replace=False)
        there[starts[basket] : starts[basket + 1]] = False
        there[starts[basket] + chosen] = True
    if len(large):
        warnings.warn(
            f"{len(large):,} of {n_baskets:,} baskets hold more than {most:,} different items (up to "
            f"{int(sizes.max()):,}, whose pairs would be {int(sizes.max()) ** 2:,}); of each, {most:,} items taken at "
            "random are counted. max_basket sets that number, None counts all.",
            stacklevel=4,
        )
    return there


def together(baskets: IdArray, items: IdArray, n_baskets: int, n_items: int) -> Counts:
    """For every ordered pair of different items, the number of baskets that hold both."""
    from scipy.sparse import csr_array

    held: Any = csr_array((np.ones(len(items)), (baskets, items)), shape=(n_baskets, n_items))
    pairs = (held.T @ held).tocoo()
    apart = pairs.row != pairs.col
    return Counts.from_coo(pairs.row[apart], pairs.col[apart], pairs.data[apart], (n_items, n_items))
