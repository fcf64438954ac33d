"""Rivals behind the same interface as `VBN`: the paper's, and what one would pick today."""

from vbn.baselines._absent import NotOfferedError
from vbn.baselines._als import ALS
from vbn.baselines._bayesian import BayesianSkipGram
from vbn.baselines._bpr import BPR
from vbn.baselines._cmf import CMF
from vbn.baselines._ease import EASE
from vbn.baselines._fasttext import FastText
from vbn.baselines._knn import ItemKNN
from vbn.baselines._lightfm import LightFM
from vbn.baselines._popularity import Popularity
from vbn.baselines._protocol import Scorer, as_scorer
from vbn.baselines._queries import basket_matrix
from vbn.baselines._retrofit import Steps, neighbours_of, retrofit, retrofitted_vectors
from vbn.baselines._skipgram import SkipGram

__all__ = [
    "ALS",
    "BPR",
    "CMF",
    "EASE",
    "BayesianSkipGram",
    "FastText",
    "ItemKNN",
    "LightFM",
    "NotOfferedError",
    "Popularity",
    "Scorer",
    "SkipGram",
    "Steps",
    "as_scorer",
    "basket_matrix",
    "neighbours_of",
    "retrofit",
    "retrofitted_vectors",
]
