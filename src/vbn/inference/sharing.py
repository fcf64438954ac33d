"""Who has an entity, and who has the children of a category: what the counts themselves say about parents."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn.data import Counts

_LENGTH = 0.25  # power of the number of entities that somebody has, by which he is divided: who has all says little
_PRODUCTS = 1 << 31  # of two counts; beyond, densities must do


class Sharing:
    """The cosine of who has an entity and who has the children of a category, for all entities and categories.

    Parameters
    ----------
    counts
        Who (columns) has which entity (rows); entities beyond its rows have no counts.
    rows, parents
        Pairs of an entity, by its position in `nodes`, and a category above it.
    nodes
        The row of each entity in `counts`.
    n_categories
        How many categories there are.
    """

    def __init__(
        self, counts: Counts, rows: np.ndarray, parents: np.ndarray, nodes: np.ndarray, n_categories: int
    ) -> None:
        from scipy.sparse import csr_array

        n, there = counts.shape[0], nodes < counts.shape[0]
        lengths = np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.float64)
        weights = lengths[counts.indices] ** -_LENGTH
        whole = csr_array((weights, counts.indices, counts.indptr), shape=counts.shape)
        chosen = np.where(there, nodes, 0)
        self._own = csr_array(whole[chosen].multiply(there[:, None]) if n else (len(nodes), counts.shape[1]))
        below = csr_array((np.ones(len(rows)), (parents, rows)), shape=(n_categories, len(nodes)))
        self._categories = csr_array(below @ self._own)
        self._lengths = _lengths(self._own), _lengths(self._categories)

    @property
    def cost(self) -> float:
        """How many products all cosines take."""
        own, categories = (np.bincount(part.indices, minlength=part.shape[1]) for part in (self._own, self._categories))
        return float(own.astype(np.float64) @ categories)

    def cosines(self, rows: np.ndarray, categories: np.ndarray) -> np.ndarray:
        """Return the cosine of each row with each category; the mean of its row for categories that nobody has."""
        own, above = (lengths[at] for lengths, at in zip(self._lengths, (rows, categories), strict=True))
        found = np.asarray((self._own[rows] @ self._categories[categories].T).todense())
        found /= np.maximum(own[:, None] * above, 1e-300)
        known = above > 0
        if known.any():
            found[:, ~known] = found[:, known].mean(axis=1, keepdims=True)
        return found


def sharing_of(
    counts: Counts | None, rows: np.ndarray, parents: np.ndarray, nodes: np.ndarray, n: int
) -> Sharing | None:
    """Return what the counts say, unless there are none, or so many that this would take minutes."""
    made = None if counts is None else Sharing(counts, rows, parents, nodes, n)
    return made if made is not None and 0 < made.cost <= _PRODUCTS else None


def _lengths(matrix: Any) -> np.ndarray:
    return np.asarray(np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()))
