"""The hierarchy genre > director > movie: as a graph with shares, or as a tree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Protocol

from vbn._errors import DataError
from vbn.datasets._interactions import Edge
from vbn.datasets._reading import choice

KINDS = ("mixed", "directors", "genres", "tree")


class Described(Protocol):
    """A movie with genres and directors."""

    @property
    def genres(self) -> tuple[str, ...]:
        """Its genres, in the order of the file."""

    @property
    def directors(self) -> tuple[str, ...]:
        """Its directors, in the order of the file."""


def movie_edges(movies: Mapping[str, Described], items: Iterable[str], kind: str) -> list[Edge]:
    """Return edges (child, parent, weight) for the given items and for the directors that they need."""
    choice("kind", kind, KINDS)
    shares = _genre_shares(movies)
    edges: list[Edge] = []
    for item in items:
        if item not in movies:
            raise DataError(f"the movie {item!r} is rated but not listed among the movies")
        edges += _movie(item, movies[item], kind)
    used = sorted({parent for _, parent, _ in edges if parent in shares})
    return edges + [edge for director in used for edge in _director(director, shares[director], kind)]


def _genre_shares(movies: Mapping[str, Described]) -> dict[str, Counter[str]]:
    """Count the genres of each director's movies, over all listed ones."""
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    for movie in movies.values():
        for director in movie.directors:
            shares[f"director:{director}"].update(f"genre:{genre}" for genre in movie.genres)
    return shares


def _movie(item: str, movie: Described, kind: str) -> list[Edge]:
    directors = [f"director:{name}" for name in movie.directors] if kind != "genres" else []
    genres = [f"genre:{name}" for name in movie.genres]
    if kind == "tree":
        return [(item, parent, 1.0) for parent in (directors or genres)[:1]]
    groups = [directors, genres] if kind == "mixed" else [directors or genres]
    return [(item, parent, 1.0 / len(group)) for group in groups for parent in group]


def _director(director: str, shares: Counter[str], kind: str) -> list[Edge]:
    if kind == "tree":
        return [(director, min(shares, key=lambda genre: (-shares[genre], genre)), 1.0)] if shares else []
    return [(director, genre, float(count)) for genre, count in sorted(shares.items())]
