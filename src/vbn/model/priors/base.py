"""The prior of a block of variables: its means, and how it learns from the densities below it.

Every Gaussian variable z_i has a prior N(m_i, I / tau_i). Updates, precisions, the bound, cold densities, streaming and
explanations need only the mean and the variance of m_i. A new kind of prior is a subclass of `Prior` with the decorator
`register`; docs/api.md walks through an example.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from vbn.data import Vocabulary
from vbn.model.fields import Holder, Moments
from vbn.model.precisions import Hyperpriors, Siblings
from vbn.model.side import Side

if TYPE_CHECKING:
    from vbn.model.block import Block
    from vbn.model.engine import Engine

Match = tuple[np.ndarray, np.ndarray]
"""Positions along an axis, in an old and in a new model, that refer to the same entities."""


class Share(NamedTuple):
    """A contribution to a prior mean: its name, weight and mean, and the contributions to it in turn.

    `given` is the weight that the taxonomy gives to a parent, where the data have changed it.
    """

    name: str
    weight: float
    mean: np.ndarray
    above: tuple[Share, ...] = ()
    content: bool = False
    """Whether it comes from features of the entity, and not from another entity."""
    given: float | None = None


class Upper(NamedTuple):
    """Variables of a prior that have prior means of their own: their rows, E[tau], and how far above these they lie.

    `gap` (n, t) leaves out what priors with `everywhere` add.
    """

    rows: np.ndarray
    tau: np.ndarray
    gap: np.ndarray


@dataclass(frozen=True)
class Setting:
    """The block that a prior is for: its name, the kind of its variables, their dimension and type.

    `full(shape, value, dtype)` creates the arrays, or placeholders if the values are read from a file.
    """

    block: str
    kind: str
    dim: int
    dtype: np.dtype
    hyperpriors: Hyperpriors
    full: Callable[..., np.ndarray] = np.full


class Prior(Holder):
    """A prior N(m_i, I / tau_i) of the rows of a block. Subclasses define m_i; everything else has a default."""

    name: ClassVar[str] = ""
    automatic: ClassVar[bool] = True
    """Whether the blocks of entities and their biases use it wherever `of` returns one."""
    everywhere: ClassVar[bool] = False
    """Whether its means belong to the prior means of categories too, by the row of the category's node."""
    instead_of: ClassVar[str] = ""
    """The name of an automatic prior that a block with this one does not have."""

    @classmethod
    def of(cls, side: Side, setting: Setting) -> Prior | None:
        """Return the prior of a block before training, or None if it does not apply to this side."""
        raise NotImplementedError

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return E[m_i] of some rows as (n, t) in float64."""
        raise NotImplementedError

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return the variance of m_i in each dimension as (n,)."""
        return np.zeros(len(rows))

    def moments(self, rows: np.ndarray) -> Moments:
        """Return means and variances."""
        return Moments(self.means(rows), self.variances(rows))

    def uneven(self, rows: np.ndarray) -> np.ndarray | None:  # noqa: ARG002 - here and below: for subclasses
        """Return (n, t) by how much the variance of m_i in each dimension exceeds `variances`; None if nowhere."""
        return None

    def informs(self, rows: np.ndarray) -> np.ndarray:
        """Return a mask (n,) of the rows that this prior says anything about."""
        return np.ones(len(rows), dtype=bool)

    def beside(self, others: tuple[Prior, ...]) -> Prior:  # noqa: ARG002 - here and below: for subclasses
        """Return this prior as part of a sum, whose other parts with `everywhere` are `others`."""
        return self

    def upper(self) -> Upper | None:
        """Return the active variables of this prior that have prior means; None if it has none."""
        return None

    def start(self) -> None:
        """Set the variables of this prior before the first epoch of a fit."""

    def begin(self, epoch: int, work: float) -> None:
        """Take note of the number of the epoch that begins, and of its work: cells times dimensions."""

    def carried(self, old: Prior, entities: Match) -> None:
        """Complete this prior after its arrays were copied from an older one; `entities` are the rows of both."""

    def go_on(self, old: Prior, entities: Match) -> None:
        """Prepare for a fit that goes on from an older prior, part of whose data may be gone."""

    def update(self, block: Block, offset: np.ndarray | None, engine: Engine) -> None:
        """Update the variables of this prior, given the densities below it.

        `offset` is the contribution (n, t) of other priors to the prior means, or None.
        """

    def measure(self, engine: Engine) -> Any:  # noqa: ARG002
        """Return what `update_precisions` and `bound` need to know of the variables of this prior."""
        return None

    def update_precisions(self, measured: Any) -> None:
        """Update the precisions of the variables of this prior."""

    def bound(self, measured: Any) -> list[float]:  # noqa: ARG002
        """Return the terms of the bound for the variables of this prior."""
        return []

    def settle(self) -> None:
        """Set the variables of this prior that no data reaches, in closed form."""

    def precision_of_siblings(self, rows: np.ndarray, siblings: Siblings) -> np.ndarray | None:  # noqa: ARG002
        """Return the E[tau] that rows without data have, by those most like each of them; None if all are alike."""
        return None

    def matched(self, old: Prior, entities: Match) -> Mapping[str, Match]:  # noqa: ARG002
        """Return the matching positions of an older prior of the same kind, for axes of fields other than "entity"."""
        return {}

    def part(self, first: int, last: int) -> Prior:
        """Return the prior of the rows first..last-1, numbered from 0; arrays that all rows share stay the same."""
        rows = {f.name: getattr(self, f.name)[first:last] for f in self.fields if f.axes[0] == "entity"}
        return self.with_arrays({f.name: rows.get(f.name, getattr(self, f.name)) for f in self.fields})

    def shares(self, i: int, names: Vocabulary) -> list[Share]:  # noqa: ARG002
        """Return the contributions to the prior mean of row i."""
        return [Share(self.name, 1.0, self.means(np.array([i]))[0])]

    def move_together(self, pull: float, stiff: float) -> float:  # noqa: ARG002
        """Move the common mean of all rows and return the step that all rows should take; 0 without a common mean.

        `pull` and `stiff` are the linear and the quadratic coefficient of the likelihood in that step.
        """
        return 0.0

    def members(self) -> tuple[Prior, ...]:
        """Return the priors that make up this one."""
        return (self,)


PRIORS: dict[str, type[Prior]] = {}
"""The registered kinds of priors by name; saved models refer to these names."""
Kind = TypeVar("Kind", bound=type[Prior])


def register(kind: Kind) -> Kind:
    """Register a kind of prior under its name, as a class decorator."""
    PRIORS[kind.name] = kind
    return kind


def with_automatic(names: Sequence[str] = ()) -> list[str]:
    """Return the names of the priors that blocks of entities use wherever they apply, and those of some others."""
    replaced = {PRIORS[name].instead_of: name for name in names if PRIORS[name].instead_of}
    automatic = [replaced.get(name, name) for name, kind in PRIORS.items() if kind.automatic]
    return list(dict.fromkeys([*automatic, *names]))
