"""Relation queries: who stands in a relation to an entity."""

from __future__ import annotations

import numpy as np

from vbn.inference._neighbours import top
from vbn.inference._predictive import probability, probability_std
from vbn.inference._table import Table
from vbn.model._trained import Trained


def related(trained: Trained, relation: str, entity: object, k: int, candidates: np.ndarray) -> Table:
    """The k columns to which the relation most probably leads from the entity."""
    number = trained.relation_number(relation)
    i = trained.rows.id(entity)
    mean, variance = _scores(trained, number, i)
    scores = probability(mean, variance)
    allowed = candidates.copy()
    if trained.shared:
        allowed[i] = False
    best = top(scores, allowed, k)
    return Table([trained.columns[j] for j in best], scores[best], probability_std(mean[best], variance[best]), "p")


def _scores(trained: Trained, k: int, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the score of relation k from row i to every column, with matrix products only."""
    q = trained.posterior
    rows = slice(int(q.offsets[k]), int(q.offsets[k + 1]))
    x, x_variance = q.x.mean[rows].astype(np.float64), q.x.variance[rows]
    y, y_variance = q.y.mean[rows].astype(np.float64), q.y.variance[rows]
    u, u_variance = q.u.mean[i].astype(np.float64), q.u.variance[i]
    a = x @ u
    second = np.outer(a, a) + (x * u_variance) @ x.T + np.diag(x_variance @ (u**2 + u_variance))
    c = q.v.mean @ y.T
    mean = c @ a
    square = np.einsum("jm,jm->j", c @ second, c)
    square += q.v.variance @ np.einsum("mn,md,nd->d", second, y, y)
    square += (q.v.mean**2 + q.v.variance) @ (np.diag(second) @ y_variance)
    r_mean, r_variance = q.relation_bias.mean[k], q.relation_bias.variance[k]
    return mean + r_mean, np.maximum(square - mean**2, 0.0) + r_variance
