"""The data of a model after entities were added to it: their contexts count as data from then on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vbn.data import Counts, Dataset
from vbn.inference.newcomers import NewEntity
from vbn.model import Trained


def with_added(data: Dataset, trained: Trained, new: Sequence[NewEntity], side: str) -> Dataset:
    """The data set over the grown model's vocabularies, with the contexts of its new entities as counts."""
    names, others = (trained.rows, trained.columns) if side == "row" else (trained.columns, trained.rows)
    sizes = [len(entity.contexts) for entity in new]
    own = np.repeat(names.ids(entity.name for entity in new), sizes)
    seen = others.ids(context for entity in new for context in entity.contexts)
    values = np.array([count for entity in new for count in entity.contexts.values()], dtype=np.float64)
    rows, columns = (own, seen) if side == "row" else (seen, own)
    if trained.shared:  # near each other in both directions
        rows, columns, values = np.r_[own, seen], np.r_[seen, own], np.r_[values, values]
    old, shape = data.counts, (len(trained.rows), len(trained.columns))
    counts = Counts.from_coo(
        np.r_[old.row_ids(), rows],
        np.r_[old.indices, columns],
        np.r_[old.values, values],
        shape,
    )
    return Dataset(
        trained.rows, None if trained.shared else trained.columns, counts, row_taxonomy=trained.row_taxonomy,
        column_taxonomy=trained.column_taxonomy, relations=data.relations, kind=data.kind,
    )  # fmt: skip
