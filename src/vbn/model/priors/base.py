"""The prior of a block of variables: what it says of any rows, and how it learns from the densities below it.

Every Gaussian variable z_i has a prior N(m_i, I / tau_i). Updates, precisions, the bound, cold densities, streaming and
explanations need two things of it: the mean and the variance of m_i. A new kind of prior is a subclass of `Prior` that
is registered with `register`; docs/extending.md walks through one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from vbn.data import Vocabulary
from vbn.model.fields import Holder, Moments
from vbn.model.precisions import Hyperpriors
from vbn.model.side import Side

if TYPE_CHECKING:
    from vbn.model.block import Block
    from vbn.model.engine import Engine

Match = tuple[np.ndarray, np.ndarray]
"""Places along an axis in an old and in a new model that stand for the same things."""


class Share(NamedTuple):
    """Something that pulls a variable towards a place: its name, its weight, its mean, and what pulls it in turn."""

    name: str
    weight: float
    mean: np.ndarray
    above: tuple[Share, ...] = ()


@dataclass(frozen=True)
class Setting:
    """The block that a prior is for: its name, the kind of its variables, their dimension and type.

    `full(shape, value, dtype)` makes the arrays: real ones, or placeholders where a file has the values.
    """

    block: str
    kind: str
    dim: int
    dtype: np.dtype
    hyperpriors: Hyperpriors
    full: Callable[..., np.ndarray] = np.full


class Prior(Holder):
    """A prior N(m_i, I / tau_i) of the rows of a block. Subclasses say what m_i is; all else has a default."""

    name: ClassVar[str] = ""
    automatic: ClassVar[bool] = True
    """Whether every block of entities and of their biases asks for it, by `of`."""

    @classmethod
    def of(cls, side: Side, setting: Setting) -> Prior | None:
        """Return the prior of a block before training, or None if nothing on this side calls for one."""
        raise NotImplementedError

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return E[m_i] of some rows, (n, t) in float64."""
        raise NotImplementedError

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return the variance of m_i in each dimension, (n,)."""
        return np.zeros(len(rows))

    def moments(self, rows: np.ndarray) -> Moments:
        """Return both."""
        return Moments(self.means(rows), self.variances(rows))

    def informs(self, rows: np.ndarray) -> np.ndarray:
        """Return which rows it says something of, (n,)."""
        return np.ones(len(rows), dtype=bool)

    def update(self, block: Block, offset: np.ndarray | None, engine: Engine) -> None:
        """Update the variables of this prior, given the densities below it.

        `offset` is what other priors add to the prior means, (n, t), or None.
        """

    def measure(self, engine: Engine) -> Any:  # noqa: ARG002 - here and below: for subclasses
        """Return what `update_precisions` and `bound` need of the variables of this prior."""
        return None

    def update_precisions(self, measured: Any) -> None:
        """Update the precisions of the variables of this prior."""

    def bound(self, measured: Any) -> list[float]:  # noqa: ARG002
        """Return the terms of the bound that the variables of this prior add."""
        return []

    def settle(self) -> None:
        """Set the variables of this prior that no data reaches, in closed form."""

    def matched(self, old: Prior, entities: Match) -> Mapping[str, Match]:  # noqa: ARG002
        """Return which places of an older prior of the same kind correspond, for axes of its fields beside "entity"."""
        return {}

    def part(self, first: int, last: int) -> Prior:
        """Return the prior of the rows first..last-1, numbered from 0; arrays that all rows share stay as they are."""
        rows = {f.name: getattr(self, f.name)[first:last] for f in self.fields if f.axes[0] == "entity"}
        return self.with_arrays({f.name: rows.get(f.name, getattr(self, f.name)) for f in self.fields})

    def shares(self, i: int, names: Vocabulary) -> list[Share]:  # noqa: ARG002
        """Return what makes up the prior mean of row i."""
        return [Share(self.name, 1.0, self.means(np.array([i]))[0])]

    def move_together(self, pull: float, stiff: float) -> float:  # noqa: ARG002
        """Move the common mean of all rows, and return by how much all of them are to move; 0 without a common mean.

        `pull` and `stiff` are the linear and the quadratic term of what the likelihood says of such a step.
        """
        return 0.0

    def members(self) -> tuple[Prior, ...]:
        """Return the priors that this one is the sum of."""
        return (self,)


class Zero(Prior):
    """m_i = 0."""

    automatic = False

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return zeros."""
        return np.zeros((len(rows), self.dim))

    def informs(self, rows: np.ndarray) -> np.ndarray:
        """Return that it says nothing."""
        return np.zeros(len(rows), dtype=bool)

    def part(self, first: int, last: int) -> Zero:  # noqa: ARG002 - the interface of all priors
        """Return the same."""
        return self

    def shares(self, i: int, names: Vocabulary) -> list[Share]:  # noqa: ARG002
        """Return nothing."""
        return []

    def members(self) -> tuple[Prior, ...]:
        """Return none."""
        return ()


