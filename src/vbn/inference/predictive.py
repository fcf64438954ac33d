"""The posterior predictive: moments of the scores of pairs, and their spread.

`vbn.model.Link` turns moments into probabilities; the closed form itself is `vbn.kernels.logit`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from vbn.kernels import damping, logit
from vbn.model import Block, EntityCells, Gaussians, Half, Lifts, Trained, sigmoid


def pair_scores(trained: Trained, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of u_i.v_j + b_j for pairs of ids."""
    return trained.cooccurrence.pair_moments(rows, columns)


class AllColumns:
    """Predictive logits of queries, given as densities, for every column of a model."""

    def __init__(self, trained: Trained) -> None:
        self._trained, v = trained, trained.posterior.v
        self._mean = np.ascontiguousarray(v.mean.T, dtype=np.float64)
        self._moments = np.concatenate([v.variance.T.astype(np.float64), self._mean**2])

    def __call__(self, queries: Gaussians, known: np.ndarray | None = None, lifts: Lifts | None = None) -> np.ndarray:
        """Return an array of shape (queries, columns); `known` says of which queries anything is known.

        `lifts` is what is added, see `Trained.lifts`.
        """
        bias = self._trained.posterior.bias
        u, u_variance = queries.mean.astype(np.float64), queries.variance.astype(np.float64)
        variance = np.concatenate([u**2 + u_variance, u_variance], axis=1) @ self._moments
        variance += bias.variance
        mean = u @ self._mean
        mean += bias.mean
        bases = self._trained.bases(np.ones(len(u), dtype=bool) if known is None else known)
        found = logit(mean, variance, bases[:, None])
        return np.asarray(found if lifts is None else found + lifts.dense())


def relation_scores(trained: Trained, k: int, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of the score of relation k for pairs of ids, the variances of X, Y and r included."""
    return trained.relation(trained.relations[k].name).pair_moments(rows, columns)


def relation_moments(trained: Trained, k: int, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of the score of relation k between rows and columns, as (rows, columns) arrays.

    The variance of u^T X^T Y v is a sum of products of a factor that belongs to the row and one that belongs to the
    column, one for each choice of the variables that vary: a few matrix products cover all pairs at once.
    """
    blocks, (row, column) = trained.posterior.relations[k], trained.relation_parts
    every = slice(None)
    x, x_variance, y, y_variance, u, u_variance, v, v_variance = (
        array.astype(np.float64)
        for part, at in ((blocks.x, every), (blocks.y, every), (row, rows), (column, columns))
        for array in (part.mean[at], part.variance[at])
    )
    a, c = u @ x.T, v @ y.T
    a_spread, c_spread = (u**2 + u_variance) @ x_variance.T, (v**2 + v_variance) @ y_variance.T
    variance = a_spread @ (c**2 + v_variance @ (y**2).T + c_spread).T
    variance += (a**2 + u_variance @ (x**2).T) @ c_spread.T
    variance += u_variance @ ((c @ x) ** 2 + v_variance @ ((x.T @ y) ** 2).T).T
    variance += (a @ y) ** 2 @ v_variance.T
    return a @ c.T + blocks.r.mean[columns], variance + blocks.r.variance[columns]


# The variance of a score, including what mean field omits (docs/maths.md, "The spread of a score"). Mean field treats
# the partners of an entity as known, counts their variance as if it were data, and uses the curvature of the Jaakkola
# bound, which is too high. Below, an entity has the full covariance matrix given its cells, and each cell has the
# expected curvature of the logistic function, reduced by the uncertainty of its partner.
_CHUNK = 1 << 14  # cells at a time, to avoid a copy of a model with a million entities


class Shown(Protocol):
    """The cells that training showed the model."""

    def row(self, i: int) -> EntityCells:
        """Return the cells of row i."""

    def column(self, j: int) -> EntityCells:
        """Return the cells of column j."""


def full_variances(trained: Trained, shown: Shown, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the variance of u_i.v_j + b_j for pairs: x^T D x + y^T C y + tr(C D), with x = (u, 1) and y = (v, b)."""
    result, u, v = np.empty(len(rows)), trained.u, trained.v
    of_columns = {j: _known(v, u, j, shown.column(j)) for j in np.unique(columns).tolist()}
    before = -1
    for k in np.argsort(rows, kind="stable").tolist():
        i = int(rows[k])
        if i != before:
            x, c = _known(u, v, i, shown.row(i))
            before = i
        y, d = of_columns[int(columns[k])]
        result[k] = x @ d @ x + y @ c @ y + np.sum(c * d)
    return result


def _known(half: Half, other: Half, i: int, cells: EntityCells) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the covariance matrix, t + 1 by t + 1, of (u_i, 1) or of (v_j, b_j)."""
    own, prior = _extended(half, np.array([i])), _prior_precision(half, i)
    precision = np.diag(prior)
    for first in range(0, len(cells.others), _CHUNK):
        chunk = slice(first, first + _CHUNK)
        others = _extended(other, cells.others[chunk])
        seen = others.mean[:, : len(prior)]
        stiff = stiffness(own, others, cells.positive[chunk] + cells.negative[chunk])
        precision += (stiff[:, None] * seen).T @ seen
    covariance = np.zeros((own.mean.shape[1],) * 2)
    covariance[: len(prior), : len(prior)] = np.linalg.inv(precision)
    return own.mean[0], covariance


def stiffness(own: Gaussians, others: Gaussians, weights: np.ndarray) -> np.ndarray:
    """Return the precision that each cell of an entity adds: its expected curvature, reduced by its partner's variance.

    The derivative of the predictive probability with respect to the mean of the score is the expected curvature of the
    logistic function, up to its sign.
    """
    mean, from_partner = others.mean @ own.mean[0], others.variance @ own.mean[0] ** 2
    variance = from_partner + (others.mean**2 + others.variance) @ own.variance[0]
    p = sigmoid(logit(mean, variance, 0.0))  # the mean of the logistic function over the density of the score
    curvature = weights * p * (1.0 - p) / damping(variance)
    return np.asarray(curvature / (1.0 + curvature * from_partner))


def _extended(half: Half, ids: np.ndarray) -> Gaussians:
    """Return the densities of x = (u, 1) or of y = (v, b), whose product is the score."""
    bias, block = half.bias, half.block
    last = (np.ones(len(ids)), np.zeros(len(ids))) if bias is None else (bias.mean[ids], bias.variance[ids])
    mean, variance = (
        np.column_stack((array[ids], end)).astype(np.float64)
        for array, end in zip((block.mean, block.variance), last, strict=True)
    )
    return Gaussians(mean, variance)


def _prior_precision(half: Half, i: int) -> np.ndarray:
    """Return the precision of the prior in each dimension, with the variance of its mean; of b too, for a column."""
    row = np.array([i])
    found = np.full(half.block.gamma.dim, _own_precision(half.block, row))
    return found if half.bias is None else np.append(found, _own_precision(half.bias, row))


def _own_precision(block: Block, row: np.ndarray) -> float:
    return float(1.0 / (1.0 / block.tau[row] + block.prior.variances(row))[0])
