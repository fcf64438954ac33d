"""MovieLens' ratings and movies, their directors (from a table or from IMDb), and taxonomies over them."""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vbn._errors import DataError
from vbn.data import File, open_binary, reading
from vbn.datasets.interactions import Edge, Interactions, not_empty
from vbn.datasets.reading import (
    Found,
    Layout,
    broken,
    choice,
    lines_of,
    named,
    number,
    optional,
    recognise,
    rows_of,
    threshold,
    whole,
)

_NOBODY = "\\N"  # how IMDb writes a missing value


def read_directors(folder: Path, table: str | os.PathLike[str] | None) -> dict[str, tuple[str, ...]]:
    """Return the directors of each item: of the table if one is given, else of what lies in the folder."""
    if table is not None and not Path(table).is_file():
        raise DataError(f"no such file: {table}; directors must name a table with the columns item and director")
    given = optional(folder, "directors.csv") if table is None else Path(table)
    if given is not None:
        return _from_table(given)
    files = {name: optional(folder, name) for name in ("title.crew.tsv", "name.basics.tsv", "links.csv")}
    crew, names, links = files.values()
    if crew is None and names is None:
        return {}
    if crew is None or names is None or links is None:
        missing = ", ".join(name for name, path in files.items() if path is None)
        raise DataError(f"directors from IMDb need {missing} in {folder} too")
    return _from_imdb(crew, names, links)


def _from_table(path: Path) -> dict[str, tuple[str, ...]]:
    delimiter = "\t" if path.name.removesuffix(".gz").endswith(".tsv") else ","
    found: dict[str, list[str]] = defaultdict(list)
    for _, (item, director) in rows_of(path, "item", "director", delimiter=delimiter):
        if director.strip():
            found[item.strip()].append(director.strip())
    return {item: tuple(dict.fromkeys(directors)) for item, directors in found.items()}


def _from_imdb(crew: Path, names: Path, links: Path) -> dict[str, tuple[str, ...]]:
    """Follow item -> title -> persons -> names; only what the links need is kept in memory."""
    title_of = {
        item: f"tt{whole(imdb, links, line, 'the number of IMDb'):07d}"
        for line, (item, imdb) in rows_of(links, "movieId", "imdbId")
        if imdb
    }
    wanted = set(title_of.values())
    persons_of = {
        title: persons.split(",")
        for _, (title, persons) in rows_of(crew, "tconst", "directors", delimiter="\t")
        if title in wanted and persons not in ("", _NOBODY)
    }
    needed = {person for persons in persons_of.values() for person in persons}
    name_of = {
        person: name
        for _, (person, name) in rows_of(names, "nconst", "primaryName", delimiter="\t")
        if person in needed and name != _NOBODY
    }
    return {
        item: tuple(dict.fromkeys(name_of[person] for person in persons_of[title] if person in name_of))
        for item, title in title_of.items()
        if title in persons_of
    }


KINDS = ("mixed", "directors", "genres", "tree")


class Movie(NamedTuple):
    """What is known of one movie."""

    title: str
    genres: tuple[str, ...]
    directors: tuple[str, ...] = ()


def movie_edges(movies: Mapping[str, Movie], items: Iterable[str], kind: str) -> list[Edge]:
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


def _genre_shares(movies: Mapping[str, Movie]) -> dict[str, Counter[str]]:
    """Count the genres of each director's movies, over all listed ones."""
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    for movie in movies.values():
        for director in movie.directors:
            shares[f"director:{director}"].update(f"genre:{genre}" for genre in movie.genres)
    return shares


def _movie(item: str, movie: Movie, kind: str) -> list[Edge]:
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


_LAYOUTS = (
    Layout("dat", ("ratings.dat", "movies.dat")),
    Layout("csv", ("ratings.csv", "movies.csv")),
    Layout("plain", ("ratings.csv", "items.csv")),
)
_INSIDE = ("movies", "ml-1m", "ml-latest-small", "ml-latest", "ml-25m", "ml-32m", "ml-20m", "ml-10M100K")
_YEAR = re.compile(r"\((\d{4})\)\s*$")
_NO_GENRE = "(no genres listed)"


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
    movies = dict(_movies(found))
    known = read_directors(found.folder, directors)
    movies |= {item: movies[item]._replace(directors=names) for item, names in known.items() if item in movies}
    liked = Interactions.collect(row for row in _ratings(found) if row[2] > liked_above)
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


def _ratings(found: Found) -> Iterator[tuple[str, str, float, int]]:
    """Yield user, item, rating and time of each row of a layout; -1 for a time that is not known."""
    if found.layout == "dat":
        path = found.path("ratings.dat")
        rows = _dat(path, 4, "ascii")
    else:
        path = found.path("ratings.csv")
        names = ("userId", "movieId") if found.layout == "csv" else ("user", "item")
        rows = rows_of(path, *names, "rating", "timestamp")
    for line, (user, item, rating, time) in rows:
        named(user, item, path, line)
        seconds = time or "-1" if found.layout == "plain" else time
        yield user, item, number(rating, path, line, "the rating"), whole(seconds, path, line, "the time")


def _movies(found: Found) -> Iterator[tuple[str, Movie]]:
    """Yield number, title, genres and, where the layout has them, directors of each movie."""
    if found.layout == "dat":
        path = found.path("movies.dat")
        for _, (item, title, genres) in _dat(path, 3, _encoding(path)):
            yield item, Movie(title, _listed(genres))
    elif found.layout == "csv":
        for _, (item, title, genres) in rows_of(found.path("movies.csv"), "movieId", "title", "genres"):
            yield item, Movie(title.strip(), _listed(genres))
    else:
        columns = ("item", "title", "year", "genres", "directors")
        for _, (item, title, year, genres, directors) in rows_of(found.path("items.csv"), *columns):
            full = f"{title} ({year})" if year and not _YEAR.search(title) else title
            yield item, Movie(full, _listed(genres), _listed(directors))


def _listed(names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names.strip().split("|") if name and name != _NO_GENRE))
