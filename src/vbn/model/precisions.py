"""Gamma densities of precisions: their priors by kind of variable, and the updates that all variables share.

A variable z with prior N(m, I / tau) and tau ~ Gamma(alpha, beta) has q(tau) = Gamma(alpha + t / 2, rate) with rate =
beta + E||z - m||^2 / 2, Eqs. (tau_u-updates) to (tau_b-updates). The shapes are constant, so only rates are stored.

The paper has alpha = beta = 1 for all. Then the precision of an entity with little data is learned from next to
nothing, and as u and v shrink together, what the data did say is lost. `strength` ties a precision to 1 as long as its
entity has little data, and lets the data decide where there is much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

KINDS = ("entity", "category", "bias", "relation")
"""Kinds of variables: u and v; h; b; x, y and r."""
AUTO = "auto"
"""A weight that follows the data: `strength`."""
COLD_PRECISIONS = ("siblings", "mean_field", "prior")
"""The precision of a variable without data: that of its siblings, the fixed point of its updates, or its prior mean."""
_WIDEST = 1e6  # largest variance of a prior mean; otherwise a chain of a hundred nodes without data would overflow
_STRENGTH = 2.0  # for each dimension: how much the prior of a precision weighs where there is no data
_LITTLE = 10.0  # pairs at which that has halved
CONTENT_STRENGTH = 0.25
"""Variance of what features add to a prior mean in each dimension, before training (1 / rho)."""
_PLAIN = {"bias": 1.0, "relation": 1.0}  # kinds whose weight does not follow the data


def reliability(counts: np.ndarray) -> float:
    """Return the mean of n / (n + 10) over all occurrences: how well the entities are known that a pair leads to.

    A user with forty items that nobody else has tells as little about a user as a user with none.

    Examples
    --------
    >>> round(reliability(np.array([1.0, 1.0])), 2), round(reliability(np.array([1000.0])), 2)
    (0.09, 0.99)
    """
    total = float(counts.sum())
    return float((counts * counts / (counts + _LITTLE)).sum() / total) if total > 0 else 0.0


class Measured(NamedTuple):
    """For each active variable: E||z - m||^2, and the sum of the logarithms of its variances."""

    distance: np.ndarray
    log_volume: np.ndarray


def strength(evidence: Any, dim: int) -> Any:
    """Return alpha = beta of the precision of an entity with so much evidence, the weight of its pairs.

    Without evidence the prior weighs four times the t / 2 that the entity's own distance adds; with much evidence it is
    the paper's 1.

    Examples
    --------
    >>> [round(float(strength(n, dim=50)), 1) for n in (0, 10, 1000)]
    [101.0, 51.0, 2.0]
    """
    return 1.0 + _STRENGTH * dim / (1.0 + np.asarray(evidence, dtype=np.float64) / _LITTLE)


@dataclass(frozen=True)
class Gamma:
    """Gamma(alpha, beta), the prior of the precisions of variables with `dim` dimensions.

    `alpha` and `beta` are one number for all variables, or an array with one for each. `cold` is one of
    `COLD_PRECISIONS`.
    """

    alpha: float | np.ndarray
    beta: float | np.ndarray
    dim: int
    cold: str = "mean_field"

    @property
    def shape(self) -> Any:
        """Return the shape of q(tau): alpha + dim / 2."""
        return self.alpha + 0.5 * self.dim

    def at(self, rows: np.ndarray) -> Gamma:
        """Return the prior of some of the variables: ids or a mask."""
        if np.ndim(self.alpha) == 0 and np.ndim(self.beta) == 0:
            return self
        alpha, beta = (value if np.ndim(value) == 0 else np.asarray(value)[rows] for value in (self.alpha, self.beta))
        return Gamma(alpha, beta, self.dim, self.cold)

    def expected(self, rate: np.ndarray) -> np.ndarray:
        """Return E[tau] = shape / rate."""
        return np.asarray(self.shape / rate)

    def update(self, rate: np.ndarray, active: np.ndarray, measured: Measured) -> None:
        """Update q(tau) of the active variables in place."""
        rate[active] = self.at(active).beta + 0.5 * measured.distance

    def bound(self, rate: np.ndarray, active: np.ndarray, measured: Measured) -> float:
        """Return the sum of E[log p(z | tau)] + E[log p(tau)] + H[q(z)] + H[q(tau)] over the active variables."""
        from scipy.special import digamma, gammaln

        own, rate = self.at(active), rate[active]
        alpha, beta, shape = own.alpha, own.beta, own.shape
        tau, log_tau = shape / rate, digamma(shape) - np.log(rate)
        gaussian = 0.5 * self.dim * (log_tau + 1.0) - 0.5 * tau * measured.distance + 0.5 * measured.log_volume
        prior = alpha * np.log(beta) - gammaln(alpha) + (alpha - 1.0) * log_tau - beta * tau
        entropy = shape - np.log(rate) + gammaln(shape) + (1.0 - shape) * digamma(shape)
        return float(np.sum(gaussian + prior + entropy))

    def without_data(self, rows: np.ndarray, variance: np.ndarray, siblings: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return E[tau] of variables without data, and the variance of their densities.

        Parameters
        ----------
        rows
            Which variables.
        variance
            Variance of the prior mean of each, in every dimension.
        siblings
            E[tau] of variables with data that have the same parents.

        Notes
        -----
        "siblings": how far the trained children of a parent lie from it says how far this one may lie, see `Siblings`;
        the parents' own uncertainty is added once. "mean_field": the fixed point of the updates, E[tau] = alpha / (beta
        + t V / 2), where V is the variance of the prior mean; iteration converges to it very slowly. "prior": alpha /
        beta. The factorised posterior of the last two does not count V itself, and "mean_field" mistakes it for a
        distance.
        """
        own, capped = self.at(rows), np.minimum(variance, _WIDEST)
        if self.cold == "siblings":
            return siblings, 1.0 / siblings + capped
        beta = own.beta + np.zeros(len(rows))
        if self.cold == "mean_field":
            beta = beta + 0.5 * self.dim * capped
        return own.alpha / beta, beta / own.alpha


