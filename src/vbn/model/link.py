"""From the score of a pair to its probability: the centred closed form, then a line that calibration fits."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from vbn.kernels import logit

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(32)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-x))."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)))


@dataclass(frozen=True)
class Link:
    """How scores become probabilities.

    Attributes
    ----------
    base
        The logit of a pair of which nothing is known, for all pairs or one for each: that of the mean probability that
        noise has for this row. Uncertain scores shrink towards it. 0 is the paper's.
    slope, intercept
        p = sigmoid(slope * logit + intercept); 1 and 0 unless the model was calibrated.
    """

    base: float | np.ndarray = 0.0
    slope: float = 1.0
    intercept: float = 0.0

    def logit(self, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return the predictive logits of scores before calibration, which rank candidates."""
        return np.asarray(logit(mean, variance, self.base))

    def calibrated(self, logits: np.ndarray) -> np.ndarray:
        """Return the probabilities of predictive logits."""
        return sigmoid(self.slope * logits + self.intercept)

    def probability(self, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return the predictive probability p(d = 1) of scores."""
        return self.calibrated(self.logit(mean, variance))

    def std(self, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return the standard deviation of the probability of x ~ N(mean, variance), by Gauss-Hermite quadrature."""
        p = self.calibrated(mean[:, None] + np.sqrt(variance)[:, None] * _NODES)
        w = _WEIGHTS / _WEIGHTS.sum()
        centre = p @ w
        return np.asarray(np.sqrt(np.maximum((p - centre[:, None]) ** 2 @ w, 0.0)))

    def interval(self, mean: np.ndarray, variance: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the central interval of probability `level` of the probability of x ~ N(mean, variance)."""
        reach = NormalDist().inv_cdf(0.5 + 0.5 * level) * np.sqrt(variance)
        return self.calibrated(mean - reach), self.calibrated(mean + reach)


def base_logits(means: np.ndarray) -> np.ndarray:
    """Return the logit of the mean probability of the scores in each row."""
    p = np.clip(sigmoid(means).mean(axis=1), 1e-12, 1.0 - 1e-12)
    return np.asarray(np.log(p) - np.log1p(-p))
