"""Likelihoods, one module each. A likelihood owns its cells and updates the blocks that they depend on."""

from vbn.model.likelihoods.base import EntityCells, Explained, Likelihood, curvature
from vbn.model.likelihoods.cooccurrence import DIRECT_CELLS, BiasInputs, Cooccurrence, EntityInputs
from vbn.model.likelihoods.relations import (
    Bilinear,
    RelationCells,
    RelationList,
    for_each,
    likelihoods_of,
    no_relations,
    project,
)

__all__ = [
    "DIRECT_CELLS",
    "BiasInputs",
    "Bilinear",
    "Cooccurrence",
    "EntityCells",
    "EntityInputs",
    "Explained",
    "Likelihood",
    "RelationCells",
    "RelationList",
    "curvature",
    "for_each",
    "likelihoods_of",
    "no_relations",
    "project",
]
