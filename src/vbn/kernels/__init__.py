"""Compiled loops: arrays in, arrays out.

The bundles of arrays are exported here. Kernels are imported from their modules, inside functions, as these need numba.
"""

from __future__ import annotations

from vbn.kernels.arrays import (
    CellArrays,
    ContextArrays,
    DensityArrays,
    EvidenceArrays,
    PriorArrays,
    QueryPrior,
    RelationArrays,
)

__all__ = [
    "CellArrays",
    "ContextArrays",
    "DensityArrays",
    "EvidenceArrays",
    "PriorArrays",
    "QueryPrior",
    "RelationArrays",
]
