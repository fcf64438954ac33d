"""Logits of a relation between some words and all candidates, in both directions, by matrix products."""

from __future__ import annotations

import numpy as np

from vbn.inference._predictive import logit
from vbn.model._projections import project
from vbn.model._trained import Trained


def opposite_logits(
    trained: Trained, relation: int, rows: np.ndarray, candidates: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Predictive logits from the words to the candidates, and from the candidates to the words.

    The score's second moment is the inner product of E[a a^T] and E[c c^T], two small matrices, so that all pairs take
    one matrix product.

    Returns
    -------
    tuple of ndarray
        Two of shape (words, candidates).
    """
    q = trained.posterior
    span = int(q.offsets[relation]), int(q.offsets[relation + 1])
    bias, variance = q.relation_bias.mean[relation], q.relation_bias.variance[relation]
    rows, candidates = rows.astype(np.int64), candidates.astype(np.int64)
    there = _moments(project(q.u, q.x, *span, rows), project(q.v, q.y, *span, candidates))
    back = _moments(project(q.v, q.y, *span, rows), project(q.u, q.x, *span, candidates))
    return (
        logit(there[0] + bias[candidates], there[1] + variance[candidates]),
        logit(back[0] + bias[rows][:, None], back[1] + variance[rows][:, None]),
    )


def _moments(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of sum_m a_m c_m for all pairs of two sets of projections."""
    mean = one[0] @ other[0].T
    square = one[1].reshape(len(one[1]), -1) @ other[1].reshape(len(other[1]), -1).T
    return mean, np.maximum(square - mean**2, 0.0)
