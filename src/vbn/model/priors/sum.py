"""The sum of several priors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn.data import Vocabulary
from vbn.model.fields import Holder
from vbn.model.precisions import Siblings
from vbn.model.priors.base import PRIORS, Prior, Setting, Share
from vbn.model.priors.fixed import Zero
from vbn.model.side import Side

if TYPE_CHECKING:
    from vbn.model.block import Block
    from vbn.model.engine import Engine


class Sum(Prior):
    """m_i is the sum of several independent priors."""

    def __init__(self, priors: Sequence[Prior]) -> None:
        everywhere = tuple(prior for prior in priors if prior.everywhere)
        self.priors = tuple(prior if prior.everywhere else prior.beside(everywhere) for prior in priors)

    def parts(self) -> Mapping[str, Prior]:
        """Return the priors by name."""
        return {prior.name: prior for prior in self.priors}

    def with_parts(self, parts: Mapping[str, Holder]) -> Sum:
        """Return the sum with its priors replaced, by name."""
        return Sum([part for part in parts.values() if isinstance(part, Prior)])

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return the sum of the means."""
        return _added([prior.means(rows) for prior in self.priors])

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return the sum of the variances."""
        return _added([prior.variances(rows) for prior in self.priors])

    def uneven(self, rows: np.ndarray) -> np.ndarray | None:
        """Return the sum of what the priors return."""
        found = [told for prior in self.priors if (told := prior.uneven(rows)) is not None]
        return _added(found) if found else None

    def informs(self, rows: np.ndarray) -> np.ndarray:
        """Return a mask of the rows that any of the priors says anything about."""
        return np.asarray(np.any([prior.informs(rows) for prior in self.priors], axis=0))

    def start(self) -> None:
        """Start each prior."""
        for prior in self.priors:
            prior.start()

    def begin(self, epoch: int, work: float) -> None:
        """Tell each prior."""
        for prior in self.priors:
            prior.begin(epoch, work)

    def update(self, block: Block, offset: np.ndarray | None, engine: Engine) -> None:
        """Update the priors one after the other, each given the latest means of the others."""
        rows = np.arange(len(block))
        for prior in self.priors:
            others = [other.means(rows) for other in self.priors if other is not prior]
            prior.update(block, _added(others if offset is None else [*others, offset]), engine)

    def measure(self, engine: Engine) -> list[Any]:
        """Return what each prior needs."""
        return [prior.measure(engine) for prior in self.priors]

    def update_precisions(self, measured: list[Any]) -> None:
        """Update the precisions of each prior."""
        for prior, own in zip(self.priors, measured, strict=True):
            prior.update_precisions(own)

    def bound(self, measured: list[Any]) -> list[float]:
        """Return the terms of all priors."""
        return [term for prior, own in zip(self.priors, measured, strict=True) for term in prior.bound(own)]

    def settle(self) -> None:
        """Settle each prior; those of which others depend first."""
        for prior in sorted(self.priors, key=lambda prior: not prior.everywhere):
            prior.settle()

    def precision_of_siblings(self, rows: np.ndarray, siblings: Siblings) -> np.ndarray | None:
        """Return what the first prior says that knows siblings."""
        told = (prior.precision_of_siblings(rows, siblings) for prior in self.priors)
        return next((found for found in told if found is not None), None)

    def part(self, first: int, last: int) -> Sum:
        """Return the sum for some rows."""
        return Sum([prior.part(first, last) for prior in self.priors])

    def shares(self, i: int, names: Vocabulary) -> list[Share]:
        """Return the contributions of all priors."""
        return [share for prior in self.priors for share in prior.shares(i, names)]

    def move_together(self, pull: float, stiff: float) -> float:
        """Move the first common mean, if there is one."""
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


def prior_of(side: Side, setting: Setting, names: Sequence[str]) -> Prior:
    """Return the sum of the named priors that apply to a side, or the zero prior if none does."""
    found = [prior for name in names if (prior := PRIORS[name].of(side, setting)) is not None]
    if not found:
        return Zero(setting.dim)
    return found[0] if len(found) == 1 else Sum(found)
