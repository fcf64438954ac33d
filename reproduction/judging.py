"""How high a model ranks what was hidden from it, the figures of these ranks, and their bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.masking import Masked, beside_items
from vbn._errors import DataError, ParameterError
from vbn.baselines import Scorer

_AT_ONCE = 128  # users whose scores are held at a time


@dataclass(frozen=True)
class Asking:
    """How a model is asked.

    Attributes
    ----------
    query : "row", "items" or "both"
        By the name of the user, whom training has seen, by the items that he is known to have, or half by either.
    prior : bool
        Whether the model has a score for items without any data, from its taxonomy. Where not, they come last, in a
        tie.
    """

    query: str = "row"
    prior: bool = False

    def __post_init__(self) -> None:
        if self.query not in ("row", "items", "both"):
            raise ParameterError(f"query={self.query!r} is none of 'row', 'items' and 'both'.")

    def row(self, user: str) -> str:
        """The row of a user."""
        return beside_items(user) if self.query == "both" else user


def percentiles(scorer: Scorer, masked: Masked, which: str = "test", asking: Asking | None = None) -> np.ndarray:
    """For each case of `masked.cases(which)` the share of the other candidates that rank above it; ties count half.

    Parameters
    ----------
    scorer
        A fitted model, or `as_scorer(model)`.
    masked
        The split that it was trained on.
    which
        "test" or "validation".
    asking
        How to ask it.

    Examples
    --------
    >>> import vbn
    >>> from vbn.datasets import Interactions
    >>> from reproduction.masking import mask
    >>> rows = [(user, item, 1.0, -1) for user in "abcd" for item in "rstuvw"] + [("a", "q", 1.0, -1)]
    >>> masked = mask(Interactions.collect(rows), validation=False)
    >>> liked = masked.interactions.keep(masked.training())
    >>> popular = vbn.Popularity().fit(vbn.Dataset.from_interactions(*liked.columns()))
    >>> percentiles(popular, masked).shape
    (8,)
    """
    above, others = ranks(scorer, masked, which, asking)
    return np.asarray(above[0] / np.maximum(others, 1))


def ranks(
    scorer: Scorer,
    masked: Masked,
    which: str = "test",
    asking: Asking | None = None,
    offsets: Any = None,
    among: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """How many candidates rank above each case, ties counting half, and how many other candidates there are.

    Parameters
    ----------
    scorer, masked, which, asking
        As for `percentiles`.
    offsets
        What is added to the scores of the scorer's columns, one row for each variant to judge; default: nothing.
    among
        Flags of the only items that are candidates, all targets among them; default: the whole catalogue.

    Returns
    -------
    tuple of ndarray
        Of shapes (variants, cases) and (cases,).
    """
    from reproduction.kernels import count_above

    asked = _Asked(scorer, masked, which, asking or Asking())
    users, items = masked.cases(which)
    extra = np.zeros((1, len(asked.place)))
    if offsets is not None:
        extra = np.ascontiguousarray(np.asarray(offsets, dtype=np.float64)[:, asked.place])
    allowed = np.ones(len(asked.place), dtype=bool) if among is None else np.asarray(among)
    sizes = np.bincount(asked.owner[allowed[asked.hidden]], minlength=len(masked.interactions.users))
    above = np.empty((len(extra), len(users)))
    everybody = np.unique(users)
    for first in range(0, len(everybody), _AT_ONCE):
        block = everybody[first : first + _AT_ONCE]
        cases = slice(np.searchsorted(users, block[0]), np.searchsorted(users, block[-1], side="right"))
        rows = np.searchsorted(block, users[cases])
        scores = asked.scores(block)
        scores[:, ~allowed] = np.nan
        for variant, added in enumerate(extra):
            count_above(scores, added, rows, items[cases], above[variant, cases])
    return above, (allowed.sum() - sizes[users] - 1).astype(np.float64)


TOP, _MOST_LISTS = 10, 1000


def never_seen(scorer: Scorer, masked: Masked, asking: Asking, added: Any = None) -> dict[str, float]:
    """How often items that nobody has in training stand in the first ten of the users who are asked, in per cent.

    Parameters
    ----------
    scorer, masked, asking
        As for `percentiles`; the first `_MOST_LISTS` users with a test case are asked.
    added
        What is added to the scores of the scorer's columns.

    Returns
    -------
    dict
        "in_top_tens", and "in_catalogue" their share of all items.
    """
    asked = _Asked(scorer, masked, "test", asking)
    unseen = masked.counts() == 0
    users = np.unique(masked.cases()[0])[:_MOST_LISTS]
    extra = np.zeros(len(asked.place)) if added is None else np.asarray(added, dtype=np.float64)[asked.place]
    k = min(TOP, len(unseen))
    hits = 0
    for first in range(0, len(users), _AT_ONCE):
        scores = np.nan_to_num(asked.scores(users[first : first + _AT_ONCE]) + extra, nan=-np.inf, neginf=-np.inf)
        hits += int(unseen[np.argpartition(-scores, k - 1, axis=1)[:, :k]].sum())
    return {"in_top_tens": 100.0 * hits / (k * len(users)), "in_catalogue": 100.0 * float(unseen.mean())}


class _Asked:
    """A scorer as an array of scores of users x the items of the catalogue; nan for what is not asked of a user."""

    def __init__(self, scorer: Scorer, masked: Masked, which: str, asking: Asking) -> None:
        data, columns = masked.interactions, scorer.columns
        self.scorer, self.asking, self.data = scorer, asking, data
        place = np.array([columns.id(item) if item in columns else -1 for item in data.items], dtype=np.int64)
        unseen = masked.counts(which) == 0
        self.last = (place < 0) | (unseen & (not asking.prior))
        self.place, self.there = np.maximum(place, 0), (place >= 0) | ~unseen
        rows = np.flatnonzero(masked.known(which))
        rows = rows[np.argsort(data.user[rows], kind="stable")]
        self.items = data.item[rows]
        self.bounds = np.searchsorted(data.user[rows], np.arange(len(data.users) + 1))
        self.owner, self.hidden = masked.not_asked(which)
        self.hides = np.searchsorted(self.owner, np.arange(len(data.users) + 1))

    def scores(self, users: np.ndarray) -> np.ndarray:
        if self.asking.query == "items":
            own = [self.items[self.bounds[user] : self.bounds[user + 1]] for user in users]
            queries: list[Any] = [[self.data.items[item] for item in mine if self.there[item]] for mine in own]
        else:
            queries = [self.asking.row(self.data.users[user]) for user in users]
        asked = np.array([len(query) > 0 for query in queries])
        found = np.zeros((len(queries), len(self.place)))  # a tie for users of whom the model knows nothing
        if asked.any():
            given = [query for query in queries if len(query)]
            found[asked] = np.asarray(self.scorer.scores(given), dtype=np.float64)[:, self.place]
        if not np.isfinite(found).all():
            raise DataError(f"{type(self.scorer).__name__} gave scores that are not finite numbers.")
        found[:, self.last] = -np.inf
        for row, user in enumerate(users):
            found[row, self.hidden[self.hides[user] : self.hides[user + 1]]] = np.nan
        return found


def hit_in_tenth(above: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether fewer than a tenth of the other candidates rank above."""
    return np.asarray(above < 0.1 * others, dtype=np.float64)


