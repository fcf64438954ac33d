"""Co-occurrence counts: a sparse matrix in compressed rows, aggregated and in canonical order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vbn._errors import DataError
from vbn.data.arrays import (
    FloatArray,
    IdArray,
    IndexArray,
    as_index,
    first_of_runs,
    ranges_by_cells,
    read_only,
    starts_of,
    summed,
)
from vbn.data.describe import amount, counted

_CELLS_AT_ONCE = 1 << 22  # bounds the memory that a pass over all cells takes


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of (row, column) cells in compressed sparse row form; immutable.

    Within a row the columns rise, no column is there twice, and no stored count is zero; `from_coo` makes sure of it.

    Parameters
    ----------
    indptr
        int64, one more than there are rows: row ``i`` holds cells ``indptr[i]:indptr[i + 1]``.
    indices
        The column of each cell; int32, or int64 from 2**31 columns on.
    values
        The count of each cell, float64.
    shape
        Number of rows and of columns.

    Examples
    --------
    >>> counts = Counts.from_coo([0, 1, 0], [1, 0, 1], [2, 1, 3], shape=(2, 2))
    >>> counts.nnz, counts.total, counts.row_sums().tolist()
    (2, 6.0, [5.0, 1.0])
    """

    indptr: IdArray
    indices: IndexArray
    values: FloatArray
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        rows, columns = (int(size) for size in self.shape)
        if len(self.indptr) != rows + 1 or len(self.indices) != len(self.values):
            raise DataError("the arrays of Counts do not fit its shape; build one with Counts.from_coo")
        indices = as_index(np.asarray(self.indices), columns)
        object.__setattr__(self, "indptr", read_only(np.asarray(self.indptr, dtype=np.int64)))
        object.__setattr__(self, "indices", read_only(indices))
        object.__setattr__(self, "values", read_only(np.asarray(self.values, dtype=np.float64)))
        object.__setattr__(self, "shape", (rows, columns))

    @classmethod
    def from_coo(cls, rows: ArrayLike, columns: ArrayLike, values: ArrayLike, shape: tuple[int, int]) -> Counts:
        """Aggregate (row, column, value) triples: the values of one cell add up, and zeros are dropped."""
        row = np.asarray(rows, dtype=np.int64)
        column = np.asarray(columns, dtype=np.int64)
        value = np.asarray(values, dtype=np.float64)
        if not row.shape == column.shape == value.shape or row.ndim != 1:
            raise DataError(f"rows, columns and values differ: {row.shape}, {column.shape}, {value.shape}")
        for ids, size, side in ((row, shape[0], "row"), (column, shape[1], "column")):
            if len(ids) and not (ids.min() >= 0 and ids.max() < size):
                raise DataError(f"a {side} id is outside of 0 ... {size - 1}")
        row, column, value = _aggregated(row, column, value, shape)
        return cls(starts_of(row, shape[0]), as_index(column, shape[1]), value, shape)

    @property
    def nnz(self) -> int:
        """Number of cells with a count."""
        return len(self.values)

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return int(self.indptr.nbytes + self.indices.nbytes + self.values.nbytes)

    @property
    def total(self) -> float:
        """Sum of all counts."""
        return float(self.values.sum())

    @property
    def density(self) -> float:
        """Share of all cells that have a count."""
        cells = self.shape[0] * self.shape[1]
        return self.nnz / cells if cells else 0.0

    def row_ids(self) -> IdArray:
        """Return the row of each cell."""
        return np.repeat(np.arange(self.shape[0], dtype=np.int64), np.diff(self.indptr))

    def blocks(self) -> Iterator[tuple[int, int, Counts]]:
        """Yield ranges of rows (first, last) with their counts: a pass over all of them takes bounded memory."""
        for first, last in ranges_by_cells(self.indptr, _CELLS_AT_ONCE):
            yield first, last, self.part(first, last)

    def row_sums(self) -> FloatArray:
        """Return the sum of each row."""
        result = np.zeros(self.shape[0])
        for first, last, block in self.blocks():
            result[first:last] = summed(block.row_ids(), block.values, last - first)
        return result

    def column_sums(self) -> FloatArray:
        """Return the sum of each column."""
        return summed(self.indices, self.values, self.shape[1])

    def transpose(self) -> Counts:
        """Return the counts with rows and columns exchanged."""
        return Counts.from_coo(self.indices, self.row_ids(), self.values, self.shape[::-1])

    def part(self, first: int, last: int) -> Counts:
        """Return the rows first..last-1, numbered from 0; their cells are not copied."""
        indptr = self.indptr[first : last + 1]
        cells = slice(int(indptr[0]), int(indptr[-1]))
        return Counts(indptr - indptr[0], self.indices[cells], self.values[cells], (last - first, self.shape[1]))

    def resized(self, shape: tuple[int, int]) -> Counts:
        """Return the counts with empty rows and columns appended."""
        if shape[0] < self.shape[0] or shape[1] < self.shape[1]:
            raise DataError(f"counts of shape {self.shape} can only grow, not become {tuple(shape)}")
        if tuple(shape) == self.shape:
            return self
        indptr = np.pad(self.indptr, (0, shape[0] - self.shape[0]), mode="edge")
        return Counts(indptr, self.indices, self.values, shape)

    def to_scipy(self) -> Any:
        """Return a `scipy.sparse.csr_array` with a copy of the counts."""
        from scipy.sparse import csr_array

        parts = (self.values.copy(), self.indices.copy(), self.indptr.copy())
        return csr_array(parts, shape=self.shape)

    def __repr__(self) -> str:
        size = f"{self.shape[0]:,} x {self.shape[1]:,}"
        return f"Counts({size}, {counted(self.nnz, 'cell')}, total {amount(self.total)})"


