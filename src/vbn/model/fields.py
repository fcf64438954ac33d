"""Declared arrays: what averaging, files, checkpoints, growth and clusters loop over, instead of lists of variables."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from vbn.kernels import DensityArrays

MEAN, VARIANCE, RATE, PLAIN = "mean", "variance", "rate", "plain"
"""Roles of a field: a mean, a variance, the rate of a Gamma density, or any other finite numbers."""


@dataclass(frozen=True)
class Field:
    """An array that a part of the model owns.

    Parameters
    ----------
    name
        The attribute that holds it.
    role
        `MEAN`, `VARIANCE`, `RATE` or `PLAIN`: which values are valid.
    axes
        What each axis counts, such as ("entity", "dim"). Arrays are carried over to a larger model along "entity" and
        the axes that its owner matches; the others must agree.
    partner
        For the mean of Gaussians, the field of their variances: the two are averaged as natural parameters.
    or_zero
        Whether a variance may be 0.
    """

    name: str
    role: str
    axes: tuple[str, ...]
    partner: str | None = None
    or_zero: bool = False


class Holder:
    """Something that declares its arrays in `fields` and may have parts that do so too."""

    fields: ClassVar[tuple[Field, ...]] = ()

    def parts(self) -> Mapping[str, Holder]:
        """Return the parts by name."""
        return {}

    def with_parts(self, parts: Mapping[str, Holder]) -> Self:
        """Return a copy with other parts of the same names."""
        if parts:
            raise NotImplementedError(f"{type(self).__name__} has no parts.")
        return copy.copy(self)

    def declared(self, prefix: str = "") -> Iterator[tuple[str, Field, np.ndarray]]:
        """List every array of this and its parts as (path, field, array), such as ("u.mean", ...)."""
        for field in self.fields:
            yield f"{prefix}{field.name}", field, getattr(self, field.name)
        for name, part in self.parts().items():
            yield from part.declared(f"{prefix}{name}.")

    def arrays(self) -> dict[str, np.ndarray]:
        """Return every array by its path."""
        return {path: array for path, _, array in self.declared()}

    def with_arrays(self, arrays: Mapping[str, np.ndarray], prefix: str = "") -> Self:
        """Return a copy with other arrays, given by their paths; what is not an array is shared."""
        made = self.with_parts({n: part.with_arrays(arrays, f"{prefix}{n}.") for n, part in self.parts().items()})
        for field in self.fields:
            setattr(made, field.name, arrays[f"{prefix}{field.name}"])
        return made

    def copy(self) -> Self:
        """Return a copy that shares no declared array with this."""
        return self.with_arrays({path: array.copy() for path, array in self.arrays().items()})


class Moments(NamedTuple):
    """What a prior says of some rows: their prior means (n, t), and the variance (n,) of these in each dimension."""

    mean: np.ndarray
    variance: np.ndarray


@dataclass
class Gaussians:
    """Gaussians: means and variances."""

    mean: np.ndarray
    variance: np.ndarray

    @property
    def densities(self) -> DensityArrays:
        """Means and variances, as kernels take them."""
        return DensityArrays(self.mean, self.variance)
