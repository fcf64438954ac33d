"""The Gamma hyperpriors, one (alpha, beta) for each kind of variable, and what they say of one without data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

KINDS = ("entity", "category", "bias", "relation")
"""Kinds of variables: u and v; h; b; x, y and r."""
COLD_PRECISIONS = ("mean_field", "prior")
"""What the precision of a variable without data is: the fixed point of its updates, or its expectation a priori."""
_WIDEST = 1e6  # variance of a prior mean; without a limit, a chain of a hundred nodes without data would overflow


def _all_ones() -> dict[str, float]:
    return dict.fromkeys(KINDS, 1.0)


@dataclass(frozen=True)
class Hyperpriors:
    """Shape alpha and rate beta of the Gamma prior of every precision, by kind of variable.

    `cold` is one of `COLD_PRECISIONS`.
    """

    alpha: Mapping[str, float] = field(default_factory=_all_ones)
    beta: Mapping[str, float] = field(default_factory=_all_ones)
    cold: str = "mean_field"

    def shape(self, kind: str, dim: int) -> float:
        """Shape of q(tau): alpha + dim / 2."""
        return self.alpha[kind] + 0.5 * dim

    def cold_precision(self, kind: str, spread: np.ndarray, dim: int) -> np.ndarray:
        """E[tau] of variables without data, whose prior means have variance `spread` in each dimension."""
        beta = self.beta[kind] + np.zeros(np.shape(spread))
        if self.cold == "mean_field":
            beta += 0.5 * dim * np.minimum(spread, _WIDEST)
        result: np.ndarray = self.alpha[kind] / beta
        return result
