"""Logits of a relation between some words and all candidates."""

from __future__ import annotations

import numpy as np

from vbn.inference._predictive import logit
from vbn.inference._related import relation_moments
from vbn.model._trained import Trained


def opposite_logits(trained: Trained, relation: int, rows: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Predictive logits of p(g) from the words to the candidates, of shape (words, candidates)."""
    return logit(*relation_moments(trained, relation, rows, candidates))
