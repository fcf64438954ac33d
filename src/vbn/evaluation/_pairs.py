"""Held-out pairs against noise: how probable they were called, and how far the probabilities can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from vbn.data import Dataset
from vbn.evaluation._metrics import area_under_curve, calibration_error, mean_log_probability
from vbn.inference import pair_scores, probability


def evaluate_pairs(
    model: Any, left: Sequence[object], right: Sequence[object], counts: ArrayLike | None = None, seed: int = 0
) -> dict[str, float]:
    """How well a model tells held-out pairs from noise pairs.

    Noise pairs have the same left entity and a right one drawn as the negatives of training are; together they weigh
    `negatives` times as much as the held-out ones. So the figures are those that training strives for. The calibration
    error is that of `model.uncertainty`.

    Parameters
    ----------
    model
        A trained model.
    left, right
        The held-out pairs, by name; repeated ones add up; those with an unknown name are left out, and counted.
    counts
        How often each pair was seen; 1 by default.
    seed
        Seed of the noise.

    Returns
    -------
    dict
        "pairs" that were used and "unknown" ones, "log_probability" (mean over held-out and noise pairs), "auc",
        "calibration_error".

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_pairs(["a", "b", "c"], ["b", "a", "a"], [9, 9, 1])
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(data)
    >>> sorted(evaluate_pairs(model, ["a"], ["b"]))
    ['auc', 'calibration_error', 'log_probability', 'pairs', 'unknown']
    """
    trained = model._model()
    held = Dataset.from_pairs(left=left, right=right, counts=counts, shared=trained.shared)
    pairs = model._labelled(held, None, seed)
    p = probability(*pair_scores(trained, pairs.rows, pairs.columns), trained.temperature)
    observed = pairs.labels > 0
    return {
        "pairs": int(observed.sum()),
        "unknown": pairs.skipped,
        "log_probability": mean_log_probability(p, pairs.labels, pairs.weights),
        "auc": area_under_curve(p[observed], p[~observed], (pairs.weights[observed], pairs.weights[~observed])),
        "calibration_error": calibration_error(p, pairs.labels, pairs.weights),
    }
