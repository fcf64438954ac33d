"""Neighbours of an entity: by cosine, or by the probability of co-occurring (the paper's ranking).

A cosine compares the vectors of a readout: the density of an entity as a row, the sum of both its densities, or these
pulled towards what its parents say. Nothing is learned here: a readout is a sum of independent densities of the
posterior, so their means and their variances add up.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from vbn._errors import ParameterError
from vbn.inference.ranking import Dial, Hidden, rank, tables
from vbn.inference.table import Table
from vbn.model import Block, Gaussians, Trained, lengths, smoothed

READOUTS = ("entity", "both", "smoothed")


def similar(
    trained: Trained,
    positive: Sequence[object],
    negative: Sequence[object],
    k: int,
    by: str,
    side: str,
    candidates: np.ndarray,
    readout: str = "entity",
    smoothing: float = 3.0,
) -> Table:
    """Find the k candidates closest to the positive and farthest from the negative entities."""
    if by == "cosine":
        names, vectors = trained.vocabulary(side), read_out(trained, readout, side, smoothing)
        ids, signs = names.ids([*positive, *negative]), np.r_[np.ones(len(positive)), -np.ones(len(negative))]
        norms = trained.profile.lengths(vectors) if isinstance(vectors, Block) else lengths(vectors.mean)
        best, scores, std = by_cosine(vectors, norms, ids, signs, k, candidates)
        return Table([names[i] for i in best], scores, std, "cosine")
    if by == "context":
        if readout != "entity":
            raise ParameterError(
                "{remedy} ranks by u and v themselves, so {remedy} does not apply; use {remedy}.",
                remedies=[("by", "context"), ("readout", readout), ("by", "cosine")],
            )
        return _by_context(trained, positive, negative, k, side, candidates)
    raise ParameterError(f"by={by!r} must be 'cosine' or 'context'.")


def top(scores: np.ndarray, allowed: np.ndarray, k: int) -> np.ndarray:
    """Return the ids of the k best allowed scores, best first, ties by id."""
    ids = np.flatnonzero(allowed)
    if k < len(ids):
        kth = np.partition(scores[ids], len(ids) - k)[len(ids) - k]
        ids = ids[scores[ids] >= kth]
    order = np.argsort(-scores[ids], kind="stable")
    return ids[order[:k]]


def by_cosine(
    vectors: Gaussians, norms: np.ndarray, ids: np.ndarray, signs: np.ndarray, k: int, candidates: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the k candidates closest to a sum of unit vectors; return their ids, cosines and standard deviations.

    `norms` are the lengths of the means; `ids` are the entities of the query, each with a sign; they are no answers.
    """
    chosen = vectors.mean[ids].astype(np.float64)
    coefficients = signs / lengths(chosen)  # every entity counts with a unit vector, as in gensim
    query = coefficients @ chosen
    query_variance = coefficients**2 @ vectors.variance[ids]
    unit = query / max(float(np.linalg.norm(query)), 1e-30)  # a mean of 0 points nowhere: its cosine is 0
    allowed = candidates.copy()
    allowed[ids] = False
    near = _contenders(vectors.mean @ unit.astype(vectors.mean.dtype), norms, allowed, k, len(unit))
    means = vectors.mean[near].astype(np.float64)
    scores = np.einsum("ij,j->i", means, unit) / norms[near]  # equal rows get equal bits, so ties go by id
    first = top(scores, np.ones(len(near), dtype=bool), k)
    best = near[first]
    return best, scores[first], cosine_std(query, query_variance, means[first], vectors.variance[best])


def _contenders(products: np.ndarray, norms: np.ndarray, allowed: np.ndarray, k: int, dim: int) -> np.ndarray:
    """Return the ids of all that may be among the k best by cosine, given products in the precision of the means.

    A product in float64 would first turn all means into float64, which takes five times as long as the product.
    """
    if k >= len(products):
        return np.flatnonzero(allowed)
    rounding = 2.0 * (dim + 4) * float(np.finfo(products.dtype).eps)
    rough = products / norms.astype(products.dtype)
    rough[~allowed] = -np.inf
    kth = float(np.partition(rough, len(rough) - k)[len(rough) - k])
    near = np.flatnonzero(rough >= kth - rounding)
    return np.asarray(near[allowed[near]])


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


def _by_context(
    trained: Trained, positive: Sequence[object], negative: Sequence[object], k: int, side: str, candidates: np.ndarray
) -> Table:
    """Rank what most probably occurs near one entity."""
    if not trained.shared:
        raise ParameterError(
            "{remedy} needs entities that are rows and columns at once; here rows and columns are different entities, "
            "and a column has no row density. Use {remedy}.",
            remedies=[("by", "context"), ("by", "cosine")],
        )
    if negative or len(positive) != 1:
        raise ParameterError(
            "{remedy} ranks what occurs near one entity; give one name, or use {remedy}.",
            remedies=[("by", "context"), ("by", "cosine")],
        )
    i = trained.vocabulary(side).ids(positive)
    query = Gaussians(trained.posterior.u.mean[i], trained.posterior.u.variance[i])
    ranked = rank(trained, query, k, np.flatnonzero(candidates), Hidden.of([i]))
    return tables(trained, query, ranked, Dial(), [None], "p")[0]


def check_readout(trained: Trained, readout: Any, smoothing: Any) -> None:
    """Refuse a readout that this model does not have, and a smoothing that cannot be a weight."""
    if readout not in READOUTS:
        raise ParameterError(f"readout={readout!r} must be 'entity', 'both' or 'smoothed'.")
    if readout == "both" and not trained.shared:
        raise ParameterError(
            "{remedy} adds the row and the column density of an entity; here rows and columns are different entities, "
            "which have one each. Use {remedy} or {remedy}.",
            remedies=[("readout", "both"), ("readout", "entity"), ("readout", "smoothed")],
        )
    number = isinstance(smoothing, numbers.Real) and not isinstance(smoothing, bool)
    if not number or not 0 <= float(smoothing) < np.inf:
        raise ParameterError(f"smoothing={smoothing!r} must be a finite number of at least 0.")


def read_out(trained: Trained, readout: str, side: str, smoothing: float) -> Gaussians:
    """Return the density that stands for each entity of a side, in the order of its vocabulary.

    "entity": u, or v for columns that are not rows. "both": u + v. "smoothed": (u + v + w (m_u + m_v)) / (1 + w) with w
    the smoothing and m the mean that the parents give; u + v for what has no parents. The division makes both about as
    long, so lengths can be compared. Where rows and columns differ, each has one of u and v.
    """
    check_readout(trained, readout, smoothing)
    parts = [half.block for half in trained.halves(side)]
    if readout == "entity":
        return parts[0]
    if readout == "smoothed":
        sums = [smoothed(part, float(smoothing)) for part in parts]
    else:
        sums = [Gaussians(part.mean, part.variance) for part in parts]
    dtype = parts[0].mean.dtype
    mean, variance = sum(one.mean for one in sums), sum(one.variance for one in sums)
    return Gaussians(np.asarray(mean, dtype), np.asarray(variance, dtype))
