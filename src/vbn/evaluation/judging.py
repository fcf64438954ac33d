"""Judge a setting on held-out pairs: where each is ranked in the whole catalogue, with and without a dial."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from vbn._errors import DataError
from vbn.data import Dataset
from vbn.evaluation.split import divided
from vbn.inference import DIALS, Cases, Dial, best_dial, objectives, rare_targets, worth_of

FIGURES = ("hr@10%", "mpr", "rare hr@10%", "rare mpr")
"""The figures of a setting: hit rate in the first tenth and mean percentile rank, of all and of rare targets."""

_SHARE, _MOST = 0.1, 0.3  # of the cells: held out in general, and where there are few
_LEAST_PAIRS, _MOST_PAIRS = 500, 20_000
_COMPARISONS = 50_000_000  # pairs x catalogue: more would take longer than a small training


class Judgement(NamedTuple):
    """What held-out pairs say of a model."""

    objective: float
    error: float  # standard error of the objective
    figures: dict[str, float]
    dial: Dial


class Judge:
    """Holds out pairs of a data set and ranks them with any model that was trained on the rest.

    Parameters
    ----------
    data
        What to divide. A tenth of its cells is held out: at least 500 if that leaves most to train on, at most 20,000,
        and fewer where the catalogue is very large.
    favour
        One of `FAVOURS`.
    seed
        Which pairs are held out.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions([u for u in range(20) for _ in "abcde"], [i % 7 for i in range(100)])
    >>> judge = Judge(data)
    >>> judge.pairs, judge.train.counts.nnz
    (25, 70)
    """

    def __init__(self, data: Dataset, favour: str = "all", seed: int = 0) -> None:
        cells = data.counts.nnz
        most = int(np.clip(_COMPARISONS // max(len(data.columns), 1), _LEAST_PAIRS, _MOST_PAIRS))
        wanted = min(max(_SHARE * cells, _LEAST_PAIRS), most, _MOST * cells)
        self.train, held = divided(data, wanted / cells, seed)
        self.favour = favour
        self._cases, self.rare = self._chosen(held)

    @property
    def pairs(self) -> int:
        """Number of held-out pairs that are ranked."""
        return len(self._cases.rows)

    def _chosen(self, held: Dataset) -> tuple[Cases, str]:
        """Return the pairs whose row still has data to be asked by, and what "rare" means among them."""
        rows, columns = held.counts.row_ids().astype(np.int64), held.counts.indices.astype(np.int64)
        known = self.train.counts.row_sums()[rows] > 0
        if self.train.shared:
            known &= rows != columns
        if not known.any():
            raise DataError("there is too little data to hold out pairs and learn from the rest: tuning needs more.")
        rows, columns = rows[known], columns[known]
        rare, words = rare_targets(self.train, columns)
        return Cases(rows, columns, rare, self.train.counts), f"{words} ({int(rare.sum()):,} pairs)"

    def judge(self, model: Any) -> Judgement:
        """Rank the held-out pairs with a model, at the position of the dial that is best for them."""
        above, others = self._cases.ranks(model.trained_)
        hits, places = above < (others + 1) / 10.0, 1.0 - above / np.maximum(others, 1.0)
        worth, rare = worth_of(above, others), self._cases.rare
        at = best_dial(objectives(worth, rare, self.favour))
        values = hits[at].mean(), places[at].mean(), hits[at, rare].mean(), places[at, rare].mean()
        figures = {name: float(value) for name, value in zip(FIGURES, values, strict=True)}
        objective = float(objectives(worth[at], rare, self.favour))
        return Judgement(objective, self._error(worth[at]), figures, DIALS[at])

    def _error(self, worth: np.ndarray) -> float:
        every, rare = (float(part.std() / np.sqrt(len(part))) for part in (worth, worth[self._cases.rare]))
        return {"all": every, "rare": rare, "balanced": float(np.hypot(every, rare)) / 2.0}[self.favour]
