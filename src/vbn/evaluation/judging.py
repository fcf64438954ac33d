"""Judge a setting on held-out pairs: where each is ranked in the whole catalogue, with and without a dial."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vbn._errors import DataError
from vbn.baselines import as_scorer, known_of
from vbn.data import Dataset
from vbn.evaluation.split import hold_out
from vbn.inference import Dial

FAVOURS = ("all", "balanced", "rare")
"""What a judge may favour: all held-out pairs alike, those of rare targets, or both halves alike."""

DIALS = (
    Dial(),
    *(Dial(weight) for weight in (0.125, -0.125, 0.25, -0.25, 0.5, 0.75)),
    *(Dial(weight, floor=1.0) for weight in (0.25, 0.5, 1.0)),
)
"""Positions of the popularity dial that are tried on every model; earlier ones win near ties."""

FIGURES = ("hr@10%", "mpr", "rare hr@10%", "rare mpr")
"""The figures of a setting: hit rate in the first tenth and mean percentile rank, of all and of rare targets."""

_SHARE, _MOST = 0.1, 0.3  # of the cells: held out in general, and where there are few
_LEAST_PAIRS, _MOST_PAIRS = 500, 20_000
_COMPARISONS = 50_000_000  # pairs x catalogue: more would take longer than a small training
_SCORES_AT_ONCE = 1 << 18  # small blocks stay in the cache
_RARE_PAIRS = 50  # fewer say nothing
_CLOSE = 0.001  # of the objective: a dial that gains less is not worth turning


class Judgement(NamedTuple):
    """What held-out pairs say of a model."""

    objective: float
    error: float  # standard error of the objective
    figures: dict[str, float]
    dial: Dial


@dataclass(frozen=True)
class _Cases:
    """Held-out pairs, sorted by row: what is asked for, and which of them are rare."""

    rows: np.ndarray
    columns: np.ndarray
    rare: np.ndarray


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
        self.train, held = hold_out(data, wanted / cells, seed=seed)
        self.favour = favour
        self._cases, self.rare = self._chosen(held)

    @property
    def pairs(self) -> int:
        """Number of held-out pairs that are ranked."""
        return len(self._cases.rows)

    def _chosen(self, held: Dataset) -> tuple[_Cases, str]:
        """Return the pairs whose row still has data to be asked by, and what "rare" means among them."""
        rows, columns = held.counts.row_ids().astype(np.int64), held.counts.indices.astype(np.int64)
        known = self.train.counts.row_sums()[rows] > 0
        if self.train.shared:
            known &= rows != columns
        if not known.any():
            raise DataError("there is too little data to hold out pairs and learn from the rest: tuning needs more.")
        rows, columns = rows[known], columns[known]
        rare, words = _rare(self.train, columns)
        return _Cases(rows, columns, rare), f"{words} ({int(rare.sum()):,} pairs)"

    def judge(self, model: Any) -> Judgement:
        """Rank the held-out pairs with a model, at the position of the dial that is best for them."""
        above, others = self._ranks(model, DIALS)
        hits, places = above < (others + 1) / 10.0, 1.0 - above / np.maximum(others, 1.0)
        worth = (hits + places) / 2.0
        at = best_dial(self._objectives(worth))
        rare = self._cases.rare
        values = hits[at].mean(), places[at].mean(), hits[at, rare].mean(), places[at, rare].mean()
        figures = {name: float(value) for name, value in zip(FIGURES, values, strict=True)}
        return Judgement(float(self._objectives(worth[at])), self._error(worth[at]), figures, DIALS[at])

    def _objectives(self, worth: np.ndarray) -> np.ndarray:
        every, rare = worth.mean(axis=-1), worth[..., self._cases.rare].mean(axis=-1)
        return np.asarray({"all": every, "rare": rare, "balanced": (every + rare) / 2.0}[self.favour])

    def _error(self, worth: np.ndarray) -> float:
        every, rare = (float(part.std() / np.sqrt(len(part))) for part in (worth, worth[self._cases.rare]))
        return {"all": every, "rare": rare, "balanced": float(np.hypot(every, rare)) / 2.0}[self.favour]

    def _ranks(self, model: Any, dials: tuple[Dial, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return how many candidates rank above each target (dials, pairs), and how many others there are (pairs)."""
        cases = self._cases
        offsets = [dial.added(model.trained_.profile) for dial in dials]
        above, others = np.empty((len(dials), len(cases.rows))), np.empty(len(cases.rows))
        for part, scores, at in self._scored(model):
            targets = cases.columns[part]
            others[part] = np.isfinite(scores).sum(axis=1)[at] - 1
            for number, offset in enumerate(offsets):
                turned = (scores + offset)[at]
                own = turned[np.arange(len(at)), targets][:, None]
                above[number, part] = (turned > own).sum(axis=1) + ((turned == own).sum(axis=1) - 1) / 2.0
        return above, others

    def _scored(self, model: Any) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield pairs, the scores of their rows (-inf for what is no candidate), and the row of each pair in them."""
        cases, counts, scorer = self._cases, self.train.counts, as_scorer(model)
        catalogue = known_of(model).candidates.copy()
        catalogue[cases.columns] = True
        step = max(_SCORES_AT_ONCE // len(catalogue), 1)
        for first in range(0, len(cases.rows), step):
            part = slice(first, first + step)
            block, at = np.unique(cases.rows[part], return_inverse=True)
            scores = np.asarray(scorer.scores([self.train.rows[i] for i in block.tolist()]), dtype=np.float64)
            scores[:, ~catalogue] = -np.inf
            for number, row in enumerate(block.tolist()):
                scores[number, counts.indices[counts.indptr[row] : counts.indptr[row + 1]]] = -np.inf
                if self.train.shared:
                    scores[number, row] = -np.inf
            yield part, scores, at.reshape(-1)


def best_dial(objectives: np.ndarray) -> int:
    """Return the first of the positions that are hardly behind the best one.

    Examples
    --------
    >>> best_dial(np.array([0.8, 0.7, 0.8005])), best_dial(np.array([0.8, 0.9, 0.7]))
    (0, 1)
    """
    return int(np.argmax(objectives >= objectives.max() - _CLOSE))


def _rare(train: Dataset, targets: np.ndarray) -> tuple[np.ndarray, str]:
    """Return flags of rare targets, and what that means: the fifth of the catalogue if it has enough of them."""
    counts, taxonomy = train.columns.counts, train.column_taxonomy
    catalogue = np.ones(len(counts), dtype=bool)
    if taxonomy is not None:
        catalogue[taxonomy.category_ids] = False
    catalogue |= counts > 0
    catalogue[targets] = True
    place = np.empty(len(counts), np.int64)
    order = np.argsort(np.where(catalogue, counts, np.inf), kind="stable")
    place[order] = np.arange(len(counts))
    for words, share in (("fifth", 5), ("half", 2)):
        rare = place[targets] < catalogue.sum() // share
        if rare.sum() >= _RARE_PAIRS:
            return rare, f"the least frequent {words} of the catalogue"
    return place[targets] <= np.median(place[targets]), "the half of the pairs with the least frequent targets"
