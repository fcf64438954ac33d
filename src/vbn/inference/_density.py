"""A density: what the model knows of one entity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_SHOWN = 4


@dataclass(frozen=True, eq=False)
class Density:
    """A diagonal Gaussian.

    Attributes
    ----------
    mean
        Mean in each dimension.
    variance
        Variance in each dimension.

    Examples
    --------
    >>> import numpy as np
    >>> density = Density(np.array([0.42]), np.array([0.25]))
    >>> density
    N(mean=0.42, std=0.50)
    >>> density.sample(3, seed=0).shape
    (3, 1)
    """

    mean: np.ndarray
    variance: np.ndarray

    @property
    def std(self) -> np.ndarray:
        """Standard deviation in each dimension."""
        result: np.ndarray = np.sqrt(self.variance)
        return result

    @property
    def dim(self) -> int:
        """Number of dimensions."""
        return len(self.mean)

    def sample(self, n: int = 1, seed: int | np.random.Generator | None = None) -> np.ndarray:
        """Draw n vectors, as an (n, dim) array."""
        rng = np.random.default_rng(seed)
        result: np.ndarray = self.mean + self.std * rng.standard_normal((n, self.dim))
        return result

    def __repr__(self) -> str:
        return f"N(mean={_shown(self.mean)}, std={_shown(self.std)})"


def _shown(values: np.ndarray) -> str:
    if len(values) == 1:
        return f"{values[0]:.2f}"
    more = ", ..." if len(values) > _SHOWN else ""
    return "[" + ", ".join(f"{value:.2f}" for value in values[:_SHOWN]) + more + "]"
