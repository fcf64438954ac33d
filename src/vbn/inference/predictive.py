"""The posterior predictive: moments of scores, and the probabilities, spreads and intervals that follow from them.

The closed form itself is `vbn.kernels.logit`; nothing else has the formula.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from vbn.kernels import logit
from vbn.model import Trained

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(32)


def sigmoid(x: np.ndarray, temperature: float) -> np.ndarray:
    """Return sigmoid(x / temperature)."""
    return np.asarray(0.5 * (1.0 + np.tanh((0.5 / temperature) * x)))


def probability(mean: np.ndarray, variance: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Return the predictive probability p(d = 1) of scores; a calibrated model divides logits by its temperature.

    Examples
    --------
    >>> probability(np.array([2.0, 2.0]), np.array([0.0, 9.0])).round(2).tolist()
    [0.88, 0.72]
    """
    return sigmoid(logit(mean, variance), temperature)


def probability_std(mean: np.ndarray, variance: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Return the standard deviation of sigmoid(x / temperature), x ~ N(mean, variance), by Gauss-Hermite quadrature."""
    p = sigmoid(mean[:, None] + np.sqrt(variance)[:, None] * _NODES, temperature)
    w = _WEIGHTS / _WEIGHTS.sum()
    centre = p @ w
    return np.asarray(np.sqrt(np.maximum((p - centre[:, None]) ** 2 @ w, 0.0)))


def probability_interval(
    mean: np.ndarray, variance: np.ndarray, level: float, temperature: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Return the central interval that holds sigmoid(x / temperature), x ~ N(mean, variance), with probability `level`.

    Examples
    --------
    >>> lower, upper = probability_interval(np.array([0.0]), np.array([1.0]), level=0.8)
    >>> float(lower[0].round(2)), float(upper[0].round(2))
    (0.22, 0.78)
    """
    reach = NormalDist().inv_cdf(0.5 + 0.5 * level) * np.sqrt(variance)
    return sigmoid(mean - reach, temperature), sigmoid(mean + reach, temperature)


def pair_scores(trained: Trained, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of u_i.v_j + b_j for pairs of ids."""
    return trained.cooccurrence.pair_moments(rows, columns)


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
