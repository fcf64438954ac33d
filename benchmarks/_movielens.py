"""MovieLens: liked items, the hierarchy genre > director > movie, and the masking of two items a user."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

LIKED_ABOVE = 3.5
MIN_ITEMS = 5


@dataclass(frozen=True)
class Likes:
    """Liked (user, item) pairs as ids, with time stamps where there are any (else -1)."""

    users: list[str]
    items: list[str]
    user: np.ndarray
    item: np.ndarray
    time: np.ndarray


@dataclass(frozen=True)
class Masked:
    """One masking: what is left to train on, and the (user, item) pairs to find again."""

    user: np.ndarray
    item: np.ndarray
    test_user: np.ndarray
    test_item: np.ndarray


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as handle:
        yield from csv.DictReader(handle)


def read_likes(folder: Path) -> Likes:
    """Return what users rated above 3.5; the catalogue is every item that somebody liked."""
    liked = [
        (row["user"], row["item"], int(row["timestamp"] or -1))
        for row in _rows(folder / "ratings.csv.gz")
        if float(row["rating"]) > LIKED_ABOVE
    ]
    users = sorted({user for user, _, _ in liked}, key=int)
    items = sorted({item for _, item, _ in liked}, key=int)
    user_id = {name: number for number, name in enumerate(users)}
    item_id = {name: number for number, name in enumerate(items)}
    return Likes(
        users,
        items,
        np.array([user_id[user] for user, _, _ in liked]),
        np.array([item_id[item] for _, item, _ in liked]),
        np.array([time for _, _, time in liked]),
    )


def movie_taxonomy(folder: Path, items: list[str]) -> list[tuple[str, str, float]]:
    """Return weighted edges genre > director > movie.

    A movie hangs half under its directors and half under its genres, a director under all genres of the listed movies
    by their share. Names carry a prefix (``director:``, ``genre:``) so that they meet no item.
    """
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    parents: dict[str, tuple[list[str], list[str]]] = {}
    for row in _rows(folder / "items.csv.gz"):
        genres = [f"genre:{name}" for name in row["genres"].split("|") if name]
        directors = [f"director:{name}" for name in row["directors"].split("|") if name]
        for director in directors:
            shares[director].update(genres)
        parents[row["item"]] = directors, genres
    edges = []
    for item in items:
        for group in parents.get(item, ()):
            edges += [(item, parent, 1.0 / len(group)) for parent in group]
    used = sorted({parent for _, parent, _ in edges if parent in shares})
    edges += [(name, genre, float(count)) for name in used for genre, count in sorted(shares[name].items())]
    return edges


def mask(likes: Likes, seed: int) -> Masked:
    """Mask two items of each user with at least five: one at random, and the last one by time.

    Where a user has no time stamps the second is random too; of several items with the last time stamp one
    is drawn. The other masked item stays a candidate when one is searched.
    """
    rng = np.random.default_rng(seed)
    order = np.argsort(likes.user, kind="stable")
    bounds = np.searchsorted(likes.user[order], np.arange(len(likes.users) + 1))
    hidden = np.zeros(len(order), dtype=bool)
    for start, end in itertools.pairwise(bounds.tolist()):
        if end - start < MIN_ITEMS:
            continue
        rows = rng.permutation(order[start:end])
        first, rest = rows[0], rows[1:]
        last = rest[np.argmax(likes.time[rest])]  # all -1 without time stamps: then the first, at random
        hidden[[first, last]] = True
    return Masked(likes.user[~hidden], likes.item[~hidden], likes.user[hidden], likes.item[hidden])
