"""EASE (Steck, 2019): the best linear model of items from items, in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.baselines._items import ItemWeights
from vbn.data import Dataset
from vbn.estimators import need_flag, need_number

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
