"""An epoch's sample: cells of co-occurrences by row and by column, and the cells of each relation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vbn.kernels import CellArrays
from vbn.sampling.blocks import ColumnBlocks, Segments

_CELLS_PER_BLOCK = 1 << 16


class _Here:
    """Runs tasks one after the other."""

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        return [task(*bounds) for bounds in ranges]


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

    def part(self, first: int, last: int) -> CellArrays:
        """The cells of the rows first..last-1."""
        return CellArrays(self.indptr[first : last + 1], self.indices, self.positive, self.negative, first)

    @classmethod
    def joined(cls, parts: Sequence[CellArrays], n_columns: int, dtype: np.dtype) -> Cells:
        """The cells of ranges of rows that follow each other."""
        lengths = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.indptr) for part in parts)])
        indices, positive, negative = (
            np.concatenate([np.zeros(0, kind), *(getattr(part, name) for part in parts)])
            for name, kind in (("indices", np.int32), ("positive", dtype), ("negative", dtype))
        )
        return cls(np.cumsum(lengths), indices, positive, negative, n_columns)

    @cached_property
    def transposed(self) -> Cells:
        """The same cells by column."""
        blocks = ColumnBlocks.of(np.bincount(self.indices, minlength=self.n_columns).astype(float), _CELLS_PER_BLOCK)
        segments = Segments(blocks, self.positive.dtype)
        segments.add([self.part(0, self.n_rows)], _Here())
        return Cells.joined([segments.cells(*block) for block in blocks.ranges], self.n_rows, self.positive.dtype)

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
