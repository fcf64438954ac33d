"""Skip-gram with negative sampling (Mikolov et al., 2013), trained by gensim; on users' items it is item2vec."""

from __future__ import annotations

from typing import Any

from vbn.baselines._extras import need
from vbn.baselines._word2vec import WordVectors
from vbn.estimators import registered


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
        Whether to shuffle every sentence anew each epoch: for baskets, whose order means nothing.
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
        self.workers = workers
        self.seed = seed

    def _new(self, **common: Any) -> Any:
        return need("gensim.models").Word2Vec(**common)
