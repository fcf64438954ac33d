"""Compile (or load from the cache) every kernel that a fit uses, on a problem of four entities."""

from __future__ import annotations

import numpy as np

from vbn.data import Dataset
from vbn.data._sampler import Sampler
from vbn.engines import make_engine
from vbn.model._fit import build_network, check_finite, train
from vbn.model._hyper import Hyperpriors
from vbn.model._validation import Validation

_warm: set[str] = set()


def warm_up(dtype: np.dtype) -> None:
    """Make the first epoch of a fit as fast as the others."""
    if dtype.name in _warm:
        return
    data = Dataset.from_pairs(["a", "b", "c", "a"], ["b", "a", "a", "c"])
    data = data.with_taxonomy({"a": ["d"], "b": ["d"], "d": ["e"]}).with_relation("r", [("a", "b")])
    sampler = Sampler(data, negatives=1, noise_power=0.75, subsample=None, reject_positives=False, seed=0, dtype=dtype)
    network = build_network(data, sampler, Hyperpriors(), [1], 2, 0, dtype)
    engine = make_engine("threads", 1)
    for info in train(network, sampler, engine, epochs=1, resample=True):
        check_finite(network.posterior, info.lower_bound, data)
    Validation(data, data, sampler.noise(), 1, 0).log_likelihood(network.posterior)
    _warm.add(dtype.name)
