"""How strongly an entity is tied to the children of each category, by what a model has learned of pairs of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.model import Affinity


class Ties:
    """Ties of entities to categories, from the weights between columns.

    Two columns are tied by the mean of the weights that each has in the regression of the other, if it is positive. The
    tie of an entity to a category is the root of the sum of squares over the category's children: the nearest child
    counts most, and several say more than one.

    Parameters
    ----------
    affinity
        The weights; entities beyond its columns have no ties.
    rows, parents
        Pairs of an entity, by its position in `nodes`, and a category above it.
    nodes
        The column of each entity.
    n_categories
        How many categories there are.
    """

    def __init__(
        self, affinity: Affinity, rows: np.ndarray, parents: np.ndarray, nodes: np.ndarray, n_categories: int
    ) -> None:
        from scipy.sparse import csr_array

        self._squares = _squares(affinity, nodes)
        self._below = csr_array((np.ones(len(rows)), (rows, parents)), shape=(len(nodes), n_categories))

    def of(self, rows: np.ndarray, categories: np.ndarray) -> np.ndarray:
        """Return the ties of some rows to some categories."""
        found = np.zeros((len(rows), len(categories)))
        place = np.full(self._below.shape[1], -1)
        place[categories] = np.arange(len(categories))
        sums = (self._squares[rows] @ self._below).tocoo()
        at = place[sums.col]
        found[sums.row[at >= 0], at[at >= 0]] = np.sqrt(sums.data[at >= 0])
        return found


def _squares(affinity: Affinity, nodes: np.ndarray) -> Any:
    """Return the squares of the positive ties between entities."""
    from scipy.sparse import csr_array

    n, position = len(nodes), np.full(max(int(nodes.max(initial=-1)) + 1, len(affinity)), -1)
    position[nodes] = np.arange(n)
    target, at = np.nonzero(affinity.columns >= 0)
    ends = position[target], position[affinity.columns[target, at]]
    there = (ends[0] >= 0) & (ends[1] >= 0)
    one_way = csr_array(
        (affinity.weights[target, at][there].astype(np.float64), (ends[0][there], ends[1][there])), shape=(n, n)
    )
    ties = csr_array(0.5 * (one_way + one_way.T))
    ties.data = np.maximum(ties.data, 0.0) ** 2
    return ties
