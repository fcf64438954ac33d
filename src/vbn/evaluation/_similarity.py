"""Similarity of words: rank correlation of the model's cosines with the judgements of people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vbn._errors import DataError
from vbn.evaluation._metrics import spearman


def evaluate_similarity(
    model: Any, left: Sequence[str], right: Sequence[str], scores: Sequence[float], side: str = "column",
    readout: str = "entity",
) -> dict[str, float]:  # fmt: skip
    """Spearman's correlation of judged similarities with cosines of the entities' vectors.

    Parameters
    ----------
    model
        A trained model.
    left, right, scores
        Pairs of names and the similarity that people saw in them.
    side
        "row" or "column", where the two differ.
    readout
        Which vectors, as in `VBN.vectors`; "entity" are the posterior means.

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
    cosines = _cosines(model, [left[i] for i in known], [right[i] for i in known], side, readout)
    return {
        "spearman": spearman(cosines, [scores[i] for i in known]),
        "pairs": len(known),
        "unknown": len(left) - len(known),
    }


def _cosines(model: Any, left: Sequence[str], right: Sequence[str], side: str, readout: str) -> np.ndarray:
    vectors = model.vectors([*left, *right], side=side, readout=readout)[1].astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    a, b = np.split(vectors, 2)
    result: np.ndarray = (a * b).sum(axis=1)
    return result
