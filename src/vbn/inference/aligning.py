"""A model in the coordinates of another one, where that leaves its predictions as they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vbn.inference.mixing import pair_probabilities
from vbn.model import Trained, turn_to, turned

TOLERANCE = 0.005
"""Mean change of a probability that is taken; another sample of negatives changes more."""
_DRIFTED = 0.01  # what a rotation must add to the agreement of two models, which is at most 1
_EACH = 64  # rows, and columns, whose pairs are compared


class Aligned(NamedTuple):
    """A model in other coordinates; how well it agrees with the other one before and after, and what that changed."""

    trained: Trained
    before: float
    after: float
    change: float


def aligned(trained: Trained, like: Trained) -> Aligned | None:
    """Return a model turned into the coordinates of another one; None if they share too few entities."""
    turn = turn_to(trained, like)
    if turn is None:
        return None
    made = turned(trained, turn.rotation)
    return Aligned(made, turn.before, turn.after, _change(trained, made))


def comparable(trained: Trained, earlier: Trained) -> Trained:
    """Return a model that went on from an earlier one in the coordinates of that, where they have drifted.

    It stays as it is if turning it back would gain little, or change its predictions.
    """
    turn = turn_to(trained, earlier)
    if turn is None or turn.after - turn.before < _DRIFTED:
        return trained
    made = turned(trained, turn.rotation)
    return made if _change(trained, made) <= TOLERANCE else trained


def _change(before: Trained, after: Trained) -> float:
    """Return the mean change of a probability, over pairs of rows and columns at even steps among those with data."""
    sides = [np.flatnonzero(active) for active in (before.row_active, before.column_active)]
    rows, columns = (ids[np.linspace(0, len(ids) - 1, min(_EACH, len(ids))).astype(np.int64)] for ids in sides)
    pairs = np.repeat(rows, len(columns)), np.tile(columns, len(rows))
    p, q = (pair_probabilities(each, *pairs, with_std=False)[0] for each in (before, after))
    return float(np.abs(p - q).mean()) if len(p) else 0.0
