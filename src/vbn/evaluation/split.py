"""Divide a data set into one to train on and one to test with."""

from __future__ import annotations

from typing import Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data import Dataset, thinned
from vbn.evaluation.dropped import warn_of_lost

_WAYS = ("random", "time", "last", "user")


def hold_out(data: Dataset, share: float, seed: int = 0, *, by: str = "random") -> tuple[Dataset, Dataset]:
    """Hold out a share of the cells: at random, the latest ones, or those of some users.

    Both parts have the entities of `data` with their ids; an entity that loses all its cells is one without data. If
    more than a fifth of the held-out cells is of such entities, there is a warning. The taxonomies and relations stay
    with the part to train on, times with both.

    Parameters
    ----------
    data
        What to divide.
    share
        Share of the cells (by "user": of the users) to hold out, between 0 and 1.
    seed
        Which cells, where chance decides; the same seed holds out the same.
    by
        - "random": any cells. Where rows and columns are the same entities, the two directions of a pair go the same
          way, so neither can be read off the other.
        - "time": the latest cells of all, as if the model had been trained at that moment. What comes closest to use.
        - "last": the latest cells of each user: this share of theirs, at least one, unless they have only one.
        - "user": all cells of some users, drawn at random. They must be asked about by a list of what they have
          (strong generalisation): `known_and_wanted` divides the held-out part for that.

        "time" and "last" need data with times, `Dataset.from_interactions(..., time=...)`; between equal times, chance
        decides.

    Returns
    -------
    tuple of Dataset
        To train on, and held out.

    Examples
    --------
    >>> import vbn
    >>> data = vbn.Dataset.from_interactions([1, 1, 2, 2], ["tea", "milk", "tea", "milk"], time=[4, 1, 2, 3])
    >>> train, held = hold_out(data, 0.25, by="time")
    >>> train.counts.nnz, held.counts.nnz, held.times
    (3, 1, array([4.]))
    """
    train, test = divided(data, share, seed, by)
    _warn_of_lost(train, test, rows=by != "user")
    return train, test


def divided(data: Dataset, share: float, seed: int, by: str = "random") -> tuple[Dataset, Dataset]:
    """Return the parts of `hold_out`, without a warning."""
    _check_share(share)
    if by not in _WAYS:
        raise ParameterError(f"by must be 'random', 'time', 'last' or 'user', got {by!r}.")
    rng = np.random.default_rng([seed, 0x5E1D])
    held = _HELD[by](data, float(share), rng)
    if not held.any() or held.all():
        raise DataError(f"a share of {share} of {data.counts.nnz} cells leaves none to hold out, or none to train on.")
    return thinned(data, ~held, with_knowledge=True), thinned(data, held, with_knowledge=False)


def known_and_wanted(held: Dataset, share: float = 0.5, seed: int = 0) -> tuple[Dataset, Dataset]:
    """Divide what each held-out user has into what is known of them and what a model should find.

    The share to be found is the latest of each user's cells, or random ones if the data has no times: at least one
    each. Users with a single cell are in neither part.

    Parameters
    ----------
    held
        The held-out part of `hold_out(by="user")`.
    share
        Share of each user's cells to be found, between 0 and 1.
    seed
        Which cells, where chance decides.

    Returns
    -------
    tuple of Dataset
        Known, which is for `evaluate_recommendation(fold_in=...)`, and wanted, whose cells are its pairs.

    Examples
    --------
    >>> import vbn
    >>> rows = [(user, item) for user in range(9) for item in range(6) if user % 3 != item % 3]
    >>> train, held = hold_out(vbn.Dataset.from_interactions(rows), 0.3, by="user")
    >>> known, wanted = known_and_wanted(held)
    >>> model = vbn.VBN(dim=2, epochs=5, verbose=False).fit(train)
    >>> vbn.evaluation.evaluate_recommendation(model, *pairs_of(wanted), fold_in=known)[0]["pairs"]
    6
    """
    _check_share(share)
    rng, cells = np.random.default_rng([seed, 0x5E1E]), held.counts.nnz
    wanted = _last_of_each(held, np.zeros(cells) if held.times is None else held.times, float(share), rng)
    known = ~wanted & (np.diff(held.counts.indptr) > 1)[held.counts.row_ids()]
    return thinned(held, known, with_knowledge=False), thinned(held, wanted, with_knowledge=False)


