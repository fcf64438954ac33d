"""How high a model ranks what was hidden from it, among the whole catalogue less what the user is known to have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.baselines import Scorer
from vbn.evaluation.paper._masking import Masked, beside_items

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
    >>> from vbn.evaluation.paper._masking import mask
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
    scorer: Scorer, masked: Masked, which: str = "test", asking: Asking | None = None, offsets: Any = None,
    among: Any = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
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
    from vbn.kernels.above import count_above

    known = masked.training(which)
    asked = _Asked(scorer, masked, known, asking or Asking())
    users, items = masked.cases(which)
    extra = np.zeros((1, len(asked.place)))
    if offsets is not None:
        extra = np.ascontiguousarray(np.asarray(offsets, dtype=np.float64)[:, asked.place])
    allowed = np.ones(len(asked.place), dtype=bool) if among is None else np.asarray(among)
    counted = known & allowed[masked.interactions.item]
    sizes = np.bincount(masked.interactions.user[counted], minlength=len(masked.interactions.users))
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


class _Asked:
    """A scorer as an array of scores of users x the items of the catalogue; nan for what a user is known to have."""

    def __init__(self, scorer: Scorer, masked: Masked, known: np.ndarray, asking: Asking) -> None:
        data, columns = masked.interactions, scorer.columns
        self.scorer, self.asking, self.data = scorer, asking, data
        place = np.array([columns.id(item) if item in columns else -1 for item in data.items], dtype=np.int64)
        unseen = np.bincount(data.item[known], minlength=len(data.items)) == 0
        self.last = (place < 0) | (unseen & (not asking.prior))
        self.place = np.maximum(place, 0)
        rows = np.flatnonzero(known)
        rows = rows[np.argsort(data.user[rows], kind="stable")]
        self.items = data.item[rows]
        self.bounds = np.searchsorted(data.user[rows], np.arange(len(data.users) + 1))

    def scores(self, users: np.ndarray) -> np.ndarray:
        own = [self.items[self.bounds[user] : self.bounds[user + 1]] for user in users]
        if self.asking.query == "items":
            queries: list[Any] = [[self.data.items[item] for item in mine] for mine in own]
        else:
            queries = [self.asking.row(self.data.users[user]) for user in users]
        found = np.ascontiguousarray(np.asarray(self.scorer.scores(queries), dtype=np.float64)[:, self.place])
        if not np.isfinite(found).all():
            raise DataError(f"{type(self.scorer).__name__} gave scores that are not finite numbers.")
        found[:, self.last] = -np.inf
        for row, mine in enumerate(own):
            found[row, mine] = np.nan
        return found