def _aggregated(
    row: IdArray, column: IdArray, value: FloatArray, shape: tuple[int, int]
) -> tuple[IdArray, IdArray, FloatArray]:
    """Sort cells by row and column, add up those that are the same, and drop zeros."""
    if len(row) == 0:
        return row, column, value
    if shape[0] * shape[1] >= 2**63:  # the numbers of the cells do not fit 64 bits
        order = np.lexsort((column, row))
        row, column, value = row[order], column[order], value[order]
        start = first_of_runs(row, column)
        row, column, value = row[start], column[start], np.add.reduceat(value, start)
        kept = value != 0
        return row[kept], column[kept], value[kept]
    key = row * shape[1]
    key += column
    if (key[1:] < key[:-1]).any():
        order = np.argsort(key, kind="stable")
        key, value = key[order], value[order]
        del order  # like `start` below, as large as the cells
    start = first_of_runs(key)
    key, value = key[start], np.add.reduceat(value, start)
    del start
    if not value.all():
        kept = value != 0
        key, value = key[kept], value[kept]
    row, column = np.divmod(key, shape[1])
    return row, column, value


def fault_of_rows(
    indptr: np.ndarray, indices: np.ndarray, n_columns: int, values: np.ndarray | None = None
) -> str | None:
    """Say what is wrong with compressed rows, or return None; cells are read once, in blocks, and may be on disk.

    Parameters
    ----------
    indptr
        Where each row begins, and the end of the last one: from 0 to the number of cells, never falling.
    indices
        The column of each cell: in every row they rise and are at least 0 and below `n_columns`.
    n_columns
        How many columns there are.
    values
        The count of each cell, above 0 and finite; None if there are none to check.

    Examples
    --------
    >>> fault_of_rows(np.array([0, 2, 3]), np.array([0, 1, 0]), 2) is None
    True
    >>> fault_of_rows(np.array([0, 2, 3]), np.array([0, 1, 7]), 2)
    'row 1 (counted from 0) has a cell in column 7, but there are 2 columns'
    """
    whole = len(indptr) > 0 and indptr[0] == 0 and indptr[-1] == len(indices) and (indptr[1:] >= indptr[:-1]).all()
    if not whole:
        return "the starts of its rows do not fit its cells"
    for first in range(0, len(indices), _CELLS_AT_ONCE):
        found = _fault_from(first, indptr, indices, n_columns, values)
        if found is not None:
            cell, what = found
            row = int(np.searchsorted(indptr, cell, side="right")) - 1
            return f"row {row:,} (counted from 0) has {what}"
    return None


def _fault_from(
    first: int, indptr: np.ndarray, indices: np.ndarray, n_columns: int, values: np.ndarray | None
) -> tuple[int, str] | None:
    """Return the first cell at fault in one block, and what is wrong there."""
    block = slice(first, first + _CELLS_AT_ONCE)
    columns = np.asarray(indices[block])
    outside = _first((columns < 0) | (columns >= n_columns))
    if outside is not None:
        return first + outside, f"a cell in column {columns[outside]:,}, but there are {n_columns:,} columns"
    before = max(first - 1, 0)  # to compare with the last cell of the block before
    pairs = np.asarray(indices[before : block.stop])
    falling = before + 1 + np.flatnonzero(pairs[1:] <= pairs[:-1])
    within = _first(indptr[np.searchsorted(indptr, falling)] != falling)  # columns may fall from one row to the next
    if within is not None:
        return int(falling[within]), "columns that do not rise, or a column twice"
    counts = np.asarray(values[block]) if values is not None else np.ones(0)
    odd = _first(~((counts > 0) & (counts < np.inf)))
    return None if odd is None else (first + odd, f"the count {counts[odd]}, which is not finite and above 0")


def _first(bad: np.ndarray) -> int | None:
    return int(bad.argmax()) if bad.any() else None
