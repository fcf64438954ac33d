"""What an ontology says by itself: Resnik's and Lin's similarities, and neighbours by simGIC (Pesquita et al., 2008).

The information content of a node is -log of the share of rows that have it or something below it, in training.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from vbn._errors import DataError, NotFittedError, ParameterError
from vbn.baselines import Baseline, Entities
from vbn.data import Dataset
from vbn.estimators import need_datasets, need_number, need_whole


def closure(data: Dataset) -> Any:
    """A sparse matrix of flags, columns x nodes: each column with itself and all its ancestors."""
    from scipy.sparse import csr_array, identity

    taxonomy = data.column_taxonomy
    if taxonomy is None:
        raise DataError("models of an ontology need one; use with_taxonomy.")
    n = len(data.columns)
    parents = csr_array((np.ones(taxonomy.n_edges, np.int32), taxonomy.indices, taxonomy.indptr), shape=(n, n))
    found = level = csr_array(identity(n, np.int32, "csr"))
    for _ in range(taxonomy.depth):
        level = _flags(level @ parents)
        found = _flags(found + level)
    return found


def information(data: Dataset, above: Any) -> np.ndarray:
    """The content of each node; one row is added to all, so that what nobody has is not infinitely telling.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions(["a", "b", "c"], ["poodle", "poodle", "tabby"])
    >>> data = data.with_taxonomy({"poodle": "dog", "dog": "animal", "tabby": "animal"})
    >>> content = information(data, closure(data))
    >>> [round(float(content[data.columns.id(name)]), 2) for name in ("animal", "dog", "tabby")]
    [0.0, 0.29, 0.69]
    """
    rows = _flags(_flags(data.counts.to_scipy()) @ above)
    having = np.asarray(rows.sum(axis=0)).reshape(-1)
    return np.log((data.counts.shape[0] + 1.0) / (having + 1.0))


class _OfAnOntology(Baseline):
    """Columns scored by a taxonomy and the columns that a row has."""

    def fit(self, data: Dataset) -> Self:
        """Take the counts for the content of each node.

        Parameters
        ----------
        data
            Users x items with a taxonomy of the items.
        """
        need_datasets("fit", data, None)
        self._check()
        self._learn(data)
        self.data_ = data
        return self

    @abstractmethod
    def _learn(self, data: Dataset) -> None:
        """Compute what queries need."""

    @abstractmethod
    def _check(self) -> None:
        """Raise for parameters out of their range."""

    def _fitted(self) -> Dataset:
        if self.data_ is None:
            raise NotFittedError(f"this {type(self).__name__} has not been fitted; call fit(data) first.")
        return self.data_

    def _known(self) -> Entities:
        data = self._fitted()
        return Entities(data.rows, data.columns, np.ones(len(data.columns), dtype=bool))

    def _row_scores(self, rows: np.ndarray) -> np.ndarray:
        return self._basket_scores(self._fitted().counts.to_scipy()[rows])


_MEASURES, _MATCHES = ("resnik", "lin"), ("best", "mean", "average")


class OntologyAlone(_OfAnOntology):
    """Scores a column by its likeness to what a row has, and by how frequent it is.

    Resnik: the content of the most telling common ancestor. Lin: that over the mean content of the two.

    Parameters
    ----------
    measure : {"resnik", "lin"}, default "resnik"
        Which similarity.
    match : {"best", "mean", "average"}, default "average"
        The best of a row's columns, the mean over them, or the mean of both (best-match average).
    frequency : float, default 0.0
        This times log(1 + count), over log(1 + rows), is added.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions(["a", "b", "c"], ["poodle", "husky", "tabby"])
    >>> data = data.with_taxonomy({"poodle": "dog", "husky": "dog", "dog": "animal", "tabby": "animal"})
    >>> OntologyAlone().fit(data).recommend(["poodle"], k=1, candidates=["husky", "tabby"]).entities
    ['husky']
    """

    def __init__(self, measure: str = "resnik", match: str = "average", frequency: float = 0.0) -> None:
        self.measure = measure
        self.match = match
        self.frequency = frequency

    def _learn(self, data: Dataset) -> None:
        above = closure(data)
        content = information(data, above)
        below = above.T.tocsr()
        self._likeness = np.zeros((len(data.columns),) * 2, dtype=np.float32)
        for node in np.argsort(content, kind="stable"):  # the most telling one comes last and stays
            members = below.indices[below.indptr[node] : below.indptr[node + 1]]
            self._likeness[members[:, None], members] = content[node]
        if self.measure == "lin":
            half = (content / 2).astype(np.float32)
            for row, line in enumerate(self._likeness):
                line /= np.maximum(half[row] + half, np.float32(1e-6))
        else:
            self._likeness /= np.float32(max(content.max(), 1e-6))
        counts = data.counts.column_sums()
        self._frequent = float(self.frequency) * np.log1p(counts) / np.log1p(data.counts.shape[0])

    def _basket_scores(self, baskets: Any) -> np.ndarray:
        result = np.zeros(baskets.shape)
        for row in range(len(result)):
            own = self._likeness[baskets.indices[baskets.indptr[row] : baskets.indptr[row + 1]]]
            if not len(own):
                continue
            if self.match != "mean":
                result[row] += own.max(axis=0)
            if self.match != "best":
                result[row] += own.mean(axis=0)
            if self.match == "average":
                result[row] /= 2
        return np.asarray(result + self._frequent)

    def _check(self) -> None:
        for name, allowed in (("measure", _MEASURES), ("match", _MATCHES)):
            if getattr(self, name) not in allowed:
                raise ParameterError(f"{name}={getattr(self, name)!r} is none of {', '.join(map(repr, allowed))}.")
        need_number("frequency", self.frequency, least=0.0)


class OntologyNeighbours(_OfAnOntology):
    """Sums what the most similar rows have, weighted by simGIC: the content of common ancestors over that of all.

    Columns without data score 0.

    Parameters
    ----------
    neighbours : int, default 100
        How many similar rows count.
    power : float, default 1.0
        Of a similarity, as the weight of its row.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions(["a", "a", "b"], ["husky", "bone", "mouse"])
    >>> data = data.with_taxonomy({"poodle": "dog", "husky": "dog", "dog": "animal", "mouse": "animal"})
    >>> OntologyNeighbours(neighbours=1).fit(data).recommend(["poodle"], k=1, candidates=["bone", "mouse"]).entities
    ['bone']
    """

    def __init__(self, neighbours: int = 100, power: float = 1.0) -> None:
        self.neighbours = neighbours
        self.power = power

    def _learn(self, data: Dataset) -> None:
        self._above = closure(data)
        self._content = information(data, self._above)
        self._counts = _flags(data.counts.to_scipy())
        self._rows = _flags(self._counts @ self._above).astype(np.float64)
        self._totals = self._rows @ self._content

    def _basket_scores(self, baskets: Any) -> np.ndarray:
        from scipy.sparse import csr_array

        asked = _flags(_flags(baskets) @ self._above).astype(np.float64)
        common = (asked * self._content) @ self._rows.T
        total = asked @ self._content
        likeness = np.asarray(common.toarray())
        likeness /= np.maximum(total[:, None] + self._totals - likeness, 1e-12)
        kept = min(int(self.neighbours), likeness.shape[1])
        nearest = np.argpartition(-likeness, kept - 1, axis=1)[:, :kept]
        weights = np.take_along_axis(likeness, nearest, axis=1) ** float(self.power)
        starts = np.arange(len(nearest) + 1) * kept
        found = csr_array((weights.reshape(-1), nearest.reshape(-1), starts), shape=likeness.shape)
        return np.asarray((found @ self._counts).toarray(), dtype=np.float64)

    def _check(self) -> None:
        need_whole("neighbours", self.neighbours, least=1)
        need_number("power", self.power, above=0.0)


def _flags(matrix: Any) -> Any:
    """Ones in place of whatever a sparse matrix holds."""
    from scipy.sparse import csr_array

    found = csr_array(matrix).astype(np.int32)
    found.sum_duplicates()
    found.data[:] = 1
    return found
