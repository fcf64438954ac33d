"""The affinity of columns: how much a column in a row speaks for another one, beyond what densities say.

Densities have a few dozen dimensions, which is what makes them general: they cannot tell that two particular items are
bought together, such as the parts of a trilogy, from two of the same kind. So each column also has a ridge regression
on the columns that tell most of it, over all rows: x_ij is about sum_k x_ik w_kj, where x is 1 for what a row has. With
a ridge of `_RIDGE` rows a weight needs evidence: among few rows, or few rows in common, it stays near 0, and so does
that of rare columns. A ranking adds `_SCALE` times the prediction to
the logit: the logistic function is nowhere steeper than 1/4. More ranks no better and makes scores too sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vbn.data import Counts
from vbn.model.engine import Engine, row_ranges

_RIDGE = 30.0  # rows
_SCALE = 4.0  # a change of p changes the logit by this at least
_MOST = 64  # columns that speak for one
_PRODUCTS = 200_000_000  # pairs of columns of a row that are counted; where rows have more, some rows stand for all
_COLUMNS = 256  # in a task
_DENSE, _FILLED = 1 << 26, 4  # pairs of columns that an array of all of them may have, and for each product


Sources = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Where the columns begin that a column speaks for, these, and what it adds to their logits."""


@dataclass(frozen=True, repr=False)
class Affinity:
    """For each of the first columns of a model those that speak for it (-1: none), and their weights."""

    columns: np.ndarray
    weights: np.ndarray

    @classmethod
    def learned(cls, counts: Counts, engine: Engine, seed: int = 0) -> Affinity:
        """Learn the weights from what rows have; how often they have it does not matter."""
        from vbn.kernels.affinity import column_weights, weights_of_few

        has, m = _some(counts, seed), counts.shape[1]
        most = min(_MOST, max(m - 1, 1))
        columns, weights = np.empty((m, most), np.int32), np.empty((m, most), np.float32)
        if m * m <= min(_DENSE, _FILLED * _products(has)):
            pairs = _all_pairs(has, engine)

            def task(first: int, last: int) -> None:
                weights_of_few(first, last, pairs, _RIDGE, columns, weights)

        else:
            together = _sparse_pairs(has)
            totals, indptr = together.diagonal().astype(np.float64), together.indptr.astype(np.int64)

            def task(first: int, last: int) -> None:
                column_weights(first, last, indptr, together.indices, together.data, totals, _RIDGE, columns, weights)

        engine.map(task, row_ranges(m, _COLUMNS))
        return cls(columns, weights)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"Affinity({len(self)} columns)"

    def only(self, kept: np.ndarray) -> Affinity:
        """Return the affinity of some columns: a mask over all columns of the model."""
        mine = kept[: len(self)]
        number = np.where(mine, np.cumsum(mine) - 1, -1).astype(np.int32)
        columns = np.where(self.columns >= 0, number[self.columns], -1)[mine]
        return Affinity(columns, np.where(columns >= 0, self.weights[mine], np.float32(0)))

    def matched(self, old: np.ndarray, new: np.ndarray, size: int) -> Affinity:
        """Return the affinity of `size` columns, of which number new[k] is the column old[k] here."""
        kept = old < len(self)
        old, new = old[kept], new[kept]
        number = np.full(len(self) + 1, -1, np.int32)
        number[old] = new
        columns, weights = (np.full((size, self.columns.shape[1]), fill) for fill in (np.int32(-1), np.float32(0)))
        columns[new] = number[self.columns[old]]
        weights[new] = np.where(columns[new] >= 0, self.weights[old], 0.0)
        return Affinity(columns, weights)

    def lifts(self, indptr: np.ndarray, columns: np.ndarray, size: int) -> Lifts:
        """Return what the columns of each query add to the logits of `size` columns.

        Query q has columns[indptr[q]:indptr[q + 1]]; one that comes twice counts once.
        """
        n = len(indptr) - 1
        owner, mine = np.repeat(np.arange(n), np.diff(indptr)), columns < len(self)
        pairs = owner[mine] * np.int64(len(self)) + columns[mine]
        if not (np.diff(pairs) > 0).all():
            pairs = np.unique(pairs)
        rows, places = np.divmod(pairs, max(len(self), 1))
        typical = np.bincount(rows, self._usual[places], minlength=n).astype(np.float32)
        silent = np.ones(size, dtype=bool)
        silent[: len(self)] = self._silent
        return Lifts(self._by_source, np.searchsorted(rows, np.arange(n + 1)), places, typical, silent)

    @cached_property
    def _silent(self) -> np.ndarray:
        """Mask of the columns for which no other speaks, such as those without data."""
        return np.asarray((self.columns < 0).all(axis=1))

    @cached_property
    def _usual(self) -> np.ndarray:
        """What each column adds on average to a column for which any speaks."""
        starts, _, added = self._by_source
        whole = np.concatenate(([0.0], np.cumsum(added, dtype=np.float64)))
        return np.asarray(np.diff(whole[starts]) / max(int((~self._silent).sum()), 1))

    @cached_property
    def _by_source(self) -> Sources:
        """The logits that each column adds to others, by the former."""
        target, place = np.nonzero(self.columns >= 0)
        source = self.columns[target, place]
        order = np.argsort(source, kind="stable")  # of one source, targets ascend
        starts = np.searchsorted(source[order], np.arange(len(self) + 1))
        return starts, target[order].astype(np.int32), np.float32(_SCALE) * self.weights[target, place][order]


