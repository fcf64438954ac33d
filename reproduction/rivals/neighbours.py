"""Nearest neighbours among items, by the package implicit."""

from __future__ import annotations

import warnings
from typing import Any

from reproduction.rivals.factors import REPRODUCE, counts_matrix
from vbn._errors import ParameterError
from vbn.baselines import ItemWeights, need
from vbn.data import Dataset
from vbn.estimators import need_flag, need_number, need_whole

_WEIGHTINGS = {"cosine": "CosineRecommender", "tfidf": "TFIDFRecommender", "bm25": "BM25Recommender"}


class ItemKNN(ItemWeights):
    """Sums the similarities to the columns of a query, over each column's nearest neighbours (extra "reproduce").

    Columns without data have no neighbours: their score is 0.

    Parameters
    ----------
    neighbours : int, default 20
        How many similar columns each has.
    weighting : {"cosine", "tfidf", "bm25"}, default "cosine"
        How counts are weighted before similarities are taken.
    k1, b : float, default 1.2 and 0.75
        For "bm25": how soon large counts saturate, and how much long rows are scaled down.
    workers : int, default 1
        Threads of implicit.
    verbose : bool, default False
        Whether to show implicit's progress bar.

    Examples
    --------
    >>> import vbn
    >>> from reproduction.rivals import ItemKNN
    >>> data = vbn.Dataset.from_interactions([1, 1, 2, 2, 3], ["tea", "milk", "tea", "milk", "beer"])
    >>> ItemKNN().fit(data).similar("tea", k=1).entities
    ['milk']
    """

    def __init__(
        self,
        neighbours: int = 20,
        weighting: str = "cosine",
        k1: float = 1.2,
        b: float = 0.75,
        workers: int = 1,
        verbose: bool = False,
    ) -> None:
        self.neighbours = neighbours
        self.weighting = weighting
        self.k1 = k1
        self.b = b
        self.workers = workers
        self.verbose = verbose

    def _learned(self, data: Dataset) -> Any:
        kind = getattr(need("implicit.nearest_neighbours", REPRODUCE), _WEIGHTINGS[self.weighting])
        own = {"K1": self.k1, "B": self.b} if self.weighting == "bm25" else {}
        model = kind(K=self.neighbours, num_threads=self.workers, **own)
        with warnings.catch_warnings():  # of a matrix that implicit makes itself
            warnings.simplefilter("ignore", need("implicit.utils", REPRODUCE).ParameterWarning)
            model.fit(counts_matrix(data, float), show_progress=bool(self.verbose))
        return model.similarity.tocsr()

    def _check(self) -> None:
        need_whole("neighbours", self.neighbours, least=1)
        need_whole("workers", self.workers, least=1)
        if self.weighting not in _WEIGHTINGS:
            raise ParameterError(f"weighting={self.weighting!r} is none of {', '.join(map(repr, _WEIGHTINGS))}.")
        need_number("k1", self.k1, least=0.0)
        need_number("b", self.b, least=0.0)
        need_flag("verbose", self.verbose)
