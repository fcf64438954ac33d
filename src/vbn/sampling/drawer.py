"""Drawing the cells of rows: of all rows, or of a range of them.

What is drawn for a row depends on (seed, epoch, row) and on the row's own counts only. So rows can be divided among
processes that hold no counts but those of their own rows.
"""

from __future__ import annotations

import threading
import zlib
from dataclasses import dataclass, replace

import numpy as np

from vbn.data import Counts, Dataset
from vbn.kernels import CellArrays

_GROWTH = 2.0  # smaller growth is chance; correcting it in every batch of a stream, but never a loss, would add up
_DRAWS = 512  # at most, for a column and epoch; each carries its share of the weight


@dataclass(frozen=True)
class Choices:
    """How likely counts are kept, and where negatives are drawn from."""

    keep_row: np.ndarray  # chance to keep an occurrence
    keep_column: np.ndarray
    exact_row: np.ndarray  # whether it is rare: its cells are all kept, at their expected weight
    exact_column: np.ndarray
    noise: np.ndarray  # alias table of the columns that may be negatives
    reject: bool  # whether a negative that is an observed pair is drawn again


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
    """Draws the cells of the rows first_row, first_row + 1, ... whose counts it holds, numbered from 0."""

    counts: Counts
    choices: Choices
    seed: int
    dtype: np.dtype
    negatives: float  # per positive
    max_draws: float  # for a row
    draws_per_cell: float  # for each positive of a row
    stream: int  # 0 for co-occurrences, k + 1 for relation k: each has random numbers of its own
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


@dataclass(frozen=True)
class Past:
    """What a sample of new data needs to know about earlier data that is gone.

    If all data were available, the negatives of the old positives would fall on all columns, in proportion to all
    counts. The old fit has not seen those on columns that are new or far more frequent than before, so they are drawn
    now. Otherwise new columns, which meet only the negatives of a few new positives, would look far more likely.
    """

    noise: np.ndarray  # how likely each column was as a negative
    row_totals: np.ndarray  # how much each row weighed in a sample
    rejects: bool | None  # whether a negative that was an observed pair was drawn again (None: not known)
    column_totals: np.ndarray  # how much each column weighed in the counts

    def noise_counts(self, data: Dataset) -> np.ndarray:
        """Return what negatives are drawn by, now and before; the entities of new data count both already."""
        return data.noise_counts + self.column_totals if data.counted_by_cells else data.noise_counts

    @property
    def columns(self) -> np.ndarray:
        """Whether each column was there: such columns stay among the negatives."""
        return np.asarray(self.noise > 0)

    def seed(self, seed: int) -> int:
        """Return a seed that differs from fit to fit of a series: each draws other negatives."""
        before = zlib.crc32(np.ascontiguousarray(self.row_totals).tobytes())
        return int(np.random.SeedSequence([seed, before]).generate_state(1, np.uint32)[0])

    def missed(self, noise: np.ndarray, negatives: float, seed: int, epoch: int) -> tuple[np.ndarray, ...]:
        """Return the negatives of the old positives that the old fit has not seen: rows, columns, weights."""
        gain = np.where(noise > _GROWTH * self.noise, noise - self.noise, 0.0)
        wanted = negatives * self.row_totals.sum() * gain
        rng = np.random.default_rng([seed, epoch, 0x9A57])
        draws = np.floor(np.minimum(wanted, _DRAWS) + rng.random(len(wanted))).astype(np.int64)
        columns = np.repeat(np.arange(len(wanted)), draws)
        weights = np.repeat(np.maximum(wanted / _DRAWS, 1.0), draws)
        steps = np.cumsum(self.row_totals)
        rows = np.searchsorted(steps, rng.random(len(columns)) * steps[-1], side="right")
        return rows, columns, weights


def with_negatives(cells: CellArrays, rows: np.ndarray, columns: np.ndarray, weights: np.ndarray) -> CellArrays:
    """Return the cells with negatives added as cells of their own; two cells of one pair add up. `rows` rise."""
    n_rows, dtype = len(cells.indptr) - 1, cells.positive.dtype
    mine = slice(*np.searchsorted(rows, (cells.first, cells.first + n_rows)))
    rows, columns, weights = rows[mine] - cells.first, columns[mine], weights[mine]
    held = np.repeat(np.arange(n_rows), np.diff(cells.indptr))
    order = np.argsort(np.concatenate([held, rows]), kind="stable")
    lengths = np.diff(cells.indptr) + np.bincount(rows, minlength=n_rows)
    return CellArrays(
        np.concatenate(([0], np.cumsum(lengths))),
        np.concatenate([cells.indices, columns.astype(cells.indices.dtype)])[order],
        np.concatenate([cells.positive, np.zeros(len(rows), dtype)])[order],
        np.concatenate([cells.negative, weights.astype(dtype)])[order],
        cells.first,
    )


@dataclass
class CellDrawer:
    """Draws co-occurrence cells: those of new data, and negatives that earlier data, if any, still lacks."""

    new: Drawer
    past: Past | None
    noise: np.ndarray  # how likely each column is as a negative
    _missed_in: tuple[int, tuple[np.ndarray, ...]] | None = None

    def part(self, first: int, last: int) -> CellDrawer:
        """Return a drawer of the rows first..last-1 alone, renumbered from 0."""
        return CellDrawer(self.new.part(first, last), self.past, self.noise)

    @property
    def distinct(self) -> bool:
        """Return whether no pair gets two cells: negatives that earlier data lacks are cells of their own."""
        return self.past is None

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

    return np.asarray(alias_table(weights * (len(weights) / weights.sum()), ids))
