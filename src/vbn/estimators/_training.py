"""A fit under way: what the epochs so far have given, as a model that can be queried at any time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from vbn.data import Dataset
from vbn.data._sampler import Sampler
from vbn.model._averaging import RunningAverage
from vbn.model._cold import set_cold_densities
from vbn.model._fit import EpochInfo, check_finite
from vbn.model._network import Network
from vbn.model._posterior import Posterior
from vbn.model._trained import Trained
from vbn.model._validation import Validation


@dataclass
class Training:
    """Bounds, held-out scores and the posterior of a fit, epoch by epoch."""

    data: Dataset
    sampler: Sampler
    network: Network
    validation: Validation | None
    average: RunningAverage | None
    tol: float | None
    bounds: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)

    def take(self, info: EpochInfo) -> None:
        """An epoch has passed."""
        check_finite(self.network.posterior, info.lower_bound, self.data)
        self.bounds.append(info.lower_bound)
        if self.average is not None:
            self.average.add(self.network.posterior)
        if self.validation is not None:
            self.scores.append(self.validation.log_likelihood(self._posterior()))

    @property
    def score(self) -> float | None:
        """The newest held-out log-likelihood."""
        return self.scores[-1] if self.scores else None

    @property
    def converged(self) -> bool:
        """Whether the bound has settled."""
        if self.tol is None or len(self.bounds) < 2:
            return False
        return abs(self.bounds[-1] - self.bounds[-2]) <= self.tol * abs(self.bounds[-1])

    def trained(self) -> Trained:
        """The model as it stands, with densities for everything that has no data."""
        network = replace(self.network, posterior=self._posterior())
        set_cold_densities(network)
        return Trained.from_training(self.data, network, self.sampler)

    def record(self) -> dict[str, object]:
        """What is remembered of the fit."""
        return {"lower_bounds": self.bounds, "validation": self.scores, "converged": self.converged}

    def _posterior(self) -> Posterior:
        return self.network.posterior if self.average is None else self.average.posterior()
