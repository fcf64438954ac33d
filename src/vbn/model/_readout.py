"""Entities drawn to what their parents say, and the vectors that relations are learned on where they are learned apart.

The length of a vector says how often its entity was seen, and the rest is noisy where that was rarely. Of unit length
and drawn to the parents' means, vectors let a few hundred pairs speak for those that training has not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vbn.data import Dataset, Taxonomy
from vbn.model._posterior import Gaussians, Part, Posterior
from vbn.model._profile import lengths

if TYPE_CHECKING:
    from vbn.model._trained import Trained

SMOOTHING = 3.0
"""How much the means that the parents give weigh beside the entity's own."""


@dataclass(frozen=True)
class Readout:
    """Vectors of unit length that stand for the entities of either side; nothing flows back from them to u and v."""

    row_taxonomy: Taxonomy | None
    column_taxonomy: Taxonomy | None
    shared: bool

    @classmethod
    def of(cls, source: Dataset | Trained) -> Readout:
        """Of the entities of a data set or of a model."""
        return cls(source.row_taxonomy, source.column_taxonomy, source.rows is source.columns)

    def vectors(self, q: Posterior) -> tuple[Gaussians, Gaussians]:
        """Those of rows and of columns, without variance; the same for both where these are the same entities."""
        u = smoothed(q.u, self.row_taxonomy, SMOOTHING).mean
        v = smoothed(q.v, self.column_taxonomy, SMOOTHING).mean
        if self.shared:
            both = _of_unit_length(u + v, q.u.mean.dtype)
            return both, both
        return _of_unit_length(u, q.u.mean.dtype), _of_unit_length(v, q.v.mean.dtype)


def smoothed(part: Part, taxonomy: Taxonomy | None, smoothing: float) -> Gaussians:
    """Every entity drawn to its prior mean, which weighs `smoothing` times as much; plain where it has no parents."""
    if taxonomy is None:
        return Gaussians(part.mean, part.variance)
    mean, spread = prior_means(part, taxonomy)
    weight = np.where(np.diff(taxonomy.indptr) > 0, smoothing, 0.0)[:, None]
    return Gaussians(
        (part.mean + weight * mean) / (1.0 + weight),
        (part.variance + weight**2 * spread[:, None]) / (1.0 + weight) ** 2,
    )


def prior_means(part: Part, taxonomy: Taxonomy) -> tuple[np.ndarray, np.ndarray]:
    """Mean that the parents give to each node (0 without parents), and its variance in every dimension."""
    from scipy.sparse import csr_array

    numbers_of = np.searchsorted(taxonomy.category_ids, taxonomy.indices)
    shape = (len(taxonomy.vocabulary), len(taxonomy.category_ids))
    weights = csr_array((taxonomy.weights, numbers_of, taxonomy.indptr), shape=shape)
    squares = csr_array((taxonomy.weights**2, numbers_of, taxonomy.indptr), shape=shape)
    return weights @ part.category_mean.astype(np.float64), squares @ part.category_variance.astype(np.float64)


def _of_unit_length(vectors: np.ndarray, dtype: np.dtype) -> Gaussians:
    mean = (vectors / lengths(vectors)[:, None]).astype(dtype)
    return Gaussians(mean, np.zeros_like(mean))
