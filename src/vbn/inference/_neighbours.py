"""Neighbours: by cosine of posterior means, or by the predictive probability of co-occurring (the paper's ranking)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vbn._errors import ParameterError
from vbn.inference._dial import Dial
from vbn.inference._ranking import Hidden, rank, tables
from vbn.inference._readout import read_out
from vbn.inference._table import Table
from vbn.model import Gaussians, Part, Trained, lengths


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
    """The k candidates closest to the positive and farthest from the negative entities."""
    if by == "cosine":
        vectors = read_out(trained, readout, side, smoothing)
        return _by_cosine(trained, vectors, positive, negative, k, side, candidates)
    if by == "context":
        if readout != "entity":
            raise ParameterError(
                f"by='context' ranks by u and v themselves, so readout={readout!r} means nothing; use by='cosine'."
            )
        return _by_context(trained, positive, negative, k, side, candidates)
    raise ParameterError(f"by={by!r} is neither 'cosine' nor 'context'.")


def top(scores: np.ndarray, allowed: np.ndarray, k: int) -> np.ndarray:
    """Ids of the k best allowed scores, best first, ties by id."""
    ids = np.flatnonzero(allowed)
    if k < len(ids):
        kth = np.partition(scores[ids], len(ids) - k)[len(ids) - k]
        ids = ids[scores[ids] >= kth]
    order = np.argsort(-scores[ids], kind="stable")
    return ids[order[:k]]


def _by_cosine(
    trained: Trained, part: Gaussians, positive: Sequence[object], negative: Sequence[object], k: int, side: str,
    candidates: np.ndarray,
) -> Table:  # fmt: skip
    names = trained.vocabulary(side)
    ids = names.ids([*positive, *negative])
    signs = np.r_[np.ones(len(positive)), -np.ones(len(negative))]
    vectors = part.mean[ids].astype(np.float64)
    coefficients = signs / lengths(vectors)  # every entity counts with a unit vector, as in gensim
    query = coefficients @ vectors
    query_variance = coefficients**2 @ part.variance[ids]
    norms = trained.profile.lengths(part) if isinstance(part, Part) else lengths(part.mean)
    unit = query / max(float(np.linalg.norm(query)), 1e-30)  # a mean of 0 points nowhere: its cosine is 0
    allowed = candidates.copy()
    allowed[ids] = False
    near = _contenders(part.mean @ unit.astype(part.mean.dtype), norms, allowed, k, part.mean.shape[1])
    means = part.mean[near].astype(np.float64)
    scores = np.einsum("ij,j->i", means, unit) / norms[near]  # equal rows get equal bits, so that ties go by id
    chosen = top(scores, np.ones(len(near), dtype=bool), k)
    best = near[chosen]
    std = _cosine_std(query, query_variance, means[chosen], part.variance[best].astype(np.float64))
    return Table([names[i] for i in best], scores[chosen], std, "cosine")


def _contenders(products: np.ndarray, norms: np.ndarray, allowed: np.ndarray, k: int, dim: int) -> np.ndarray:
    """Ids of all that may be among the k best by cosine, from products that were summed in the means' precision.

    A product in float64 would first turn all means into float64, which takes five times as long as the product.
    """
    if k >= len(products):
        return np.flatnonzero(allowed)
    rounding = 2.0 * (dim + 4) * float(np.finfo(products.dtype).eps)
    rough = products / norms.astype(products.dtype)
    rough[~allowed] = -np.inf
    kth = float(np.partition(rough, len(rough) - k)[len(rough) - k])
    near = np.flatnonzero(rough >= kth - rounding)
    result: np.ndarray = near[allowed[near]]
    return result


def _cosine_std(a: np.ndarray, a_variance: np.ndarray, b: np.ndarray, b_variance: np.ndarray) -> np.ndarray:
    """Standard deviation of cos(a, b) under two densities, to second order in the deviations from their means.

    Deviations are measured against the expected squared length, not that of the mean, which keeps the result right for
    densities much wider than their mean is long: there the cosine is that of two random directions.
    """
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
    result: np.ndarray = np.sqrt(first + second)
    return result


def _by_context(
    trained: Trained, positive: Sequence[object], negative: Sequence[object], k: int, side: str, candidates: np.ndarray
) -> Table:
    if not trained.shared:
        raise ParameterError(
            "by='context' needs entities that are rows and columns at once; here rows and columns are different "
            "entities, and a column has no row density. Use by='cosine'."
        )
    if negative or len(positive) != 1:
        raise ParameterError("by='context' ranks what occurs near one entity; give one name, or use by='cosine'.")
    i = trained.vocabulary(side).ids(positive)
    query = Gaussians(trained.posterior.u.mean[i], trained.posterior.u.variance[i])
    ranked = rank(trained, query, k, np.flatnonzero(candidates), Hidden.of([i]))
    return tables(trained, query, ranked, Dial(), [None], "p")[0]
