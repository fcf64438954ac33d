"""The best columns for queries given as densities: exact, block by block, the same whatever else is in the batch."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.inference.table import Table
from vbn.kernels import damping
from vbn.model import Gaussians, Lifts, Profile, Trained

_QUERIES = 256  # in a block
_SCORES = 1 << 20  # in a block: means that are held at a time
_ROUNDING = 1e-5  # of |u| |v|: more than a matrix product in float32 can be wrong by


RANK_BY = {"probability": -1.0, "mean": 0.0, "lower": 1.0}
"""What candidates are ranked by, and how many standard deviations below its mean a score is judged (-1: by p)."""


@dataclass(frozen=True)
class Dial:
    """The popularity dial: how much frequency counts beside what the model says, without training again.

    It adds weight * log(count + floor * mean count) to the logit of each column, less its mean over the noise pairs of
    training, so that the base rate stays. Columns seen far less often than the floor, in units of the average count,
    count as equally popular. `tail` is added to the logits of the long tail, the least frequent fifth of what was seen.
    """

    weight: float = 0.0
    floor: float = 0.0
    tail: float = 0.0

    def __bool__(self) -> bool:
        """Return whether it changes anything."""
        return self.weight != 0.0 or self.tail != 0.0

    def added(self, profile: Profile) -> np.ndarray:
        """Return what it adds to the logits of a model's columns.

        Below 0 it lifts what is rare, but not what was never seen: that nobody had it is no merit.
        """
        added = self.weight * profile.log_popularity(self.floor)
        added = np.where(profile.unseen, np.minimum(added, 0.0), added) if self.weight < 0 else added
        return added + self.tail * profile.tail if self.tail else added


_NEUTRAL = Dial()


def read_dial(popularity: Any, floor: Any = 0.0, chosen: tuple[float, ...] = ()) -> Dial:
    """Check the dial that a user gives, or take it as it is; `chosen` is the position that "auto" stands for."""
    if isinstance(popularity, Dial):
        return popularity
    by_itself = isinstance(popularity, str) and popularity == "auto"
    if not by_itself and not _is_finite(popularity):
        raise ParameterError(
            f"popularity={popularity!r} must be 'auto' or a finite number; 0 leaves the ranking as it is."
        )
    if not _is_finite(floor) or float(floor) < 0.0:
        raise ParameterError(
            f"popularity_floor={floor!r} must be a finite number of at least 0, in units of the average count."
        )
    return Dial(*chosen) if by_itself else Dial(float(popularity), float(floor))


def _is_finite(given: Any) -> bool:
    return not isinstance(given, bool) and isinstance(given, numbers.Real) and bool(np.isfinite(float(given)))


@dataclass(frozen=True)
class Hidden:
    """Columns that a query must not get: for query q, columns[indptr[q]:indptr[q + 1]], sorted."""

    indptr: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, lists: list[np.ndarray]) -> Hidden:
        """Join one list of columns for each query."""
        indptr = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
        columns = np.concatenate([np.sort(one) for one in lists]) if lists else np.empty(0)
        return cls(indptr, columns.astype(np.int64))

    def part(self, first: int, last: int) -> Hidden:
        """Return those of the queries first..last-1."""
        return Hidden(self.indptr[first : last + 1], self.columns)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """The arrays as kernels take them."""
        return self.indptr, self.columns


@dataclass(frozen=True)
class Ranked:
    """The best columns of each query, best first: `columns` and `logits` (q, k); -1 fills the end of a short list."""

    columns: np.ndarray
    logits: np.ndarray


def rank(
    trained: Trained,
    queries: Gaussians,
    k: int,
    candidates: np.ndarray,
    hidden: Hidden,
    dial: Dial = _NEUTRAL,
    rng: np.random.Generator | None = None,
    rank_by: str = "probability",
    known: np.ndarray | None = None,
    lifts: Lifts | None = None,
) -> Ranked:
    """Find the k best candidates (ids of columns, ascending) of every query, given as a density.

    `rank_by` is one of `RANK_BY`; `known` says of which queries anything is known, by default of all. With `rng`,
    scores are drawn from the posterior (Thompson sampling) instead. `lifts` is what is added to the logits, see
    `Trained.lifts`.
    """
    k = min(k, len(candidates))
    columns, logits = np.full((len(queries.mean), k), -1, np.int64), np.full((len(queries.mean), k), -np.inf)
    extra = dial.added(trained.profile) if dial else np.zeros(len(trained.columns))
    bases = trained.bases(np.ones(len(columns), dtype=bool) if known is None else known)
    if k:
        for first in range(0, len(columns), _QUERIES):
            part = slice(first, min(first + _QUERIES, len(columns)))
            block = Gaussians(queries.mean[part], queries.variance[part])
            lift = None if lifts is None else lifts.part(part.start, part.stop)
            if rng is None:
                offer: _Predictive | _Sampled = _Predictive(trained, block, extra, rank_by, bases[part], lift)
            else:
                offer = _Sampled(trained, block, extra, rng, lift)
            best = _best(offer, part.stop - part.start, k, candidates, hidden.part(part.start, part.stop))
            columns[part], logits[part] = best.columns, best.logits
    return Ranked(columns, logits)


def _best(offer: _Predictive | _Sampled, n: int, k: int, candidates: np.ndarray, hidden: Hidden) -> Ranked:
    """Offer all candidates to n queries, block by block, and sort the k best of each."""
    scores, columns, filled = np.full((n, k), -np.inf), np.full((n, k), -1, np.int64), np.zeros(n, np.int64)
    step = max(_SCORES // n, 1)
    for first in range(0, len(candidates), step):
        offer(candidates[first : first + step], hidden, (scores, columns, filled))
    order = np.lexsort((columns, -scores), axis=1)
    columns, scores = np.take_along_axis(columns, order, 1), np.take_along_axis(scores, order, 1)
    return Ranked(np.where(np.isneginf(scores), -1, columns), scores)


class _Predictive:
    """Offers columns by the logit of the predictive probability, by the mean score or by a lower bound on it."""

    def __init__(
        self,
        trained: Trained,
        queries: Gaussians,
        extra: np.ndarray,
        rank_by: str,
        bases: np.ndarray,
        lifts: Lifts | None = None,
    ) -> None:
        self.trained, self.extra, self.lifts = trained, extra, lifts
        self.rule = bases, RANK_BY[rank_by]
        dtype = trained.posterior.v.mean.dtype
        mean, variance = (np.ascontiguousarray(array, dtype) for array in (queries.mean, queries.variance))
        self.queries = Gaussians(mean, variance)
        self.bound = self._bound()

    def _bound(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the largest extra, and for each query its largest rounding error and its strongest damping."""
        profile, mean = self.trained.profile, self.queries.mean.astype(np.float64)
        variance = (mean**2 + self.queries.variance) @ profile.largest_variance
        variance += self.queries.variance @ profile.largest_square + profile.largest_bias_variance
        slack = _ROUNDING * (np.linalg.norm(mean, axis=1) * profile.largest_length + profile.largest_bias)
        shrink = 1.0 / damping(variance) if self.rule[1] < 0 else np.ones(len(mean))
        return float(self.extra.max(initial=-np.inf)), slack, shrink

    def __call__(self, ids: np.ndarray, hidden: Hidden, best: tuple[np.ndarray, ...]) -> None:
        from vbn.kernels.predictive import offer_predictive

        q = self.trained.posterior
        means = self.queries.mean @ _rows(q.v.mean, ids).T
        means += _rows(q.bias.mean, ids)
        lifted, bound = np.empty((0, 0), np.float32), self.bound
        if self.lifts is not None:
            lifted = self.lifts.of(ids)
            largest, slack, shrink = bound
            means += lifted
            means += np.maximum(lifted, 0) * (1.0 / shrink - 1.0).astype(means.dtype)[:, None]
            bound = largest, slack + _ROUNDING * np.abs(lifted).max(axis=1) / shrink, shrink
        densities = self.queries.densities, q.v.densities, q.bias.densities
        offer_predictive(means, ids, *densities, lifted, self.extra, self.rule, bound, hidden.arrays, best)


