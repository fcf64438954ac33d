"""fastText (Bojanowski et al., 2017): skip-gram on words and their letters, trained by gensim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn.baselines import WordVectors, need
from vbn.data import Vocabulary
from vbn.estimators import need_whole, registered


@registered
@dataclass(eq=False, repr=False)
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

    min_n: int = 3
    max_n: int = 6
    buckets: int = 2_000_000

    def _new(self, **common: Any) -> Any:
        return need("gensim.models").FastText(min_n=self.min_n, max_n=self.max_n, bucket=self.buckets, **common)

    def _inputs(self, model: Any, names: Vocabulary) -> np.ndarray:
        return np.array([model.wv.get_vector(name) for name in names], dtype=np.float32)

    def _check(self) -> None:
        super()._check()
        need_whole("min_n", self.min_n, least=1)
        need_whole("max_n", self.max_n, least=int(self.min_n))
        need_whole("buckets", self.buckets, least=1)
