"""The baseline that knows nothing of anybody: what is seen most comes first."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from vbn._errors import ParameterError
from vbn.baselines.points import Absent, PointModel, point_model
from vbn.data import Dataset
from vbn.estimators import Queries, check_k, need_datasets, registered
from vbn.inference import Table, top

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
    vectors = Absent(_NO_VECTORS)
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

    def similar(
        self,
        entity: object = None,
        k: int = 10,
        *,
        positive: Sequence[object] | None = None,
        negative: Sequence[object] | None = None,
        side: str = "column",
        **ways: Any,
    ) -> Table:
        """The entities that are seen most, other than those asked about.

        Parameters
        ----------
        entity, positive, negative
            Names that are not to be an answer.
        k
            How many.
        side
            "row" or "column", where the two differ.
        ways
            Ways to compare that `VBN.similar` has, such as `by`; they are all the same here.
        """
        trained = self._model()
        check_k(k)
        asked = [*([] if entity is None else [entity]), *(positive or []), *(negative or [])]
        if not asked:
            raise ParameterError("similar() needs an entity, or positive= and negative= lists.")
        unknown = [name for name in ways if name not in inspect.signature(Queries.similar).parameters]
        if unknown:
            raise ParameterError(f"similar() has no option {unknown[0]!r}.")
        names = trained.vocabulary(side)
        mask = trained.profile.candidates(side).copy()
        mask[names.ids(asked)] = False
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