class _Sampled:
    """Offers columns by scores drawn from the posterior: one u for each query, one v.u + b for each column."""

    def __init__(
        self,
        trained: Trained,
        queries: Gaussians,
        extra: np.ndarray,
        rng: np.random.Generator,
        lifts: Lifts | None = None,
    ) -> None:
        self.trained, self.extra, self.rng, self.lifts = trained, extra, rng, lifts
        noise = rng.standard_normal(queries.mean.shape)
        self.drawn = queries.mean + np.sqrt(queries.variance) * noise

    def __call__(self, ids: np.ndarray, hidden: Hidden, best: tuple[np.ndarray, ...]) -> None:
        from vbn.kernels.predictive import offer_scores

        q = self.trained.posterior
        mean = self.drawn @ _rows(q.v.mean, ids).T + _rows(q.bias.mean, ids)
        if self.lifts is not None:
            mean += self.lifts.of(ids)
        variance = self.drawn**2 @ _rows(q.v.variance, ids).T + _rows(q.bias.variance, ids)
        drawn = mean + np.sqrt(variance) * self.rng.standard_normal(mean.shape) + self.extra[ids]
        offer_scores(drawn, ids, hidden.arrays, best)


def _rows(array: np.ndarray, ids: Any) -> np.ndarray:
    """Return rows of an array; a view where the ids are consecutive, as they are unless candidates are few."""
    if ids[-1] - ids[0] + 1 == len(ids):
        ids = slice(ids[0], ids[-1] + 1)
    return np.asarray(array[ids])


def tables(
    trained: Trained,
    queries: Gaussians,
    ranked: Ranked,
    dial: Dial,
    names: list[str | None],
    measure: str,
    lifts: Lifts | None = None,
) -> list[Table]:
    """Make a table for each query: probabilities after dial and lifts, with their standard deviations."""
    posterior, link, found = trained.posterior, trained.link, []
    added = dial.added(trained.profile) if dial else None
    lifted = None if lifts is None else lifts.at(ranked.columns)
    for q, name in enumerate(names):
        there = ranked.columns[q] >= 0
        columns, logits = ranked.columns[q][there], ranked.logits[q][there]
        u, u_variance = queries.mean[q].astype(np.float64), queries.variance[q].astype(np.float64)
        v, v_variance = posterior.v.mean[columns].astype(np.float64), posterior.v.variance[columns]
        mean = v @ u + posterior.bias.mean[columns]
        variance = v_variance @ (u**2 + u_variance) + v**2 @ u_variance + posterior.bias.variance[columns]
        if added is not None:
            mean = mean + added[columns]
        if lifted is not None:
            mean = mean + lifted[q, there]
        scores, std = link.calibrated(logits), link.std(mean, variance)
        found.append(Table.of(trained.columns, columns, scores, std, measure, query=name))
    return found
