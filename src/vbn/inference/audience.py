"""Who may like an item: all rows ranked for one column, by the same scores that rank columns for a row."""

from __future__ import annotations

import numpy as np

from vbn.data import Counts
from vbn.inference.neighbours import top
from vbn.inference.ranking import RANK_BY, Dial
from vbn.inference.table import Table
from vbn.kernels import logit
from vbn.model import Trained

_ROWS = 1 << 18  # whose scores are computed at a time


def audience(
    trained: Trained, column: int, k: int, allowed: np.ndarray, dial: Dial, rank_by: str = "probability"
) -> Table:
    """Rank the allowed rows (a mask) for a column, and return the first k with probability and standard deviation."""
    mean, variance = _moments(trained, np.flatnonzero(allowed), column)
    caution, scores = RANK_BY[rank_by], np.full(len(allowed), -np.inf)
    added = float(dial.added(trained.profile)[column]) if dial else 0.0
    rows = np.flatnonzero(allowed)
    bases = trained.bases(trained.row_active[rows])
    scores[rows] = logit(mean, variance, bases) if caution < 0 else mean - caution * np.sqrt(variance)
    best = top(scores, allowed, k)
    at = np.searchsorted(rows, best)
    link, measure = trained.link, "p" if not dial and rank_by == "probability" else "score"
    p, std = link.calibrated(scores[best] + added), link.std(mean[at] + added, variance[at])
    return Table.of(trained.rows, best, p, std, measure, query=trained.columns[column])


def rows_with(counts: Counts, column: int) -> np.ndarray:
    """Return the rows that were seen with a column."""
    return np.asarray(np.searchsorted(counts.indptr, np.flatnonzero(counts.indices == column), side="right") - 1)


def _moments(trained: Trained, rows: np.ndarray, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of the scores of some rows with a column."""
    mean, variance = np.empty(len(rows)), np.empty(len(rows))
    for first in range(0, len(rows), _ROWS):
        part = rows[first : first + _ROWS]
        found = trained.cooccurrence.pair_moments(part, np.full(len(part), column))
        mean[first : first + _ROWS], variance[first : first + _ROWS] = found
    return mean, variance
