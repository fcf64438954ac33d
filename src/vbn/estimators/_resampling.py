"""What training showed a model, told again from its counts and its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from vbn.data import Dataset
from vbn.sampling import Sampler

_DEFAULTS: dict[str, Any] = {
    "subsample": None,
    "reject_positives": "auto",
    "relation_weight": 1.0,
    "hard_negatives": 0.0,
}


def sampling_options(params: Mapping[str, Any]) -> dict[str, Any]:
    """How an estimator samples; what it has no parameter for is as in `VBN`."""
    return {name: params.get(name, default) for name, default in _DEFAULTS.items()}


def sampler_of(data: Dataset, negatives: float, noise_power: float, options: Mapping[str, Any]) -> Sampler:
    """The sampler that the model was trained with, up to its seed."""
    return Sampler(data, negatives=negatives, noise_power=noise_power, seed=0, dtype=np.dtype(np.float64), **options)
