"""The variance of a score with what mean field leaves out (docs/maths.md, "The spread of a score").

Mean field takes its partners for known, counts their variance as if it were data, and bends the likelihood as the
Jaakkola bound does, which is too much. Here an entity has the full covariance matrix that its cells leave it, each
with the curvature that the logistic function has on average, seen through the uncertainty of its partner.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from vbn.inference.expected import Cells
from vbn.inference.predictive import probability
from vbn.kernels import damping
from vbn.model import Block, Gaussians, Trained

_CHUNK = 1 << 14  # cells at a time, so that a model of a million entities needs no copy of itself


class Shown(Protocol):
    """What training showed the model."""

    def row(self, i: int) -> Cells:
        """The cells of row i."""

    def column(self, j: int) -> Cells:
        """The cells of column j."""


def full_variances(trained: Trained, shown: Shown, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Variance of u_i.v_j + b_j for pairs of ids: x^T D x + y^T C y + tr(C D), with x = (u, 1) and y = (v, b)."""
    result, of_columns = np.empty(len(rows)), {}
    for j in np.unique(columns).tolist():
        of_columns[j] = _extended(trained, "v", np.array([j])).mean[0], _covariance(trained, "v", j, shown.column(j))
    before = -1
    for k in np.argsort(rows, kind="stable").tolist():
        i = int(rows[k])
        if i != before:
            x, c = _extended(trained, "u", np.array([i])).mean[0], _covariance(trained, "u", i, shown.row(i))
            before = i
        y, d = of_columns[int(columns[k])]
        result[k] = x @ d @ x + y @ c @ y + np.sum(c * d)
    return result


def _covariance(trained: Trained, part: str, i: int, cells: Cells) -> np.ndarray:
    """Covariance matrix of (u_i, 1) or of (v_j, b_j), t + 1 by t + 1."""
    own, prior = _extended(trained, part, np.array([i])), _prior_precision(trained, part, i)
    precision = np.diag(prior)
    for first in range(0, len(cells.others), _CHUNK):
        chunk = slice(first, first + _CHUNK)
        others = _extended(trained, "v" if part == "u" else "u", cells.others[chunk])
        seen = others.mean[:, : len(prior)]
        stiff = stiffness(own, others, cells.positive[chunk] + cells.negative[chunk])
        precision += (stiff[:, None] * seen).T @ seen
    result = np.zeros((own.mean.shape[1],) * 2)
    result[: len(prior), : len(prior)] = np.linalg.inv(precision)
    return result


def stiffness(own: Gaussians, others: Gaussians, weights: np.ndarray) -> np.ndarray:
    """How much the cells of one entity say of it: their expected curvature, seen through their partners' variance.

    The derivative of the predictive probability by the mean of the score is the expectation of the logistic
    function's curvature, up to its sign.
    """
    mean, from_partner = others.mean @ own.mean[0], others.variance @ own.mean[0] ** 2
    variance = from_partner + (others.mean**2 + others.variance) @ own.variance[0]
    p = probability(mean, variance)
    curvature = weights * p * (1.0 - p) / damping(variance)
    result: np.ndarray = curvature / (1.0 + curvature * from_partner)
    return result


def _extended(trained: Trained, part: str, ids: np.ndarray) -> Gaussians:
    """Densities of x = (u, 1) or of y = (v, b), whose product is the score."""
    q, entities = trained.posterior, trained.part(part)
    known = np.ones(len(ids)), np.zeros(len(ids))
    last = known if part == "u" else (q.bias.mean[ids], q.bias.variance[ids])
    mean, variance = (
        np.column_stack((array[ids], end)).astype(np.float64)
        for array, end in zip((entities.mean, entities.variance), last, strict=True)
    )
    return Gaussians(mean, variance)


def _prior_precision(trained: Trained, part: str, i: int) -> np.ndarray:
    """Return the precision of the prior in each dimension, with the variance of its mean; of b too, for a column."""
    entities, bias, row = trained.part(part), trained.posterior.bias, np.array([i])
    found = np.full(entities.gamma.dim, _own_precision(entities, row))
    return found if part == "u" else np.append(found, _own_precision(bias, row))


def _own_precision(block: Block, row: np.ndarray) -> float:
    return float(1.0 / (1.0 / block.tau[row] + block.prior.variances(row))[0])
