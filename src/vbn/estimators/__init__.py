"""Estimators: `VBN`, `load` for saved ones, and what other models build on: parameters, checks, registration."""

from vbn._parameters import GROUPS, PARAMETERS, RENAMED, Parameter
from vbn.estimators.aligning import align
from vbn.estimators.automatic import Choice, choices, reach, resolved
from vbn.estimators.base import Parameters, load, registered
from vbn.estimators.batches import Batches, in_batches
from vbn.estimators.checking import check_k, check_parameters, need_datasets, need_flag, need_number, need_whole
from vbn.estimators.checkpoint import fingerprints
from vbn.estimators.observing import BATCH, Observes, record, replay
from vbn.estimators.progress import announced, duration
from vbn.estimators.recommending import read_basket, read_baskets
from vbn.estimators.training import Training, prepare
from vbn.estimators.vbn import VBN, Callback
from vbn.estimators.warmup import compile_entities

__all__ = [
    "BATCH",
    "GROUPS",
    "PARAMETERS",
    "RENAMED",
    "VBN",
    "Batches",
    "Callback",
    "Choice",
    "Observes",
    "Parameter",
    "Parameters",
    "Training",
    "align",
    "announced",
    "check_k",
    "check_parameters",
    "choices",
    "compile_entities",
    "duration",
    "fingerprints",
    "in_batches",
    "load",
    "need_datasets",
    "need_flag",
    "need_number",
    "need_whole",
    "prepare",
    "reach",
    "read_basket",
    "read_baskets",
    "record",
    "registered",
    "replay",
    "resolved",
]
