"""Train a VBN and take its densities out as arrays: the one place that knows the estimator's inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import vbn
from _metrics import Factors


@dataclass(frozen=True)
class Fitted:
    """Densities of the rows (u) and of the columns (v, with biases), and how long the epochs took."""

    u: Factors
    v: Factors
    epoch_seconds: list[float]
    lower_bounds: list[float]

    @property
    def seconds_per_epoch(self) -> float:
        """Median over the epochs."""
        return float(np.median(self.epoch_seconds))


def fit_vbn(data: vbn.Dataset, **parameters: Any) -> Fitted:
    """Fit a model with these parameters."""
    seconds: list[float] = []

    def note(_model: vbn.VBN, epoch: Any) -> None:
        seconds.append(epoch.seconds)

    model = vbn.VBN(**parameters).fit(data, callbacks=[note])
    posterior = model._trained.posterior  # means of all entities at once; the public way is one by one
    u = Factors(posterior.u.mean, posterior.u.variance)
    v = Factors(posterior.v.mean, posterior.v.variance, posterior.bias.mean, posterior.bias.variance)
    return Fitted(u, v, seconds, model.lower_bounds_.tolist())
