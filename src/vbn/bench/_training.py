"""A training that can be driven epoch by epoch, to be timed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vbn.data import Dataset
from vbn.estimators import VBN, Training, check_parameters, prepare
from vbn.model import Engine, EpochInfo, train

TEXT: dict[str, Any] = {"dim": 50, "negatives": 5, "subsample": 1e-4, "noise_power": 0.75}
"""Parameters of a model of words, as word2vec has them."""


def prepared(data: Dataset, **params: Any) -> Training:
    """All that a fit has before its first epoch."""
    chosen = VBN(**params, verbose=False).get_params()
    return prepare(chosen, check_parameters(chosen, data.relations), data, None, None, True)


def epochs(training: Training, engine: Engine, n: int) -> Iterator[EpochInfo]:
    """Run epochs one by one, and take each into the training as a fit does."""
    for info in train(training.network, training.sampler, engine, epochs=n, resample=True):
        training.take(info)
        yield info


def of_text(sentences: Any) -> Dataset:
    """Counts within a window of 5 that shrinks as gensim's does."""
    return Dataset.from_sequences(sentences, window=5, dynamic_window=True)
