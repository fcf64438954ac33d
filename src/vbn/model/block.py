"""A block of Gaussian variables: densities, precisions, prior and evidence from earlier data.

The blocks are u, v and b, and x, y and r of each relation. Likelihoods update the densities; everything else that
blocks have in common is here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from vbn.kernels import EvidenceArrays
from vbn.model.engine import Engine, row_ranges
from vbn.model.fields import MEAN, RATE, VARIANCE, Field, Gaussians, Holder, Moments
from vbn.model.precisions import Gamma, Measured, Siblings
from vbn.model.priors import Hierarchy, Match, Prior, Sum

_LEAST = 1e-5  # share of the prior's precision; anything below is float32 rounding, not evidence


@dataclass(frozen=True)
class Sites:
    """Evidence from earlier data that is no longer available: a factor exp(-lambda z^2 / 2 + eta z) per variable.

    `precision` is lambda and `linear` is eta; both are 0 where nothing is known. The factors multiply the likelihood
    of the new data in every update and in the bound.
    """

    precision: np.ndarray
    linear: np.ndarray

    @property
    def arrays(self) -> EvidenceArrays:
        """Return both arrays as kernels take them."""
        return EvidenceArrays(self.precision, self.linear)

    @property
    def known(self) -> np.ndarray:
        """Return a mask of the rows with any evidence."""
        return np.asarray((self.precision > 0).reshape(len(self.precision), -1).any(axis=1))

    def moved(self, match: Match, like: np.ndarray) -> Sites:
        """Return the evidence renumbered for a larger model; `like` has the shape and type of its means."""
        made = Sites(np.zeros_like(like), np.zeros_like(like))
        for name in ("precision", "linear"):
            getattr(made, name)[match[1]] = getattr(self, name)[match[0]]
        return made

    def expected_log(self, z: Gaussians, engine: Engine) -> float:
        """Return the sum of E[-lambda z^2 / 2 + eta z] over all variables, up to a constant."""
        arrays = self.precision, self.linear, z.mean, z.variance
        rows = [array.reshape(-1, array.shape[-1]) for array in arrays]  # biases form a single row

        def task(first: int, last: int) -> float:
            precision, linear, mean, variance = (array[first:last].astype(np.float64) for array in rows)
            return float(np.sum(linear * mean - 0.5 * precision * (mean * mean + variance)))

        return float(np.sum(engine.map(task, row_ranges(len(rows[0])))))


@dataclass
class Block(Gaussians, Holder):
    """Variables z_i with diagonal Gaussian densities and a prior N(m_i, I / tau_i).

    Means and variances are (n, t), or (n,) for scalars such as biases. `rate` holds the rates of q(tau_i), `active`
    marks the variables that data reaches, and `sites` is evidence from earlier data. A `large` block is processed in
    ranges of rows. `learned` marks the variables that training reached, by default all active ones.
    """

    rate: np.ndarray
    prior: Prior
    gamma: Gamma
    active: np.ndarray
    sites: Sites | None = None
    large: bool = False
    learned: np.ndarray | None = None

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
        """Return the block with its priors replaced, by name."""
        priors = [part for part in parts.values() if isinstance(part, Prior)]
        prior = self.prior if not priors else priors[0] if len(priors) == 1 else Sum(priors)
        return replace(self, prior=prior)

    @property
    def tau(self) -> np.ndarray:
        """Return E[tau_i]."""
        return self.gamma.expected(self.rate)

    def moments(self, rows: np.ndarray | None = None) -> Moments:
        """Return the mean and variance of the prior means m_i of some rows; by default, of all rows."""
        return self.prior.moments(np.arange(len(self)) if rows is None else rows)

    @property
    def evidence(self) -> EvidenceArrays:
        """Return the evidence from earlier data as kernels take it."""
        if self.sites is not None:
            return self.sites.arrays
        none = np.empty((0, self.gamma.dim), self.mean.dtype)
        return EvidenceArrays(none, none)

    def natural_prior(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the prior of each scalar, with earlier evidence: precision, and precision times mean."""
        precision = self.tau
        linear = precision * self.moments().mean[:, 0]
        if self.sites is None:
            return precision, linear
        return precision + self.sites.precision, linear + self.sites.linear

    def measure(self, engine: Engine) -> tuple[Measured, Any]:
        """Return what the precisions and the bound need, for the variables of this block and those of its prior."""
        measured = self._measured_in_ranges(engine) if self.large else self.measured(np.flatnonzero(self.active))
        return measured, self.prior.measure(engine)

    def measured(self, rows: np.ndarray) -> Measured:
        """Return the distances of some rows to their prior means, and their log volumes."""
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
        """Write the distances and log volumes of the active rows first..last-1 into arrays over all rows."""
        from vbn.kernels.hierarchy import distances

        chosen = self.active if active is None else active
        moments = self.moments(np.arange(first, last))
        distances(first, last, chosen, self.densities, moments.mean, moments.variance, distance, volume)

    def update_precisions(self, measured: tuple[Measured, Any]) -> None:
        """Update every q(tau) of this block and of its prior."""
        own, above = measured
        self.gamma.update(self.rate, self.active, own)
        self.prior.update_precisions(above)

    def bound(self, measured: tuple[Measured, Any]) -> tuple[float, list[float]]:
        """Return this block's term of the bound, and the terms of its prior's variables."""
        own, above = measured
        return self.gamma.bound(self.rate, self.active, own), self.prior.bound(above)

    def settle(self) -> None:
        """Set every variable that no data reaches to its density in closed form, those of the prior first."""
        self.prior.settle()
        cold = np.flatnonzero(~self.active)
        if len(cold) == 0:
            return
        moments = self.moments(cold)
        learned = self.active if self.learned is None else self.learned
        siblings = Siblings(learned, self.tau, np.broadcast_to(self.gamma.alpha, len(self)))
        expected = self.prior.precision_of_siblings(cold, siblings)
        if expected is None:
            expected = np.full(len(cold), siblings.overall())
        tau, variance = self.gamma.without_data(cold, moments.variance, expected)
        self.rate[cold] = self.gamma.at(cold).shape / tau
        self.mean[cold] = moments.mean.reshape(self.mean[cold].shape)
        self.variance[cold] = self._uneven(cold, variance).reshape(-1, *self.mean.shape[1:])

    def _uneven(self, cold: np.ndarray, variance: np.ndarray) -> np.ndarray:
        """Return the variances (n, t) of rows without data whose variance on average is given."""
        wide = np.broadcast_to(variance[:, None], (len(cold), self.gamma.dim))
        uneven = self.prior.uneven(cold) if self.gamma.cold == "siblings" else None  # only this counts that of m_i
        return wide if uneven is None else np.maximum(wide + uneven, 1.0 / self.tau[cold][:, None])

    @property
    def hierarchy(self) -> Hierarchy | None:
        """Return the prior that holds the categories of the taxonomy."""
        return next((prior for prior in self.prior.members() if isinstance(prior, Hierarchy)), None)

    @property
    def centred(self) -> bool:
        """Return whether the rows have a learned common mean."""
        return "centre" in self.parts()

    @property
    def typical(self) -> float:
        """Return the mean over the active rows, for scalars."""
        return float(self.mean[self.active].mean()) if self.active.any() else 0.0

    def carry(self, old: Block, match: Match) -> None:
        """Copy all densities of an older block; `match` says which of its rows are which of these."""
        _carry(old, self, {"entity": match})
        known = old.parts()
        for name, prior in self.parts().items():
            if name in known:
                _carry(known[name], prior, {"entity": match, **prior.matched(known[name], match)})
                prior.carried(known[name], match)

    def go_on(self, old: Block, match: Match) -> None:
        """Prepare the priors for a fit that goes on from an older block."""
        known = old.parts()
        for name, prior in self.parts().items():
            if name in known:
                prior.go_on(known[name], match)

    def as_sites(self, rows: np.ndarray | None = None) -> Sites:
        """Divide q by its prior and return what remains: the evidence of the data, for a fit without that data.

        By default that of all rows.

        The update that gave q used a precision of tau plus a term that is never negative. But tau was updated after
        it, and q may be an average over epochs, so E[tau] may now exceed the precision of q; it is then clipped.
        """
        chosen = slice(None) if rows is None else rows
        shape = self.mean[chosen].shape
        mean, variance = (array[chosen].reshape(-1, self.gamma.dim) for array in (self.mean, self.variance))
        precision = 1.0 / variance.astype(np.float64)
        prior = np.minimum(self.tau[chosen], precision.min(axis=1))[:, None]
        rest = precision - prior
        known = rest > _LEAST * prior
        linear = np.where(known, precision * mean - prior * self.moments(rows).mean, 0.0)
        return Sites(np.where(known, rest, 0.0).reshape(shape), linear.reshape(shape))


def _carry(old: Holder, new: Holder, matches: Mapping[str, Match]) -> None:
    """Copy the arrays of an older holder of the same kind along the matched axes."""
    for field in new.fields:
        source, target = getattr(old, field.name), getattr(new, field.name)
        known = [matches.get(axis) for axis in field.axes]
        if known[0] is None:
            target[...] = source
        elif len(known) > 1 and known[1] is not None:
            target[np.ix_(known[0][1], known[1][1])] = source[np.ix_(known[0][0], known[1][0])]
        else:
            here, there = (_at(places) for places in known[0])
            target[there] = source[here]


def _at(places: np.ndarray) -> np.ndarray | slice:
    """Return the places as a slice if they are the first ones in order, which is faster to copy."""
    return slice(len(places)) if np.array_equal(places, np.arange(len(places))) else places
