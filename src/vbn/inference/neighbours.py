"""Neighbours of an entity: by cosine, or by the probability of co-occurring (the paper's ranking).

Lists of neighbours are ranked by the expected cosine of two densities, E[a.b] / sqrt(E|a|^2 E|b|^2). The cosine of the
means alone presents ignorance as certainty: the mean of an entity that was hardly seen is short, and its direction says
nothing. How similar two given entities are is the cosine of the means, with its standard deviation beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vbn._errors import ParameterError
from vbn.inference.ranking import Dial, Hidden, rank, tables
from vbn.inference.roles import Pool, as_categories, read_out, read_some
from vbn.inference.table import Similarity, Table
from vbn.model import Block, Gaussians, Trained, expected_lengths, lengths

_MEASURES = {"cosine": "cosine", "mean": "cosine of means"}


def similar(
    trained: Trained,
    positive: Sequence[object],
    negative: Sequence[object],
    k: int,
    by: str,
    side: str,
    pool: Pool,
    readout: str = "entity",
    smoothing: float = 3.0,
    role: str | None = None,
) -> Table:
    """Find the k answers of a pool that are closest to the positive and farthest from the negative entities."""
    if by not in ("cosine", "mean", "context"):
        raise ParameterError(f"by={by!r} must be 'cosine', 'mean' or 'context'.")
    names = trained.vocabulary(side)
    signs = np.r_[np.ones(len(positive)), -np.ones(len(negative))]
    ids, places = np.unique(names.ids([*positive, *negative]), return_inverse=True)
    signs = np.bincount(places, signs, len(ids))
    asked = as_categories(trained, side, ids, role)
    if by == "context":
        _check_context(trained, signs, pool, readout)
        return _by_context(trained, ids, asked, k, pool.entities)
    entities, expected = read_out(trained, readout, side, smoothing), by == "cosine"
    query = _direction(read_some(trained, entities, ids, asked, side, readout), signs, expected)
    allowed = pool.entities | pool.categories
    allowed[ids] = False
    vectors, numbers = entities, None
    if pool.categories.any():  # then they are gathered
        numbers = np.flatnonzero(allowed)
        vectors = read_some(trained, entities, numbers, pool.categories[numbers], side, readout)
        allowed = np.ones(len(numbers), dtype=bool)
    norms = trained.profile.lengths(vectors, expected) if isinstance(vectors, Block) else _lengths(vectors, expected)
    known = float(lengths(query.mean)[0] / _lengths(query, expected)[0])
    best, scores, std = by_cosine(vectors, norms, query, known, k, allowed)
    found = best if numbers is None else numbers[best]
    return Table.of(names, found, scores, std, _MEASURES[by])


def similarity(
    trained: Trained,
    left: Sequence[object],
    right: Sequence[object],
    side: str,
    readout: str = "entity",
    smoothing: float = 3.0,
    role: str | None = None,
) -> list[Similarity]:
    """Return the cosine of the means of each pair, with its standard deviation."""
    names, entities = trained.vocabulary(side), read_out(trained, readout, side, smoothing)
    both = []
    for ids in (names.ids(left), names.ids(right)):
        some = read_some(trained, entities, ids, as_categories(trained, side, ids, role), side, readout)
        both.append((ids, some.mean.astype(np.float64), some.variance.astype(np.float64)))
    (first, a, a_variance), (second, b, b_variance) = both
    cosines = np.einsum("ij,ij->i", a, b) / (lengths(a) * lengths(b))
    found = []
    for at, cosine in enumerate(np.clip(cosines, -1.0, 1.0).tolist()):
        if first[at] == second[at]:  # a vector and itself, not two independent ones
            found.append(Similarity(1.0, 0.0))
        else:
            std = cosine_std(a[at], a_variance[at], b[at : at + 1], b_variance[at : at + 1])
            found.append(Similarity(cosine, float(std[0])))
    return found


def top(scores: np.ndarray, allowed: np.ndarray, k: int) -> np.ndarray:
    """Return the ids of the k best allowed scores, best first, ties by id."""
    ids = np.flatnonzero(allowed)
    if k < len(ids):
        kth = np.partition(scores[ids], len(ids) - k)[len(ids) - k]
        ids = ids[scores[ids] >= kth]
    order = np.argsort(-scores[ids], kind="stable")
    return ids[order[:k]]


def _lengths(densities: Gaussians, expected: bool) -> np.ndarray:
    return expected_lengths(densities) if expected else lengths(densities.mean)


def _direction(asked: Gaussians, signs: np.ndarray, expected: bool) -> Gaussians:
    """Return the density of a sum of entities, each divided by its length, as in gensim, and with a sign.

    Divided by its expected length, an entity of which little is known counts little.
    """
    mean, variance = asked.mean.astype(np.float64), asked.variance.astype(np.float64)
    coefficients = signs / _lengths(Gaussians(mean, variance), expected)
    return Gaussians((coefficients @ mean)[None], (coefficients**2 @ variance)[None])


def by_cosine(
    vectors: Gaussians, norms: np.ndarray, query: Gaussians, known: float, k: int, allowed: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the k allowed vectors closest to a query; return their ids, cosines and standard deviations.

    The expected cosine needs expected lengths as `norms`, and what share of the expected length of the query, a single
    density, is `known`: the length of its mean. The cosine of the means needs lengths of means, and 1.
    """
    (mean,), (variance,) = query.mean, query.variance
    unit = mean / max(float(np.linalg.norm(mean)), 1e-30)  # a mean of 0 points nowhere: its cosine is 0
    near = _contenders(vectors.mean, unit, norms, allowed, k)
    means = vectors.mean[near].astype(np.float64)
    scores = np.einsum("ij,j->i", means, unit) / norms[near]  # equal rows get equal bits, so ties go by id
    first = top(scores, np.ones(len(near), dtype=bool), k)
    best = near[first]
    return best, scores[first] * known, cosine_std(mean, variance, means[first], vectors.variance[best])


