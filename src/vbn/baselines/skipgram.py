"""Skip-gram by gensim (Mikolov et al., 2013), and Bayesian skip-gram (Barkan, 2017): `VBN` without prior knowledge."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Self

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.baselines.baseline import NotOfferedError, need
from vbn.baselines.vectors import VectorModel, Vectors, fitted, mean_vectors, unit
from vbn.data import Dataset, Vocabulary, as_name, check_sentence, read_sentences
from vbn.estimators import VBN, Callback, need_datasets, need_flag, need_number, need_whole, registered

LONGEST = 10_000  # tokens; gensim silently truncates longer sentences
_PAIRS_AT_ONCE = 100_000
_WINDOW, _WINDOW_OF_SETS = 5, 30  # gensim's own for text; in a set everything is near everything, as far as time allows


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


@dataclass(eq=False, repr=False)
class WordVectors(VectorModel):
    """A model of gensim whose vectors are kept: u are the input, v the output vectors.

    Where rows and columns differ, only columns have vectors of their own, and v is their input vectors or, to rank by
    products, their output and input vectors side by side; rows are means of input vectors.
    """

    dim: int = 100
    window: int | None = None
    negatives: int = 5
    noise_power: float = 0.75
    subsample: float | None = 1e-3
    epochs: int = 5
    alpha: float = 0.025
    min_alpha: float = 0.0001
    min_count: int = 1
    shuffle: bool = False
    rank_by: str = "auto"
    workers: int = 1
    seed: int = 0

    @abstractmethod
    def _new(self, **common: Any) -> Any:
        """Return an untrained model of gensim."""

    def fit(self, data: Any) -> Self:
        """Train on sentences, on users' items or on counted pairs.

        Parameters
        ----------
        data
            Sentences: lists of tokens that can be read several times, a table or a file, as in
            `Dataset.from_sequences`. gensim gets them as they are.
            A `Dataset` of users x items (or other rows and columns that differ): each row is a sentence of its columns
            in random order, shuffled every epoch; the vector of a row is the mean of its columns' vectors.
            Any other `Dataset`: every counted pair is a sentence of two words. The counts hold the window already, and
            `window` does nothing.
        """
        self._check()
        self._vectors = self._of_data(data) if isinstance(data, Dataset) else self._of_sentences(data)
        self.data_ = data if isinstance(data, Dataset) else None
        return self

    def _of_sentences(self, sentences: Any) -> Vectors:
        model, corpus = self._start(self.min_count, _WINDOW), Given(sentences, bool(self.shuffle), self.seed)
        model.build_vocab(corpus)
        if not len(model.wv):
            raise DataError(f"no token occurs at least min_count={self.min_count} times; there is nothing to learn.")
        model.train(corpus, total_examples=model.corpus_count, epochs=self.epochs)
        names = model.wv.index_to_key
        words = Vocabulary(names, [model.wv.get_vecattr(name, "count") for name in names])
        return Vectors.of_words(words, model.wv.vectors, model.syn1neg)

    def _of_data(self, data: Dataset) -> Vectors:
        corpus = Pairs(data, self.seed) if data.shared else Rows(data, self.seed)
        model = self._start(1, _WINDOW if data.shared else _WINDOW_OF_SETS)
        frequencies = corpus.frequencies()
        model.build_vocab_from_freq(frequencies, corpus_count=len(corpus))
        words = sum(frequencies.values())
        model.train(corpus, total_examples=len(corpus), total_words=words, epochs=self.epochs)
        inputs, outputs = self._inputs(model, data.columns), _by_name(model.syn1neg, model, data.columns)
        if data.shared:
            vectors = Vectors.of(data, inputs, outputs)
            left, right = vectors.row_side, vectors.column_side
            seen = left.active | right.active  # a pair trains both vectors of both words
            return replace(vectors, row_side=left.with_active(seen), column_side=right.with_active(seen))
        matrix = data.counts.to_scipy()
        matrix.data[:] = 1.0
        rows = mean_vectors(matrix, inputs)
        if self.rank_by == "cosine":
            return Vectors.of(data, rows, inputs)
        return Vectors.of(data, _padded(rows), np.concatenate([outputs, inputs], axis=1))

    def _start(self, min_count: int, window: int) -> Any:
        return self._new(
            vector_size=self.dim,
            window=self.window or window,
            negative=self.negatives,
            ns_exponent=self.noise_power,
            sample=self.subsample or 0.0,
            epochs=self.epochs,
            alpha=self.alpha,
            min_alpha=self.min_alpha,
            sg=1,
            hs=0,
            min_count=min_count,
            workers=self.workers,
            seed=self.seed,
        )

    def _inputs(self, model: Any, names: Vocabulary) -> np.ndarray:
        """Return input vectors in the order of a vocabulary; 0 for names that training has not seen."""
        return _by_name(model.wv.vectors, model, names)

    def _folded_in(self, baskets: Any) -> np.ndarray:
        vectors = fitted(self)
        if vectors.shared:
            return mean_vectors(baskets, vectors.u)
        means = mean_vectors(baskets, self._input_half(vectors))
        return _padded(means) if self._has_outputs(vectors) else means

    def _vector_scores(self, queries: np.ndarray) -> np.ndarray:
        vectors = fitted(self)
        if self.rank_by == "cosine" or (self.rank_by == "auto" and vectors.shared):
            inputs = vectors.u if vectors.shared else self._input_half(vectors)
            return np.asarray(unit(queries[:, : inputs.shape[1]]) @ unit(inputs).T)
        if not vectors.shared and not self._has_outputs(vectors):
            raise ParameterError(
                "the model was fitted with {remedy} and has no output vectors; fit it again.",
                remedies=[("rank_by", "cosine")],
            )
        return super()._vector_scores(queries)

    def _has_outputs(self, vectors: Vectors) -> bool:
        """Whether columns that are not rows also have output vectors."""
        return vectors.dim == 2 * self.dim

    def _input_half(self, vectors: Vectors) -> np.ndarray:
        return vectors.v[:, self.dim :] if self._has_outputs(vectors) else vectors.v

    def _check(self) -> None:
        for name in ("dim", "negatives", "epochs", "min_count", "workers"):
            need_whole(name, getattr(self, name), least=1)
        if self.window is not None:
            need_whole("window", self.window, least=1)
        need_whole("seed", self.seed, least=0, most=2**32 - 1)
        need_number("noise_power", self.noise_power, least=0.0)
        for name in ("alpha", "min_alpha"):
            need_number(name, getattr(self, name), above=0.0)
        if self.subsample is not None:
            need_number("subsample", self.subsample, above=0.0)
        need_flag("shuffle", self.shuffle)
        if self.rank_by not in ("auto", "cosine", "dot"):
            raise ParameterError(f"rank_by must be 'auto', 'cosine' or 'dot', got {self.rank_by!r}.")


def _by_name(vectors: np.ndarray, model: Any, names: Vocabulary) -> np.ndarray:
    result = np.zeros((len(names), vectors.shape[1]), np.float32)
    for number, name in enumerate(names):
        at = model.wv.key_to_index.get(name)
        if at is not None:
            result[number] = vectors[at]
    return result


def _padded(vectors: np.ndarray) -> np.ndarray:
    """Return query vectors that meet only the output half of the columns' vectors."""
    return np.concatenate([vectors, np.zeros_like(vectors)], axis=1)


