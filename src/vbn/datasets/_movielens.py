"""MovieLens: what users liked, and the hierarchy genre > director > movie."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vbn.data import File, open_binary, reading
from vbn.datasets._directors import read_directors
from vbn.datasets._interactions import Edge, Interactions, not_empty
from vbn.datasets._movie_taxonomy import movie_edges
from vbn.datasets._reading import Found, Layout, broken, lines_of, named, number, recognise, rows_of, threshold, whole

_LAYOUTS = (
    Layout("dat", ("ratings.dat", "movies.dat")),
    Layout("csv", ("ratings.csv", "movies.csv")),
    Layout("plain", ("ratings.csv", "items.csv")),
)
_INSIDE = ("movies", "ml-1m", "ml-latest-small", "ml-latest", "ml-25m", "ml-32m", "ml-20m", "ml-10M100K")
_YEAR = re.compile(r"\((\d{4})\)\s*$")
_NO_GENRE = "(no genres listed)"


class Movie(NamedTuple):
    """What is known of one movie."""

    title: str
    genres: tuple[str, ...]
    directors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Movies:
    """MovieLens.

    Attributes
    ----------
    interactions : Interactions
        Who liked what, items by MovieLens' numbers; `order` is the time in seconds.
    movies : dict
        A `Movie` (title with year, genres, directors) for each number, liked or not.
    """

    interactions: Interactions
    movies: dict[str, Movie]

    def taxonomy(self, kind: str = "mixed", items: Iterable[str] | None = None) -> list[Edge]:
        """Return weighted edges genre > director > movie.

        Names carry a prefix (``director:``, ``genre:``) so that they meet no item.

        Parameters
        ----------
        kind : {"mixed", "directors", "genres", "tree"}
            "mixed": a movie hangs half under its directors and half under its genres, a director under all genres of
            the listed movies by their share. "directors": the same, but a movie with known directors hangs under them
            only. "genres": movies under genres, no directors. "tree": one parent each, a movie's first director, and
            his most frequent genre (ties by name); without a director, its first genre.
        items : iterable of str, optional
            The movies to place. Default: those of `interactions`.
        """
        return movie_edges(self.movies, self.interactions.items if items is None else items, kind)


def load_movielens(
    folder: str | os.PathLike[str],
    *,
    liked_above: float = 3.5,
    directors: str | os.PathLike[str] | None = None,
) -> Movies:
    r"""Read MovieLens.

    Parameters
    ----------
    folder : path
        Holds ``ratings.dat`` and ``movies.dat`` (1M, 10M), or ``ratings.csv`` and ``movies.csv`` (the later
        releases), or ``ratings.csv`` and ``items.csv`` with the columns user, item, rating, timestamp and item, title,
        year, genres, directors; any of them gzipped or not.
    liked_above : float, default 3.5
        Ratings up to this are left out, as in the paper.
    directors : path, optional
        A table with a header whose columns ``item`` and ``director`` name them, one director a row. Default:
        ``directors.csv`` in the folder, or IMDb's ``title.crew.tsv`` and ``name.basics.tsv`` there, which ``links.csv``
        leads to; without either no directors are known.

    Returns
    -------
    Movies
        The likes, the movies, and a method `taxonomy`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,10,4.5,978300760")
    >>> _ = (folder / "movies.csv").write_text("movieId,title,genres\n10,Heat (1995),Action|Crime")
    >>> movies = load_movielens(folder)
    >>> movies.movies["10"].title
    'Heat (1995)'
    >>> movies.taxonomy()
    [('10', 'genre:Action', 0.5), ('10', 'genre:Crime', 0.5)]
    """
    threshold("liked_above", liked_above)
    found = recognise(folder, "MovieLens", _LAYOUTS, _INSIDE, single=True)
    movies = dict(_MOVIES[found.layout](found))
    known = read_directors(found.folder, directors)
    movies |= {item: movies[item]._replace(directors=names) for item, names in known.items() if item in movies}
    liked = Interactions.collect(row for row in _RATINGS[found.layout](found) if row[2] > liked_above)
    return Movies(not_empty(liked, f"no rating in {found.folder} is above {liked_above}"), movies)


def _dat(path: Path, fields: int, encoding: str) -> Iterator[tuple[int, list[str]]]:
    for line, text in lines_of(path, encoding):
        parts = text.split("::")
        if len(parts) != fields:
            raise broken(path, line, f"has {len(parts)} fields between '::' where there should be {fields}")
        yield line, parts


def _encoding(path: Path) -> str:
    """Tell 1M, whose titles are in Latin-1, from 10M, whose are in UTF-8."""
    file = File(path, "txt", path.suffix == ".gz")
    with reading(file), open_binary(file) as stream:
        content = stream.read()
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def _dat_ratings(found: Found) -> Iterator[tuple[str, str, float, int]]:
    path = found.path("ratings.dat")
    for line, (user, item, rating, time) in _dat(path, 4, "ascii"):
        named(user, item, path, line)
        yield user, item, number(rating, path, line, "the rating"), whole(time, path, line, "the time")


def _dat_movies(found: Found) -> Iterator[tuple[str, Movie]]:
    path = found.path("movies.dat")
    for _, (item, title, genres) in _dat(path, 3, _encoding(path)):
        yield item, Movie(title, _listed(genres))


def _csv_ratings(found: Found) -> Iterator[tuple[str, str, float, int]]:
    path = found.path("ratings.csv")
    for line, (user, item, rating, time) in rows_of(path, "userId", "movieId", "rating", "timestamp"):
        named(user, item, path, line)
        yield user, item, number(rating, path, line, "the rating"), whole(time, path, line, "the time")


def _csv_movies(found: Found) -> Iterator[tuple[str, Movie]]:
    for _, (item, title, genres) in rows_of(found.path("movies.csv"), "movieId", "title", "genres"):
        yield item, Movie(title.strip(), _listed(genres))


def _plain_ratings(found: Found) -> Iterator[tuple[str, str, float, int]]:
    path = found.path("ratings.csv")
    for line, (user, item, rating, time) in rows_of(path, "user", "item", "rating", "timestamp"):
        named(user, item, path, line)
        yield user, item, number(rating, path, line, "the rating"), whole(time or "-1", path, line, "the time")


def _plain_movies(found: Found) -> Iterator[tuple[str, Movie]]:
    columns = ("item", "title", "year", "genres", "directors")
    for _, (item, title, year, genres, directors) in rows_of(found.path("items.csv"), *columns):
        full = f"{title} ({year})" if year and not _YEAR.search(title) else title
        yield item, Movie(full, _listed(genres), _listed(directors))


def _listed(names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names.strip().split("|") if name and name != _NO_GENRE))


_RATINGS = {"dat": _dat_ratings, "csv": _csv_ratings, "plain": _plain_ratings}
_MOVIES = {"dat": _dat_movies, "csv": _csv_movies, "plain": _plain_movies}