def pairs_of(data: Dataset) -> tuple[list[str], list[str]]:
    """Return the names of the rows and of the columns of all cells, as the functions that evaluate take them.

    Examples
    --------
    >>> pairs_of(Dataset.from_interactions(["ann", "ben"], ["tea", "milk"]))
    (['ann', 'ben'], ['tea', 'milk'])
    """
    rows, columns = data.counts.row_ids().tolist(), data.counts.indices.tolist()
    return [data.rows[i] for i in rows], [data.columns[j] for j in columns]


def _check_share(share: Any) -> None:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0.0 < share < 1.0:
        raise ParameterError(f"the share to hold out must be between 0 and 1, got {share!r}.")


def _at_random(data: Dataset, share: float, rng: np.random.Generator) -> np.ndarray:
    rows, columns = data.counts.row_ids(), data.counts.indices.astype(np.int64)
    group = np.arange(len(rows))
    if data.shared:
        pair = np.minimum(rows, columns) * len(data.rows) + np.maximum(rows, columns)
        group = np.unique(pair, return_inverse=True)[1].reshape(-1)
    return _drawn(int(group.max(initial=-1)) + 1, share, rng)[group]


def _latest(data: Dataset, share: float, rng: np.random.Generator) -> np.ndarray:
    times = _times(data, "time")
    held = np.zeros(len(times), dtype=bool)
    held[_in_order(times, rng)[len(times) - round(share * len(times)) :]] = True
    return held


def _last(data: Dataset, share: float, rng: np.random.Generator) -> np.ndarray:
    return _last_of_each(data, _times(data, "last"), share, rng)


def _last_of_each(data: Dataset, times: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return which cells are the latest of their row: a share of each row's, at least one, but never all."""
    rows, order = data.counts.row_ids(), _in_order(times, rng)
    order = order[np.argsort(rows[order], kind="stable")]
    sizes = np.diff(data.counts.indptr)
    wanted = np.minimum(np.maximum(np.round(share * sizes), 1), sizes - 1)
    left = data.counts.indptr[1:][rows[order]] - np.arange(len(order))  # from this cell to the user's last
    held = np.zeros(len(order), dtype=bool)
    held[order] = left <= wanted[rows[order]]
    return held


def _of_users(data: Dataset, share: float, rng: np.random.Generator) -> np.ndarray:
    if data.shared:
        raise ParameterError("by='user' needs users in the rows and items in the columns; here both are the same.")
    users = np.flatnonzero(np.diff(data.counts.indptr))
    chosen = np.zeros(len(data.rows), dtype=bool)
    chosen[users[_drawn(len(users), share, rng)]] = True
    return np.asarray(chosen[data.counts.row_ids()])


_HELD = {"random": _at_random, "time": _latest, "last": _last, "user": _of_users}


def _drawn(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return which of n things are drawn."""
    chosen = np.zeros(n, dtype=bool)
    chosen[rng.permutation(n)[: round(share * n)]] = True
    return chosen


def _times(data: Dataset, by: str) -> np.ndarray:
    if data.times is None:
        raise DataError(
            f"the data has no times to hold out by {by!r}; name their column with {{remedy}}.", remedies=[("time",)]
        )
    return data.times


def _in_order(times: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the cells by rising time; between equal times, chance decides."""
    return np.lexsort((rng.permutation(len(times)), times))


def _warn_of_lost(train: Dataset, test: Dataset, *, rows: bool) -> None:
    """Warn of held-out cells whose row or column has nothing to train on."""
    seen_rows, seen_columns = train.counts.row_sums() > 0, train.counts.column_sums() > 0
    if train.shared:
        seen_rows = seen_columns = seen_rows | seen_columns
    lost = ~seen_columns[test.counts.indices]
    if rows:
        lost |= ~seen_rows[test.counts.row_ids()]
    warn_of_lost(int(lost.sum()), test.counts.nnz)
