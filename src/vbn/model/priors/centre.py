"""A learned common mean: m_i = c, with c ~ N(0, 1 / kappa).

The paper pulls biases towards 0. But a bias is mostly a base rate (with n negatives per positive, about -log n), so an
entity with little data would appear far more likely than one with much. `bias_prior="zero"` is the paper's model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vbn.data import Vocabulary
from vbn.model.fields import MEAN, VARIANCE, Field
from vbn.model.priors.base import Prior, Setting, Share, register
from vbn.model.side import Side

if TYPE_CHECKING:
    from vbn.model.block import Block
    from vbn.model.engine import Engine

CENTRE_PRECISION = 0.01
"""kappa: how strongly a centre is pulled towards 0."""


@register
class Centre(Prior):
    """A common mean of all rows of a block of scalars."""

    name, automatic = "centre", False
    fields = (Field("mean", MEAN, ("one",)), Field("variance", VARIANCE, ("one",), or_zero=True))

    def __init__(self, mean: np.ndarray, variance: np.ndarray) -> None:
        self.mean, self.variance = mean, variance

    @classmethod
    def of(cls, side: Side, setting: Setting) -> Centre:  # noqa: ARG003 - the interface of all priors
        """Return a centre at 0."""
        return cls(setting.full(1, 0.0, np.float64), setting.full(1, 0.0, np.float64))

    def means(self, rows: np.ndarray) -> np.ndarray:
        """Return the common mean for every row."""
        return np.full((len(rows), 1), self.mean[0])

    def variances(self, rows: np.ndarray) -> np.ndarray:
        """Return the variance of the common mean for every row."""
        return np.full(len(rows), self.variance[0])

    def update(self, block: Block, offset: np.ndarray | None, engine: Engine) -> None:  # noqa: ARG002
        """Update q(c), a mean weighted by the expected precisions."""
        tau = np.where(block.active, block.tau, 0.0)
        precision = CENTRE_PRECISION + tau.sum()
        rest = block.mean - (0.0 if offset is None else offset[:, 0])
        self.mean[0] = (tau * rest).sum() / precision
        self.variance[0] = 1.0 / precision

    def bound(self, measured: None) -> list[float]:  # noqa: ARG002
        """Return E[log p(c)] + H[q(c)]."""
        mean, variance = self.mean, self.variance
        known = variance > 0.0
        terms = np.log(CENTRE_PRECISION * variance[known]) + 1.0 - CENTRE_PRECISION * (mean**2 + variance)[known]
        return [float(0.5 * terms.sum())]

    def part(self, first: int, last: int) -> Centre:  # noqa: ARG002
        """Return the prior itself, which is the same for all rows."""
        return self

    def shares(self, i: int, names: Vocabulary) -> list[Share]:  # noqa: ARG002
        """Return the common mean."""
        return [Share("all", 1.0, self.mean.copy())]

    def move_together(self, pull: float, stiff: float) -> float:
        """Move the common mean by the optimal joint step; updated one by one, rows and mean hold each other back."""
        step = (pull - CENTRE_PRECISION * self.mean[0]) / (stiff + CENTRE_PRECISION)
        self.mean[0] += step
        return float(step)
