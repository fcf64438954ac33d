"""Summaries of all columns that ranking needs; computed on first use and kept with the model."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vbn.data import known_ids

if TYPE_CHECKING:
    from vbn.model.fields import Gaussians
    from vbn.model.trained import Trained

_NEW = 0.1  # chance that an entity of the catalogue is new, before its count is looked at
_SHAPES = 0.05, 5.0  # of the Gamma distribution of counts
_TAIL = 0.2  # of the catalogue
_RAREST = 1e-3  # count of relatives of whom nothing was ever seen


class Profile:
    """Largest moments, popularity, and the precision of a typical row."""

    def __init__(self, trained: Trained) -> None:
        self._trained = trained
        self._negatives: dict[int, np.ndarray] = {}
        self._lengths: dict[tuple[bool, bool], np.ndarray] = {}
        self._candidates: dict[str, np.ndarray] = {}
        self._categories: dict[str, np.ndarray] = {}
        self._popularity: dict[float, np.ndarray] = {}

    def candidates(self, side: str) -> np.ndarray:
        """Return a mask of the entities that can be an answer: all except parents without data of their own."""
        if side not in self._candidates:
            trained = self._trained
            mask = trained.side(side).active.copy()
            if trained.shared:
                mask |= trained.row_active
            childless = np.ones(len(mask), dtype=bool)
            taxonomy = trained.taxonomy(side)
            if taxonomy is not None:
                childless[taxonomy.category_ids] = False
            self._candidates[side] = mask | childless
        return self._candidates[side]

    def categories(self, side: str) -> np.ndarray:
        """Return a mask of the entities that are categories only: parents without data of their own."""
        if side not in self._categories:
            self._categories[side] = ~self.candidates(side) & self._trained.halves(side)[0].has_category
        return self._categories[side]

    def lengths(self, part: Gaussians, expected: bool) -> np.ndarray:
        """Return `expected_lengths` of a part, or the lengths of its means, computed once."""
        key = part is self._trained.posterior.u, expected
        if key not in self._lengths:
            self._lengths[key] = expected_lengths(part) if expected else lengths(part.mean)
        return self._lengths[key]

    @cached_property
    def largest_variance(self) -> np.ndarray:
        """Return the largest variance of the columns in each dimension."""
        return np.asarray(self._trained.posterior.v.variance.max(axis=0, initial=0.0), dtype=np.float64)

    @cached_property
    def largest_square(self) -> np.ndarray:
        """Return the largest squared mean of the columns in each dimension."""
        mean = self._trained.posterior.v.mean
        largest = np.maximum(mean.max(axis=0, initial=0.0), -mean.min(axis=0, initial=0.0))
        return np.square(np.asarray(largest, dtype=np.float64))

    @cached_property
    def largest_length(self) -> float:
        """Return an upper bound on the length of every column's mean."""
        return float(np.sqrt(self.largest_square.sum()))

    @cached_property
    def largest_bias(self) -> float:
        """Return the largest absolute bias."""
        return float(np.abs(self._trained.posterior.bias.mean).max(initial=0.0))

    @cached_property
    def largest_bias_variance(self) -> float:
        """Return the largest variance of a bias."""
        return float(self._trained.posterior.bias.variance.max(initial=0.0))

    def log_popularity(self, floor: float = 0.0) -> np.ndarray:
        """Return `log_popularity` of the columns, 0 on average over noise pairs; the last result is kept."""
        found = self._popularity.get(floor)
        if found is None:
            found = log_popularity(self._trained.columns.counts, floor, self.expected_counts)
            if self._trained.columns.counts.any():
                found = found - float(self._trained.noise() @ found)
            self._popularity = {floor: found}
        return found

    @cached_property
    def unseen(self) -> np.ndarray:
        """Return a mask of the columns that were never seen."""
        return np.asarray(self._trained.columns.counts == 0)

    @cached_property
    def tail(self) -> np.ndarray:
        """Return a mask of the long tail: columns that were seen as rarely as the least frequent fifth of them.

        What was never seen counts for the fifth, but is not part of the tail: that nobody had it is no merit.
        """
        counts, there = self._trained.columns.counts, self.candidates("column")
        if not there.any():
            return there
        most = np.quantile(counts[there], _TAIL, method="inverted_cdf")
        return np.asarray(there & ~self.unseen & (counts <= most))

    @cached_property
    def expected_counts(self) -> np.ndarray:
        """Return the counts of the columns; for those never seen, how often one would expect to see them.

        Counts of the members of a category vary like those of a Gamma distribution around their mean m, which borrows
        from the categories above, with a shape a of the whole catalogue. One that was never seen is either new, and
        will be as popular as its relatives, or it was there all along and has to be rare: then its rate has mean
        a m / (a + m), and (a / (a + m))^a is the chance of no count. Where data is thin, nearly all are of the second
        kind; where it is rich, having no count is what gives a new one away. What was added after training is new.
        A column without parents counts as the rarest.
        """
        trained = self._trained
        counts, side = np.asarray(trained.columns.counts, dtype=np.float64), trained.column_side
        unseen = np.flatnonzero(self.unseen & self.candidates("column") & (np.diff(side.graph.parent_indptr) > 0))
        if len(unseen) == 0:
            return counts
        first = len(counts) if side.trained is None else side.trained  # those from here on were added: they are new
        there = self.candidates("column") & (np.arange(len(counts)) < first)
        mean, variance = float(counts[there].mean()), float(counts[there].var())
        shape = float(np.clip(mean**2 / max(variance - mean, 1e-12), *_SHAPES))
        of_relatives = side.graph.of_siblings(unseen, counts, there, mean)
        found = counts.copy()
        found[unseen] = np.where(unseen < first, expected_unseen(of_relatives, shape), of_relatives)
        return found

    @cached_property
    def rows_of_columns(self) -> np.ndarray:
        """Return the row of the same name for each column, or -1."""
        return known_ids(self._trained.rows, self._trained.columns)

    @cached_property
    def row_precision(self) -> float:
        """Return E[tau] of a typical row, from which the inference of a new row starts."""
        trained = self._trained
        if trained.left_out is not None:
            return trained.left_out.precision
        u = trained.posterior.u
        return float(np.median(u.tau[u.active])) if u.active.any() else 1.0

    def negatives(self, n: int) -> np.ndarray:
        """Return n columns at even steps of the cumulative noise distribution, as typical negatives of a row."""
        if n not in self._negatives:
            self._negatives[n] = _at_even_steps(self._trained.noise(), n)
        return self._negatives[n]

    def opponents(self, n: int) -> np.ndarray:
        """Return n rows at even steps of the cumulative weight of the rows: those that draw a column as a negative."""
        totals = self._trained.row_totals
        return _at_even_steps(totals / totals.sum(), n)