@registered
class SkipGram(WordVectors):
    """word2vec's skip-gram behind this library's interface (extra "baselines").

    Entities that training has not seen (those that came with a taxonomy) have a vector of 0: every score is 0.

    Parameters
    ----------
    dim : int, default 100
        Dimension of the vectors.
    window : int, optional
        Largest distance between two tokens; each time, gensim draws a window of random size up to it. By default 5, and
        30 for users x items, which are sets: wider is better there, and slower.
    negatives : int, default 5
        Negatives for each positive.
    noise_power : float, default 0.75
        Negatives are drawn in proportion to count ** noise_power.
    subsample : float, optional, default 1e-3
        Threshold above which frequent tokens are thinned out; None keeps all.
    epochs : int, default 5
        How often all sentences are seen.
    alpha, min_alpha : float, default 0.025 and 0.0001
        Learning rate at the beginning and at the end.
    min_count : int, default 1
        Leave out tokens that come less often; sentences only, a `Dataset` has its vocabulary. gensim's own is 5.
    shuffle : bool, default False
        Whether to shuffle every sentence in each epoch: for baskets, whose order means nothing.
    rank_by : {"auto", "cosine", "dot"}, default "auto"
        Score of a column: the "cosine" of its input vector with the query's, as in the paper, or the product ("dot") of
        its output vector with it, which is what training fits. A query of several entities is the mean of their input
        vectors. "auto": "dot" for users x items, which needs less training to do well there, otherwise "cosine".
    workers : int, default 1
        Threads of gensim. With more than one, no two fits are the same.
    seed : int, default 0
        Same seed, same data: the same bits, with one worker.

    Examples
    --------
    >>> import vbn
    >>> text = [["a", "dog", "barks"], ["a", "cat", "purrs"], ["the", "poodle", "barks"]] * 5
    >>> model = vbn.SkipGram(dim=4).fit(text)
    >>> len(model.similar("dog", k=3))
    3
    >>> users = vbn.Dataset.from_interactions([1, 1, 2, 2], ["tea", "milk", "tea", "rusk"])
    >>> vbn.SkipGram(dim=4).fit(users).recommend(user=1, k=1).entities
    ['rusk']
    """

    def _new(self, **common: Any) -> Any:
        return need("gensim.models").Word2Vec(**common)


@registered
class BayesianSkipGram(VBN):
    """`VBN` on co-occurrences alone: taxonomy and relations of the data are ignored.

    Parameters are those of `VBN`; those of relations do nothing. Entities that came with the taxonomy stay in the
    vocabulary, without data and without parents, so that ids are those of the data.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [9, 9]).with_taxonomy({"dog": ["animal"]})
    >>> model = vbn.BayesianSkipGram(dim=2, epochs=3, verbose=False).fit(data)
    >>> model.posterior("animal").mean.tolist()
    [0.0, 0.0]
    """

    def fit(
        self,
        data: Dataset,
        validation: Dataset | None = None,
        callbacks: Iterable[Callback] = (),
        resume_from: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Learn the densities from the counts; as in `VBN.fit`."""
        need_datasets("fit", data, validation)
        return super().fit(counts_only(data), validation, callbacks, resume_from)

    def partial_fit(
        self,
        data: Dataset,
        validation: Dataset | None = None,
        callbacks: Iterable[Callback] = (),
        resume_from: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Add counts to what was learned; as in `VBN.partial_fit`."""
        need_datasets("partial_fit", data, validation)
        return super().partial_fit(counts_only(data), validation, callbacks, resume_from)

    @property
    def related(self) -> NoReturn:
        """Not offered: it learns no relations."""
        raise NotOfferedError("BayesianSkipGram has no related: it learns no relations.")

    @property
    def relation_proba(self) -> NoReturn:
        """Not offered: it learns no relations."""
        raise NotOfferedError("BayesianSkipGram has no relation_proba: it learns no relations.")


def counts_only(data: Dataset) -> Dataset:
    """Return the data without taxonomies and relations, over the same entities."""
    return Dataset(data.rows, None if data.shared else data.columns, data.counts, kind=data.kind)
