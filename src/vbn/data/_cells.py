"""An epoch's sample: cells of co-occurrences by row and by column, and the cells of each relation."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

_PARTS, _CELLS_PER_PART = 8, 1 << 17  # a layout by column is made in so many parts at most, of so many cells at least


class Runner(Protocol):
    """Runs a task over ranges of rows and returns the results in order; an engine is one."""

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Results of task(first, last) for every range, in the order of the ranges."""


def ranges_by_cells(indptr: np.ndarray, cells_per_range: int) -> list[tuple[int, int]]:
    """Divide rows into ranges of about equal numbers of cells (a row counts as at least one)."""
    n_rows = len(indptr) - 1
    if n_rows == 0:
        return []
    load = indptr[1:] + np.arange(1, n_rows + 1)
    n_ranges = max(1, int(load[-1] // cells_per_range))
    cuts = np.searchsorted(load, np.linspace(0, load[-1], n_ranges + 1)[1:-1])
    edges = np.unique(np.concatenate(([0], cuts, [n_rows])))
    return [(int(a), int(b)) for a, b in itertools.pairwise(edges)]


@dataclass(frozen=True)
class Cells:
    """Distinct pairs (i, j) with their weight as positive and as negative, in compressed rows."""

    indptr: np.ndarray
    indices: np.ndarray
    positive: np.ndarray
    negative: np.ndarray
    n_columns: int

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    @cached_property
    def transposed(self) -> Cells:
        """The same cells by column."""
        return self._turned(lambda task, ranges: [task(*bounds) for bounds in ranges], 1)

    def transpose(self, runner: Runner) -> None:
        """Make the layout by column ahead of its use, in parallel."""
        self.__dict__["transposed"] = self._turned(runner.map, max(1, min(_PARTS, len(self) // _CELLS_PER_PART)))

    def _turned(self, run: Callable, parts: int) -> Cells:
        """A counting sort, rows ascending within a column: count, then put every cell where its column goes on."""
        from vbn.kernels._sampling import count_columns, scatter_cells

        ranges = ranges_by_cells(self.indptr, len(self) // parts + self.n_rows // parts + 1)
        counts = run(lambda a, b: count_columns(a, b, self.indptr, self.indices, self.n_columns), ranges)
        ends = np.cumsum(np.sum(counts, axis=0, dtype=np.int64)) if counts else np.zeros(self.n_columns, np.int64)
        indptr = np.concatenate(([0], ends))
        cursors = dict(zip(ranges, indptr[:-1] + np.cumsum([np.zeros_like(ends), *counts[:-1]], axis=0), strict=False))
        turned = np.empty(len(self), np.int32), np.empty_like(self.positive), np.empty_like(self.negative)
        given = self.indptr, self.indices, self.positive, self.negative
        run(lambda a, b: scatter_cells(a, b, *given, cursors[a, b], *turned), ranges)
        return Cells(indptr, *turned, n_columns=self.n_rows)

    def rows(self) -> np.ndarray:
        """The row of each cell."""
        return np.repeat(np.arange(self.n_rows, dtype=np.int32), np.diff(self.indptr))


@dataclass(frozen=True)
class Sample:
    """What one epoch learns from."""

    cells: Cells
    relations: tuple[Cells, ...]

    @property
    def size(self) -> int:
        """Number of cells of all kinds."""
        return len(self.cells) + sum(len(cells) for cells in self.relations)