class Constant(Prior):
    """m_i is known and fixed, as for the factors of relations."""

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
        """Return none: it has nothing to keep."""
        return ()


class Sum(Prior):
    """m_i is the sum of what several priors say, which know nothing of each other."""

    def __init__(self, priors: Sequence[Prior]) -> None:
        self.priors = tuple(priors)

    def parts(self) -> Mapping[str, Prior]:
        """Return the priors by name."""
        return {prior.name: prior for prior in self.priors}

    def with_parts(self, parts: Mapping[str, Holder]) -> Sum:
        """Return the sum of other priors of the same names."""
        return Sum([part for part in parts.values() if isinstance(part, Prior)])

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return the sum of the means."""
        return _added([prior.means(rows) for prior in self.priors])

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return the sum of the variances."""
        return _added([prior.variances(rows) for prior in self.priors])

    def informs(self, rows: np.ndarray) -> np.ndarray:
        """Return which rows one of them says something of."""
        return np.asarray(np.any([prior.informs(rows) for prior in self.priors], axis=0))

    def update(self, block: Block, offset: np.ndarray | None, engine: Engine) -> None:
        """Update one after the other, each given the newest of the others."""
        rows = np.arange(len(block))
        for prior in self.priors:
            others = [other.means(rows) for other in self.priors if other is not prior]
            prior.update(block, _added(others if offset is None else [*others, offset]), engine)

    def measure(self, engine: Engine) -> list[Any]:
        """Return what each needs."""
        return [prior.measure(engine) for prior in self.priors]

    def update_precisions(self, measured: list[Any]) -> None:
        """Update the precisions of each."""
        for prior, own in zip(self.priors, measured, strict=True):
            prior.update_precisions(own)

    def bound(self, measured: list[Any]) -> list[float]:
        """Return the terms of each."""
        return [term for prior, own in zip(self.priors, measured, strict=True) for term in prior.bound(own)]

    def settle(self) -> None:
        """Settle each."""
        for prior in self.priors:
            prior.settle()

    def part(self, first: int, last: int) -> Sum:
        """Return the sum for some rows."""
        return Sum([prior.part(first, last) for prior in self.priors])

    def shares(self, i: int, names: Vocabulary) -> list[Share]:
        """Return the shares of each."""
        return [share for prior in self.priors for share in prior.shares(i, names)]

    def move_together(self, pull: float, stiff: float) -> float:
        """Move the first common mean that there is."""
        for prior in self.priors:
            step = prior.move_together(pull, stiff)
            if step:
                return step
        return 0.0

    def members(self) -> tuple[Prior, ...]:
        """Return the priors."""
        return self.priors


def _added(arrays: list[np.ndarray]) -> np.ndarray:
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    return total


PRIORS: dict[str, type[Prior]] = {}
"""Every kind of prior that a saved model may name."""
Kind = TypeVar("Kind", bound=type[Prior])


def register(kind: Kind) -> Kind:
    """Make a kind of prior known by its name; a decorator."""
    PRIORS[kind.name] = kind
    return kind


def prior_of(side: Side, setting: Setting, names: Sequence[str]) -> Prior:
    """Return the sum of the named priors that this side calls for; zero without any."""
    found = [prior for name in names if (prior := PRIORS[name].of(side, setting)) is not None]
    if not found:
        return Zero(setting.dim)
    return found[0] if len(found) == 1 else Sum(found)


def automatic_priors() -> list[str]:
    """Return the names of the priors that every block of entities asks for."""
    return [name for name, kind in PRIORS.items() if kind.automatic]
