"""What earlier data said, where the data itself is gone: a Gaussian factor for each variable that data reaches.

The factor of z is exp(-lambda z^2 / 2 + eta z). It joins the new data's likelihood in every block and in the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vbn.kernels import EvidenceArrays
from vbn.model._engine import Engine
from vbn.model._posterior import Gaussians, Posterior

_ROWS_PER_TASK = 1 << 13


@dataclass(frozen=True)
class Sites:
    """Factors of a kind of variable: `precision` is lambda, `linear` is eta; both are 0 where nothing is known."""

    precision: np.ndarray
    linear: np.ndarray

    @property
    def arrays(self) -> EvidenceArrays:
        """Both, as kernels take them."""
        return EvidenceArrays(self.precision, self.linear)

    @property
    def known(self) -> np.ndarray:
        """Where something is known."""
        result: np.ndarray = self.precision > 0
        return result

    def padded(self, shape: tuple[int, ...], dtype: np.dtype) -> Sites:
        """The same with variables appended of which nothing is known."""
        width = [(0, new - old) for new, old in zip(shape, self.precision.shape, strict=True)]
        return Sites(*(np.pad(array, width).astype(dtype) for array in (self.precision, self.linear)))

    def expected_log(self, z: Gaussians, engine: Engine) -> float:
        """E[-lambda z^2 / 2 + eta z], summed over all variables."""
        arrays = self.precision, self.linear, z.mean, z.variance
        rows = [array.reshape(-1, array.shape[-1]) for array in arrays]  # the biases b are one row

        def task(first: int, last: int) -> float:
            precision, linear, mean, variance = (array[first:last].astype(np.float64) for array in rows)
            return float(np.sum(linear * mean - 0.5 * precision * (mean * mean + variance)))

        n = len(rows[0])
        return float(np.sum(engine.map(task, [(i, min(i + _ROWS_PER_TASK, n)) for i in range(0, n, _ROWS_PER_TASK)])))


@dataclass(frozen=True)
class Evidence:
    """What earlier data said of u, v, b, x, y and r; categories and precisions hear of data through these only."""

    u: Sites
    v: Sites
    bias: Sites
    x: Sites
    y: Sites
    relation_bias: Sites

    def expected_log(self, posterior: Posterior, engine: Engine, kinds: Sequence[str]) -> float:
        """The part of the bound that the factors are; the constants that they leave out do not depend on q."""
        return float(sum(getattr(self, kind).expected_log(getattr(posterior, kind), engine) for kind in kinds))


def no_evidence(dim: int, dtype: np.dtype) -> EvidenceArrays:
    """What kernels take where there was no earlier data."""
    return EvidenceArrays(np.empty((0, dim), dtype), np.empty((0, dim), dtype))
