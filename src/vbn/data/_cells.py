"""An epoch's sample: cells of co-occurrences by row and by column, and the cells of each relation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


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
        from vbn.kernels._sampling import transpose_cells

        indptr, indices, positive, negative = transpose_cells(
            self.indptr, self.indices, self.positive, self.negative, self.n_columns
        )
        return Cells(indptr, indices, positive, negative, n_columns=self.n_rows)

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
