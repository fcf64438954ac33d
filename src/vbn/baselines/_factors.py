"""What matrix factorisations share here: how they take a data set, and checks of their parameters."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from vbn.baselines._vectors import PointModel, point_model
from vbn.data import Dataset
from vbn.estimators import need_datasets, need_flag, need_whole


class Factorisation(PointModel):
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
        self._trained = point_model(data, *self._factors(data))
        self._data = data
        return self

    @abstractmethod
    def _factors(self, data: Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Vectors of rows, vectors of columns, biases of columns."""

    def _check(self) -> None:
        for name in ("dim", "epochs", "workers"):
            need_whole(name, getattr(self, name), least=1)
        need_whole("seed", self.seed, least=0, most=2**32 - 1)
        need_flag("verbose", self.verbose)

    def _check_for_saving(self) -> None:
        self._check()


def counts_matrix(data: Dataset, dtype: Any = np.float32) -> Any:
    """The counts as the kind of sparse matrix that other libraries take."""
    from scipy.sparse import csr_matrix

    counts = data.counts
    parts = (counts.values.astype(dtype), counts.indices.astype(np.int32), counts.indptr.astype(np.int32))
    return csr_matrix(parts, shape=counts.shape)


def least_squares_rows(baskets: Any, v: np.ndarray, regularization: float, alpha: float) -> np.ndarray:
    """Vectors of new rows by the normal equations of implicit ALS (Hu et al., 2008).

    A column that somebody has counts with confidence c = alpha * count, all others with confidence 1 as not wanted.
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