def _contenders(means: np.ndarray, unit: np.ndarray, norms: np.ndarray, allowed: np.ndarray, k: int) -> np.ndarray:
    """Return the ids of all that may be among the k best by cosine, by products in the precision of the means.

    `norms` are at least the lengths of the means, so no quotient is off by more than the rounding of a cosine.
    """
    from vbn.kernels.predictive import quotients

    if k >= len(means):
        return np.flatnonzero(allowed)
    rough = np.empty(len(means), means.dtype)
    quotients(means, unit.astype(means.dtype), norms, rough)
    rough[~allowed] = -np.inf
    rounding = 2.0 * (len(unit) + 4) * float(np.finfo(means.dtype).eps)
    near = np.flatnonzero(rough >= _not_above_kth(rough, k) - rounding)
    return np.asarray(near[allowed[near]])


def _not_above_kth(scores: np.ndarray, k: int) -> float:
    """Return a number that at least k scores reach: the k-th best among the best of many blocks."""
    width = max(min(1024, len(scores) // (4 * k)), 1)
    whole = len(scores) // width * width
    tops = np.append(scores[:whole].reshape(-1, width).max(axis=1), scores[whole:])
    return float(np.partition(tops, len(tops) - k)[len(tops) - k])


def cosine_std(a: np.ndarray, a_variance: np.ndarray, b: np.ndarray, b_variance: np.ndarray) -> np.ndarray:
    """Return the standard deviation of cos(a, b) under a density a and some densities b, to second order.

    Deviations from the means are measured against the expected squared length, not that of the mean. This keeps the
    result right for densities much wider than their mean is long: there the cosine is that of two random directions.
    """
    b_variance = b_variance.astype(np.float64)
    norm_a, norm_b = np.linalg.norm(a), np.linalg.norm(b, axis=1)
    unit_a, unit_b = a / max(norm_a, 1e-30), b / np.maximum(norm_b, 1e-30)[:, None]
    cosine = unit_b @ unit_a
    square_a = np.maximum(norm_a**2 + a_variance.sum(), 1e-30)
    square_b = np.maximum(norm_b**2 + b_variance.sum(axis=1), 1e-30)
    a_spread, b_spread = a_variance / square_a, b_variance / square_b[:, None]
    a_kept, b_kept = norm_a**2 / square_a, norm_b**2 / square_b  # how much of a sample's length is the mean's
    first = b_kept * ((unit_b - cosine[:, None] * unit_a) ** 2 @ a_spread)
    first += a_kept * ((unit_a - cosine[:, None] * unit_b) ** 2 * b_spread).sum(axis=1)
    second = 0.5 * cosine**2 * a_kept * b_kept * (a_spread**2 + b_spread**2).sum(axis=1)
    second += (a_spread * b_spread).sum(axis=1)
    return np.asarray(np.sqrt(first + second))


def _check_context(trained: Trained, signs: np.ndarray, pool: Pool, readout: str) -> None:
    """Refuse what cannot be ranked by the probability of co-occurring."""
    if readout != "entity":
        raise ParameterError(
            "{remedy} ranks by u and v themselves, so {remedy} does not apply; use {remedy}.",
            remedies=[("by", "context"), ("readout", readout), ("by", "cosine")],
        )
    if not trained.shared:
        raise ParameterError(
            "{remedy} needs entities that are rows and columns at once; here rows and columns are different entities, "
            "and a column has no row density. Use {remedy}.",
            remedies=[("by", "context"), ("by", "cosine")],
        )
    if len(signs) != 1 or signs[0] <= 0:
        raise ParameterError(
            "{remedy} ranks what occurs near one entity; give one name, or use {remedy}.",
            remedies=[("by", "context"), ("by", "cosine")],
        )
    if pool.categories.any():
        raise ParameterError(
            "{remedy} ranks what occurs near an entity, and categories do not occur. Use {remedy}.",
            remedies=[("by", "context"), ("by", "cosine")],
        )


def _by_context(trained: Trained, i: np.ndarray, category: np.ndarray, k: int, candidates: np.ndarray) -> Table:
    """Rank what most probably occurs near one entity, or near a new child of a category."""
    query = read_some(trained, trained.posterior.u, i, category, "row", "entity")
    ranked = rank(trained, query, k, np.flatnonzero(candidates), Hidden.of([i]))
    return tables(trained, query, ranked, Dial(), [None], "p")[0]
