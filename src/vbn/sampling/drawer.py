"""Drawing the cells of rows: of all rows, or of a range of them.

What is drawn for a row depends on (seed, epoch, row) and on the row's own counts only. So rows can be divided among
processes that hold no counts but those of their own rows.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import numpy as np

from vbn.data import Counts
from vbn.kernels import CellArrays
from vbn.sampling.past import Past, with_negatives


@dataclass(frozen=True)
class Choices:
    """How likely counts are kept, and where negatives are drawn from.

    Attributes
    ----------
    keep_row, keep_column : ndarray
        Chance to keep an occurrence.
    exact_row, exact_column : ndarray of bool
        Whether a row or column is rare: its cells are all kept, at their expected weight.
    noise : ndarray
        Alias table of the columns that may be negatives.
    reject : bool
        Whether a negative that is an observed pair is drawn again.
    """

    keep_row: np.ndarray
    keep_column: np.ndarray
    exact_row: np.ndarray
    exact_column: np.ndarray
    noise: np.ndarray
    reject: bool


class Scratch(threading.local):
    """A place for each column, one array per thread and process."""

    def __init__(self) -> None:
        self.places = np.empty(0, np.int32)

    def __reduce__(self) -> tuple[type[Scratch], tuple[()]]:
        return Scratch, ()

    def of(self, n: int) -> np.ndarray:
        """Return at least `n` places, all -1."""
        if len(self.places) < n:
            self.places = np.full(n, -1, np.int32)
        return self.places


@dataclass(frozen=True)
class Drawer:
    """Draws the cells of the rows first_row, first_row + 1, ... whose counts it holds.

    Attributes
    ----------
    counts : Counts
        Those of its rows, numbered from 0.
    choices : Choices
        Its row arrays have one entry for each of its rows.
    stream : int
        0 for co-occurrences, k + 1 for relation k: each has random numbers of its own.
    negatives, max_draws, draws_per_cell : float
        Negatives per positive; the most draws for a row, and for each of its positives.
    """

    counts: Counts
    choices: Choices
    seed: int
    dtype: np.dtype
    negatives: float
    max_draws: float
    draws_per_cell: float
    stream: int
    scratch: Scratch
    first_row: int = 0

    def part(self, first: int, last: int) -> Drawer:
        """Return a drawer of the rows first..last-1 alone, renumbered from 0."""
        counts, choices = self.counts.part(first, last), self.choices
        own = replace(choices, keep_row=choices.keep_row[first:last], exact_row=choices.exact_row[first:last])
        return replace(self, counts=counts, choices=own, first_row=self.first_row + first)

    def draw(self, first: int, last: int, epoch: int) -> CellArrays:
        """Draw the cells of its rows first..last-1 in an epoch's sample."""
        from vbn.kernels.sampling import sample_rows

        counts, choices = self.counts, self.choices
        stream = (self.first_row, self.seed, epoch, self.stream)
        cells = (counts.indptr, counts.indices, counts.values)
        keep = (choices.keep_row, choices.keep_column, choices.exact_row, choices.exact_column)
        draws = (choices.noise, self.negatives, choices.reject, self.max_draws, self.draws_per_cell)
        room = (self.scratch.of(counts.shape[1]), np.empty(0, self.dtype))
        lengths, columns, positive, negative = sample_rows(first, last, *stream, *cells, *keep, *draws, *room)
        return CellArrays(np.concatenate(([0], np.cumsum(lengths))), columns, positive, negative, first)


@dataclass
class CellDrawer:
    """Draws co-occurrence cells: those of new data, and negatives that earlier data, if any, still lacks.

    `noise` is how likely each column is as a negative.
    """

    new: Drawer
    past: Past | None
    noise: np.ndarray
    _missed_in: tuple[int, tuple[np.ndarray, ...]] | None = None

    def part(self, first: int, last: int) -> CellDrawer:
        """Return a drawer of the rows first..last-1 alone, renumbered from 0."""
        return CellDrawer(self.new.part(first, last), self.past, self.noise)

    def draw(self, first: int, last: int, epoch: int) -> CellArrays:
        """Draw the cells of its rows first..last-1 in an epoch's sample."""
        drawn = self.new.draw(first, last, epoch)
        return drawn if self.past is None else with_negatives(drawn, *self._missed(self.past, epoch))

    def _missed(self, past: Past, epoch: int) -> tuple[np.ndarray, ...]:
        """Return the negatives of its rows that the old positives still lack, rows rising."""
        if self._missed_in is None or self._missed_in[0] != epoch:
            new = self.new
            rows, columns, weights = past.missed(self.noise, new.negatives, new.seed, epoch)
            rows = rows - new.first_row
            good = (rows >= 0) & (rows < new.counts.shape[0])
            if new.choices.reject:
                width = new.counts.shape[1]
                good &= ~np.isin(rows * width + columns, new.counts.row_ids() * width + new.counts.indices)
            rows, columns, weights = rows[good], columns[good], weights[good]
            order = np.argsort(rows, kind="stable")
            self._missed_in = epoch, (rows[order], columns[order], weights[order])
        return self._missed_in[1]


def noise_table(weights: np.ndarray, ids: np.ndarray) -> np.ndarray:
    """Return the alias table of columns by their weights, as `Choices` takes it."""
    from vbn.kernels.sampling import alias_table

    return np.asarray(alias_table(weights, ids))
