"""Compressed rows from a file: what is wrong with them, looked for in blocks, so that they may exceed the memory."""

from __future__ import annotations

import numpy as np

from vbn.data._counts import CELLS_AT_ONCE


def fault_of_rows(
    indptr: np.ndarray, indices: np.ndarray, n_columns: int, values: np.ndarray | None = None
) -> str | None:
    """What is wrong with compressed rows, or None; cells are read once, from the first to the last.

    Parameters
    ----------
    indptr
        Where each row begins, and the end of the last one: from 0 to the number of cells, never falling.
    indices
        The column of each cell: in every row they rise and are at least 0 and below `n_columns`.
    n_columns
        How many columns there are.
    values
        The count of each cell, above 0 and finite; None leaves them out.

    Examples
    --------
    >>> fault_of_rows(np.array([0, 2, 3]), np.array([0, 1, 0]), 2) is None
    True
    >>> fault_of_rows(np.array([0, 2, 3]), np.array([0, 1, 7]), 2)
    'row 1 (counted from 0) has a cell in column 7, but there are 2 columns'
    """
    whole = len(indptr) > 0 and indptr[0] == 0 and indptr[-1] == len(indices) and (indptr[1:] >= indptr[:-1]).all()
    if not whole:
        return "the beginnings of its rows do not fit its cells"
    for first in range(0, len(indices), CELLS_AT_ONCE):
        found = _fault_from(first, indptr, indices, n_columns, values)
        if found is not None:
            cell, what = found
            row = int(np.searchsorted(indptr, cell, side="right")) - 1
            return f"row {row:,} (counted from 0) has {what}"
    return None


def _fault_from(
    first: int, indptr: np.ndarray, indices: np.ndarray, n_columns: int, values: np.ndarray | None
) -> tuple[int, str] | None:
    """The first fault of each kind in one block: its cell, and what is wrong there."""
    block = slice(first, first + CELLS_AT_ONCE)
    columns = np.asarray(indices[block])
    outside = _first((columns < 0) | (columns >= n_columns))
    if outside is not None:
        return first + outside, f"a cell in column {columns[outside]:,}, but there are {n_columns:,} columns"
    before = max(first - 1, 0)  # the last cell of the block before belongs to the comparison
    pairs = np.asarray(indices[before : block.stop])
    falling = before + 1 + np.flatnonzero(pairs[1:] <= pairs[:-1])
    within = _first(indptr[np.searchsorted(indptr, falling)] != falling)  # from one row to the next anything goes
    if within is not None:
        return int(falling[within]), "columns that do not rise, or one of them twice"
    counts = np.asarray(values[block]) if values is not None else np.ones(0)
    odd = _first(~((counts > 0) & (counts < np.inf)))
    return None if odd is None else (first + odd, f"the count {counts[odd]}, which is not finite and above 0")


def _first(bad: np.ndarray) -> int | None:
    return int(bad.argmax()) if bad.any() else None
