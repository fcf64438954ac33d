"""The sampler: each epoch a new sample of positives and negatives, the same for the same (seed, epoch, row)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from vbn.data._cells import Cells, Sample
from vbn.data._counts import Counts
from vbn.data._dataset import Dataset
from vbn.data._relation import Relation

_RARE_CELLS = 20  # a row or column with no more cells keeps them all, at their expected weight
_DENSE = 0.1  # above this share of filled cells, "auto" does not reject negatives that are positives
_CELLS_PER_TASK = 1 << 17


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
    return [(int(a), int(b)) for a, b in zip(edges[:-1], edges[1:], strict=True)]


def keep_probabilities(counts: np.ndarray, subsample: float | None) -> np.ndarray:
    """word2vec's chance to keep an occurrence: min(1, sqrt(s / f) + s / f) for an entity of relative frequency f."""
    if subsample is None:
        return np.ones(len(counts))
    frequency = np.maximum(counts, 1e-300) / counts.sum()
    ratio = subsample / frequency
    return np.minimum(1.0, np.sqrt(ratio) + ratio)


class Sampler:
    """Draws the sample of an epoch.

    Parameters
    ----------
    data
        Counts and relations.
    negatives
        Negatives per positive (the paper's n).
    noise_power
        Negatives are drawn in proportion to count ** noise_power; relations draw them uniformly, as in the paper.
    subsample
        word2vec's threshold for frequent entities, or None to use all counts.
    reject_positives
        Whether a negative that is an observed pair is drawn anew; "auto" does so unless the data is dense.
    """

    def __init__(
        self, data: Dataset, *, negatives: float, noise_power: float, subsample: float | None,
        reject_positives: bool | str, seed: int, dtype: np.dtype,
    ) -> None:  # fmt: skip
        from vbn.kernels._sampling import alias_table

        self.seed, self.dtype = seed, dtype
        self.negatives, self.noise_power = float(negatives), float(noise_power)
        self.counts = data.counts
        self.reject = self.counts.density < _DENSE if reject_positives == "auto" else bool(reject_positives)
        self._keep = (
            keep_probabilities(data.rows.counts, subsample),
            keep_probabilities(data.columns.counts, subsample),
        )
        row_cells = np.diff(self.counts.indptr)
        column_cells = np.bincount(self.counts.indices, minlength=self.counts.shape[1])
        self._exact = row_cells <= _RARE_CELLS, column_cells <= _RARE_CELLS
        weights = np.where(column_cells > 0, np.maximum(data.columns.counts, 1e-12) ** noise_power, 0.0)
        self._noise_weights = weights
        self._noise_ids = np.flatnonzero(weights).astype(np.int32)
        self._noise = alias_table(weights[self._noise_ids])
        self._relations = [
            _relation_counts(relation, self.counts.shape) for relation in data.relations.values()
        ]
        self.relation_columns = [
            np.union1d(self._noise_ids, c.indices).astype(np.int32) for c in self._relations
        ]
        self._uniform = [alias_table(np.ones(len(ids))) for ids in self.relation_columns]

    def noise(self) -> np.ndarray:
        """Probability of each column as a negative."""
        result: np.ndarray = self._noise_weights / self._noise_weights.sum()
        return result

    def row_totals(self) -> np.ndarray:
        """Expected positive weight of each row in an epoch's sample."""
        keep_row, keep_column = self._keep
        kept = self.counts.values * keep_column[self.counts.indices]
        rows = np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr))
        return np.bincount(rows, kept, minlength=self.counts.shape[0]) * keep_row

    def sample(self, epoch: int, runner: Runner) -> Sample:
        """The sample of an epoch, drawn in parallel by the runner."""
        cells = self._draw(
            self.counts, epoch, 0, self._keep, self._exact, self._noise_ids, self._noise, self.reject, runner
        )
        ones = tuple(np.ones(n) for n in self.counts.shape)
        exact = tuple(np.ones(n, dtype=bool) for n in self.counts.shape)
        relations = [
            self._draw(counts, epoch, stream, ones, exact, ids, table, True, runner)
            for stream, (counts, ids, table) in enumerate(
                zip(self._relations, self.relation_columns, self._uniform, strict=True), start=1
            )
        ]
        return Sample(cells, tuple(relations))

    def _draw(
        self, counts: Counts, epoch: int, stream: int, keep: tuple, exact: tuple, noise_ids: np.ndarray,
        noise: tuple, reject: bool, runner: Runner,
    ) -> Cells:  # fmt: skip
        from vbn.kernels._sampling import sample_rows

        n_columns = counts.shape[1]
        like = np.empty(0, self.dtype)
        max_draws = 16.0 * n_columns + 1000.0  # past this more draws hardly change the weights

        def task(first: int, last: int) -> tuple[np.ndarray, ...]:
            result: tuple[np.ndarray, ...] = sample_rows(
                first, last, self.seed, epoch, stream, counts.indptr, counts.indices, counts.values,
                *keep, *exact, noise_ids, *noise, self.negatives, reject, max_draws, n_columns, like,
            )  # fmt: skip
            return result

        parts = runner.map(task, ranges_by_cells(counts.indptr, _CELLS_PER_TASK))
        lengths, indices, positive, negative = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        return Cells(indptr, indices, positive, negative, n_columns)


def _relation_counts(relation: Relation, shape: tuple[int, int]) -> Counts:
    return Counts.from_coo(relation.left, relation.right, relation.weights, shape)
