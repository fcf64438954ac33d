"""Estimators: `VBN`, and `load` for saved ones."""

from vbn.estimators._arguments import need_datasets
from vbn.estimators._checking import check_parameters, need_flag, need_number, need_whole
from vbn.estimators._exporting import Exporting
from vbn.estimators._params import Parameters
from vbn.estimators._preparing import prepare
from vbn.estimators._progress import announced
from vbn.estimators._queries import Queries, check_k
from vbn.estimators._recommending import read_basket, read_baskets
from vbn.estimators._saving import Saving, load, registered
from vbn.estimators._training import Training
from vbn.estimators._vbn import VBN, Callback, Epoch

__all__ = [
    "VBN",
    "Callback",
    "Epoch",
    "Exporting",
    "Parameters",
    "Queries",
    "Saving",
    "Training",
    "announced",
    "check_k",
    "check_parameters",
    "load",
    "need_datasets",
    "need_flag",
    "need_number",
    "need_whole",
    "prepare",
    "read_basket",
    "read_baskets",
    "registered",
]
