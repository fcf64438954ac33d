"""Who directed a movie: from a table of items and directors, or from IMDb's files through MovieLens' links."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

from vbn._errors import DataError
from vbn.datasets._reading import optional, rows_of, whole

_NOBODY = "\\N"  # how IMDb writes a missing value


def read_directors(folder: Path, table: str | os.PathLike[str] | None) -> dict[str, tuple[str, ...]]:
    """Return the directors of each item: of the table if one is given, else of what lies in the folder."""
    if table is not None:
        path = Path(table)
        if not path.is_file():
            raise DataError(f"no such file: {path}; directors must name a table with the columns item and director")
        return _from_table(path)
    given = optional(folder, "directors.csv")
    if given is not None:
        return _from_table(given)
    crew, names = optional(folder, "title.crew.tsv"), optional(folder, "name.basics.tsv")
    if crew is None and names is None:
        return {}
    links = optional(folder, "links.csv")
    missing = [
        name
        for name, path in (("title.crew.tsv", crew), ("name.basics.tsv", names), ("links.csv", links))
        if path is None
    ]
    if crew is None or names is None or links is None:
        raise DataError(f"directors from IMDb need {', '.join(missing)} in {folder} too")
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
