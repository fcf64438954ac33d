"""The cells that training shows an entity, in expectation: pairs as subsampled, noise at its mean weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vbn.data import Counts, Dataset
from vbn.model import EntityCells
from vbn.sampling import Sampler, keep_probabilities, relation_counts, relation_noise, weight_of


@dataclass(frozen=True)
class Expected:
    """Expected cells of a matrix of counts.

    `keep` has the probabilities of keeping an occurrence, by row and by column; `noise` is the distribution of
    negatives over columns; `reject` says whether observed pairs are never negatives.
    """

    counts: Counts
    keep: tuple[np.ndarray, np.ndarray]
    noise: np.ndarray
    negatives: float
    reject: bool

    def row(self, i: int) -> EntityCells:
        """Return the cells of row i."""
        seen = np.zeros(self.counts.shape[1])
        span = slice(int(self.counts.indptr[i]), int(self.counts.indptr[i + 1]))
        seen[self.counts.indices[span]] = self.counts.values[span]
        positive = seen * self.keep[0][i] * self.keep[1]
        noise = np.where(seen > 0, 0.0, self.noise) if self.reject else self.noise
        total = noise.sum()
        scale = self.negatives * positive.sum() / total if total > 0 else 0.0
        return _cells(seen, positive, scale * noise)

    def column(self, j: int) -> EntityCells:
        """Return the cells of column j: a row draws it as noise in proportion to its own weight."""
        seen = np.zeros(self.counts.shape[0])
        at = np.flatnonzero(self.counts.indices == j)
        rows = self._row_ids[at]
        seen[rows] = self.counts.values[at]
        positive = seen * self.keep[0] * self.keep[1][j]
        negative = self.negatives * self._row_totals * self.noise[j]
        if self.reject:
            free = 1.0 - self._hits
            negative = np.divide(negative, free, out=np.zeros_like(negative), where=free > 1e-12)
            negative[rows] = 0.0
        return _cells(seen, positive, negative)

    @cached_property
    def _row_ids(self) -> np.ndarray:
        """Row of each count."""
        return self.counts.row_ids()

    @cached_property
    def _row_totals(self) -> np.ndarray:
        """Weight of each row's positives."""
        kept = self.counts.values * self.keep[0][self._row_ids] * self.keep[1][self.counts.indices]
        return np.bincount(self._row_ids, kept, minlength=self.counts.shape[0])

    @cached_property
    def _hits(self) -> np.ndarray:
        """Share of the noise that falls on observed pairs, by row."""
        return np.bincount(self._row_ids, self.noise[self.counts.indices], minlength=self.counts.shape[0])


def _cells(seen: np.ndarray, positive: np.ndarray, negative: np.ndarray) -> EntityCells:
    """Return those that have any weight."""
    others = np.flatnonzero((positive > 0) | (negative > 0))
    return EntityCells(others, seen[others], positive[others], negative[others])


def expected_cooccurrences(data: Dataset, sampler: Sampler, subsample: float | None) -> Expected:
    """Return what training draws from the counts of a data set."""
    keep = keep_probabilities(data.rows.counts, subsample), keep_probabilities(data.columns.counts, subsample)
    return Expected(data.counts, keep, sampler.noise(), sampler.negatives, sampler.reject)


def expected_relations(
    data: Dataset, sampler: Sampler, weight: float | Mapping[str, float], hard_negatives: float
) -> dict[str, Expected]:
    """Return what training draws from each relation: all its pairs, and columns that are not in it."""
    shape = data.counts.shape
    keep = np.ones(shape[0]), np.ones(shape[1])
    result = {}
    for relation, ids in zip(data.relations.values(), sampler.relation_columns, strict=True):
        counts = relation_counts(relation, shape, weight_of(weight, relation.name))
        noise = np.zeros(shape[1])
        noise[ids] = relation_noise(ids, counts, hard_negatives)
        result[relation.name] = Expected(counts, keep, noise, sampler.negatives, reject=True)
    return result
