"""From the score of a pair to its probability: the centred closed form, then a line that calibration fits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from vbn.kernels import logit
from vbn.model.block import Block

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
        The logit of a pair of which nothing is known. Uncertain scores shrink towards it.
    slope, intercept
        p = sigmoid(slope * logit + intercept); 1 and 0 unless the model was calibrated.
    """

    base: float = 0.0
    slope: float = 1.0
    intercept: float = 0.0

    def logit(self, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return the predictive logits of scores before calibration, which rank candidates."""
        return np.asarray(logit(mean, variance, self.base))

    @classmethod
    def of(cls, biases: Block, negatives: float, slope: float = 1.0, intercept: float = 0.0) -> Link:
        """Return the link of a model in which one pair in 1 + negatives is a real one; 0 is the base of the paper."""
        return cls(-math.log(negatives) if biases.centred else 0.0, slope, intercept)

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
        centre = np.einsum("ij,j->i", p, w)  # unlike p @ w, the same for a row whatever stands beside it
        return np.asarray(np.sqrt(np.maximum(np.einsum("ij,j->i", (p - centre[:, None]) ** 2, w), 0.0)))

    def interval(self, mean: np.ndarray, variance: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the central interval of probability `level` of the probability of x ~ N(mean, variance)."""
        reach = NormalDist().inv_cdf(0.5 + 0.5 * level) * np.sqrt(variance)
        return self.calibrated(mean - reach), self.calibrated(mean + reach)
