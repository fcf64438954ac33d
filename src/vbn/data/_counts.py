"""Co-occurrence counts: a sparse matrix in compressed rows, aggregated and in canonical order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vbn._errors import DataError
from vbn.data._ranges import ranges_by_cells
from vbn.data._types import FloatArray, IdArray, IndexArray, as_index, read_only, summed
from vbn.data._wording import amount, counted

CELLS_AT_ONCE = 1 << 22
"""Cells that are looked at together where something is computed for each, so that memory does not grow with them."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of (row, column) cells in compressed sparse row form; immutable.

    Within a row the columns rise, none comes twice, and no stored count is zero. Build one with
    `from_coo`, which makes sure of that.

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
        """Aggregate (row, column, value) triples: the values of one cell add up, zeros go."""
        row = np.asarray(rows, dtype=np.int64)
        column = np.asarray(columns, dtype=np.int64)
        value = np.asarray(values, dtype=np.float64)
        if not row.shape == column.shape == value.shape or row.ndim != 1:
            raise DataError(f"rows, columns and values differ: {row.shape}, {column.shape}, {value.shape}")
        for ids, size, side in ((row, shape[0], "row"), (column, shape[1], "column")):
            if len(ids) and not (ids.min() >= 0 and ids.max() < size):
                raise DataError(f"a {side} id lies outside of 0 ... {size - 1}")
        row, column, value = _aggregated(row, column, value, shape)
        indptr = np.zeros(shape[0] + 1, dtype=np.int64)
        np.cumsum(np.bincount(row, minlength=shape[0]), out=indptr[1:])
        return cls(indptr, as_index(column, shape[1]), value, shape)

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

    def row_sums(self) -> FloatArray:
        """Return the sum of each row."""
        result = np.zeros(self.shape[0])
        for first, last in ranges_by_cells(self.indptr, CELLS_AT_ONCE):
            indptr = self.indptr[first : last + 1]
            rows = np.repeat(np.arange(last - first), np.diff(indptr))
            result[first:last] = summed(rows, self.values[indptr[0] : indptr[-1]], last - first)
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
        start = np.flatnonzero(np.concatenate([[True], (row[1:] != row[:-1]) | (column[1:] != column[:-1])]))
        row, column, value = row[start], column[start], np.add.reduceat(value, start)
        kept = value != 0
        return row[kept], column[kept], value[kept]
    key = row * shape[1]
    key += column
    if (key[1:] < key[:-1]).any():
        order = np.argsort(key, kind="stable")
        key, value = key[order], value[order]
        del order  # as large as the cells, like all that is let go here
    start = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    key, value = key[start], np.add.reduceat(value, start)
    del start
    if not value.all():
        kept = value != 0
        key, value = key[kept], value[kept]
    row, column = np.divmod(key, shape[1])
    return row, column, value
