"""Forget entities: names, densities, counts and all that a model knew of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vbn._errors import DataError
from vbn.data import Dataset, without_entities
from vbn.model import Trained, with_some


def forget(
    trained: Trained, data: Dataset | None, names: Sequence[object], side: str
) -> tuple[Trained, Dataset | None, list[str]]:
    """Return a model and its data without some entities of a side, and the names that are gone.

    What others have learned from them stays in their densities until the next fit, which does not see them any more.
    """
    known = trained.vocabulary(side)
    ids = known.ids(names)
    kept = np.ones(len(known), dtype=bool)
    kept[ids] = False
    other = np.ones(len(trained.vocabulary("column" if side == "row" else "row")), dtype=bool)
    rows, columns = (kept, kept) if trained.shared else (kept, other) if side == "row" else (other, kept)
    gone = [known[number] for number in np.unique(ids).tolist()]
    _check_the_rest(trained, data, rows, columns)
    left = None if data is None else without_entities(data, rows, columns)
    return with_some(trained, rows, columns, left), left, gone


def _check_the_rest(trained: Trained, data: Dataset | None, rows: np.ndarray, columns: np.ndarray) -> None:
    """Refuse to forget so much that no model is left."""
    seen = [(trained.columns, columns)] + ([] if trained.left_out is not None else [(trained.rows, rows)])
    left = all(names.counts[kept].any() for names, kept in seen)
    if left and data is not None:
        left = bool((rows[data.counts.row_ids()] & columns[data.counts.indices]).any())
    if not left:
        raise DataError("nothing that was seen would be left of this model; remove its folder instead.")
