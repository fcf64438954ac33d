"""Counts from baskets: items that are in one basket co-occur."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from vbn._errors import DataError
from vbn.data._columns import as_table, read_columns
from vbn.data._counts import Counts
from vbn.data._fields import Field
from vbn.data._files import check_reading, find_file, read_lines
from vbn.data._names import Coded, Encoder
from vbn.data._pairs import Parts, check_limits, positions, ranked, refuse_nothing
from vbn.data._types import IdArray
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


def read_baskets(
    source: object,
    positional: Sequence[object],
    given: Mapping[str, object],
    header: bool | None,
    delimiter: str | None,
) -> tuple[IdArray, Coded]:
    """Return the basket of each entry, and its item, from any form `Dataset.from_baskets` documents."""
    if source is None and not positional and given.get("items") is None:
        source, given = given.get("baskets"), {}
    listed = not positional and all(value is None for value in given.values())
    if listed and isinstance(source, str | os.PathLike):
        check_reading(header, delimiter)
        file = find_file(source, delimiter=delimiter)
        if file.kind == "txt" and delimiter is None:
            return _from_lists(line.split() for line in read_lines(file))
    elif listed and isinstance(source, Mapping):
        return _from_lists(source.values())
    elif listed and as_table(source) is None:
        return _from_lists(source)
    read = read_columns(source, positional, given, FIELDS, header=header, delimiter=delimiter)
    return read.labels["baskets"].codes, read.labels["items"]


def _from_lists(baskets: object) -> tuple[IdArray, Coded]:
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
    return np.repeat(np.arange(len(sizes)), sizes), items.result()


def from_entries(baskets: IdArray, items: Coded, min_count: float, max_size: int | None) -> Parts:
    """Count, for every ordered pair of different items, the baskets that hold both."""
    check_limits(min_count, max_size)
    membership = Counts.from_coo(
        baskets, items.codes, np.ones(len(baskets)), (int(baskets.max(initial=-1)) + 1, len(items.names))
    )
    seen = np.bincount(membership.indices, minlength=len(items.names)).astype(np.float64)
    kept = ranked(seen, (seen > 0) & (seen >= min_count), max_size)
    place = positions(kept, len(items.names))[membership.indices]
    counts = _together(membership.row_ids()[place >= 0], place[place >= 0], membership.shape[0], len(kept))
    refuse_nothing(counts.nnz, min_count)
    vocabulary = Vocabulary([items.names[code] for code in kept.tolist()], seen[kept])
    return Parts(vocabulary, vocabulary, counts)


def _together(baskets: IdArray, items: IdArray, n_baskets: int, n_items: int) -> Counts:
    from scipy.sparse import csr_array

    held: Any = csr_array((np.ones(len(items)), (baskets, items)), shape=(n_baskets, n_items))
    pairs = (held.T @ held).tocoo()
    apart = pairs.row != pairs.col
    return Counts.from_coo(pairs.row[apart], pairs.col[apart], pairs.data[apart], (n_items, n_items))
