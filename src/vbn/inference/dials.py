"""Positions of the popularity dial, judged by where held-out pairs are ranked in the whole catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from vbn.data import Counts, Dataset
from vbn.inference.predictive import AllColumns
from vbn.inference.ranking import Dial
from vbn.model import Gaussians, Trained

FAVOURS = ("all", "balanced", "rare")
"""What may be favoured: all held-out pairs, those with rare targets, or these and the others alike."""

DIALS = (
    Dial(),
    *(Dial(weight) for weight in (0.125, -0.125, 0.25, -0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0)),
    *(Dial(weight, floor=1.0) for weight in (0.25, 0.5, 0.75, 1.0)),
    *(Dial(weight, floor=4.0) for weight in (0.5, 1.0, 2.0)),
)
"""Positions that are tried; earlier ones win near ties."""

TAILS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
"""How far the long tail is lifted, at those of these positions that cost little."""

_SCORES_AT_ONCE = 1 << 18  # small blocks stay in the cache
_RARE_PAIRS = 50  # fewer say nothing
_RARE_SHARE = 0.125  # of the objective, if rare targets are fewer
_CLOSE = 0.001  # of the objective: a dial that gains less is not worth turning


@dataclass(frozen=True)
class Cases:
    """Held-out pairs, sorted by row: what is asked for, which targets are rare, and what rows are known to have.

    `plain` are flags of those drawn from all pairs (default: all); others are there because their targets are rare.
    """

    rows: np.ndarray
    columns: np.ndarray
    rare: np.ndarray
    known: Counts
    plain: np.ndarray | None = None

    def ranks(self, trained: Trained, dials: Sequence[Dial] = DIALS) -> tuple[np.ndarray, np.ndarray]:
        """Return how many candidates rank above each target (dials, pairs), and how many others there are (pairs)."""
        catalogue = trained.profile.candidates("column").copy()
        catalogue[self.columns] = True
        ids = np.flatnonzero(catalogue)
        offsets = np.array([dial.added(trained.profile)[ids].astype(np.float32) for dial in dials])
        above, others = np.empty((len(dials), len(self.rows))), np.empty(len(self.rows))
        for part, scores, at in self._scored(trained, ids):
            targets = np.searchsorted(ids, self.columns[part])
            others[part] = np.isfinite(scores).sum(axis=1)[at] - 1
            above[:, part] = _above(scores, at, targets, offsets)
        return above, others

    def _scored(self, trained: Trained, ids: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
        """Yield pairs, the scores of their rows for some columns (-inf for what a row has), and which row is whose."""
        u, logits, counts = trained.posterior.u, AllColumns(trained), self.known
        step = max(_SCORES_AT_ONCE // len(trained.columns), 1)
        for first in range(0, len(self.rows), step):
            part = slice(first, first + step)
            block, at = np.unique(self.rows[part], return_inverse=True)
            own = _columns_of(counts, block)
            scores = logits(Gaussians(u.mean[block], u.variance[block]), lifts=trained.lifts(*own)).astype(np.float32)
            scores[np.repeat(np.arange(len(block)), np.diff(own[0])), own[1]] = -np.inf
            if trained.shared:
                scores[np.arange(len(block)), block] = -np.inf
            yield part, scores.take(ids, axis=1), at.reshape(-1)  # by row, unlike scores[:, ids]


def _columns_of(counts: Counts, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where the columns of each of some rows begin, and the columns."""
    sizes = np.diff(counts.indptr)[rows]
    starts = np.concatenate(([0], np.cumsum(sizes)))
    cells = np.arange(starts[-1]) + np.repeat(counts.indptr[rows] - starts[:-1], sizes)
    return starts, counts.indices[cells]


def _above(scores: np.ndarray, at: np.ndarray, targets: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return how many columns rank above each target (dials, pairs); ties count half."""
    from vbn.kernels.dials import count_above

    above = np.empty((len(offsets), len(at)))
    count_above(scores, at, targets, offsets, above)
    return above


def worth_of(above: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return what each rank is worth: the mean of a hit in the first tenth and of the percentile rank."""
    hits, places = above < (others + 1) / 10.0, 1.0 - above / np.maximum(others, 1.0)
    return np.asarray((hits + places) / 2.0)


def smooth_worth_of(above: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the same with a hit that fades out from 0.05 to 0.15 of the ranking: few pairs tell more by it."""
    shares = above / np.maximum(others, 1.0)
    return np.asarray((np.clip(1.5 - 10.0 * shares, 0.0, 1.0) + 1.0 - shares) / 2.0)


def objectives(worth: np.ndarray, rare: np.ndarray, favour: str, number: float | None = None) -> np.ndarray:
    """Return the mean worth of what is favoured, over the last axis.

    Where hardly any pair has a rare target, "all" would not notice if these came last. So they count for an eighth at
    least. `number` is the share that they have by their number, by default among these pairs.

    Examples
    --------
    >>> worth, rare = np.array([1.0] * 15 + [0.0]), np.arange(16) == 15
    >>> [float(objectives(worth, rare, favour)) for favour in FAVOURS]
    [0.875, 0.46875, 0.0]
    """
    if not rare.any() or rare.all():
        return np.asarray(worth.mean(axis=-1))
    of_rare, of_others = worth[..., rare].mean(axis=-1), worth[..., ~rare].mean(axis=-1)
    number = float(rare.mean()) if number is None else number
    share = {"all": max(number, _RARE_SHARE), "balanced": (1.0 + number) / 2.0, "rare": 1.0}[favour]
    return np.asarray((1.0 - share) * of_others + share * of_rare)


def best_dial(found: np.ndarray) -> int:
    """Return the first of the positions that are hardly behind the best one.

    Examples
    --------
    >>> best_dial(np.array([0.8, 0.7, 0.8005])), best_dial(np.array([0.8, 0.9, 0.7]))
    (0, 1)
    """
    return int(np.argmax(found >= found.max() - _CLOSE))


def rare_targets(train: Dataset, targets: np.ndarray) -> tuple[np.ndarray, str]:
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
