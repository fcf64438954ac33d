"""Interactions of users with items: how much users liked items, and in which order."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vbn._errors import DataError
from vbn.datasets.reading import at_least

Edge = tuple[str, str, float]
"""Child, parent and weight: what `Dataset.with_taxonomy` takes."""


@dataclass(frozen=True, eq=False)
class Interactions:
    """Pairs of a user and an item, as numbers into two lists of names.

    Attributes
    ----------
    users, items : tuple of str
        Every name that occurs, sorted (numbers by size).
    user, item : ndarray of int64
        The pairs, as positions in `users` and `items`, in the order of the file.
    value : ndarray of float64
        The rating, or 1.
    order : ndarray of int64
        What sorts one user's items, earliest first: seconds, or a position; -1 where it is not known.

    Examples
    --------
    >>> liked = Interactions.collect([("ann", "Heat", 5.0, 20), ("ann", "Casino", 4.0, 10), ("bob", "Heat", 3.0, -1)])
    >>> liked.users, liked.items, len(liked)
    (('ann', 'bob'), ('Casino', 'Heat'), 3)
    >>> liked.baskets()
    {'ann': ['Casino', 'Heat'], 'bob': ['Heat']}
    """

    users: tuple[str, ...]
    items: tuple[str, ...]
    user: NDArray[np.int64]
    item: NDArray[np.int64]
    value: NDArray[np.float64]
    order: NDArray[np.int64]

    @classmethod
    def collect(cls, rows: Iterable[tuple[str, str, float, int]]) -> Interactions:
        """Build them from rows of user, item, value and order."""
        users: dict[str, int] = {}
        items: dict[str, int] = {}
        columns = array("q"), array("q"), array("d"), array("q")
        for user, item, value, order in rows:
            columns[0].append(users.setdefault(user, len(users)))
            columns[1].append(items.setdefault(item, len(items)))
            columns[2].append(value)
            columns[3].append(order)
        user_names, user_place = _sorted(users)
        item_names, item_place = _sorted(items)
        user_ids, item_ids, values, orders = (np.array(column) for column in columns)
        return cls(user_names, item_names, user_place[user_ids], item_place[item_ids], values, orders)

    def __len__(self) -> int:
        return len(self.user)

    def columns(self) -> tuple[list[str], list[str]]:
        """Return two columns of names: ``vbn.Dataset.from_interactions(*liked.columns())``."""
        return [self.users[i] for i in self.user.tolist()], [self.items[j] for j in self.item.tolist()]

    def baskets(self) -> dict[str, list[str]]:
        """Return each user's items, earliest first; those whose order is not known come first, as in the file."""
        found: dict[str, list[str]] = {name: [] for name in self.users}
        for row in np.lexsort((self.order, self.user)).tolist():
            found[self.users[self.user[row]]].append(self.items[self.item[row]])
        return found

    def keep(self, rows: NDArray[np.bool_]) -> Interactions:
        """Return the chosen rows only, and of users and items those that are left."""
        user, item = self.user[rows], self.item[rows]
        kept_users, user = np.unique(user, return_inverse=True)
        kept_items, item = np.unique(item, return_inverse=True)
        return Interactions(
            tuple(self.users[i] for i in kept_users.tolist()),
            tuple(self.items[j] for j in kept_items.tolist()),
            user,
            item,
            self.value[rows],
            self.order[rows],
        )

    def distinct(self) -> Interactions:
        """Keep of each user and item the earliest row only."""
        rows = np.lexsort((self.order, self.item, self.user))
        user, item = self.user[rows], self.item[rows]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (user[1:] != user[:-1]) | (item[1:] != item[:-1])
        kept = np.zeros(len(rows), dtype=bool)
        kept[rows[first]] = True
        return self.keep(kept)

    def most_popular(self, n_items: int) -> Interactions:
        """Keep the items with most rows, ties by name."""
        at_least("n_items", n_items, 1)
        counts = np.bincount(self.item, minlength=len(self.items))
        chosen = np.zeros(len(self.items), dtype=bool)
        chosen[np.argsort(-counts, kind="stable")[:n_items]] = True
        return self.keep(chosen[self.item])

    def sample_users(self, n_users: int, seed: int = 0) -> Interactions:
        """Keep as many users, drawn at random; the same seed draws the same ones."""
        at_least("n_users", n_users, 1)
        chosen = np.zeros(len(self.users), dtype=bool)
        chosen[np.random.default_rng(seed).permutation(len(self.users))[:n_users]] = True
        return self.keep(chosen[self.user])


def not_empty(interactions: Interactions, what: str) -> Interactions:
    """Refuse a data set without any rows."""
    if not len(interactions):
        raise DataError(f"{what}: nothing is left to train on")
    return interactions


def ordered(names: Iterable[str]) -> list[str]:
    """Sort names, by size if all are whole numbers without leading zeros."""
    found = list(names)
    numbers = all(name.isdecimal() and name.isascii() and (name[0] != "0" or name == "0") for name in found)
    return sorted(found, key=int) if numbers else sorted(found)


def _sorted(ids: dict[str, int]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the names in order, and for each old number the new one."""
    names = ordered(ids)
    place = np.empty(len(names), dtype=np.int64)
    place[[ids[name] for name in names]] = np.arange(len(names))
    return tuple(names), place
