"""The company of columns: what rows that have a column are like, learned from what it occurs with.

Where rows are short, a row alone tells little. Each column then also has a density of its own as a row, and a row is
the mean of two random variables: what its own pairs say, and the average of what its columns say. Both come from the
same data, so that they are taken to err together: their standard deviations add up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vbn.model.block import Block
from vbn.model.fields import Gaussians

_SHARE = 0.5  # of the columns; the rest is the row's own
_LEAST = 1e-6  # standard deviation; less is rounding


@dataclass(frozen=True, repr=False)
class Company:
    """Densities of the first columns of a model as rows, and of which of them anything is known."""

    mean: np.ndarray
    variance: np.ndarray
    known: np.ndarray

    def __len__(self) -> int:
        return len(self.known)

    def __repr__(self) -> str:
        return f"Company({int(self.known.sum())} of {len(self)} columns)"

    def only(self, kept: np.ndarray) -> Company:
        """Return the company of some columns: a mask over all columns of the model."""
        mine = kept[: len(self)]
        return Company(self.mean[mine], self.variance[mine], self.known[mine])

    def of(self, columns: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the share of the columns in the density of a row that has them, and those that have a part in it."""
        mine = np.unique(columns[columns < len(self)])
        mine = mine[self.known[mine]]
        return (_SHARE if len(mine) else 0.0), mine

    def joined(self, own: Gaussians, indptr: np.ndarray, columns: np.ndarray) -> Gaussians:
        """Return the densities of rows, given what their own pairs say and the columns that each of them has.

        A column counts once, however often a row has it. A row whose columns tell nothing stays as it is.
        """
        share, others = self._of_rows(indptr, columns)
        mean = (1.0 - share) * own.mean + share * others.mean
        both = ((1.0 - share) * np.sqrt(own.variance.astype(np.float64)) + share * np.sqrt(others.variance)) ** 2
        variance = np.where(share > 0.0, both, own.variance)
        dtype = own.mean.dtype
        return Gaussians(mean.astype(dtype), variance.astype(dtype))

    def apart(self, joined: Gaussians, indptr: np.ndarray, columns: np.ndarray) -> Gaussians:
        """Return what the pairs of rows say, given their densities and columns: the inverse of `joined`, in float64."""
        share, others = self._of_rows(indptr, columns)
        mean = (joined.mean - share * others.mean) / (1.0 - share)
        std = np.sqrt(joined.variance.astype(np.float64)) - share * np.sqrt(others.variance)
        return Gaussians(mean, np.maximum(std / (1.0 - share), _LEAST) ** 2)

    def _of_rows(self, indptr: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, Gaussians]:
        """Return the share of the columns in each row, and the average of what they say."""
        from scipy.sparse import csr_array

        n = len(indptr) - 1
        counts = columns < len(self)
        counts[counts] = self.known[columns[counts]]
        owner = np.repeat(np.arange(n), np.diff(indptr))
        pairs = np.unique(owner[counts] * np.int64(len(self)) + columns[counts])
        rows, places = np.divmod(pairs, max(len(self), 1))
        totals = np.bincount(rows, minlength=n)
        part, starts = 1.0 / totals[rows], np.append(0, np.cumsum(totals))
        used, at = np.unique(places, return_inverse=True)
        average, squares = (csr_array((values, at, starts), shape=(n, len(used))) for values in (part, part**2))
        mean, variance = (array[used].astype(np.float64) for array in (self.mean, self.variance))
        found = Gaussians(average @ mean, squares @ variance)
        return np.where(totals > 0, _SHARE, 0.0)[:, None], found


def tempered(block: Block, shares: np.ndarray) -> None:
    """Let the data of some variables count less: their precision beyond that of the prior times the share of each.

    In training every pair is counted in its own row and once more as company, and says no more for that.
    """
    shape = (-1, *[1] * (block.mean.ndim - 1))
    tau, share = block.tau.reshape(shape), shares.reshape(shape)
    beyond = np.maximum(1.0 / block.variance.astype(np.float64) - tau, 0.0)
    block.variance[...] = np.where(share < 1.0, 1.0 / (tau + share * beyond), block.variance)