def percentile(above: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Share of the other candidates that do not rank above."""
    return np.asarray(1.0 - above / np.maximum(others, 1.0))


def hit_in_ten(above: np.ndarray, others: np.ndarray) -> np.ndarray:  # noqa: ARG001 - all figures are called alike
    """Whether it is among the first ten."""
    return np.asarray(above < 10, dtype=np.float64)


def gain_in_ten(above: np.ndarray, others: np.ndarray) -> np.ndarray:  # noqa: ARG001
    """1 / log2(2 + rank) within the first ten: NDCG@10 of a list that has one right answer."""
    return np.asarray(np.where(above < 10, 1.0 / np.log2(2.0 + above), 0.0))


FIGURES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "HR@10%": hit_in_tenth,
    "MPR": percentile,
    "HR@10": hit_in_ten,
    "NDCG@10": gain_in_ten,
}
"""What one case contributes to each figure."""

MAIN = ("HR@10%", "MPR")
"""The paper's."""


def contributions(name: str, above: np.ndarray, others: np.ndarray) -> np.ndarray:
    """What each case contributes to a figure, times 100.

    Examples
    --------
    >>> contributions("MPR", np.array([0.0, 50.0]), np.array([100.0, 100.0])).tolist()
    [100.0, 50.0]
    """
    return 100.0 * FIGURES[name](above, others)


RESAMPLES = 10_000
_RESAMPLES_AT_ONCE = 200  # resamples whose weights are held at a time


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
        How often users are resampled, and the seed of that.
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
        [
            _totals(rng, with_cases, min(_RESAMPLES_AT_ONCE, resamples - first))
            for first in range(0, resamples, _RESAMPLES_AT_ONCE)
        ]
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
