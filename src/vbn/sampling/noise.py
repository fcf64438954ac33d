"""The noise distribution: how likely each column is as a negative."""

from __future__ import annotations

import math

import numpy as np

from vbn.data import BoolArray, FloatArray

_EXPONENT = 600.0  # exp of more than this comes near the largest float64


def noise_weights(counts: FloatArray, there: BoolArray, power: float) -> FloatArray:
    """Weights in proportion to count ** power for the columns that are there, 0 for others.

    Where powers would leave the range of float64, counts are taken relative to the largest.
    """
    positive = np.maximum(counts, 1e-12)
    largest = float(positive[there].max(initial=1e-12))
    unit = largest if abs(power * math.log(largest)) > _EXPONENT else 1.0
    return np.where(there, np.where(there, positive / unit, 0.0) ** power, 0.0)
