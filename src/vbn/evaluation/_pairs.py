"""Held-out pairs against noise: how probable they were called, and how far the probabilities can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vbn._errors import DataError
from vbn.evaluation._known import known_pairs
from vbn.evaluation._metrics import area_under_curve, calibration_error, mean_log_probability


def evaluate_pairs(
    model: Any, left: Sequence[object], right: Sequence[object], counts: ArrayLike | None = None, seed: int = 0
) -> dict[str, float]:
    """How well a model tells held-out pairs from noise pairs.

    Noise pairs have the same left entity and a right one drawn as the negatives of training are; together they weigh
    `negatives` times as much as the held-out ones. So the figures are those that training strives for.

    Parameters
    ----------
    model
        A trained model.
    left, right
        The held-out pairs, by name; pairs with a name that the model does not know are left out, and counted.
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
    known = known_pairs(trained.rows, trained.columns, left, right)
    weights = np.ones(len(left)) if counts is None else np.asarray(counts, dtype=np.float64)
    weights = weights[known.chosen]
    if not weights.sum() > 0:
        raise DataError("the held-out pairs have no count: nothing to evaluate.")
    each = max(1, round(trained.negatives))
    drawn = np.random.default_rng([seed, 0xE7A1]).choice(
        len(trained.columns), size=len(known.rows) * each, p=trained.noise()
    )
    p_held = _probability(model, known.rows, known.columns)
    p_noise = _probability(model, np.repeat(known.rows, each), drawn)
    noise_weights = np.repeat(weights, each) * (trained.negatives / each)
    p, weight = np.r_[p_held, p_noise], np.r_[weights, noise_weights]
    outcome = np.r_[np.ones(len(p_held)), np.zeros(len(p_noise))]
    return {
        "pairs": len(p_held),
        "unknown": len(left) - len(p_held),
        "log_probability": mean_log_probability(p, outcome, weight),
        "auc": area_under_curve(p_held, p_noise, (weights, noise_weights)),
        "calibration_error": calibration_error(p, outcome, weight),
    }


def _probability(model: Any, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    trained = model._model()
    names = ((trained.rows[int(i)], trained.columns[int(j)]) for i, j in zip(rows, columns, strict=True))
    result: np.ndarray = model.predict_proba(names)
    return result
