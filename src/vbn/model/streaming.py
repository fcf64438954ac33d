"""Continue a fit whose counts are no longer available: its posterior stands for them, and the hierarchy stays.

q(z) of a variable that data reaches is its prior times a Gaussian factor, which holds all the evidence of the data. The
prior is divided out, because it may change with the parents, and the factor enters the new fit as `Sites`.
"""

from __future__ import annotations

import numpy as np

from vbn._errors import ParameterError
from vbn.data import Counts, Dataset, Relation
from vbn.model.block import Sites
from vbn.model.posterior import RelationInfo
from vbn.model.trained import Trained
from vbn.sampling import Past


def continued(earlier: Trained, data: Dataset) -> Dataset:
    """Return new data merged into the earlier model's entities, taxonomies and relations.

    Ids stay the same, and the vocabularies count the earlier and the new data.
    """
    shape = len(earlier.rows), len(earlier.columns)
    none, ids = np.empty(0), np.empty(0, np.int32)
    ours = Dataset(
        earlier.rows,
        None if earlier.shared else earlier.columns,
        Counts.from_coo(ids, ids, none, shape),
        row_taxonomy=earlier.row_taxonomy,
        column_taxonomy=earlier.column_taxonomy,
        row_features=earlier.row_side.features,
        column_features=earlier.column_side.features,
        relations={info.name: Relation(info.name, ids, ids, none, info.symmetric) for info in earlier.relations},
        kind=data.kind,
    )
    return ours.merge(data)


def past_of(earlier: Trained, data: Dataset) -> Past:
    """Return what the sampler needs of the earlier data; `data` is the result of `continued`."""
    noise, totals, sums = np.zeros(len(data.columns)), np.zeros(len(data.rows)), np.zeros(len(data.columns))
    noise[: len(earlier.columns)] = np.where(earlier.column_active, earlier.noise(), 0.0)
    totals[: len(earlier.rows)] = earlier.row_totals
    sums[: len(earlier.columns)] = earlier.column_totals()
    return Past(noise, totals, earlier.rejects, sums)


def sites_of(earlier: Trained, relations: list[RelationInfo]) -> dict[str, Sites]:
    """Return the evidence of the earlier data for every block of the new fit, where earlier relations come first."""
    for info, new in zip(earlier.relations, relations, strict=False):
        if info.rank != new.rank:
            raise ParameterError(
                f"relation_rank={new.rank} of the relation {info.name!r} differs from the {info.rank} of the earlier "
                "fit, whose counts are no longer available."
            )
    return {path: block.as_sites() for path, block in earlier.posterior.blocks().items()}
