"""Prior means that are known and have nothing to learn: zero, and a given constant."""

from __future__ import annotations

import numpy as np

from vbn.data import Vocabulary
from vbn.model.priors.base import Prior, Share


class Zero(Prior):
    """m_i = 0."""

    automatic = False

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return zeros."""
        return np.zeros((len(rows), self.dim))

    def informs(self, rows: np.ndarray) -> np.ndarray:
        """Return False for all rows."""
        return np.zeros(len(rows), dtype=bool)

    def part(self, first: int, last: int) -> Zero:  # noqa: ARG002 - the interface of all priors
        """Return the prior itself, which is the same for all rows."""
        return self

    def shares(self, i: int, names: Vocabulary) -> list[Share]:  # noqa: ARG002
        """Return an empty list."""
        return []

    def members(self) -> tuple[Prior, ...]:
        """Return an empty tuple."""
        return ()


class Constant(Prior):
    """m_i is a given constant, as for the factors of relations."""

    automatic = False

    def __init__(self, mean: np.ndarray) -> None:
        self.mean = mean

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return the means."""
        return np.asarray(self.mean[rows])

    def part(self, first: int, last: int) -> Constant:
        """Return the prior of some rows."""
        return Constant(self.mean[first:last])

    def members(self) -> tuple[Prior, ...]:
        """Return an empty tuple, because there is nothing to store."""
        return ()
