"""The cells of new entities: positives as given, negatives as training would have drawn them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vbn.data import Vocabulary
from vbn.inference.newcomers import NewEntity
from vbn.kernels import CellArrays

_AT_ONCE = 1000  # entities whose cells are gathered at once
_DRAWS = 512  # negatives drawn for an entity; each carries a share of the weight that training would give


@dataclass(frozen=True)
class Negatives:
    """How to draw the negatives of new entities.

    Parameters
    ----------
    noise
        Probability of each entity of the other side.
    weights
        Weight of all negatives of each new entity.
    rejects
        Whether a negative that is an observed pair is left out.
    made_up
        Whether the others then weigh the more (rows draw anew), or not (a column is just drawn less often).
    seed
        Seed of the draws; each entity has its own stream, so that nothing depends on what else is added.
    """

    noise: np.ndarray
    weights: np.ndarray
    rejects: bool
    made_up: bool
    seed: int


def cells_of(new: Sequence[NewEntity], others: Vocabulary, offset: int, negatives: Negatives) -> CellArrays:
    """Cells of the new entities, by entity; the rows before `offset` are empty."""
    steps = np.cumsum(negatives.noise)
    steps /= steps[-1]
    parts = [
        _some_cells(new[k : k + _AT_ONCE], others, steps, negatives.weights[k : k + _AT_ONCE], negatives)
        for k in range(0, len(new), _AT_ONCE)
    ]
    lengths, indices, positive, negative = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    indptr = np.r_[np.zeros(offset, np.int64), 0, np.cumsum(lengths)].astype(np.int64)
    return CellArrays(indptr, indices.astype(np.int32), positive, negative)


def _some_cells(
    new: Sequence[NewEntity], others: Vocabulary, steps: np.ndarray, wanted: np.ndarray, negatives: Negatives
) -> tuple[np.ndarray, ...]:
    """Lengths, ids, weight as positive and weight as negative of the cells of a few entities."""
    owner = np.repeat(np.arange(len(new)), [len(entity.contexts) for entity in new])
    ids = others.ids(context for entity in new for context in entity.contexts)
    seen = np.array([count for entity in new for count in entity.contexts.values()], dtype=np.float64)
    observed = owner * len(steps) + ids
    drawing = np.flatnonzero(wanted > 0)
    drawn = np.repeat(drawing, _DRAWS) * len(steps) + _draws(new, drawing, steps, negatives.seed)
    if negatives.rejects:
        drawn = drawn[~np.isin(drawn, observed)]
    used = np.bincount(drawn // len(steps), minlength=len(new)) if negatives.made_up else np.full(len(new), _DRAWS)
    every, inverse = np.unique(np.r_[observed, drawn], return_inverse=True)
    row, column = np.divmod(every, len(steps))
    positive = np.bincount(inverse[: len(observed)], seen, len(every))
    share = wanted / np.maximum(used, 1)
    negative = np.bincount(inverse[len(observed) :], minlength=len(every)) * share[row]
    return np.bincount(row, minlength=len(new)), column, positive, negative


def _draws(new: Sequence[NewEntity], drawing: np.ndarray, steps: np.ndarray, seed: int) -> np.ndarray:
    streams = [np.random.default_rng([seed, zlib.crc32(new[k].name.encode())]) for k in drawing.tolist()]
    spots = np.array([stream.random(_DRAWS) for stream in streams]).ravel()
    return steps.searchsorted(spots, side="right")
