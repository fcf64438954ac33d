"""Metrics as plain functions of arrays: of probabilities, of ranks, of lists of answers, of two scores.

A rank counts the candidates above an item (0 is the top); those that tie with it count half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from vbn._errors import DataError


def mean_log_probability(p: ArrayLike, outcome: ArrayLike, weights: ArrayLike | None = None) -> float:
    """Return the mean log of the probability that was given to what happened; 0 is perfect.

    Parameters
    ----------
    p
        Predicted probabilities of an outcome of 1.
    outcome
        1 or 0 for each.
    weights
        How much each counts; 1 by default.

    Examples
    --------
    >>> round(mean_log_probability([0.5, 0.25], [1, 0]), 4)
    -0.4904
    """
    p, outcome, weights = _columns(p, outcome, weights)
    given = np.maximum(np.where(outcome > 0, p, 1.0 - p), np.finfo(np.float64).tiny)
    return float(weights @ np.log(given) / weights.sum())


def calibration_error(p: ArrayLike, outcome: ArrayLike, weights: ArrayLike | None = None, bins: int = 10) -> float:
    """Return the expected calibration error: how far predicted and observed frequencies differ, in equal-width bins.

    Examples
    --------
    >>> round(calibration_error([0.9, 0.9, 0.1, 0.1], [1, 0, 0, 0]), 3)
    0.25
    """
    p, outcome, weights = _columns(p, outcome, weights)
    place = np.minimum((p * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(place, weights * (outcome - p), minlength=bins)
    return float(np.abs(gaps).sum() / weights.sum())


def area_under_curve(
    positive: ArrayLike, negative: ArrayLike, weights: tuple[ArrayLike, ArrayLike] | None = None
) -> float:
    """Return the probability that a positive scores above a negative (area under the ROC curve); ties count half.

    Examples
    --------
    >>> area_under_curve([0.9, 0.4], [0.4, 0.1])
    0.875
    """
    plus, minus = np.asarray(positive, dtype=np.float64), np.asarray(negative, dtype=np.float64)
    if not len(plus) or not len(minus):
        raise DataError("an area under the curve needs positives and negatives.")
    of_plus, of_minus = (np.ones(len(plus)), np.ones(len(minus))) if weights is None else map(np.asarray, weights)
    order = np.argsort(minus, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(of_minus[order])])
    strictly = below[np.searchsorted(minus[order], plus, side="left")]
    at_most = below[np.searchsorted(minus[order], plus, side="right")]
    return float(of_plus @ (strictly + at_most) / 2.0 / (of_plus.sum() * of_minus.sum()))


def hit_rate(ranks: ArrayLike, k: ArrayLike) -> float:
    """Return the share of held-out items ranked among the first k: one number, or one for each item.

    It is a mean over items; with one held-out item for each user it is also the share of users with a hit.

    Examples
    --------
    >>> hit_rate([0, 3, 40], k=10) == 2 / 3
    True
    """
    return float(np.mean(_ranks(ranks) < np.asarray(k)))


def mean_percentile_rank(ranks: ArrayLike, candidates: ArrayLike) -> float:
    """Return one minus the mean share of other candidates ranked above an item: 1 is perfect, 0.5 is chance.

    Examples
    --------
    >>> mean_percentile_rank([0, 5], candidates=11)
    0.75
    """
    others = np.maximum(np.asarray(candidates, dtype=np.float64) - 1.0, 1.0)
    return float(1.0 - np.mean(_ranks(ranks) / others))


def recall(ranks: ArrayLike, users: ArrayLike, k: int) -> float:
    """Return the share of a user's held-out items among the first k, averaged over users.

    Examples
    --------
    >>> recall([0, 20, 2], users=["ann", "ann", "bob"], k=10)
    0.75
    """
    code = _codes(users)
    found = np.bincount(code, _ranks(ranks) < k)
    return float(np.mean(found / np.bincount(code)))


def precision(ranks: ArrayLike, users: ArrayLike, k: int) -> float:
    """Return the share of a user's first k that are held-out items, averaged over users.

    Examples
    --------
    >>> precision([0, 20, 2], users=["ann", "ann", "bob"], k=10)
    0.1
    """
    code = _codes(users)
    return float(np.mean(np.bincount(code, _ranks(ranks) < k) / k))


def mean_average_precision(ranks: ArrayLike, users: ArrayLike, k: int) -> float:
    """Return the average precision of each user's first k, averaged over users.

    For each held-out item among the first k it takes the precision down to that item; the sum is divided by the number
    of the user's held-out items, also where there are more than k, as trec_eval does.

    Examples
    --------
    >>> round(mean_average_precision([0, 2], users=["ann", "ann"], k=10), 4)
    0.8333
    """
    code, places = _codes(users), _ranks(ranks)
    order = np.lexsort((places, code))
    code, places = code[order], places[order]
    start = np.searchsorted(code, code)  # where the items of the same user begin
    key = np.unique(np.stack([code, places]), axis=1, return_inverse=True)[1].reshape(-1)
    first, last = np.searchsorted(key, key), np.searchsorted(key, key, side="right") - 1
    own = (first + last) / 2.0 - start  # rank among the user's own items, ties half
    gains = np.where(places < k, (own + 1.0) / (places + 1.0), 0.0)
    return float(np.mean(np.bincount(code, gains) / np.bincount(code)))


def coverage(lists: ArrayLike, catalogue: int) -> float:
    """Return the share of a catalogue that is in at least one of the lists of answers.

    Examples
    --------
    >>> coverage([["tea", "milk"], ["tea", "beer"]], catalogue=4)
    0.75
    """
    return len(np.unique(np.asarray(lists))) / catalogue


def share_of_places(lists: ArrayLike, entities: ArrayLike) -> float:
    """Return the share of all places in the lists of answers that go to some entities.

    Examples
    --------
    >>> share_of_places([["tea", "milk"], ["tea", "beer"]], ["tea", "cocoa"])
    0.5
    """
    places = np.asarray(lists).reshape(-1)
    if not len(places):
        raise DataError("there are no lists of answers to look at.")
    return float(np.mean(np.isin(places, np.asarray(entities))))


def ndcg(ranks: ArrayLike, users: ArrayLike, k: int) -> float:
    """Return the normalised discounted cumulative gain of each user's first k, averaged over users.

    Examples
    --------
    >>> round(ndcg([0, 2], users=["ann", "ann"], k=10), 4)
    0.9197
    """
    code, places = _codes(users), _ranks(ranks)
    gains = np.where(places < k, 1.0 / np.log2(places + 2.0), 0.0)
    best = np.cumsum(1.0 / np.log2(np.arange(k) + 2.0))
    ideal = best[np.minimum(np.bincount(code), k) - 1]
    return float(np.mean(np.bincount(code, gains) / ideal))


def spearman(left: ArrayLike, right: ArrayLike) -> float:
    """Return the rank correlation of two scores; ties get the mean of their ranks.

    Examples
    --------
    >>> spearman([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    """
    from scipy.stats import rankdata

    a, b = rankdata(left), rankdata(right)
    if len(a) != len(b) or len(a) < 2:
        raise DataError("a rank correlation needs two columns of the same length, of at least two entries.")
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        raise DataError("a rank correlation is not defined where all scores of a column are equal.")
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def _columns(p: ArrayLike, outcome: ArrayLike, weights: ArrayLike | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second = np.asarray(p, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
    third = np.ones(len(first)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not len(first) or not len(first) == len(second) == len(third):
        raise DataError("probabilities, outcomes and weights must be columns of one length, and not empty.")
    return first, second, third


def _ranks(ranks: ArrayLike) -> np.ndarray:
    result = np.asarray(ranks, dtype=np.float64)
    if not len(result):
        raise DataError("there are no ranks to average.")
    return result


def _codes(users: ArrayLike) -> np.ndarray:
    return np.asarray(np.unique(np.asarray(users), return_inverse=True)[1]).reshape(-1)
