"""Rows of company: every column as a further row, whose counts say what it occurs with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vbn.data.counting import together
from vbn.data.counts import Counts
from vbn.data.io.folder import MappedArray
from vbn.data.taxonomy import Taxonomy
from vbn.data.vocabulary import Vocabulary

if TYPE_CHECKING:
    from vbn.data.dataset import Dataset

_PARTNERS = 1.0  # a pair of row and column is one observation, and counts with one other column of its row
_SHORT = 30.0  # others in the row of a typical pair
_MOST = 20_000_000  # pairs of columns: more would take long to count


def is_mapped(data: Dataset) -> bool:
    """Return whether the counts are read from a file, and not held in memory."""
    return MappedArray.of(data.counts.values) is not None


def has_short_rows(data: Dataset) -> bool:
    """Return whether rows are so short that what occurs together in them tells more than each of them alone.

    Columns can only tell if they are better known than rows: there must be fewer of them. Counts that are mapped from a
    file stay there, and have no company.

    Examples
    --------
    >>> from vbn import Dataset
    >>> has_short_rows(Dataset.from_interactions(["ann", "ann", "ben", "cem"], ["tea", "milk", "tea", "tea"]))
    True
    """
    sizes = np.diff(data.counts.indptr).astype(np.float64)
    pairs = float((sizes * (sizes - 1.0)).sum())
    if data.shared or is_mapped(data) or not 0.0 < pairs <= min(_SHORT * float(sizes.sum()), _MOST):
        return False
    fewer = np.count_nonzero(data.counts.column_sums()) < np.count_nonzero(sizes)
    return bool(fewer) and not columns_are_rows(data)


def columns_are_rows(data: Dataset) -> bool:
    """Return whether columns are rows already, as `with_co_occurrences` makes them: counts that are symmetric."""
    seen = np.flatnonzero(data.counts.column_sums() > 0).tolist()
    rows = [column for column in seen if data.columns[column] in data.rows]  # not those that occur with no other
    if 2 * len(rows) <= len(seen):
        return False
    square = data.counts.to_scipy()[data.rows.ids([data.columns[column] for column in rows])][:, rows]
    return square.nnz > 0 and abs(square - square.T).max() <= 1e-9 * square.max() and not square.diagonal().any()


def with_company(data: Dataset) -> Dataset:
    """Return the data set with all columns as further rows, which have the columns' taxonomy.

    Row `len(data.rows) + j` counts what column j occurs with. Its name is of no use outside training.
    """
    rows, columns, counts = data.rows, data.columns, data.counts
    pairs = together(counts.row_ids(), counts.indices.astype(np.int64), len(rows), len(columns), _PARTNERS)
    prefix = "with "
    while any(prefix + name in rows for name in columns):
        prefix += "with "
    names = Vocabulary(
        rows.names + tuple(prefix + name for name in columns), np.concatenate([rows.counts, columns.counts])
    )
    together_with = Counts.from_coo(
        np.concatenate([counts.row_ids(), len(rows) + pairs.row_ids()]),
        np.concatenate([counts.indices.astype(np.int64), pairs.indices.astype(np.int64)]),
        np.concatenate([counts.values, pairs.values]),
        (len(names), len(columns)),
    )
    taxonomy = _side_by_side(data.row_taxonomy, data.column_taxonomy, len(rows), names)
    return type(data)(
        names,
        columns,
        together_with,
        row_taxonomy=taxonomy,
        column_taxonomy=data.column_taxonomy,
        row_features=None if data.row_features is None else data.row_features.over(names),
        column_features=data.column_features,
        kind=data.kind,
    )


def _side_by_side(first: Taxonomy | None, second: Taxonomy | None, n: int, names: Vocabulary) -> Taxonomy | None:
    """Return one taxonomy over the entities of two, those of the second numbered from `n`."""
    if first is None and second is None:
        return None
    sizes = [np.zeros(n, np.int64) if first is None else np.diff(first.indptr)]
    sizes.append(np.zeros(len(names) - n, np.int64) if second is None else np.diff(second.indptr))
    parts = [(first, 0), (second, n)]
    parents = [taxonomy.indices.astype(np.int64) + by for taxonomy, by in parts if taxonomy is not None]
    weights = [taxonomy.weights for taxonomy, _ in parts if taxonomy is not None]
    ends = np.cumsum(np.concatenate(sizes))
    return Taxonomy(names, np.concatenate([[0], ends]), np.concatenate(parents), np.concatenate(weights))
