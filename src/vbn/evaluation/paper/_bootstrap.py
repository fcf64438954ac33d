"""Paired bootstrap by user: whether one model is ahead of another, level with it or behind."""

from __future__ import annotations

import numpy as np

RESAMPLES = 10_000
_AT_ONCE = 200  # resamples whose weights are held at a time


def intervals(
    user: np.ndarray, differences: np.ndarray, resamples: int = RESAMPLES, seed: int = 0, level: float = 0.95
) -> np.ndarray:
    """Mean of differences of two models over the same cases, and the interval that the bootstrap gives it.

    Users are drawn, not cases: the cases of a user are alike.

    Parameters
    ----------
    user
        Whose case it is, for each case.
    differences
        Of shape (cases, comparisons).
    resamples, seed
        How often users are drawn anew, and the seed of that.
    level
        Share of the resamples within the interval.

    Returns
    -------
    ndarray of shape (comparisons, 3)
        Mean difference, lower and upper end.

    Examples
    --------
    >>> differences = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, -1.0]])
    >>> intervals(np.array([0, 1, 2]), differences, resamples=100)[0].tolist()
    [1.0, 1.0, 1.0]
    """
    code = np.unique(user, return_inverse=True)[1].reshape(-1)
    n = int(code.max()) + 1
    sums = np.stack([np.bincount(code, column, minlength=n) for column in differences.T], axis=1)
    return intervals_of_sums(sums, np.bincount(code, minlength=n), resamples, seed, level)


def intervals_of_sums(
    sums: np.ndarray, cases: np.ndarray, resamples: int = RESAMPLES, seed: int = 0, level: float = 0.95
) -> np.ndarray:
    """The same from the sum of each user's differences, of shape (users, comparisons), and his number of cases.

    Examples
    --------
    >>> intervals_of_sums(np.array([[2.0], [1.0]]), np.array([2, 1]), resamples=100).tolist()
    [[1.0, 1.0, 1.0]]
    """
    with_cases = np.concatenate([sums, cases[:, None]], axis=1)[cases > 0]
    rng = np.random.default_rng([seed, 0xB007])
    drawn = np.concatenate(
        [_totals(rng, with_cases, min(_AT_ONCE, resamples - first)) for first in range(0, resamples, _AT_ONCE)]
    )
    means = drawn[:, :-1] / drawn[:, -1:]
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.stack([sums.sum(axis=0) / cases.sum(), low, high], axis=1)


def _totals(rng: np.random.Generator, sums: np.ndarray, times: int) -> np.ndarray:
    """Totals over users drawn with replacement, some times over."""
    n = len(sums)
    places = rng.integers(0, n, (times, n)) + np.arange(times)[:, None] * n
    weights = np.bincount(places.reshape(-1), minlength=times * n).reshape(times, n)
    return np.asarray(weights @ sums)


def verdict(low: float, high: float) -> str:
    """Say "ahead", "behind", or "level" where the interval contains 0.

    Examples
    --------
    >>> verdict(0.1, 0.4), verdict(-0.1, 0.4), verdict(-0.4, -0.1)
    ('ahead', 'level', 'behind')
    """
    if low > 0:
        return "ahead"
    return "behind" if high < 0 else "level"