def _at_even_steps(shares: np.ndarray, n: int) -> np.ndarray:
    found = np.searchsorted(np.cumsum(shares), (np.arange(n) + 0.5) / n)
    return np.asarray(found.clip(0, len(shares) - 1))


def dial_words(weight: float, floor: float = 0.0, tail: float = 0.0) -> str:
    """Return a position of the popularity dial in words.

    Examples
    --------
    >>> dial_words(0.5, 1.0, 0.75), dial_words(0.0)
    ('0.5, floor 1, long tail +0.75', '0')
    """
    return f"{weight:g}" + (f", floor {floor:g}" if floor else "") + (f", long tail {tail:+g}" if tail else "")


def log_popularity(counts: np.ndarray, floor: float = 0.0, expected: np.ndarray | None = None) -> np.ndarray:
    """Return the logarithm of each count plus a floor.

    Parameters
    ----------
    counts
        Number of times that each entity was seen.
    floor
        Added to every count, in multiples of the mean positive count; counts far below it hardly differ then.
    expected
        What stands for a count of 0; where that is 0 too, or not given, the smallest positive count does.

    Examples
    --------
    >>> log_popularity(np.array([0.0, 1.0, 100.0])).round(1).tolist()
    [0.0, 0.0, 4.6]
    >>> log_popularity(np.array([0.0, 1.0, 99.0]), floor=1.0).round(1).tolist()
    [3.9, 3.9, 5.0]
    """
    seen = counts[counts > 0]
    rarest, mean = (float(seen.min()), float(seen.mean())) if len(seen) else (1.0, 1.0)
    known = counts if expected is None else expected
    return np.asarray(np.log(np.where(known > 0, known, rarest) + floor * mean))


def expected_unseen(mean: np.ndarray, shape: float) -> np.ndarray:
    """Return how often to expect what was never seen, given the mean count of its relatives and the shape of counts.

    Among relatives with a mean count of 0.5 it is hardly new; among those with 500 it probably is:

    >>> expected_unseen(np.array([0.5, 500.0]), shape=0.5).round(2).tolist()
    [0.28, 389.38]
    """
    mean = np.maximum(mean, _RAREST)
    old = (1.0 - _NEW) * (shape / (shape + mean)) ** shape
    new = _NEW / (_NEW + old)
    return np.asarray(new * mean + (1.0 - new) * shape * mean / (shape + mean))


def lengths(vectors: np.ndarray) -> np.ndarray:
    """Return the length of each vector, summed in float64; at least a tiny number, so cosines with a 0 vector are 0."""
    return np.asarray(np.maximum(np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)), 1e-30))


def expected_lengths(densities: Gaussians) -> np.ndarray:
    """Return sqrt(E|z|^2) of each density: the length of what it knows and of what it does not know.

    >>> from vbn.model import Gaussians
    >>> expected_lengths(Gaussians(np.array([[3.0, 0.0]]), np.array([[8.0, 8.0]]))).tolist()
    [5.0]
    """
    mean, variance = densities.mean, densities.variance
    squares = np.einsum("ij,ij->i", mean, mean, dtype=np.float64) + np.einsum("ij->i", variance, dtype=np.float64)
    return np.asarray(np.maximum(np.sqrt(squares), 1e-30))