@dataclass(frozen=True, eq=False)
class Lifts:
    """What the columns of queries add to the logits of other columns.

    Of a `silent` column it is not known what it goes with. It gets what a column of the catalogue gets on average
    (`typical`), so that what is new stays in its place among the others.
    """

    sources: Sources
    indptr: np.ndarray
    columns: np.ndarray
    typical: np.ndarray
    silent: np.ndarray

    def part(self, first: int, last: int) -> Lifts:
        """Return those of the queries first..last-1."""
        return Lifts(self.sources, self.indptr[first : last + 1], self.columns, self.typical[first:last], self.silent)

    def of(self, ids: np.ndarray) -> np.ndarray:
        """Return an array of queries x some columns (ids, ascending)."""
        if len(ids) and ids[-1] - ids[0] + 1 == len(ids):
            return self._between(int(ids[0]), int(ids[-1]) + 1)
        return self.at(np.broadcast_to(ids, (len(self.indptr) - 1, len(ids))))

    def dense(self) -> np.ndarray:
        """Return an array of queries x columns."""
        return self._between(0, len(self.silent))

    def at(self, chosen: np.ndarray) -> np.ndarray:
        """Return those for some columns of each query, as an array of the same shape; -1 stands for no column."""
        from vbn.kernels.affinity import add_lifts_of_some

        found = np.zeros(chosen.shape, np.float32)
        add_lifts_of_some(self.indptr, self.columns, *self.sources, np.ascontiguousarray(chosen, np.int64), found)
        return np.where((chosen >= 0) & self.silent[chosen], self.typical[:, None], found)

    def _between(self, low: int, high: int) -> np.ndarray:
        from vbn.kernels.affinity import add_lifts

        found = np.zeros((len(self.indptr) - 1, high - low), np.float32)
        add_lifts(self.indptr, self.columns, *self.sources, low, high, found)
        found[:, self.silent[low:high]] = self.typical[:, None]
        return found


def _products(counts: Any) -> float:
    """Return the number of pairs of columns of a row, over all rows."""
    return float((np.diff(counts.indptr).astype(np.float64) ** 2).sum())


def _some(counts: Counts, seed: int) -> Any:
    """Return which row has which column, as a sparse array of ones; some rows if all would have too many pairs."""
    from scipy.sparse import csr_array

    rows, products = np.arange(counts.shape[0]), _products(counts)
    has = csr_array((np.ones(counts.nnz, np.float32), counts.indices, counts.indptr), shape=counts.shape)
    if products <= _PRODUCTS:
        return has
    rng = np.random.default_rng([seed, 0xAFF1])
    return has[np.sort(rng.permutation(rows)[: int(len(rows) * _PRODUCTS / products)])]


def _sparse_pairs(has: Any) -> Any:
    """Return how many rows have two columns at once, for all pairs of columns that any row has."""
    from scipy.sparse import csr_array

    found = csr_array(has.T @ has)
    found.sort_indices()
    return found


def _all_pairs(has: Any, engine: Engine) -> np.ndarray:
    """Return how many rows have two columns at once, for all pairs of columns."""
    from vbn.kernels.affinity import count_together

    m, turned = has.shape[1], has.tocsc()
    together = np.empty((m, m), np.float32)
    starts, indptr = turned.indptr.astype(np.int64), has.indptr.astype(np.int64)

    def task(first: int, last: int) -> None:
        count_together(first, last, starts, turned.indices, indptr, has.indices, together)

    engine.map(task, row_ranges(m, _COLUMNS))
    return together
