"""The Gamma hyperpriors, one (alpha, beta) for each kind of variable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KINDS = ("entity", "category", "bias", "relation")
"""Kinds of variables: u and v; h; b; x, y and r."""


def _all_ones() -> dict[str, float]:
    return dict.fromkeys(KINDS, 1.0)


@dataclass(frozen=True)
class Hyperpriors:
    """Shape alpha and rate beta of the Gamma prior of every precision, by kind of variable."""

    alpha: Mapping[str, float] = field(default_factory=_all_ones)
    beta: Mapping[str, float] = field(default_factory=_all_ones)

    def shape(self, kind: str, dim: int) -> float:
        """Shape of q(tau): alpha + dim / 2."""
        return self.alpha[kind] + 0.5 * dim
