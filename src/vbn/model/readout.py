"""Entities pulled towards their prior means, and the vectors for relations that are learned separately.

The length of a vector reflects how often its entity was seen, and its direction is noisy if that was rarely. Vectors of
unit length, pulled towards the prior means, generalise from a few hundred pairs to pairs that training has not seen.
"""

from __future__ import annotations

import numpy as np

from vbn.model.block import Block
from vbn.model.fields import Gaussians
from vbn.model.posterior import Posterior
from vbn.model.profile import lengths

SMOOTHING = 3.0
"""Weight of the prior mean, relative to the entity's own mean."""


def relation_vectors(posterior: Posterior, shared: bool) -> tuple[Gaussians, Gaussians]:
    """Return the vectors that relations are learned on: of unit length, without variance, for rows and for columns.

    If rows and columns are `shared` entities, both are the same. Nothing flows back from them to u and v.
    """
    u, v, dtype = smoothed(posterior.u, SMOOTHING).mean, smoothed(posterior.v, SMOOTHING).mean, posterior.u.mean.dtype
    if shared:
        both = _of_unit_length(u + v, dtype)
        return both, both
    return _of_unit_length(u, dtype), _of_unit_length(v, dtype)


def smoothed(block: Block, smoothing: float) -> Gaussians:
    """Return entities pulled towards their prior means, which weigh `smoothing` times as much as the entities."""
    if smoothing == 0.0 or not block.prior.members():
        return Gaussians(block.mean, block.variance)
    moments = block.moments()
    weight = np.where(block.prior.informs(np.arange(len(block))), smoothing, 0.0)[:, None]
    return Gaussians(
        (block.mean + weight * moments.mean) / (1.0 + weight),
        (block.variance + weight**2 * moments.variance[:, None]) / (1.0 + weight) ** 2,
    )


def _of_unit_length(vectors: np.ndarray, dtype: np.dtype) -> Gaussians:
    mean = (vectors / lengths(vectors)[:, None]).astype(dtype)
    return Gaussians(mean, np.zeros_like(mean))
