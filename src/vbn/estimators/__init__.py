"""Estimators: `VBN`, `load` for saved ones, and the parameters of both the library and the command line.

Names are looked up on first use: the command line reads `PARAMETERS` without importing what a fit needs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from vbn.estimators.parameters import GROUPS, PARAMETERS, RENAMED, Parameter, up_to_date

if TYPE_CHECKING:
    from vbn.estimators.base import Parameters, Saving, load, registered
    from vbn.estimators.checking import check_k, check_parameters, need_datasets, need_flag, need_number, need_whole
    from vbn.estimators.progress import announced, duration
    from vbn.estimators.queries import Exporting, Queries
    from vbn.estimators.recommending import read_basket, read_baskets
    from vbn.estimators.training import Training, prepare
    from vbn.estimators.vbn import VBN, Callback
    from vbn.estimators.warmup import compile_entities
    from vbn.model import EpochInfo as Epoch

_HOMES = {
    "base": ("Parameters", "Saving", "load", "registered"),
    "checking": ("check_k", "check_parameters", "need_datasets", "need_flag", "need_number", "need_whole"),
    "progress": ("announced", "duration"),
    "queries": ("Exporting", "Queries"),
    "recommending": ("read_basket", "read_baskets"),
    "training": ("Training", "prepare"),
    "vbn": ("VBN", "Callback"),
    "warmup": ("compile_entities",),
}


def __getattr__(name: str) -> Any:
    if name == "Epoch":
        return importlib.import_module("vbn.model").EpochInfo
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module(f"vbn.estimators.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'vbn.estimators' has no attribute {name!r}")


__all__ = [
    "GROUPS",
    "PARAMETERS",
    "RENAMED",
    "VBN",
    "Callback",
    "Epoch",
    "Exporting",
    "Parameter",
    "Parameters",
    "Queries",
    "Saving",
    "Training",
    "announced",
    "check_k",
    "check_parameters",
    "compile_entities",
    "duration",
    "load",
    "need_datasets",
    "need_flag",
    "need_number",
    "need_whole",
    "prepare",
    "read_basket",
    "read_baskets",
    "registered",
    "up_to_date",
]
