"""Models to compare `VBN` with, behind the same interface."""

from typing import NoReturn

from vbn.baselines.baseline import Baseline, Entities, NotOfferedError, basket_matrix, need
from vbn.baselines.ease import EASE, ItemWeights
from vbn.baselines.popularity import Popularity
from vbn.baselines.retrofitting import Steps, neighbours_of, retrofit, retrofitted_vectors
from vbn.baselines.scorer import Predictive, Scorer, as_scorer, known_of
from vbn.baselines.skipgram import BayesianSkipGram, SkipGram, WordVectors
from vbn.baselines.vectors import VectorModel, Vectors, fitted

__all__ = [
    "EASE",
    "Baseline",
    "BayesianSkipGram",
    "Entities",
    "ItemWeights",
    "NotOfferedError",
    "Popularity",
    "Predictive",
    "Scorer",
    "SkipGram",
    "Steps",
    "VectorModel",
    "Vectors",
    "WordVectors",
    "as_scorer",
    "basket_matrix",
    "fitted",
    "known_of",
    "need",
    "neighbours_of",
    "retrofit",
    "retrofitted_vectors",
]

_MOVED = ("ALS", "BPR", "CMF", "FastText", "ItemKNN", "LightFM")


def __getattr__(name: str) -> NoReturn:
    if name in _MOVED:
        raise AttributeError(f"{name} is now reproduction.rivals.{name}, in a checkout of the repository")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
