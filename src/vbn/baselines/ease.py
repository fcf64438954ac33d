"""EASE (Steck, 2019): the best linear model of items from items; and what models of item-to-item weights share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from vbn._errors import NotFittedError, ParameterError
from vbn.baselines.baseline import Baseline, Entities
from vbn.data import Dataset
from vbn.estimators import check_k, need_datasets, need_flag, need_number
from vbn.inference import Table, top


class ItemWeights(Baseline):
    """Scores are the columns of a row times a matrix of weights from columns to columns.

    It is fitted in seconds and its size is the square of the number of columns, so it is not saved: keep the data.
    """

    _weights: Any = None

    def fit(self, data: Dataset) -> Self:
        """Compute the weights.

        Parameters
        ----------
        data
            Users x items, or any other counts.
        """
        need_datasets("fit", data, None)
        self._check()
        self._weights, self.data_ = self._learned(data), data
        return self

    @abstractmethod
    def _learned(self, data: Dataset) -> Any:
        """Return the weights, dense or sparse: from the columns of a query (rows) to those scored (columns)."""

    @abstractmethod
    def _check(self) -> None:
        """Raise for parameters out of their range."""

    def _input(self, counts: Any) -> Any:
        """Return the columns of queries as the weights take them."""
        return counts

    def similar(self, entity: object = None, k: int = 10) -> Table:
        """Return the columns to which the weights from one are largest.

        Parameters
        ----------
        entity
            Name of a column.
        k
            How many.
        """
        known = self._known()
        check_k(k)
        if entity is None:
            raise ParameterError("similar() needs the name of a column.")
        number = known.columns.id(entity)
        allowed = known.candidates.copy()
        allowed[number] = False
        weights = _dense(self._weights[[number]])[0]
        best = top(weights, allowed, int(k))
        return Table.of(known.columns, best, weights[best], np.zeros(len(best)), "weight")

    def _fitted(self) -> Dataset:
        if self.data_ is None:
            raise NotFittedError(f"this {type(self).__name__} has not been fitted; call fit(data) first.")
        return self.data_

    def _known(self) -> Entities:
        data = self._fitted()
        mask = np.ones(len(data.columns), dtype=bool)
        if data.column_taxonomy is not None:
            mask[data.column_taxonomy.category_ids] = False
            mask |= data.counts.column_sums() > 0
        return Entities(data.rows, data.columns, mask)

    def _row_scores(self, rows: np.ndarray) -> np.ndarray:
        return self._basket_scores(self._fitted().counts.to_scipy()[rows])

    def _basket_scores(self, baskets: Any) -> np.ndarray:
        return _dense(self._input(baskets) @ self._weights)


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=np.float64)


_DIGITS = 10  # of a weight: the rest differs with the number of threads, and would break ties by chance


class EASE(ItemWeights):
    """A linear model that predicts each column from all others, with a closed-form solution.

    With P the inverse of X^T X + lambda I, the weight from column i to column j is -P_ij / P_jj, and 0 from a column to
    itself. Memory grows with the square of the columns that have data, time with their cube. Columns without data
    score 0.

    Parameters
    ----------
    regularization : float, default 500.0
        lambda. The more users, the larger.
    binary : bool, default True
        Whether any count is 1, as in the paper.

    Examples
    --------
    >>> import vbn
    >>> from vbn.baselines import EASE
    >>> data = vbn.Dataset.from_interactions([1, 1, 2, 2, 3], ["tea", "milk", "tea", "milk", "beer"])
    >>> EASE(regularization=1.0).fit(data).recommend(["tea"], k=1).entities
    ['milk']
    """

    def __init__(self, regularization: float = 500.0, binary: bool = True) -> None:
        self.regularization = regularization
        self.binary = binary

    def _learned(self, data: Dataset) -> np.ndarray:
        seen = np.flatnonzero(data.counts.column_sums() > 0)
        x = self._input(data.counts.to_scipy())[:, seen]
        gram = np.asarray((x.T @ x).toarray(), dtype=np.float64)
        gram[np.diag_indices_from(gram)] += self.regularization
        inverse = np.linalg.inv(gram)
        weights = np.round(inverse / -np.diag(inverse), _DIGITS)
        np.fill_diagonal(weights, 0.0)
        result = np.zeros((len(data.columns), len(data.columns)))
        result[np.ix_(seen, seen)] = weights
        return result

    def _input(self, counts: Any) -> Any:
        if not self.binary:
            return counts
        binary = counts.copy()
        binary.data = np.ones_like(binary.data)
        return binary

    def _check(self) -> None:
        need_number("regularization", self.regularization, above=0.0)
        need_flag("binary", self.binary)
