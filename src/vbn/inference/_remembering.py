"""The data of a model after entities were added to it: their contexts count as data from then on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vbn.data import Counts, Dataset
from vbn.inference._adding import NewEntity
from vbn.model._trained import Trained


def with_added(data: Dataset, trained: Trained, new: Sequence[NewEntity], side: str) -> Dataset:
    """The data set over the grown model's vocabularies, with the contexts of its new entities as counts."""
    rows, columns, values = [], [], []
    for entity in new:
        for name, count in entity.contexts.items():
            if trained.shared:
                pair = trained.rows.id(entity.name), trained.rows.id(name)
                rows += [*pair]
                columns += [*pair[::-1]]
                values += [count, count]
            else:
                as_row = side == "row"
                rows.append(trained.rows.id(entity.name if as_row else name))
                columns.append(trained.columns.id(name if as_row else entity.name))
                values.append(count)
    old, shape = data.counts, (len(trained.rows), len(trained.columns))
    counts = Counts.from_coo(
        np.r_[old.row_ids(), np.array(rows, dtype=np.int64)],
        np.r_[old.indices, np.array(columns, dtype=np.int64)],
        np.r_[old.values, np.array(values, dtype=np.float64)],
        shape,
    )
    return Dataset(
        trained.rows, None if trained.shared else trained.columns, counts, row_taxonomy=trained.row_taxonomy,
        column_taxonomy=trained.column_taxonomy, relations=data.relations, kind=data.kind,
    )  # fmt: skip
