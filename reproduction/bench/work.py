"""Generated data to measure on: text that follows Zipf's law, users who like items; and how it is trained on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from vbn.data import Dataset
from vbn.estimators import VBN, Training, check_parameters, prepare, reach, resolved
from vbn.model import Engine, EpochInfo, train


def zipf_tokens(n: int, vocabulary: int, seed: int = 0, exponent: float = 1.0) -> np.ndarray:
    """Numbers of words, the k-th most frequent in proportion to 1 / (k + 2.7) ** exponent."""
    weights = (np.arange(1, vocabulary + 1) + 2.7) ** -exponent
    edges = np.cumsum(weights / weights.sum())
    drawn = np.searchsorted(edges, np.random.default_rng(seed).random(n))
    return np.minimum(drawn, vocabulary - 1).astype(np.int32)


def sentences(tokens: np.ndarray, length: int = 22) -> list[list[str]]:
    """Tokens as lists of names, `length` at a time."""
    names = np.array([f"w{number}" for number in range(int(tokens.max(initial=0)) + 1)], dtype=object)[tokens]
    return [names[first : first + length].tolist() for first in range(0, len(names), length)]


def text(scale: float = 1.0, seed: int = 0) -> list[list[str]]:
    """As many words as SemCor has, 820,000, of 40,000 different ones."""
    return sentences(zipf_tokens(int(820_000 * scale), 40_000, seed))


def likes(n: int, users: int, items: int, seed: int = 0) -> dict[str, Any]:
    """Columns "user" and "item" of n likes, both by Zipf's law."""
    who, what = zipf_tokens(n, users, seed, 0.6), zipf_tokens(n, items, seed + 1, 0.8)
    return {"user": who, "item": what}


def counts(cells: int, rows: int, columns: int, seed: int = 0) -> Dataset:
    """About so many distinct pairs of rows and columns, each seen once or a few times."""
    who, what = zipf_tokens(cells, rows, seed, 0.4), zipf_tokens(cells, columns, seed + 1, 0.6)
    from scipy.sparse import coo_array

    matrix = coo_array((np.ones(cells), (who, what)), shape=(rows, columns)).tocsr()
    return Dataset.from_matrix(
        matrix, [f"r{number}" for number in range(rows)], [f"c{number}" for number in range(columns)]
    )


TEXT: dict[str, Any] = {"dim": 50, "negatives": 5, "subsample": 1e-4, "noise_power": 0.75}
"""Parameters of a model of words, as word2vec has them."""


def prepared(data: Dataset, **params: Any) -> Training:
    """All that a fit has before its first epoch."""
    chosen = resolved(VBN(**params, verbose=False).get_params(), data)
    return prepare(chosen, check_parameters(chosen, data.relations), data, None, None, True)


def epochs(training: Training, engine: Engine, n: int) -> Iterator[EpochInfo]:
    """Run epochs one by one, and take each into the training as a fit does."""
    far = reach(training.data)
    for info in train(training.network, training.sampler, engine, epochs=n, resample=True, reach=far):
        training.take(info)
        yield info


def of_text(sentences: Any) -> Dataset:
    """Counts within a window of 5 that shrinks as gensim's does."""
    return Dataset.from_sequences(sentences, window=5, dynamic_window=True)
