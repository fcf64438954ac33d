"""Declared arrays: averaging, files, checkpoints, growth and clusters loop over them, not over lists of names."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from vbn.kernels import DensityArrays

MEAN, VARIANCE, RATE, PLAIN = "mean", "variance", "rate", "plain"
"""Roles of a field: a mean, a variance, the rate of a Gamma density, or other finite numbers."""


@dataclass(frozen=True)
class Field:
    """An array that a part of the model owns.

    Parameters
    ----------
    name
        The attribute that holds it.
    role
        `MEAN`, `VARIANCE`, `RATE` or `PLAIN`, which decides the valid values.
    axes
        What each axis counts, such as ("entity", "dim"). Arrays are copied to a larger model along "entity" and the
        axes that the owner matches; the other axes must have the same length.
    partner
        For the means of Gaussians, the field of their variances; the two are averaged as natural parameters.
    or_zero
        Whether a variance may be 0.
    """

    name: str
    role: str
    axes: tuple[str, ...]
    partner: str | None = None
    or_zero: bool = False


class Holder:
    """An object that declares its arrays in `fields`, and may have parts that do the same."""

    fields: ClassVar[tuple[Field, ...]] = ()

    def parts(self) -> Mapping[str, Holder]:
        """Return the parts by name."""
        return {}

    def with_parts(self, parts: Mapping[str, Holder]) -> Self:
        """Return a copy with its parts replaced, by name."""
        if parts:
            raise NotImplementedError(f"{type(self).__name__} has no parts.")
        return copy.copy(self)

    def declared(self, prefix: str = "") -> Iterator[tuple[str, Field, np.ndarray]]:
        """Yield every array of this object and its parts as (path, field, array), such as ("u.mean", ...)."""
        for field in self.fields:
            yield f"{prefix}{field.name}", field, getattr(self, field.name)
        for name, part in self.parts().items():
            yield from part.declared(f"{prefix}{name}.")

    def arrays(self) -> dict[str, np.ndarray]:
        """Return every array by its path."""
        return {path: array for path, _, array in self.declared()}

    def with_arrays(self, arrays: Mapping[str, np.ndarray], prefix: str = "") -> Self:
        """Return a copy with its arrays replaced, by path; everything else is shared."""
        made = self.with_parts({n: part.with_arrays(arrays, f"{prefix}{n}.") for n, part in self.parts().items()})
        for field in self.fields:
            setattr(made, field.name, arrays[f"{prefix}{field.name}"])
        return made

    def copy(self) -> Self:
        """Return a copy that shares no declared array with this object."""
        return self.with_arrays({path: array.copy() for path, array in self.arrays().items()})


class Moments(NamedTuple):
    """The prior means of some rows (n, t), and their variances in each dimension (n,)."""

    mean: np.ndarray
    variance: np.ndarray


@dataclass
class Gaussians:
    """Gaussians: means and variances."""

    mean: np.ndarray
    variance: np.ndarray

    @property
    def densities(self) -> DensityArrays:
        """Return means and variances as kernels take them."""
        return DensityArrays(self.mean, self.variance)
