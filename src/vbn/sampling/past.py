"""What a sample of new data needs to know about earlier data that is gone.

If all data were available, the negatives of the old positives would fall on all columns, in proportion to all counts.
The old fit has not seen those on columns that are new or far more frequent than before, so they are drawn now.
Otherwise new columns, which meet only the negatives of a few new positives, would look far more likely than old ones.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from vbn.kernels import CellArrays

_GROWTH = 2.0  # smaller growth is chance; correcting it in every batch of a stream, but never a loss, would add up
_DRAWS = 512  # at most, for a column and epoch; each carries its share of the weight


@dataclass(frozen=True)
class Past:
    """Earlier data, as far as sampling needs it.

    `noise` is how likely each column was as a negative, `row_totals` how much each row weighed in a sample, and
    `rejects` whether a negative that was an observed pair was drawn again (None: not known).
    """

    noise: np.ndarray
    row_totals: np.ndarray
    rejects: bool | None

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
