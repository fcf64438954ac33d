"""Implicit alternating least squares (Hu, Koren and Volinsky, 2008), by the package implicit."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.baselines._extras import fitting, need
from vbn.baselines._factors import Factorisation, counts_matrix, least_squares_rows
from vbn.data import Dataset
from vbn.estimators import need_number, registered


@registered
class ALS(Factorisation):
    """Matrix factorisation of users x items, by the package implicit (extra "baselines").

    New rows are folded in by the least squares of training. Columns without data have factors of 0: their score is 0.

    Parameters
    ----------
    dim : int, default 100
        Number of factors.
    regularization : float, default 0.01
        Weight of the squared length of the factors.
    alpha : float, default 1.0
        Confidence of a count of one, beside 1 for cells without a count.
    epochs : int, default 15
        How often rows and columns are solved for.
    workers : int, default 1
        Threads of implicit.
    seed : int, default 0
        Same seed, same data: the same bits.
    verbose : bool, default False
        Whether to show implicit's progress bar.

    Examples
    --------
    >>> import vbn
    >>> from vbn.baselines import ALS
    >>> users = ["ann", "ann", "ben", "ben", "cem", "cem", "dee", "dee"]
    >>> items = ["tea", "milk", "tea", "honey", "beer", "crisps", "beer", "nuts"]
    >>> model = ALS(dim=2).fit(vbn.Dataset.from_interactions(users, items))
    >>> sorted(row.entity for row in model.recommend(["tea"], k=2))
    ['honey', 'milk']
    """

    def __init__(
        self,
        dim: int = 100,
        regularization: float = 0.01,
        alpha: float = 1.0,
        epochs: int = 15,
        workers: int = 1,
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.dim = dim
        self.regularization = regularization
        self.alpha = alpha
        self.epochs = epochs
        self.workers = workers
        self.seed = seed
        self.verbose = verbose

    def _factors(self, data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        als = need("implicit.cpu.als")
        with fitting(need("implicit.recommender_base").ModelFitError):
            model = als.AlternatingLeastSquares(
                factors=self.dim, regularization=self.regularization, alpha=self.alpha, iterations=self.epochs,
                num_threads=self.workers, random_state=self.seed,
            )  # fmt: skip
            model.fit(counts_matrix(data), show_progress=bool(self.verbose))
        return model.user_factors, model.item_factors, np.zeros(len(data.columns))

    def _folded_in(self, baskets: Any) -> np.ndarray:
        v = self._model().posterior.v.mean
        return least_squares_rows(baskets, v, float(self.regularization), float(self.alpha))

    def _check(self) -> None:
        super()._check()
        need_number("regularization", self.regularization, above=0.0)
        need_number("alpha", self.alpha, above=0.0)
