"""The baseline that ignores the query: what is seen most comes first."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from vbn._errors import ParameterError
from vbn.baselines.baseline import Baseline, Entities
from vbn.baselines.storing import write
from vbn.baselines.vectors import VectorModel, Vectors, fitted, known, restored
from vbn.data import Dataset
from vbn.estimators import check_k, need_datasets, registered
from vbn.inference import Table, top
from vbn.model import Trained


@registered
class Popularity(Baseline):
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
    _vectors: Vectors | None = None  # of 0: it has the entities only

    def __init__(self) -> None:
        """No parameters."""

    def fit(self, data: Dataset) -> Self:
        """Take over the counts."""
        need_datasets("fit", data, None)
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
        ways
            Options of `SkipGram.similar`, such as `by`; they make no difference here.
        """
        vectors = fitted(self)
        check_k(k)
        asked = [*([] if entity is None else [entity]), *(positive or []), *(negative or [])]
        if not asked:
            raise ParameterError(
                "similar() needs an entity, or {remedy} and {remedy} lists.", remedies=[("positive",), ("negative",)]
            )
        unknown = [name for name in ways if name not in inspect.signature(VectorModel.similar).parameters]
        if unknown:
            raise ParameterError(f"similar() has no option {unknown[0]!r}.")
        names = vectors.vocabulary(side)
        mask = vectors.candidates(side)
        mask[vectors.ids(asked, side)] = False
        share = names.counts / names.counts.sum()
        best = top(share, mask, int(k))
        return Table([names[i] for i in best.tolist()], share[best], np.zeros(len(best)), self._measure)

    def save(self, folder: str | os.PathLike[str], counts: bool = True) -> Path:
        """Write the model to a folder that `vbn.load` reads; as `SkipGram.save`."""
        return write(folder, self, fitted(self), counts=counts)

    def _restore(self, trained: Trained, data: Dataset | None, _: dict[str, Any]) -> None:
        self._vectors, self.data_ = restored(trained), data

    def _check_for_saving(self) -> None:
        """It has no parameters."""

    def _known(self) -> Entities:
        return known(fitted(self))

    def _row_scores(self, rows: np.ndarray) -> np.ndarray:
        return self._shares(len(rows))

    def _basket_scores(self, baskets: Any) -> np.ndarray:
        return self._shares(baskets.shape[0])

    def _shares(self, n: int) -> np.ndarray:
        counts = fitted(self).columns.counts
        return np.tile(counts / counts.sum(), (n, 1))
