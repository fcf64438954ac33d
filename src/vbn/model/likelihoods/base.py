"""What likelihoods have in common, and how their cells moved a density from its prior mean.

Each owns its cells: it updates the blocks that these depend on and returns their bounded log-likelihood, in a layout of
its own, and it predicts and explains in the same form as all others (`Likelihood`).

At the fixed point of the entity update (docs/maths.md), P_d (mu_d - m_d) is a sum over cells, with s = +1 or -1 for
weight w as positive or negative: v_d (s w / 2 - L E[x]) + L (v_d^2 (mu_d - m_d) - var_vd m_d), L = 2 lambda(xi) w. The
moves of all cells therefore add up to the shift from the prior mean to the mean. The same holds for relations, with
their projections.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

_CHUNK = 1 << 14  # cells at a time, to avoid a copy of a model with a million entities


class EntityCells(NamedTuple):
    """The cells of one entity: ids of the other side, counts, and the weight of each as positive and as negative."""

    others: np.ndarray
    seen: np.ndarray
    positive: np.ndarray
    negative: np.ndarray

    def chunks(self) -> Iterator[EntityCells]:
        """Divide the cells into chunks of moderate size."""
        for first in range(0, len(self.others), _CHUNK):
            yield EntityCells(*(array[first : first + _CHUNK] for array in self))


@dataclass(frozen=True)
class Explained:
    """A density to explain, in float64: of which row or column, its mean and variance, and its prior mean."""

    is_column: bool
    number: int
    mean: np.ndarray
    variance: np.ndarray
    prior_mean: np.ndarray

    @property
    def shift(self) -> np.ndarray:
        """Return the shift from the prior mean to the mean."""
        return np.asarray(self.mean - self.prior_mean)

    def columns_of(self, cells: EntityCells) -> np.ndarray:
        """Return the column of each cell: its own number, or the other entities."""
        return np.full(len(cells.others), self.number) if self.is_column else cells.others

    def along_shift(self) -> np.ndarray:
        """Return the variance times the unit vector of the shift."""
        length = float(np.linalg.norm(self.shift))
        return np.asarray(self.variance * (self.shift / length if length > 0 else np.zeros_like(self.shift)))


@dataclass(frozen=True)
class Moves:
    """The moves caused by positive and by negative cells, and the precision that they add in each dimension.

    `along` is the move of each positive cell along the shift, if a likelihood tells cells apart.
    """

    positive: np.ndarray
    negative: np.ndarray
    precision: np.ndarray
    along: np.ndarray

    @classmethod
    def none(cls, own: Explained) -> Moves:
        """Return no moves."""
        nothing = np.zeros_like(own.mean)
        return cls(nothing, nothing, nothing, np.empty(0))

    def __add__(self, other: Moves) -> Moves:
        return Moves(
            self.positive + other.positive,
            self.negative + other.negative,
            self.precision + other.precision,
            np.concatenate([self.along, other.along]),
        )


class Likelihood(Protocol):
    """A likelihood, once its blocks are trained."""

    def pair_moments(self, rows: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean and variance of the score of some pairs."""

    def moves(self, own: Explained, cells: EntityCells) -> Moves:
        """Return how the cells of an entity moved it from its prior mean."""


def curvature(xi: np.ndarray) -> np.ndarray:
    """Return lambda(xi) = tanh(xi / 2) / (4 xi), 1/8 at 0."""
    safe = np.maximum(xi, 1e-3)
    return np.where(xi < 1e-3, 0.125 - xi**2 / 96.0, np.tanh(0.5 * safe) / (4.0 * safe))
