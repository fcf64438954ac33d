"""The paper's examples as they come out here: what is near *lemma*, its rank beside others, opposites of *lowest*."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.baselines import as_scorer
from vbn.estimators import VBN

RARE = "lemma"
BESIDE = ("now", "otherwise")
"""*now* stands in one sentence with it, *otherwise* next to it."""
OPPOSITE = "lowest"


def neighbours(model: Any, word: str = RARE, k: int = 4) -> dict[str, list[str]]:
    """The words nearest to one, by the ways that a model has; empty if it does not know the word."""
    if word not in model._model().columns:
        return {}
    ways: dict[str, dict[str, Any]] = {"cosine": {}}
    if isinstance(model, VBN):
        ways = {"cosine": {"readout": "smoothed"}, "p(d)": {"by": "context"}}
    return {way: [row.entity for row in model.similar(word, k=k, **options)] for way, options in ways.items()}


def rank_beside(model: Any, query: str, word: str = RARE) -> float | None:
    """Percentile rank of a rare word where a frequent one is the query: 50 is chance, 100 the top.

    By the predictive probability, or by the cosine for models that have none, as in the paper.
    """
    trained = model._model()
    if word not in trained.columns or query not in trained.columns:
        return None
    scores = as_scorer(model).scores([query])[0]
    at, i = trained.columns.id(word), trained.columns.id(query)
    candidates = (trained.columns.counts > 0) & (np.arange(len(scores)) != i)
    above = (scores[candidates] > scores[at]).sum() + ((scores[candidates] == scores[at]).sum() - 1) / 2.0
    return float(100.0 * (1.0 - above / (candidates.sum() - 1)))


def described(model: Any) -> dict[str, Any]:
    """All examples of a model, as facts for the cache."""
    return {"near": neighbours(model), "beside": {query: rank_beside(model, query) for query in BESIDE}}
