"""The best columns for queries given as densities: exact, block by block, the same whatever else is in the batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn.inference._dial import Dial
from vbn.inference._predictive import probability, probability_std
from vbn.inference._table import Table
from vbn.model import Gaussians, Trained

_QUERIES = 256  # of a block
_SCORES = 1 << 20  # of a block: means that are held at a time
_ROUNDING = 1e-5  # of |u| |v|: more than a matrix product in float32 can be wrong by
_NEUTRAL = Dial()


@dataclass(frozen=True)
class Hidden:
    """Columns that a query must not get: for query q, columns[indptr[q]:indptr[q + 1]], sorted."""

    indptr: np.ndarray
    columns: np.ndarray

    @classmethod
    def of(cls, lists: list[np.ndarray]) -> Hidden:
        """One list of columns for each query."""
        indptr = np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64)
        columns = np.concatenate([np.sort(one) for one in lists]) if lists else np.empty(0)
        return cls(indptr, columns.astype(np.int64))

    def part(self, first: int, last: int) -> Hidden:
        """Those of some of the queries."""
        return Hidden(self.indptr[first : last + 1], self.columns)


@dataclass(frozen=True)
class Ranked:
    """The best columns of each query, best first: `columns` and `logits` (q, k); -1 fills the end of a short list."""

    columns: np.ndarray
    logits: np.ndarray


def rank(
    trained: Trained, queries: Gaussians, k: int, candidates: np.ndarray, hidden: Hidden, dial: Dial = _NEUTRAL,
    rng: np.random.Generator | None = None,
) -> Ranked:  # fmt: skip
    """The k best candidates of every query.

    Parameters
    ----------
    queries
        Densities of rows.
    candidates
        Ids of the columns that may be an answer, rising.
    hidden
        Columns that single queries must not get.
    dial
        What popularity adds to the logit.
    rng
        If given, scores are drawn from the posterior (Thompson sampling) instead of the predictive probability.
    """
    k = min(k, len(candidates))
    columns, logits = np.full((len(queries.mean), k), -1, np.int64), np.full((len(queries.mean), k), -np.inf)
    extra = dial.added(trained.profile) if dial else np.zeros(len(trained.columns))
    if k:
        for first in range(0, len(columns), _QUERIES):
            part = slice(first, min(first + _QUERIES, len(columns)))
            block = Gaussians(queries.mean[part], queries.variance[part])
            some = hidden.part(part.start, part.stop)
            best = _best(trained, block, k, candidates, some, extra, rng)
            columns[part], logits[part] = best.columns, best.logits
    return Ranked(columns, logits)


def _best(
    trained: Trained, queries: Gaussians, k: int, candidates: np.ndarray, hidden: Hidden, extra: np.ndarray,
    rng: np.random.Generator | None,
) -> Ranked:  # fmt: skip
    n = len(queries.mean)
    scores, columns, filled = np.full((n, k), -np.inf), np.full((n, k), -1, np.int64), np.zeros(n, np.int64)
    offer = _Sampled(trained, queries, extra, rng) if rng is not None else _Predictive(trained, queries, extra)
    step = max(_SCORES // n, 1)
    for first in range(0, len(candidates), step):
        offer(candidates[first : first + step], hidden, scores, columns, filled)
    order = np.lexsort((columns, -scores), axis=1)
    columns, scores = np.take_along_axis(columns, order, 1), np.take_along_axis(scores, order, 1)
    return Ranked(np.where(np.isneginf(scores), -1, columns), scores)


class _Predictive:
    """Offers columns by the logit of the predictive probability."""

    def __init__(self, trained: Trained, queries: Gaussians, extra: np.ndarray) -> None:
        dtype = trained.posterior.v.mean.dtype
        self.trained, self.extra, self.largest_extra = trained, extra, float(extra.max(initial=0.0))
        self.queries = Gaussians(
            np.ascontiguousarray(queries.mean, dtype), np.ascontiguousarray(queries.variance, dtype)
        )
        profile, mean = trained.profile, self.queries.mean.astype(np.float64)
        variance = (mean**2 + self.queries.variance) @ profile.largest_variance
        variance += self.queries.variance @ profile.largest_square + profile.largest_bias_variance
        self.shrink = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * variance)
        self.slack = _ROUNDING * (np.linalg.norm(mean, axis=1) * profile.largest_length + profile.largest_bias)

    def __call__(
        self, ids: np.ndarray, hidden: Hidden, scores: np.ndarray, columns: np.ndarray, filled: np.ndarray
    ) -> None:
        from vbn.kernels.ranking import offer_predictive

        q = self.trained.posterior
        means = self.queries.mean @ _rows(q.v.mean, ids).T
        means += _rows(q.bias.mean, ids)
        offer_predictive(
            means, ids, self.queries.densities, q.v.densities, q.bias.densities, self.extra, self.largest_extra,
            self.slack, self.shrink, hidden.indptr, hidden.columns, scores, columns, filled,
        )  # fmt: skip


class _Sampled:
    """Offers columns by scores drawn from the posterior: one u for each query, one v.u + b for each column."""

    def __init__(self, trained: Trained, queries: Gaussians, extra: np.ndarray, rng: np.random.Generator) -> None:
        self.trained, self.extra, self.rng = trained, extra, rng
        noise = rng.standard_normal(queries.mean.shape)
        self.drawn = queries.mean + np.sqrt(queries.variance) * noise

    def __call__(
        self, ids: np.ndarray, hidden: Hidden, scores: np.ndarray, columns: np.ndarray, filled: np.ndarray
    ) -> None:
        from vbn.kernels.ranking import offer_scores

        q = self.trained.posterior
        mean = self.drawn @ _rows(q.v.mean, ids).T + _rows(q.bias.mean, ids)
        variance = self.drawn**2 @ _rows(q.v.variance, ids).T + _rows(q.bias.variance, ids)
        drawn = mean + np.sqrt(variance) * self.rng.standard_normal(mean.shape) + self.extra[ids]
        offer_scores(drawn, ids, hidden.indptr, hidden.columns, scores, columns, filled)


def _rows(array: np.ndarray, ids: Any) -> np.ndarray:
    """Rows of an array; a view where the ids follow each other, as they do unless candidates are few."""
    if ids[-1] - ids[0] + 1 == len(ids):
        ids = slice(ids[0], ids[-1] + 1)
    result: np.ndarray = array[ids]
    return result


def tables(
    trained: Trained, queries: Gaussians, ranked: Ranked, dial: Dial, names: list[str | None], measure: str
) -> list[Table]:
    """A table for each query: probabilities after the dial, with their standard deviations."""
    return [
        _table(trained, queries, ranked.columns[q], ranked.logits[q], dial, q, name, measure)
        for q, name in enumerate(names)
    ]


def _table(
    trained: Trained, queries: Gaussians, columns: np.ndarray, logits: np.ndarray, dial: Dial, q: int,
    name: str | None, measure: str,
) -> Table:  # fmt: skip
    found = columns >= 0
    columns, logits = columns[found], logits[found]
    posterior = trained.posterior
    u, u_variance = queries.mean[q].astype(np.float64), queries.variance[q].astype(np.float64)
    v, v_variance = posterior.v.mean[columns].astype(np.float64), posterior.v.variance[columns]
    mean = v @ u + posterior.bias.mean[columns]
    variance = v_variance @ (u**2 + u_variance) + v**2 @ u_variance + posterior.bias.variance[columns]
    if dial:
        mean = mean + dial.added(trained.profile)[columns]
    scores = probability(logits, np.zeros(len(logits)), trained.temperature)
    std = probability_std(mean, variance, trained.temperature)
    return Table([trained.columns[j] for j in columns], scores, std, measure, query=name)
