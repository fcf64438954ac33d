"""Co-occurrence counts: a sparse matrix in compressed rows, and what the data room does with such arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vbn._errors import DataError
from vbn.data.describe import amount, counted

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IdArray = NDArray[np.int64]  # entity ids while data is being read
IndexArray = NDArray[np.int32] | NDArray[np.int64]  # entity ids as stored: 32 bits while they fit
_CELLS_AT_ONCE = 1 << 22  # bounds the memory that a pass over all cells takes


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts of (row, column) cells in compressed sparse row form; immutable.

    Within a row the columns rise, no column is there twice, and no stored count is zero; `from_coo` makes sure of it.

    Examples
    --------
    >>> counts = Counts.from_coo([0, 1, 0], [1, 0, 1], [2, 1, 3], shape=(2, 2))
    >>> counts.nnz, counts.total, counts.row_sums().tolist()
    (2, 6.0, [5.0, 1.0])
    """

    indptr: IdArray  # one more than there are rows: row i holds cells indptr[i]:indptr[i + 1]
    indices: IndexArray  # the column of each cell; int32, or int64 from 2**31 columns on
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
        result = np.zeros(self.shape[1])
        for _, _, block in self.blocks():
            result += summed(block.indices, block.values, self.shape[1])
        return result

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

        return csr_array((self.values, self.indices, self.indptr), shape=self.shape, copy=True)

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
    else:
        key = row * shape[1]
        key += column
        if (key[1:] < key[:-1]).any():
            order = np.argsort(key, kind="stable")
            key, value = key[order], value[order]
            del order  # like `start` below, as large as the cells
        start = first_of_runs(key)
        key, value = key[start], np.add.reduceat(value, start)
        del start
        row, column = np.divmod(key, shape[1])
    if value.all():
        return row, column, value
    kept = value != 0
    return row[kept], column[kept], value[kept]


def fault_of_rows(
    indptr: np.ndarray, indices: np.ndarray, n_columns: int, values: np.ndarray | None = None
) -> str | None:
    """Say what is wrong with compressed rows, or return None; cells are read once, in blocks, and may be on disk.

    Examples
    --------
    >>> fault_of_rows(np.array([0, 2, 3]), np.array([0, 1, 7]), 2)
    'row 1 (counted from 0) has a cell in column 7, but there are 2 columns'
    """
    whole = len(indptr) > 0 and indptr[0] == 0 and indptr[-1] == len(indices) and (indptr[1:] >= indptr[:-1]).all()
    if not whole:
        return "the starts of its rows do not fit its cells"
    for first, last in ranges_by_cells(indptr, _CELLS_AT_ONCE):
        cells = slice(int(indptr[first]), int(indptr[last]))
        columns = np.asarray(indices[cells])
        counts = np.ones(len(columns)) if values is None else np.asarray(values[cells])
        rows = np.repeat(np.arange(first, last), np.diff(indptr[first : last + 1]))
        falling = np.zeros(len(columns), dtype=bool)
        falling[1:] = (columns[1:] <= columns[:-1]) & (rows[1:] == rows[:-1])
        outside, odd = (columns < 0) | (columns >= n_columns), ~((counts > 0) & (counts < np.inf))
        for wrong, what in (
            (outside, "a cell in column {column:,}, but there are {n_columns:,} columns"),
            (falling, "columns that do not rise, or a column twice"),
            (odd, "the count {count}, which is not finite and above 0"),
        ):
            if wrong.any():
                at = int(wrong.argmax())
                told = what.format(column=columns[at], n_columns=n_columns, count=counts[at])
                return f"row {rows[at]:,} (counted from 0) has {told}"
    return None


def read_only(array: NDArray) -> NDArray:
    """Return a view of `array` that refuses to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def as_index(ids: NDArray, size: int) -> IndexArray:
    """Return ids of `size` things as int32, or as int64 from 2**31 things on."""
    return ids.astype(np.int32, copy=False) if size < 2**31 else ids.astype(np.int64, copy=False)


def summed(ids: NDArray, weights: FloatArray, n: int) -> FloatArray:
    """Return the sum of the weights of each of `n` ids."""
    return np.bincount(ids, weights=weights, minlength=n).astype(np.float64, copy=False)


def starts_of(ids: NDArray, n: int) -> IdArray:
    """Return where each of `n` rows begins among cells sorted by row, and the end of the last one."""
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(ids, minlength=n), out=indptr[1:])
    return indptr


def first_of_runs(*keys: NDArray) -> IdArray:
    """Return where a new combination of sorted keys begins."""
    new = np.ones(len(keys[0]), dtype=bool)
    new[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return np.flatnonzero(new)


def latest(rows: IdArray, columns: IdArray, times: FloatArray) -> FloatArray:
    """Return the latest time of each cell, in the order of `Counts.from_coo`."""
    order = np.lexsort((columns, rows))
    start = first_of_runs(rows[order], columns[order])
    return np.maximum.reduceat(times[order], start) if len(start) else times[order]


class Runner(Protocol):
    """Runs a task over ranges of rows and returns the results in order; an engine is one."""

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Return the results of task(first, last) for every range, in the order of the ranges."""


def ranges_by_load(load: np.ndarray, most: float, widest: int | None = None) -> list[tuple[int, int]]:
    """Divide rows into ranges of about equal load, near `most`, and of at most `widest` rows.

    Examples
    --------
    >>> ranges_by_load(np.array([5.0, 1.0, 1.0, 1.0]), 4.0)
    [(0, 1), (1, 4)]
    """
    n = len(load)
    if n == 0:
        return []
    total = np.cumsum(load)
    n_ranges = max(1, int(total[-1] // most))
    middle = total - 0.5 * load  # a row goes to the side that holds more of it
    cuts = np.searchsorted(middle, np.linspace(0.0, total[-1], n_ranges + 1)[1:-1])
    edges = np.unique(np.concatenate((cuts, np.arange(0, n, widest or n), [n])))
    return list(itertools.pairwise(edges.tolist()))


def ranges_by_cells(indptr: np.ndarray, cells: float) -> list[tuple[int, int]]:
    """Divide rows into ranges of about `cells` cells each; every row counts as one cell more than it has."""
    return ranges_by_load(np.diff(indptr) + 1.0, cells)
