"""fastText (Bojanowski et al., 2017): skip-gram on words and their letters, trained by gensim."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.baselines import WordVectors, need
from vbn.data import Vocabulary
from vbn.estimators import need_whole, registered


@registered
class FastText(WordVectors):
    """Skip-gram whose vectors are sums over character n-grams (extra "baselines").

    Entities of a `Dataset` that training has not seen get the vector of their n-grams; the only baseline for words that
    says anything about them.

    Parameters
    ----------
    dim, window, negatives, noise_power, subsample, epochs, alpha, min_alpha, min_count, shuffle, rank_by, workers, seed
        As in `SkipGram`.
    min_n, max_n : int, default 3 and 6
        Shortest and longest n-gram.
    buckets : int, default 2,000,000
        Number of vectors that the n-grams share by hashing; they take 4 * dim * buckets bytes in training.

    Examples
    --------
    >>> import vbn
    >>> from reproduction.rivals import FastText
    >>> data = vbn.Dataset.from_pairs(["dog", "cat"], ["barks", "purrs"], [20, 20]).with_taxonomy({"dogs": ["dog"]})
    >>> model = FastText(dim=4, buckets=1000).fit(data)
    >>> bool(model.vectors(["dogs"])[1].any())
    True
    """

    def __init__(
        self,
        dim: int = 100,
        window: int | None = None,
        negatives: int = 5,
        noise_power: float = 0.75,
        subsample: float | None = 1e-3,
        epochs: int = 5,
        alpha: float = 0.025,
        min_alpha: float = 0.0001,
        min_count: int = 1,
        shuffle: bool = False,
        rank_by: str = "auto",
        min_n: int = 3,
        max_n: int = 6,
        buckets: int = 2_000_000,
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        self.dim = dim
        self.window = window
        self.negatives = negatives
        self.noise_power = noise_power
        self.subsample = subsample
        self.epochs = epochs
        self.alpha = alpha
        self.min_alpha = min_alpha
        self.min_count = min_count
        self.shuffle = shuffle
        self.rank_by = rank_by
        self.min_n = min_n
        self.max_n = max_n
        self.buckets = buckets
        self.workers = workers
        self.seed = seed

    def _new(self, **common: Any) -> Any:
        return need("gensim.models").FastText(min_n=self.min_n, max_n=self.max_n, bucket=self.buckets, **common)

    def _inputs(self, model: Any, names: Vocabulary) -> np.ndarray:
        return np.array([model.wv.get_vector(name) for name in names], dtype=np.float32)

    def _check(self) -> None:
        super()._check()
        need_whole("min_n", self.min_n, least=1)
        need_whole("max_n", self.max_n, least=int(self.min_n))
        need_whole("buckets", self.buckets, least=1)
