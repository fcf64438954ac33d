"""Compiled loops: arrays in, arrays out.

The bundles of arrays, and what needs numpy only, are exported here. Kernels are imported from their modules, inside
functions, as these need numba.
"""

from __future__ import annotations

from vbn.kernels.arrays import (
    CellArrays,
    ContextArrays,
    DensityArrays,
    EvidenceArrays,
    ParentArrays,
    PriorArrays,
    QueryPrior,
    RelationArrays,
)
from vbn.kernels.closed_form import damping, logit

__all__ = [
    "CellArrays",
    "ContextArrays",
    "DensityArrays",
    "EvidenceArrays",
    "ParentArrays",
    "PriorArrays",
    "QueryPrior",
    "RelationArrays",
    "damping",
    "logit",
]
