"""The baseline that ignores the query: what is seen most comes first."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from vbn._errors import ParameterError
from vbn.baselines.vectors import Stored, VectorModel, Vectors, asked_about, fitted
from vbn.data import Dataset
from vbn.estimators import check_k, need_datasets, registered
from vbn.inference import Table


@registered
class Popularity(Stored):
    """Ranks by count: the score of every column is its share of all counts, for every query.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions([1, 1, 2, 3], ["tea", "milk", "tea", "beer"])
    >>> vbn.Popularity().fit(data).recommend(["milk"], k=1)
    entity   share   std
    tea       0.50  0.00
    """

    _measure = "share"

    def __init__(self) -> None:
        """No parameters."""

    def fit(self, data: Dataset) -> Self:
        """Take over the counts."""
        need_datasets("fit", data, None)
        # Vectors of 0: it has the entities only.
        self._vectors = Vectors.of(data, np.zeros((len(data.rows), 1)), np.zeros((len(data.columns), 1)))
        self.data_ = data
        return self

    def similar(
        self,
        entity: object = None,
        k: int = 10,
        *,
        positive: Sequence[object] | None = None,
        negative: Sequence[object] | None = None,
        side: str = "column",
        candidates: Iterable[object] | None = None,
        min_count: float | None = None,
        **ways: Any,
    ) -> Table:
        """Return the entities that are seen most, other than those asked about.

        Parameters
        ----------
        entity, positive, negative
            Names that are not to be an answer.
        k
            How many.
        side
            "row" or "column", where the two differ.
        candidates, min_count
            As in `SkipGram.similar`.
        ways
            Options of `SkipGram.similar`, such as `by`; they make no difference here.
        """
        vectors = fitted(self)
        check_k(k)
        plus, minus = asked_about(entity, positive, negative)
        unknown = [name for name in ways if name not in inspect.signature(VectorModel.similar).parameters]
        if unknown:
            raise ParameterError(f"similar() has no option {unknown[0]!r}.")
        counts, allowed = vectors.side(side).names.counts, vectors.pool(side, candidates, min_count)
        hidden = vectors.ids([*plus, *minus], side)
        return vectors.best(counts / counts.sum(), hidden, int(k), side, self._measure, allowed)

    def _row_scores(self, rows: np.ndarray) -> np.ndarray:
        return self._shares(len(rows))

    def _basket_scores(self, baskets: Any) -> np.ndarray:
        return self._shares(baskets.shape[0])

    def _shares(self, n: int) -> np.ndarray:
        counts = fitted(self).column_side.names.counts
        return np.tile(counts / counts.sum(), (n, 1))
