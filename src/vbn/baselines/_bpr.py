"""Bayesian personalised ranking (Rendle et al., 2009), by the package implicit."""

from __future__ import annotations

import numpy as np

from vbn.baselines._extras import fitting, need
from vbn.baselines._factors import Factorisation, counts_matrix
from vbn.data import Dataset
from vbn.estimators import need_number, registered


@registered
class BPR(Factorisation):
    """Factors that rank what a row has above what it has not, by the package implicit (extra "baselines").

    It takes no account of how large a count is. Columns without data have factors and a bias of 0. The package cannot
    infer new rows; here a list of columns is the mean of their vectors.

    Parameters
    ----------
    dim : int, default 100
        Number of factors, beside the bias of each column.
    learning_rate : float, default 0.01
        Step of gradient descent.
    regularization : float, default 0.01
        Weight of the squared length of the factors.
    epochs : int, default 100
        How often as many pairs are drawn as there are cells.
    workers : int, default 1
        Threads of implicit. With more than one, no two fits are the same.
    seed : int, default 0
        Same seed, same data: the same bits, with one worker.
    verbose : bool, default False
        Whether to show implicit's progress bar.

    Examples
    --------
    >>> import vbn
    >>> from vbn.baselines import BPR
    >>> users = ["ann", "ann", "ben", "ben", "cem", "cem", "dee", "dee", "eva", "fay"]
    >>> items = ["tea", "milk", "tea", "milk", "beer", "crisps", "beer", "crisps", "tea", "beer"]
    >>> model = BPR(dim=2, learning_rate=0.1).fit(vbn.Dataset.from_interactions(users, items))
    >>> model.recommend(user="eva", k=1).entities, model.recommend(user="fay", k=1).entities
    (['milk'], ['crisps'])
    """

    def __init__(
        self,
        dim: int = 100,
        learning_rate: float = 0.01,
        regularization: float = 0.01,
        epochs: int = 100,
        workers: int = 1,
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.dim = dim
        self.learning_rate = learning_rate
        self.regularization = regularization
        self.epochs = epochs
        self.workers = workers
        self.seed = seed
        self.verbose = verbose

    def _factors(self, data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        bpr = need("implicit.cpu.bpr")
        with fitting(need("implicit.recommender_base").ModelFitError):
            model = bpr.BayesianPersonalizedRanking(
                factors=self.dim, learning_rate=self.learning_rate, regularization=self.regularization,
                iterations=self.epochs, num_threads=self.workers, random_state=self.seed,
            )  # fmt: skip
            model.fit(counts_matrix(data), show_progress=bool(self.verbose))
        # implicit keeps the bias as a last factor of the columns, which is 1 in all rows
        return model.user_factors[:, :-1], model.item_factors[:, :-1], model.item_factors[:, -1]

    def _check(self) -> None:
        super()._check()
        need_number("learning_rate", self.learning_rate, above=0.0)
        need_number("regularization", self.regularization, least=0.0)
