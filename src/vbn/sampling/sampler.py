"""The sampler: a new sample of positives and negatives each epoch, determined by (seed, epoch, row)."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from vbn._errors import REMEDY, ParameterError
from vbn.data import Counts, Dataset, Relation, Runner, amount, ranges_by_cells, ranges_by_load
from vbn.kernels import CellArrays
from vbn.sampling.cells import Cells, Sample
from vbn.sampling.drawer import CellDrawer, Choices, Drawer, Past, Scratch, noise_table

_RARE_CELLS = 20  # a row or column with no more cells keeps them all, at their expected weight
_CROWDED = 0.25  # "auto" rejects while fewer of the draws than this would hit a positive
_RELATION_DRAWS = 40.0  # negatives drawn for a pair of a relation, however much it weighs
_CELLS_PER_TASK = 1 << 16
_EXPONENT = 600.0  # exp of more than this is near the largest float64


def keep_probabilities(counts: np.ndarray, subsample: float | None) -> np.ndarray:
    """Return word2vec's chance to keep an occurrence of an entity of relative frequency f: sqrt(s / f) + s / f."""
    if subsample is None:
        return np.ones(len(counts))
    frequency = np.maximum(counts, 1e-300) / counts.sum()
    ratio = subsample / frequency
    return np.asarray(np.minimum(1.0, np.sqrt(ratio) + ratio))


def noise_weights(counts: np.ndarray, there: np.ndarray, power: float) -> np.ndarray:
    """Return weights in proportion to count ** power for the columns that are there, 0 for others.

    Where powers would leave the range of float64, counts are taken relative to the largest.
    """
    positive = np.maximum(counts, 1e-12)
    largest = float(positive[there].max(initial=1e-12))
    unit = largest if abs(power * math.log(largest)) > _EXPONENT else 1.0
    return np.where(there, np.where(there, positive / unit, 0.0) ** power, 0.0)


