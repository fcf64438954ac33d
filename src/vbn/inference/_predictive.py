"""The posterior predictive in closed form, Eq. (approximated-posterior-predictive)."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from vbn.kernels import DensityArrays
from vbn.model import Trained

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(32)


def logit(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Logit of the predictive probability, mu / sqrt(1 + pi var / 8): what ranks candidates."""
    result: np.ndarray = mean / np.sqrt(1.0 + np.pi / 8.0 * variance)
    return result


def probability(mean: np.ndarray, variance: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """p(d = 1) = sigmoid(mu / sqrt(1 + pi var / 8)), the logit divided by the temperature of a calibrated model."""
    result: np.ndarray = 0.5 * (1.0 + np.tanh((0.5 / temperature) * logit(mean, variance)))
    return result


def probability_std(mean: np.ndarray, variance: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Standard deviation of sigmoid(x / temperature), x ~ N(mean, variance), by Gauss-Hermite quadrature."""
    x = mean[:, None] + np.sqrt(variance)[:, None] * _NODES
    p = 0.5 * (1.0 + np.tanh((0.5 / temperature) * x))
    w = _WEIGHTS / _WEIGHTS.sum()
    centre = p @ w
    result: np.ndarray = np.sqrt(np.maximum((p - centre[:, None]) ** 2 @ w, 0.0))
    return result


def probability_interval(
    mean: np.ndarray, variance: np.ndarray, level: float, temperature: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Where sigmoid(x / temperature), x ~ N(mean, variance), lies with probability `level`; as much above as below."""
    reach = NormalDist().inv_cdf(0.5 + 0.5 * level) * np.sqrt(variance)
    lower, upper = (0.5 * (1.0 + np.tanh((0.5 / temperature) * x)) for x in (mean - reach, mean + reach))
    return lower, upper


def pair_scores(trained: Trained, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of u_i.v_j + b_j for pairs of ids."""
    from vbn.kernels.predictive import pair_moments

    q = trained.posterior
    mean, variance = np.empty(len(rows)), np.empty(len(rows))
    pair_moments(0, len(rows), rows, columns, q.u.densities, q.v.densities, q.bias.densities, mean, variance)
    return mean, variance


def relation_scores(trained: Trained, k: int, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the score of relation k for pairs of ids, the variances of X, Y and r included."""
    from vbn.kernels.predictive import relation_pair_moments

    q, (u, v) = trained.posterior, trained.relation_parts
    bias = DensityArrays(q.relation_bias.mean[k], q.relation_bias.variance[k])
    mean, variance = np.empty(len(rows)), np.empty(len(rows))
    relation_pair_moments(
        0, len(rows), int(q.offsets[k]), int(q.offsets[k + 1]), rows, columns, u.densities, v.densities,
        q.x.densities, q.y.densities, bias, mean, variance,
    )  # fmt: skip
    return mean, variance
