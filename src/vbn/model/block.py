"""A block of Gaussian variables: densities, precisions, prior and earlier evidence; all that blocks have in common.

The blocks are u, v and b, and x, y and r of each relation. Their likelihoods update the densities; the rest is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from vbn.kernels import EvidenceArrays
from vbn.model.engine import Engine
from vbn.model.fields import MEAN, RATE, VARIANCE, Field, Gaussians, Holder, Moments
from vbn.model.precisions import Gamma, Measured
from vbn.model.priors import Match, Prior, Sum
from vbn.model.ranges import row_ranges

_LEAST = 1e-5  # share of the prior's precision; less is rounding (of float32) and no evidence


@dataclass(frozen=True)
class Sites:
    """What earlier data, which is gone, said: a factor exp(-lambda z^2 / 2 + eta z) for each variable.

    `precision` is lambda, `linear` is eta; both are 0 where nothing is known. The factors join the new data's
    likelihood in every update and in the bound.
    """

    precision: np.ndarray
    linear: np.ndarray

    @property
    def arrays(self) -> EvidenceArrays:
        """Return both, as kernels take them."""
        return EvidenceArrays(self.precision, self.linear)

    @property
    def known(self) -> np.ndarray:
        """Return which rows something is known of."""
        return np.asarray((self.precision > 0).reshape(len(self.precision), -1).any(axis=1))

    def moved(self, match: Match, like: np.ndarray) -> Sites:
        """Return the same under the numbering of a larger model, whose means are given."""
        made = Sites(np.zeros_like(like), np.zeros_like(like))
        for name in ("precision", "linear"):
            getattr(made, name)[match[1]] = getattr(self, name)[match[0]]
        return made

    def expected_log(self, z: Gaussians, engine: Engine) -> float:
        """Sum E[-lambda z^2 / 2 + eta z] over all variables; the constants that are left out do not depend on q."""
        arrays = self.precision, self.linear, z.mean, z.variance
        rows = [array.reshape(-1, array.shape[-1]) for array in arrays]  # biases are one row

        def task(first: int, last: int) -> float:
            precision, linear, mean, variance = (array[first:last].astype(np.float64) for array in rows)
            return float(np.sum(linear * mean - 0.5 * precision * (mean * mean + variance)))

        return float(np.sum(engine.map(task, row_ranges(len(rows[0])))))


@dataclass
class Block(Gaussians, Holder):
    """Variables z_i with diagonal Gaussian densities and a prior N(m_i, I / tau_i).

    Means and variances are (n, t), or (n,) for scalars such as biases. `rate` are the rates of q(tau_i), `active` says
    which variables data reaches, `sites` is what earlier data said. In a `large` block, work goes in ranges of rows.
    """

    rate: np.ndarray
    prior: Prior
    gamma: Gamma
    active: np.ndarray
    sites: Sites | None = None
    large: bool = False

    fields: ClassVar[tuple[Field, ...]] = (
        Field("mean", MEAN, ("entity", "dim"), partner="variance"),
        Field("variance", VARIANCE, ("entity", "dim")),
        Field("rate", RATE, ("entity",)),
    )

    def __len__(self) -> int:
        return len(self.mean)

    def parts(self) -> Mapping[str, Prior]:
        """Return the priors by name."""
        return {prior.name: prior for prior in self.prior.members()}

    def with_parts(self, parts: Mapping[str, Holder]) -> Block:
        """Return the block with other priors of the same names."""
        priors = [part for part in parts.values() if isinstance(part, Prior)]
        prior = self.prior if not priors else priors[0] if len(priors) == 1 else Sum(priors)
        return replace(self, prior=prior)

    @property
    def tau(self) -> np.ndarray:
        """Return E[tau_i]."""
        return self.gamma.expected(self.rate)

    def moments(self, rows: np.ndarray | None = None) -> Moments:
        """Return mean and variance of the prior means m_i of some rows, or of all."""
        return self.prior.moments(np.arange(len(self)) if rows is None else rows)

    @property
    def evidence(self) -> EvidenceArrays:
        """Return what earlier data said, as kernels take it."""
        if self.sites is not None:
            return self.sites.arrays
        none = np.empty((0, self.gamma.dim), self.mean.dtype)
        return EvidenceArrays(none, none)

    def natural_prior(self) -> tuple[np.ndarray, np.ndarray]:
        """Return precision, and precision times mean, that the prior and earlier data give to each scalar."""
        precision = self.tau
        linear = precision * self.moments().mean[:, 0]
        if self.sites is None:
            return precision, linear
        return precision + self.sites.precision, linear + self.sites.linear

    def measure(self, engine: Engine) -> tuple[Measured, Any]:
        """Return what precisions and the bound need: of the variables of this block, and of those of its prior."""
        measured = self._measured_in_ranges(engine) if self.large else self.measured(np.flatnonzero(self.active))
        return measured, self.prior.measure(engine)

    def measured(self, rows: np.ndarray) -> Measured:
        """Return distance to the prior and logarithm of the volume of some rows."""
        moments = self.moments(rows)
        mean, variance = (a[rows].astype(np.float64).reshape(len(rows), -1) for a in (self.mean, self.variance))
        distance = ((mean - moments.mean) ** 2 + variance).sum(axis=1) + self.gamma.dim * moments.variance
        return Measured(distance, np.log(variance).sum(axis=1))

    def _measured_in_ranges(self, engine: Engine) -> Measured:
        distance, volume = np.zeros(len(self)), np.zeros(len(self))
        engine.map(lambda first, last: self.measure_range(first, last, distance, volume), row_ranges(len(self)))
        return Measured(distance[self.active], volume[self.active])

    def measure_range(
        self, first: int, last: int, distance: np.ndarray, volume: np.ndarray, active: np.ndarray | None = None
    ) -> None:
        """Write distance and volume of the active rows first..last-1 into arrays of all rows."""
        from vbn.kernels.hierarchy import distances

        chosen = self.active if active is None else active
        moments = self.moments(np.arange(first, last))
        distances(first, last, chosen, self.densities, moments.mean, moments.variance, distance, volume)

    def update_precisions(self, measured: tuple[Measured, Any]) -> None:
        """Update every q(tau): of this block and of its prior."""
        own, above = measured
        self.gamma.update(self.rate, self.active, own)
        self.prior.update_precisions(above)

    def bound(self, measured: tuple[Measured, Any]) -> tuple[float, list[float]]:
        """Return the term of the bound that this block adds, and those of its prior's variables."""
        own, above = measured
        return self.gamma.bound(self.rate[self.active], own), self.prior.bound(above)

    def settle(self) -> None:
        """Give every variable that no data reaches its density in closed form: first those of the prior."""
        self.prior.settle()
        cold = np.flatnonzero(~self.active)
        if len(cold) == 0:
            return
        moments = self.moments(cold)
        tau = self.gamma.cold_precision(moments.variance)
        self.mean[cold] = moments.mean.reshape(self.mean[cold].shape)
        self.variance[cold] = (1.0 / tau).reshape(-1, *[1] * (self.mean.ndim - 1))
        self.rate[cold] = self.gamma.shape / tau

    def carry(self, old: Block, match: Match) -> None:
        """Copy everything that an older block knows, given which of its rows are which of these."""
        _carry(old, self, {"entity": match})
        known = old.parts()
        for name, prior in self.parts().items():
            if name in known:
                _carry(known[name], prior, {"entity": match, **prior.matched(known[name], match)})

    def as_sites(self) -> Sites:
        """Divide q by its prior: what is left is what the data said, for a fit without that data.

        The update that made q had a precision of tau plus something that is never negative. But tau moved on after it,
        and averages are taken over epochs, so that E[tau] may now exceed what q can hold: then it is cut.
        """
        shape = self.mean.shape
        mean, variance = (array.reshape(len(self), -1) for array in (self.mean, self.variance))
        precision = 1.0 / variance.astype(np.float64)
        prior = np.minimum(self.tau, precision.min(axis=1))[:, None]
        rest = precision - prior
        known = rest > _LEAST * prior
        linear = np.where(known, precision * mean - prior * self.moments().mean, 0.0)
        return Sites(np.where(known, rest, 0.0).reshape(shape), linear.reshape(shape))


def _carry(old: Holder, new: Holder, matches: Mapping[str, Match]) -> None:
    """Copy the arrays of an older holder of the same kind, along the axes that are matched."""
    for field in new.fields:
        source, target = getattr(old, field.name), getattr(new, field.name)
        match = matches.get(field.axes[0])
        if match is None:
            target[...] = source
        else:
            target[match[1]] = source[match[0]]
