"""Compiled loops: arrays in, arrays out.

This module exports the bundles of arrays and the functions that need only numpy. Kernels need numba; import them from
their modules, inside functions.
"""

from __future__ import annotations

from vbn.kernels.arrays import (
    BiasArrays,
    CellArrays,
    ContextArrays,
    DensityArrays,
    EventArrays,
    EvidenceArrays,
    ParentArrays,
    PriorArrays,
    QueryPrior,
    RelationArrays,
    TouchedPrior,
)
from vbn.kernels.closed_form import damping, logit

__all__ = [
    "BiasArrays",
    "CellArrays",
    "ContextArrays",
    "DensityArrays",
    "EventArrays",
    "EvidenceArrays",
    "ParentArrays",
    "PriorArrays",
    "QueryPrior",
    "RelationArrays",
    "TouchedPrior",
    "damping",
    "logit",
]
