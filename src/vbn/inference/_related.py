"""Relation queries: who stands in a relation to an entity."""

from __future__ import annotations

import numpy as np

from vbn.inference._dial import Dial
from vbn.inference._neighbours import top
from vbn.inference._predictive import logit, probability, probability_std
from vbn.inference._table import Table
from vbn.model import Trained


def related(trained: Trained, relation: str, entity: object, k: int, candidates: np.ndarray, dial: Dial) -> Table:
    """The k columns to which the relation most probably leads from the entity."""
    i = trained.rows.id(entity)
    everything = np.arange(len(trained.columns))
    found = relation_moments(trained, trained.relation_number(relation), np.array([i]), everything)
    mean, variance = (moments[0] for moments in found)
    allowed = candidates.copy()
    if trained.shared:
        allowed[i] = False
    best = top(logit(mean, variance) + dial.added(trained.profile), allowed, k)
    names = [trained.columns[j] for j in best]
    scores = probability(mean[best], variance[best])
    return Table(names, scores, probability_std(mean[best], variance[best]), "p")


def relation_moments(trained: Trained, k: int, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the score of relation k between some rows and some columns, each of shape (rows, columns).

    The variance of u^T X^T Y v is a sum of products of what belongs to the row and what belongs to the column, one for
    each choice of the variables that vary: matrix products do for all pairs at once.
    """
    q, span = trained.posterior, slice(int(trained.posterior.offsets[k]), int(trained.posterior.offsets[k + 1]))
    row, column = trained.relation_parts
    x, x_variance, y, y_variance, u, u_variance, v, v_variance = (
        array.astype(np.float64)
        for part, at in ((q.x, span), (q.y, span), (row, rows), (column, columns))
        for array in (part.mean[at], part.variance[at])
    )
    a, c = u @ x.T, v @ y.T
    a_spread, c_spread = (u**2 + u_variance) @ x_variance.T, (v**2 + v_variance) @ y_variance.T
    variance = a_spread @ (c**2 + v_variance @ (y**2).T + c_spread).T
    variance += (a**2 + u_variance @ (x**2).T) @ c_spread.T
    variance += u_variance @ ((c @ x) ** 2 + v_variance @ ((x.T @ y) ** 2).T).T
    variance += (a @ y) ** 2 @ v_variance.T
    bias = q.relation_bias
    return a @ c.T + bias.mean[k, columns], variance + bias.variance[k, columns]
