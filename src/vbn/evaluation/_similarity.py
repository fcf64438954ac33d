"""Similarity of words: rank correlation of the model's cosines with the judgements of people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vbn._errors import DataError
from vbn.evaluation._metrics import spearman


def evaluate_similarity(
    model: Any, left: Sequence[str], right: Sequence[str], scores: Sequence[float], side: str = "column"
) -> dict[str, float]:
    """Spearman's correlation of judged similarities with cosines of posterior means.

    Parameters
    ----------
    model
        A trained model.
    left, right, scores
        Pairs of names and the similarity that people saw in them.
    side
        "row" or "column", where the two differ.

    Returns
    -------
    dict
        "spearman", the number of "pairs" covered, and the number of "unknown" ones, which are left out.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_sequences([["a", "b", "c", "a"], ["c", "b", "d"]])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> result = evaluate_similarity(model, ["a", "a", "x"], ["b", "d", "a"], [1.0, 2.0, 3.0])
    >>> result["pairs"], result["unknown"]
    (2, 1)
    """
    names = model._model().vocabulary(side)
    known = [i for i in range(len(left)) if left[i] in names and right[i] in names]
    if len(known) < 2:
        raise DataError(f"the model knows both names of {len(known)} of {len(left)} pairs; a correlation needs two.")
    cosines = [_cosine(model, left[i], right[i], side) for i in known]
    return {
        "spearman": spearman(cosines, [scores[i] for i in known]),
        "pairs": len(known),
        "unknown": len(left) - len(known),
    }


def _cosine(model: Any, left: str, right: str, side: str) -> float:
    a, b = (model.posterior(name, side=side).mean.astype(np.float64) for name in (left, right))
    return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-30))
