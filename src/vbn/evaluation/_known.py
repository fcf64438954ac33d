"""Pairs of names as ids, without those that a model does not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vbn._errors import DataError
from vbn.data import Vocabulary, known_ids


class Known(NamedTuple):
    """Ids of the pairs that are known, and which of the given ones those are."""

    rows: np.ndarray
    columns: np.ndarray
    chosen: np.ndarray


def known_pairs(
    left_names: Vocabulary, right_names: Vocabulary, left: Sequence[object], right: Sequence[object]
) -> Known:
    """The pairs whose two names are known; at least one must be."""
    if len(left) != len(right):
        raise DataError(f"there are {len(left)} left and {len(right)} right entities; a pair needs one of each.")
    rows, columns = known_ids(left_names, left), known_ids(right_names, right)
    chosen = np.flatnonzero((rows >= 0) & (columns >= 0))
    if not len(chosen):
        raise DataError(f"none of the {len(left)} pairs is between entities that the model knows.")
    return Known(rows[chosen], columns[chosen], chosen)