class Sampler:
    """Draws the sample of an epoch; `VBN` documents the options.

    `reject_positives="auto"` rejects unless the data is dense: if more than a quarter of the draws hit an observed
    pair, frequent rows would get unusual negatives only. `past` is what is left of earlier data that `data` continues.
    """

    def __init__(
        self,
        data: Dataset,
        *,
        negatives: float,
        noise_power: float,
        subsample: float | None,
        reject_positives: bool | str,
        seed: int,
        dtype: np.dtype,
        relation_weight: float | Mapping[str, float] = 1.0,
        hard_negatives: float = 0.0,
        past: Past | None = None,
    ) -> None:
        self.seed, self.dtype = seed if past is None else past.seed(seed), dtype
        self.negatives, self.noise_power = float(negatives), float(noise_power)
        self.counts, self.past = data.counts, past
        self._scratch = Scratch()
        rows, columns = (keep_probabilities(side.counts, subsample) for side in (data.rows, data.columns))
        self._keep = rows, columns
        self._refuse_nothing(subsample)
        row_cells, column_cells = np.diff(self.counts.indptr), self._column_cells()
        self.columns = column_cells > 0 if past is None else (column_cells > 0) | past.columns
        self.noise_counts = data.noise_counts if past is None else past.noise_counts(data)
        weights = noise_weights(self.noise_counts, self.columns, self.noise_power)
        self._noise_weights = weights
        self.reject = self._sparse() if reject_positives == "auto" else bool(reject_positives)
        self._noise_ids = np.flatnonzero(weights).astype(np.int32)
        exact = row_cells <= _RARE_CELLS, column_cells <= _RARE_CELLS
        choices = Choices(*self._keep, *exact, noise_table(weights[self._noise_ids], self._noise_ids), self.reject)
        self.drawer = CellDrawer(self._drawer(self.counts, choices, 0), past, self.noise())
        relations = [
            relation_counts(relation, self.counts.shape, weight_of(relation_weight, relation.name))
            for relation in data.relations.values()
        ]
        self.relation_columns = [np.union1d(self._noise_ids, c.indices).astype(np.int32) for c in relations]
        self._relations = [
            self._drawer(counts, relation_choices(ids, counts, hard_negatives), stream)
            for stream, (ids, counts) in enumerate(zip(self.relation_columns, relations, strict=True), 1)
        ]

    def _drawer(self, counts: Counts, choices: Choices, stream: int) -> Drawer:
        return Drawer(
            counts,
            choices,
            seed=self.seed,
            dtype=self.dtype,
            negatives=self.negatives,
            max_draws=self._max_draws,
            draws_per_cell=np.inf if stream == 0 else _RELATION_DRAWS,
            stream=stream,
            scratch=self._scratch,
        )

    def _refuse_nothing(self, subsample: float | None) -> None:
        """Raise if so little of the counts is kept that an epoch may have none of them."""
        kept, total = float(self.row_totals().sum()), self.counts.total
        if subsample is not None and kept < min(1.0, total):
            raise ParameterError(
                f"{REMEDY} keeps {kept:.2g} of the total count of {amount(total)}, which leaves nothing to learn from; "
                "raise it, or leave it None to use all counts.",
                remedies=[("subsample", subsample)],
            )

    def noise(self) -> np.ndarray:
        """Return the probability of each column as a negative."""
        return np.asarray(self._noise_weights / self._noise_weights.sum())

    def _collisions(self) -> float:
        """Return the share of draws that would hit an observed pair: how dense the data is where negatives fall."""
        noise, counts, hits = self.noise(), self.counts, np.zeros(self.counts.shape[0])
        for first, last, block in counts.blocks():
            there = np.append(noise[block.indices], 0.0)
            hits[first:last] = np.add.reduceat(there, block.indptr[:-1])
        hits[counts.indptr[:-1] == counts.indptr[1:]] = 0.0  # reduceat gives an empty row its successor's value
        totals = counts.row_sums()
        return float(totals @ hits / totals.sum())

    def _sparse(self) -> bool:
        """Return whether to reject; new data alone looks sparser than all of it, so a known past decides."""
        known = None if self.past is None else self.past.rejects
        return self._collisions() < _CROWDED if known is None else known

    def row_totals(self) -> np.ndarray:
        """Return the expected positive weight of each row in an epoch's sample."""
        keep_row, keep_column = self._keep
        result = np.zeros(self.counts.shape[0])
        for first, last, block in self.counts.blocks():
            kept = block.values * keep_column[block.indices]
            result[first:last] = np.bincount(block.row_ids(), kept, minlength=last - first) * keep_row[first:last]
        return result

    def column_totals(self) -> np.ndarray:
        """Return the expected positive weight of each column in an epoch's sample."""
        keep_row, keep_column = self._keep
        result = np.zeros(self.counts.shape[1])
        for first, last, block in self.counts.blocks():
            kept = block.values * keep_row[first:last][block.row_ids()]
            result += np.bincount(block.indices, kept, minlength=len(result))
        return np.asarray(result * keep_column)

    def _column_cells(self) -> np.ndarray:
        """Return how many rows each column is counted with."""
        n_columns = self.counts.shape[1]
        result = np.zeros(n_columns, np.int64)
        for _, _, block in self.counts.blocks():
            result += np.bincount(block.indices, minlength=n_columns)
        return result

    def log_odds(self) -> np.ndarray:
        """Return the logarithm of each column's positives over its negatives in an epoch's sample, a little shrunk.

        This is where a bias ends if nothing but itself tells columns apart. Its updates take many epochs to get there
        from 0, because the bound is loose for columns that are mostly negatives.
        """
        positive = self.column_totals()
        negative = self.negatives * positive.sum() * self.noise()
        return np.asarray(np.log((positive + 1.0) / (negative + self.negatives)))

    def loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Estimate how many cells each row and each column has in a sample, rather too many than too few."""
        draws = np.minimum(self.negatives * self.row_totals(), self._max_draws)
        rows = np.diff(self.counts.indptr) + np.minimum(draws, len(self._noise_ids))
        columns = self._column_cells() + np.minimum(self.noise() * draws.sum(), np.count_nonzero(draws))
        return rows, columns

    def draw(self, first: int, last: int, epoch: int) -> CellArrays:
        """Draw the co-occurrence cells of the rows first..last-1 in an epoch's sample."""
        return self.drawer.draw(first, last, epoch)

    def sample(self, epoch: int, runner: Runner) -> Sample:
        """Draw the whole sample of an epoch, in parallel by the runner."""
        ranges = ranges_by_load(self.loads()[0] + 1.0, _CELLS_PER_TASK)
        parts = runner.map(lambda first, last: self.draw(first, last, epoch), ranges)
        return Sample(Cells.joined(parts, self.counts.shape[1], self.dtype), self.relation_sample(epoch, runner))

    def relation_sample(self, epoch: int, runner: Runner) -> tuple[Cells, ...]:
        """Draw the cells of each relation in an epoch's sample."""
        return tuple(self._relation_cells(drawer, epoch, runner) for drawer in self._relations)

    def _relation_cells(self, drawer: Drawer, epoch: int, runner: Runner) -> Cells:
        ranges = ranges_by_cells(drawer.counts.indptr, _CELLS_PER_TASK / _RELATION_DRAWS)
        parts = runner.map(lambda first, last: drawer.draw(first, last, epoch), ranges)
        return Cells.joined(parts, drawer.counts.shape[1], self.dtype)

    @property
    def _max_draws(self) -> float:
        """The most draws for a row: beyond it, more hardly change its weights."""
        return 16.0 * self.counts.shape[1] + 1000.0


def weight_of(weights: float | Mapping[str, float], relation: str) -> float:
    """Return the weight of one relation, where weights are one number or given by name (1 if not named)."""
    return float(weights.get(relation, 1.0)) if isinstance(weights, Mapping) else float(weights)


def relation_counts(relation: Relation, shape: tuple[int, int], weight: float) -> Counts:
    """Return the pairs of a relation as counts, each times a weight."""
    return Counts.from_coo(relation.left, relation.right, weight * relation.weights, shape)


def relation_choices(ids: np.ndarray, counts: Counts, hard: float) -> Choices:
    """Return choices that keep all pairs of a relation and never draw one of them as a negative."""
    rows, columns = counts.shape
    exact = np.ones(rows, bool), np.ones(columns, bool)
    noise = noise_table(relation_noise(ids, counts, hard), ids)
    return Choices(np.ones(rows), np.ones(columns), *exact, noise, reject=True)


def relation_noise(ids: np.ndarray, counts: Counts, hard: float) -> np.ndarray:
    """Return uniform noise over all columns, but for the share `hard` for columns that the relation reaches."""
    reached = np.isin(ids, counts.indices)
    return np.asarray((1.0 - hard) / len(ids) + hard * reached / max(int(reached.sum()), 1))
