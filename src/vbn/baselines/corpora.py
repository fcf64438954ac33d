"""Sentences for gensim: those that were given, users' items in a new order each epoch, or pairs of a count matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from vbn.data import Dataset, as_name, check_sentence, read_sentences

LONGEST = 10_000  # tokens; gensim silently truncates longer sentences
_PAIRS_AT_ONCE = 100_000


class Given:
    """Sentences as they were given, with names as text; read again each epoch, shuffled within if wanted.

    What can be read only once is kept in memory.
    """

    def __init__(self, source: Any, shuffle: bool, seed: int) -> None:
        self._source = list(source) if isinstance(source, Iterator) else source
        self._shuffle, self._seed, self._passes = shuffle, seed, 0

    def __iter__(self) -> Iterator[list[str]]:
        rng = np.random.default_rng([self._seed, self._passes])
        self._passes += 1
        for position, sentence in enumerate(read_sentences(self._source, None, None, None)):
            where = f"a token of sentence {position} (counted from 0)"
            tokens = [as_name(token, where) for token in check_sentence(sentence, position)]
            if self._shuffle:
                tokens = [tokens[i] for i in rng.permutation(len(tokens))]
            yield from _pieces(tokens)


class Rows:
    """The columns of every row as one sentence, each once and in a new random order each time.

    A user's items are a set: without shuffling, a window would see those next to each other in some order that means
    nothing (item2vec, Barkan and Koenigstein, 2016).
    """

    def __init__(self, data: Dataset, seed: int) -> None:
        self._data, self._seed, self._passes = data, seed, 0
        self._names = np.array(data.columns.names, dtype=object)

    def frequencies(self) -> dict[str, int]:
        """Return in how many rows each column is."""
        times = np.bincount(self._data.counts.indices, minlength=len(self._names))
        return {name: int(n) for name, n in zip(self._names, times, strict=True) if n}

    def __len__(self) -> int:
        return int((np.diff(self._data.counts.indptr) > 0).sum())

    def __iter__(self) -> Iterator[list[str]]:
        rng, counts = np.random.default_rng([self._seed, self._passes]), self._data.counts
        self._passes += 1
        for row in rng.permutation(np.flatnonzero(np.diff(counts.indptr))).tolist():
            own = rng.permutation(counts.indices[counts.indptr[row] : counts.indptr[row + 1]])
            yield from _pieces(self._names[own].tolist())


class Pairs:
    """Counted pairs as sentences of two words, as often as they were counted and in a new random order each time.

    gensim trains a sentence of two words in both directions, so the two counts of a pair are averaged. What is left of
    a count beyond whole numbers is rounded at random.
    """

    def __init__(self, data: Dataset, seed: int) -> None:
        self._seed, self._passes = seed, 0
        self._names = np.array(data.columns.names, dtype=object)
        rows, columns = data.counts.row_ids(), data.counts.indices.astype(np.int64)
        low, high = np.minimum(rows, columns), np.maximum(rows, columns)
        pair, at = np.unique(low * len(self._names) + high, return_inverse=True)
        self._left, self._right = np.divmod(pair, len(self._names))
        self._times = np.bincount(at.reshape(-1), data.counts.values) * np.where(self._left == self._right, 1.0, 0.5)
        self._words = np.bincount(self._left, self._times, len(self._names))
        self._words += np.bincount(self._right, self._times, len(self._names))

    def frequencies(self) -> dict[str, int]:
        """Return how often each word occurs, at least once."""
        return {name: max(round(float(n)), 1) for name, n in zip(self._names, self._words, strict=True) if n > 0}

    def __len__(self) -> int:
        return max(round(float(self._times.sum())), 1)

    def __iter__(self) -> Iterator[list[str]]:
        rng = np.random.default_rng([self._seed, self._passes])
        self._passes += 1
        whole = np.floor(self._times + rng.random(len(self._times))).astype(np.int64)
        order = rng.permutation(np.repeat(np.arange(len(whole)), whole))
        for first in range(0, len(order), _PAIRS_AT_ONCE):
            some = order[first : first + _PAIRS_AT_ONCE]
            left, right = self._names[self._left[some]].tolist(), self._names[self._right[some]].tolist()
            yield from map(list, zip(left, right, strict=True))


def _pieces(tokens: list[str]) -> Iterator[list[str]]:
    for first in range(0, len(tokens), LONGEST):
        yield tokens[first : first + LONGEST]