class Siblings(NamedTuple):
    """What entities with data say of those without: which they are, their E[tau], and how much each of them counts.

    An entity without data is most like those with little: they count by the weight of their precision's prior, which
    falls as data comes. What is pooled is variances 1 / E[tau], as the density of a further sibling has their mean.
    """

    known: np.ndarray
    tau: np.ndarray
    weight: np.ndarray

    def precision(self, pooled: Callable[[np.ndarray, float], Any]) -> Any:
        """Return E[tau] of a further sibling; `pooled` takes values of all entities and their mean over the known."""
        weights = self.weight, self.weight / self.tau
        total, spread = (pooled(values, _mean(values[self.known])) for values in weights)
        return total / spread

    def overall(self) -> float:
        """Return the same over all of them; 1 if there are none."""
        return float(self.precision(lambda _, mean: mean))


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else 1.0


def _auto() -> dict[str, float | str]:
    return dict.fromkeys(KINDS, AUTO)


@dataclass(frozen=True)
class Hyperpriors:
    """Shape alpha and rate beta of the Gamma priors of precisions, by kind of variable.

    If both are "auto" they follow the data; if one is given, the other is the paper's 1. `content` is the strength of
    features, 1 / rho, or by source.
    """

    alpha: Mapping[str, float | str] = field(default_factory=_auto)
    beta: Mapping[str, float | str] = field(default_factory=_auto)
    cold: str = "siblings"
    content: float | Mapping[str, float] = CONTENT_STRENGTH

    def strength_of(self, source: str) -> float:
        """Return the strength of a source of features; 0 if it is not used."""
        given = self.content
        return float(given.get(source, CONTENT_STRENGTH) if isinstance(given, Mapping) else given)

    def of(self, kind: str, dim: int, evidence: Any = 0.0) -> Gamma:
        """Return the prior for a kind of variable with `dim` dimensions and so much data."""
        alpha: Any = self.alpha[kind]
        beta: Any = self.beta[kind]
        if isinstance(alpha, str) and isinstance(beta, str):
            alpha = beta = _PLAIN[kind] if kind in _PLAIN else strength(evidence, dim)
        if isinstance(alpha, str) or isinstance(beta, str):
            alpha, beta = (1.0 if isinstance(given, str) else given for given in (alpha, beta))
        return Gamma(alpha, beta, dim, self.cold)
