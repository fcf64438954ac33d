"""Gamma densities of precisions: their priors by kind of variable, and the updates that all variables share.

A variable z with prior N(m, I / tau) and tau ~ Gamma(alpha, beta) has q(tau) = Gamma(alpha + t / 2, rate) with rate =
beta + E||z - m||^2 / 2, Eqs. (tau_u-updates) to (tau_b-updates). The shapes are constant, so only rates are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

KINDS = ("entity", "category", "bias", "relation")
"""Kinds of variables: u and v; h; b; x, y and r."""
COLD_PRECISIONS = ("mean_field", "prior")
"""The precision of a variable without data: the fixed point of its updates, or its prior expectation."""
_WIDEST = 1e6  # largest variance of a prior mean; otherwise a chain of a hundred nodes without data would overflow


class Measured(NamedTuple):
    """For each active variable: E||z - m||^2, and the sum of the logarithms of its variances."""

    distance: np.ndarray
    log_volume: np.ndarray


@dataclass(frozen=True)
class Gamma:
    """Gamma(alpha, beta), the prior of the precisions of variables with `dim` dimensions.

    `cold` is one of `COLD_PRECISIONS`.
    """

    alpha: float
    beta: float
    dim: int
    cold: str = "mean_field"

    @property
    def shape(self) -> float:
        """Return the shape of q(tau): alpha + dim / 2."""
        return self.alpha + 0.5 * self.dim

    def expected(self, rate: np.ndarray) -> np.ndarray:
        """Return E[tau] = shape / rate."""
        return self.shape / rate

    def update(self, rate: np.ndarray, active: np.ndarray, measured: Measured) -> None:
        """Update q(tau) of the active variables in place."""
        rate[active] = self.beta + 0.5 * measured.distance

    def bound(self, rate: np.ndarray, measured: Measured) -> float:
        """Return the sum of E[log p(z | tau)] + E[log p(tau)] + H[q(z)] + H[q(tau)] over variables with these rates."""
        from scipy.special import digamma, gammaln

        alpha, beta, shape = self.alpha, self.beta, self.shape
        tau, log_tau = shape / rate, digamma(shape) - np.log(rate)
        gaussian = 0.5 * self.dim * (log_tau + 1.0) - 0.5 * tau * measured.distance + 0.5 * measured.log_volume
        prior = alpha * np.log(beta) - gammaln(alpha) + (alpha - 1.0) * log_tau - beta * tau
        entropy = shape - np.log(rate) + gammaln(shape) + (1.0 - shape) * digamma(shape)
        return float(np.sum(gaussian + prior + entropy))

    def cold_precision(self, variance: np.ndarray) -> np.ndarray:
        """Return E[tau] of variables without data whose prior means have this variance in each dimension.

        The fixed point without data is E[tau] = alpha / (beta + t V / 2), where V is the variance of the prior mean;
        iteration converges to it very slowly. With `cold="prior"` it is alpha / beta: without data, only the prior of
        tau is known, and the factorised posterior mistakes V for a distance between u and its prior mean.
        """
        beta = self.beta + np.zeros(np.shape(variance))
        if self.cold == "mean_field":
            beta += 0.5 * self.dim * np.minimum(variance, _WIDEST)
        return np.asarray(self.alpha / beta)


def _all_ones() -> dict[str, float]:
    return dict.fromkeys(KINDS, 1.0)


@dataclass(frozen=True)
class Hyperpriors:
    """Shape alpha and rate beta of the Gamma priors of precisions, by kind of variable."""

    alpha: Mapping[str, float] = field(default_factory=_all_ones)
    beta: Mapping[str, float] = field(default_factory=_all_ones)
    cold: str = "mean_field"

    def of(self, kind: str, dim: int) -> Gamma:
        """Return the prior for a kind of variable with `dim` dimensions."""
        return Gamma(self.alpha[kind], self.beta[kind], dim, self.cold)
