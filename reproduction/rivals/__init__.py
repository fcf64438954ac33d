"""Rivals from other packages, behind the interface of `vbn.baselines`: fitted, scored and saved in the same way."""

from reproduction.rivals.factors import ALS, BPR
from reproduction.rivals.fasttext import FastText
from reproduction.rivals.hybrids import CMF, LightFM
from reproduction.rivals.neighbours import ItemKNN
from reproduction.rivals.ontology import OntologyAlone, OntologyNeighbours
from reproduction.rivals.regression import ridge_from_content

__all__ = [
    "ALS",
    "BPR",
    "CMF",
    "FastText",
    "ItemKNN",
    "LightFM",
    "OntologyAlone",
    "OntologyNeighbours",
    "ridge_from_content",
]
