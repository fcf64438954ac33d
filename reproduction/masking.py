"""Splits of interactions: which pairs are hidden from training and asked for afterwards.

Two items of every user are masked, one at random and the last one; or 5 % of the items lose all their users; or 5 % of
the users are new and tell half of what they have; or what came after a day is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproduction.cache import fingerprint
from reproduction.domains import Domain
from vbn._errors import DataError, ParameterError
from vbn.data import Dataset
from vbn.datasets import Interactions

TRAIN, VALIDATION, TEST, DROPPED, GIVEN = 0, 1, 2, 3, 4
PARTS = ("validation", "test")


def beside_items(user: str) -> str:
    """What a user is called where items are rows too, whose names may be the same numbers.

    Examples
    --------
    >>> beside_items("17")
    'user 17'
    """
    return f"user {user}"


@dataclass(frozen=True, eq=False)
class Masked:
    """Interactions, each with the part that it belongs to.

    Attributes
    ----------
    interactions : Interactions
        Distinct pairs of user and item.
    part : ndarray of int8
        For each pair TRAIN, VALIDATION, TEST, DROPPED, or GIVEN: not trained on, but known when a user is asked. What
        asks for test pairs trains on the validation pairs too.
    implied : sparse matrix, optional
        Of items x items: what follows from each, as `Domain.implied` has it.
    """

    interactions: Interactions
    part: NDArray[np.int8]
    implied: Any = None

    def training(self, which: str = "test") -> NDArray[np.bool_]:
        """Flags of the pairs to train on before the pairs of `which` are asked for."""
        last = VALIDATION if _checked(which) == "test" else TRAIN
        return np.asarray(self.part <= last)

    def known(self, which: str = "test") -> NDArray[np.bool_]:
        """Flags of the pairs that are known when the pairs of `which` are asked for."""
        return np.asarray(self.training(which) | (self.part == GIVEN))

    def not_asked(self, which: str = "test") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Users and items of the pairs that are no candidates, by user: what is known, and what follows from it."""
        known = self.known(which)
        user, item = self.interactions.user[known], self.interactions.item[known]
        if self.implied is not None:
            followers = np.diff(self.implied.indptr)[item]
            starts = np.repeat(self.implied.indptr[item] - np.cumsum(followers) + followers, followers)
            further = self.implied.indices[starts + np.arange(len(starts))]
            keys = np.r_[user, np.repeat(user, followers)] * len(self.interactions.items) + np.r_[item, further]
            user, item = np.divmod(np.unique(keys), len(self.interactions.items))
        order = np.argsort(user, kind="stable")
        return user[order], item[order]

    def cases(self, which: str = "test") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Users and items of the pairs to ask for, by user."""
        held = np.flatnonzero(self.part == (TEST if _checked(which) == "test" else VALIDATION))
        order = held[np.lexsort((self.interactions.item[held], self.interactions.user[held]))]
        return self.interactions.user[order], self.interactions.item[order]

    def counts(self, which: str = "test") -> NDArray[np.int64]:
        """How many users each item has in training."""
        items = self.interactions.item[self.training(which)]
        return np.bincount(items, minlength=len(self.interactions.items))

    def frequency_bin(self, which: str = "test", bins: int = 10) -> NDArray[np.int64]:
        """For each item the tenth of the catalogue that it is in, 0 the least frequent in training; ties by name."""
        counts, names = self.counts(which), self.interactions.items
        order = sorted(range(len(names)), key=lambda item: (counts[item], names[item]))
        result = np.empty(len(names), np.int64)
        result[order] = np.arange(len(names)) * bins // max(len(names), 1)
        return result

    def rare(self, which: str = "test") -> NDArray[np.bool_]:
        """Flags of the fifth of the items that is least frequent in training."""
        return np.asarray(self.frequency_bin(which, 5) == 0)


def mask(interactions: Interactions, least: int = 5, seed: int = 0, validation: bool = True) -> Masked:
    """Mask two items of each user with at least `least` distinct ones: one at random, then the last of the others.

    Where the order of a user's items is not known, the second is random too. Validation takes such a pair again from
    users who then have at least one item left. All other items stay in training.

    Parameters
    ----------
    interactions
        Who had what; of equal pairs the earliest counts.
    least
        Users with fewer items keep all of them. At least 3.
    seed
        The same seed masks the same.
    validation
        Whether to mask a pair for validation as well.

    Examples
    --------
    >>> liked = Interactions.collect([("ann", name, 1.0, time) for time, name in enumerate("abcdefg")])
    >>> masked = mask(liked)
    >>> int(masked.training("validation").sum()), len(masked.cases("validation")[0]), len(masked.cases("test")[0])
    (3, 2, 2)
    """
    if least < 3:
        raise ParameterError(f"least={least!r} must be at least 3: two items are masked and one must stay.")
    distinct = interactions.distinct()
    rng = np.random.default_rng([seed, 0x3A5C])
    part = np.zeros(len(distinct), np.int8)
    for kind, smallest in ((TEST, least), (VALIDATION, 3)) if validation else ((TEST, least),):
        free = part == TRAIN
        if kind == VALIDATION:
            free &= np.isin(distinct.user, distinct.user[part == TEST])
        sizes = np.bincount(distinct.user[free], minlength=len(distinct.users))
        rows = np.flatnonzero(free & (sizes >= smallest)[distinct.user])
        part[_pair(distinct, rows, rng)] = kind
    if not (part == TEST).any():
        raise DataError(f"no user has {least} or more different items, so there is nothing to mask.")
    return Masked(distinct, part)


def cold(interactions: Interactions, share: float = 0.05, seed: int = 0) -> Masked:
    """Take all interactions away from a share of the items; they are what is asked for.

    Pairs of users who have nothing else are dropped: nothing is known to ask with.

    Examples
    --------
    >>> liked = Interactions.collect([(user, item, 1.0, -1) for user in "abc" for item in "wxyz"])
    >>> masked = cold(liked, share=0.25)
    >>> int((masked.counts() == 0).sum()), len(masked.cases()[0])
    (1, 3)
    """
    if not 0.0 < share < 1.0:
        raise ParameterError(f"share={share!r} must lie between 0 and 1.")
    distinct = interactions.distinct()
    n = len(distinct.items)
    chosen = np.zeros(n, dtype=bool)
    chosen[np.random.default_rng([seed, 0xC01D]).permutation(n)[: max(round(share * n), 1)]] = True
    taken = chosen[distinct.item]
    left = np.bincount(distinct.user[~taken], minlength=len(distinct.users))[distinct.user] > 0
    part = np.where(taken, np.where(left, TEST, DROPPED), TRAIN).astype(np.int8)
    if not (part == TEST).any():
        raise DataError("no user has both a cold item and another one: there is nothing to ask for.")
    return Masked(distinct, part)


def cold_users(interactions: Interactions, least: int = 5, share: float = 0.05, seed: int = 0) -> Masked:
    """Keep a share of the users with at least `least` items out of training; half of their items are given.

    The others are asked for. Where the number is odd, the larger half is.

    Examples
    --------
    >>> liked = Interactions.collect([(user, item, 1.0, -1) for user in "abcd" for item in "vwxyz"])
    >>> masked = cold_users(liked, share=0.25)
    >>> int(masked.training().sum()), int((masked.known() & ~masked.training()).sum()), len(masked.cases()[0])
    (15, 2, 3)
    """
    if not 0.0 < share < 1.0:
        raise ParameterError(f"share={share!r} must lie between 0 and 1.")
    distinct = interactions.distinct()
    sizes = np.bincount(distinct.user, minlength=len(distinct.users))
    enough = np.flatnonzero(sizes >= max(least, 2))
    if not len(enough):
        raise DataError(f"no user has {least} or more different items.")
    rng = np.random.default_rng([seed, 0xC05E])
    new = rng.permutation(enough)[: max(round(share * len(enough)), 1)]
    part = np.zeros(len(distinct), np.int8)
    for user in new.tolist():
        own = rng.permutation(np.flatnonzero(distinct.user == user))
        part[own] = TEST
        part[own[: len(own) // 2]] = GIVEN
    return Masked(distinct, part)


def by_time(interactions: Interactions, since: int, until: int | None = None, implied: Any = None) -> Masked:
    """Train on what is older than `since` and ask for what came then, before `until`, of users with older items.

    Pairs that follow from older ones of the user are dropped.

    Examples
    --------
    >>> rows = [("ann", "a", 1.0, 5), ("ann", "b", 1.0, 9), ("ben", "a", 1.0, 9)]
    >>> masked = by_time(Interactions.collect(rows), since=6)
    >>> masked.part.tolist()
    [0, 2, 3]
    """
    distinct = interactions.distinct()
    old = distinct.order < since
    late = ~old & np.isin(distinct.user, distinct.user[old])
    if until is not None:
        late &= distinct.order < until
    part = np.where(old, TRAIN, np.where(late, TEST, DROPPED)).astype(np.int8)
    made = Masked(distinct, part, implied)
    n = len(distinct.items)
    user, item = made.not_asked()
    follows = np.isin(distinct.user * n + distinct.item, user * n + item) & (part == TEST)
    part[follows] = DROPPED
    if not (part == TEST).any():
        raise DataError("no user has both an older and a newer item, so there is nothing to ask for.")
    return Masked(distinct, part, implied)


def thinned(masked: Masked, share: float, seed: int = 0) -> Masked:
    """Keep a share of the users, drawn at random, with what is masked of them; the catalogue stays whole.

    Items that none of them has are candidates all the same. With the same seed a smaller share is part of a larger one.

    Examples
    --------
    >>> liked = Interactions.collect([(user, item + user, 1.0, -1) for user in "abcd" for item in "vwxyz"])
    >>> half = thinned(mask(liked), 0.5)
    >>> len(half.interactions.items), int((half.counts() == 0).sum()), len(half.cases()[0])
    (20, 14, 4)
    """
    if not 0.0 < share <= 1.0:
        raise ParameterError(f"share={share!r} must lie above 0 and be at most 1.")
    n = len(masked.interactions.users)
    chosen = np.zeros(n, dtype=bool)
    chosen[np.random.default_rng([seed, 0x7A12]).permutation(n)[: max(round(share * n), 1)]] = True
    part = np.where(chosen[masked.interactions.user], masked.part, DROPPED).astype(np.int8)
    if not (part == TEST).any():
        raise DataError(f"a share of {share:g} leaves no user with enough items to mask; choose a larger one.")
    return Masked(masked.interactions, part, masked.implied)


def _pair(interactions: Interactions, rows: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Of each user with pairs in `rows`, one of them at random and the last of the others."""
    luck = rng.random(len(rows))
    user, order = interactions.user[rows], interactions.order[rows]
    picked = _first_of_each(user, luck)
    free = np.ones(len(rows), dtype=bool)
    free[picked] = False
    others = np.flatnonzero(free)
    last = _first_of_each(user[others], -order[others], luck[others])
    return np.concatenate([rows[picked], rows[others[last]]])


