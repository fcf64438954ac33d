"""Divide a data set into one to train on and one to test with."""

from __future__ import annotations

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data import Counts, Dataset, Vocabulary


def hold_out(data: Dataset, share: float, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Hold out a random share of the cells.

    Both parts have the entities of `data` with their ids; an entity that loses all its cells is one without data.
    Where rows and columns are the same entities, the two directions of a pair go the same way, so neither can be read
    off the other. The taxonomies and relations stay with the part to train on.

    Parameters
    ----------
    data
        What to divide.
    share
        Share of the cells to hold out, between 0 and 1.
    seed
        Which cells; the same seed holds out the same.

    Returns
    -------
    tuple of Dataset
        To train on, and held out.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions([1, 1, 2, 2], ["tea", "milk", "tea", "rusk"])
    >>> train, held = hold_out(data, 0.25)
    >>> train.counts.nnz, held.counts.nnz
    (3, 1)
    """
    if not 0.0 < share < 1.0:
        raise ParameterError(f"the share to hold out must be between 0 and 1, got {share!r}.")
    rows, columns = data.counts.row_ids(), data.counts.indices.astype(np.int64)
    group = np.arange(len(rows))
    if data.shared:
        pair = np.minimum(rows, columns) * len(data.rows) + np.maximum(rows, columns)
        group = np.unique(pair, return_inverse=True)[1].reshape(-1)
    groups = int(group.max()) + 1
    wanted = round(share * groups)
    if not 0 < wanted < groups:
        raise DataError(f"a share of {share} of {groups} pairs leaves no pair to hold out, or none to train on.")
    chosen = np.zeros(groups, dtype=bool)
    chosen[np.random.default_rng([seed, 0x5E1D]).permutation(groups)[:wanted]] = True
    held = chosen[group]
    return _part(data, ~held, with_knowledge=True), _part(data, held, with_knowledge=False)


def _part(data: Dataset, kept: np.ndarray, *, with_knowledge: bool) -> Dataset:
    old = data.counts
    counts = Counts.from_coo(old.row_ids()[kept], old.indices[kept], old.values[kept], old.shape)
    columns = _thinned(data.columns, old.column_sums(), counts.column_sums())
    rows = columns if data.shared else _thinned(data.rows, old.row_sums(), counts.row_sums())
    if not with_knowledge:
        return Dataset(rows, columns, counts, kind=data.kind)
    above_rows, above_columns = data.row_taxonomy, data.column_taxonomy
    return Dataset(
        rows,
        columns,
        counts,
        row_taxonomy=None if above_rows is None else above_rows.over(rows),
        column_taxonomy=None if above_columns is None else above_columns.over(columns),
        relations=data.relations,
        kind=data.kind,
        reading=data.reading,
    )


def _thinned(names: Vocabulary, before: np.ndarray, after: np.ndarray) -> Vocabulary:
    """Counts in their old unit (tokens, for example), less the share that went to the other part."""
    share = np.divide(after, before, out=np.zeros(len(before)), where=before > 0)
    return Vocabulary(names.names, names.counts * share)
