"""Matrix factorisations by the package implicit: ALS (Hu, Koren and Volinsky, 2008) and BPR (Rendle et al., 2009)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from vbn._errors import NumericalError
from vbn.baselines import VectorModel, Vectors, fitted, need
from vbn.data import Dataset
from vbn.estimators import need_datasets, need_flag, need_number, need_whole, registered

REPRODUCE = "vbn[reproduce]"


@contextmanager
def fitting(diverged: type[Exception] = NumericalError) -> Iterator[None]:
    """Run another library's fit: BLAS on one thread, and an error of ours if it diverges.

    implicit has threads of its own, and with one BLAS thread the bits do not depend on the machine's cores. `diverged`
    is what the library raises for factors that are not finite.
    """
    try:
        with (
            need("threadpoolctl", REPRODUCE).threadpool_limits(1, "blas"),
            np.errstate(over="ignore", invalid="ignore"),
        ):
            yield
    except diverged as error:
        raise NumericalError(f"training failed: {error} Try a smaller learning rate.") from error


class Factorisation(VectorModel):
    """Factors of rows and columns of the counts."""

    dim: int
    epochs: int
    workers: int
    verbose: bool

    def fit(self, data: Dataset) -> Self:
        """Factorise the counts.

        Parameters
        ----------
        data
            Users x items, or any other counts.
        """
        need_datasets("fit", data, None)
        self._check()
        self._vectors = Vectors.of(data, *self._factors(data))
        self.data_ = data
        return self

    @abstractmethod
    def _factors(self, data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Vectors of rows, vectors of columns, biases of columns."""

    def _check(self) -> None:
        for name in ("dim", "epochs", "workers"):
            need_whole(name, getattr(self, name), least=1)
        need_whole("seed", self.seed, least=0, most=2**32 - 1)
        need_flag("verbose", self.verbose)


def counts_matrix(data: Dataset, dtype: Any = np.float32) -> Any:
    """The counts as the kind of sparse matrix that other libraries take."""
    from scipy.sparse import csr_matrix

    counts = data.counts
    parts = (counts.values.astype(dtype), counts.indices.astype(np.int32), counts.indptr.astype(np.int32))
    return csr_matrix(parts, shape=counts.shape)


def least_squares_rows(baskets: Any, v: np.ndarray, regularization: float, alpha: float) -> np.ndarray:
    """Vectors of new rows by the normal equations of implicit ALS (Hu et al., 2008).

    A column of the query has confidence c = alpha * count; all others count as unwanted, with confidence 1.
    """
    v = v.astype(np.float64)
    everything = v.T @ v + regularization * np.eye(v.shape[1])
    result = np.zeros((baskets.shape[0], v.shape[1]))
    for q in range(len(result)):
        own = slice(baskets.indptr[q], baskets.indptr[q + 1])
        mine, confidence = v[baskets.indices[own]], alpha * baskets.data[own]
        if len(mine):
            left = everything + (mine * (confidence - 1.0)[:, None]).T @ mine
            result[q] = np.linalg.solve(left, confidence @ mine)
    return result


@registered
class ALS(Factorisation):
    """Matrix factorisation of users x items, by the package implicit (extra "reproduce").

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
    >>> from reproduction.rivals import ALS
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
        als = need("implicit.cpu.als", REPRODUCE)
        with fitting(need("implicit.recommender_base", REPRODUCE).ModelFitError):
            model = als.AlternatingLeastSquares(
                factors=self.dim,
                regularization=self.regularization,
                alpha=self.alpha,
                iterations=self.epochs,
                num_threads=self.workers,
                random_state=self.seed,
            )
            model.fit(counts_matrix(data), show_progress=bool(self.verbose))
        return model.user_factors, model.item_factors, np.zeros(len(data.columns))

    def _folded_in(self, baskets: Any) -> np.ndarray:
        return least_squares_rows(baskets, fitted(self).v, float(self.regularization), float(self.alpha))

    def _check(self) -> None:
        super()._check()
        need_number("regularization", self.regularization, above=0.0)
        need_number("alpha", self.alpha, above=0.0)


@registered
class BPR(Factorisation):
    """Factors that rank what a row has above what it has not, by the package implicit (extra "reproduce").

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
    >>> from reproduction.rivals import BPR
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
        bpr = need("implicit.cpu.bpr", REPRODUCE)
        with fitting(need("implicit.recommender_base", REPRODUCE).ModelFitError):
            model = bpr.BayesianPersonalizedRanking(
                factors=self.dim,
                learning_rate=self.learning_rate,
                regularization=self.regularization,
                iterations=self.epochs,
                num_threads=self.workers,
                random_state=self.seed,
            )
            model.fit(counts_matrix(data), show_progress=bool(self.verbose))
        # implicit keeps the bias as a last factor of the columns, which is 1 in all rows
        return model.user_factors[:, :-1], model.item_factors[:, :-1], model.item_factors[:, -1]

    def _check(self) -> None:
        super()._check()
        need_number("learning_rate", self.learning_rate, above=0.0)
        need_number("regularization", self.regularization, least=0.0)