def _first_of_each(user: NDArray[np.int64], *keys: NDArray) -> NDArray[np.int64]:
    """Places of each user's entry with the smallest keys."""
    order = np.lexsort((*reversed(keys), user))
    opens = np.ones(len(order), dtype=bool)
    opens[1:] = user[order][1:] != user[order][:-1]
    return np.asarray(order[opens])


def _checked(which: str) -> str:
    if which not in PARTS:
        raise ParameterError(f"which must be 'validation' or 'test', got {which!r}.")
    return which


USERS, ITEMS, BOTH = "users x items", "items x items", "users and items x items"


@dataclass(eq=False)
class Split:
    """A domain, what is masked of it, and the part that is asked for.

    Attributes
    ----------
    domain, masked, which
        What is split, how, and "test" or "validation".
    label : str
        What to call it in messages.
    examples : tuple of str
        Items whose neighbours are to be shown.
    cold : bool
        Whether the targets are items without any data.
    by_list : bool
        Whether users are asked about by the list of what is known of them: training has not seen them.
    """

    domain: Domain
    masked: Masked
    which: str
    label: str
    examples: tuple[str, ...] = ()
    cold: bool = False
    by_list: bool = False
    _made: dict[tuple[str, str | None, str | float, bool], Dataset] = field(default_factory=dict)

    @cached_property
    def hash(self) -> str:
        """What identifies the data to train on and to ask for."""
        return fingerprint([self.domain.hash, self.masked.part, self.which])

    def data(
        self, setting: str, taxonomy: str | None = None, weight: str | float = "auto", text: bool = False
    ) -> Dataset:
        """What to train on.

        Parameters
        ----------
        setting
            `USERS`, `ITEMS` or `BOTH`.
        taxonomy
            Name of one of the domain's taxonomies; None for counts alone.
        weight
            How much evidence a basket is: "auto", "none" (every pair counts 1) or with how many others an item counts.
        text
            Whether the domain's texts come with it; then items without data are entities also where no taxonomy names
            them.
        """
        key = (setting, taxonomy, weight, text)
        if key not in self._made:
            if text:
                made = self._told(self.data(setting, taxonomy, weight))
            elif taxonomy is None:
                made = self._counted(setting, None if weight == "none" else weight)
            else:
                edges = self.domain.edges(taxonomy)
                made = self.data(setting, None, weight).with_taxonomy(edges)
                if setting == BOTH:
                    made = made.with_taxonomy(edges, side="row")
            self._made[key] = made
        return self._made[key]

    def _told(self, data: Dataset) -> Dataset:
        columns = data.columns.extend(self.domain.interactions.items)
        if columns is not data.columns:
            rows = columns if data.shared else data.rows
            data = Dataset(rows, columns, data.counts.resized((len(rows), len(columns))), kind=data.kind)
        return data.with_text({name: text for name, text in self.domain.texts.items() if name in columns})

    def _counted(self, setting: str, weight: str | float | None) -> Dataset:
        kept = self.masked.interactions.keep(self.masked.training(self.which))
        if setting == ITEMS:
            return Dataset.from_baskets(list(kept.baskets().values()), weight=weight)
        users, *others = kept.columns()
        if setting == USERS:
            return Dataset.from_interactions(users, *others)
        people = Dataset.from_interactions([beside_items(user) for user in users], *others)
        return people.with_co_occurrences(basket_weight=weight)
