"""The baseline that knows nothing of anybody: what is seen most comes first."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from vbn.baselines._vectors import Absent, PointModel, point_model
from vbn.data import Dataset
from vbn.estimators._arguments import need_datasets
from vbn.estimators._queries import check_k
from vbn.estimators._saving import registered
from vbn.inference._neighbours import top
from vbn.inference._table import Table

_NO_VECTORS = "it has no vectors"


@registered
class Popularity(PointModel):
    """Ranks by count: the score of every column is its share of all counts, whoever asks.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions([1, 1, 2, 3], ["tea", "milk", "tea", "beer"])
    >>> vbn.Popularity().fit(data).recommend(["milk"], k=1)
    entity   share   std
    tea       0.50  0.00
    """

    _measure = "share"
    posterior = Absent(_NO_VECTORS)
    export = Absent(_NO_VECTORS)
    to_keyed_vectors = Absent(_NO_VECTORS)

    def __init__(self) -> None:
        """No parameters."""

    def fit(self, data: Dataset) -> Self:
        """Take over the counts."""
        need_datasets("fit", data, None)
        self._trained = point_model(data, np.zeros((len(data.rows), 1)), np.zeros((len(data.columns), 1)))
        self._data = data
        return self

    def similar(self, entity: object = None, k: int = 10, *, side: str = "column") -> Table:  # type: ignore[override]
        """The entities that are seen most, other than the one asked about.

        Parameters
        ----------
        entity
            A name.
        k
            How many.
        side
            "row" or "column", where the two differ.
        """
        trained = self._model()
        check_k(k)
        names = trained.vocabulary(side)
        mask = trained.profile.candidates(side).copy()
        mask[names.id(entity)] = False
        share = names.counts / names.counts.sum()
        best = top(share, mask, int(k))
        return Table([names[i] for i in best.tolist()], share[best], np.zeros(len(best)), self._measure)

    def _row_scores(self, rows: np.ndarray) -> np.ndarray:
        return self._shares(len(rows))

    def _basket_scores(self, baskets: Any) -> np.ndarray:
        return self._shares(baskets.shape[0])

    def _shares(self, n: int) -> np.ndarray:
        counts = self._model().columns.counts
        return np.tile(counts / counts.sum(), (n, 1))
