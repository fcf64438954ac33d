"""A fit under way: what the epochs so far have given, as a model that can be queried at any time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn.data import Dataset
from vbn.model import EpochInfo, Network, Posterior, RunningAverage, Trained, Validation, check_finite
from vbn.sampling import Sampler
from vbn.storage import State, densities_in, densities_out

_NETWORK, _AVERAGE = "network.", "average."


@dataclass
class Training:
    """Bounds, held-out scores and the posterior of a fit, epoch by epoch.

    `whole` says whether `data` is all that the model learned from; if not, no counts are kept with the model.
    """

    data: Dataset
    sampler: Sampler
    network: Network
    validation: Validation | None
    average: RunningAverage | None
    tol: float | None
    whole: bool = True
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
    def epochs(self) -> int:
        """Number of epochs done."""
        return len(self.bounds)

    @property
    def kept(self) -> Dataset | None:
        """The data that stays with the model."""
        return self.data if self.whole else None

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
        """Return the model as it stands, with densities for everything that has no data."""
        network = replace(self.network, posterior=self._posterior())
        network.posterior.settle()
        return Trained.from_training(network, self.sampler)

    def record(self) -> dict[str, object]:
        """What is remembered of the fit."""
        return {"lower_bounds": self.bounds, "validation": self.scores, "converged": self.converged}

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return what is needed to go on to the same bits, beside the record: tensors and facts."""
        tensors = densities_out(_NETWORK, self.network.posterior)
        if self.average is None:
            return tensors, {"averaged": 0}
        averages = {f"{_AVERAGE}{path}": array for path, array in self.average.arrays().items()}
        return tensors | averages, {"averaged": self.average.seen}

    def go_on_from(self, state: State, record: dict[str, Any]) -> None:
        """Continue after the epochs of a checkpoint of the same data and parameters."""
        own = self.network.posterior
        for path, array in densities_in(_NETWORK, state.tensors, own).items():
            own.arrays()[path][...] = array
        seen = state.facts.get("averaged")
        if type(seen) is not int or seen != (0 if self.average is None else len(record["lower_bounds"])):
            raise ModelFileError(f"averaged={seen!r} of the checkpoint does not fit its epochs.")
        if self.average is not None:
            self.average.restore(seen, own, densities_in(_AVERAGE, state.tensors, own, natural=True))
        self.bounds, self.scores = list(record["lower_bounds"]), list(record["validation"])
        if len(self.scores) != (0 if self.validation is None else self.epochs):
            raise ModelFileError("the validation scores of the checkpoint do not fit its epochs.")

    def _posterior(self) -> Posterior:
        return self.network.posterior if self.average is None else self.average.posterior()
