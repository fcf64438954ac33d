"""Music: Yahoo!'s files of the KDD Cup 2011, or playlists, with albums, artists and genres as taxonomy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vbn._errors import DataError
from vbn.datasets.interactions import Edge, Interactions, not_empty
from vbn.datasets.reading import (
    Found,
    Layout,
    at_least,
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

_NONE = "None"  # how the files write a missing album or artist
_DAY = 86_400


@dataclass(frozen=True)
class Catalogue:
    """Names by Yahoo!'s numbers (tracks plain, others with a prefix), and what hangs under what."""

    names: dict[str, str]
    parents: dict[str, str]
    genres: dict[str, tuple[str, ...]]


def catalogue(found: Found, track: str) -> Catalogue:
    """Read the tracks, albums, artists and genres of one track of the cup."""
    names: dict[str, str] = {}
    parents: dict[str, str] = {}
    genres: dict[str, tuple[str, ...]] = {}
    for kind in ("artist", "genre"):  # only needed for items that nothing else mentions
        path = optional(found.folder, f"{kind}Data{track}.txt")
        for _, text in lines_of(path) if path else ():
            names[text.strip()] = f"{kind}:{text.strip()}"
    for album, (artist,), listed in _described(found.path(f"albumData{track}.txt"), 1):
        name = names[album] = f"album:{album}"
        if artist:
            parents[name] = names[artist] = f"artist:{artist}"
        genres[name] = listed
    for item, (record, artist), listed in _described(found.path(f"trackData{track}.txt"), 2):
        names[item] = item
        if artist:
            names.setdefault(artist, f"artist:{artist}")
        if record:
            parents[item] = names.setdefault(record, f"album:{record}")
        elif artist:
            parents[item] = names[artist]
        genres[item] = listed
    for listed in genres.values():
        names.update((genre.removeprefix("genre:"), genre) for genre in listed)
    return Catalogue(names, parents, {name: listed for name, listed in genres.items() if listed})


def _described(path: Path, above: int) -> Iterator[tuple[str, list[str | None], tuple[str, ...]]]:
    """Yield number, what stands above it (None where it is missing) and genres of each line."""
    for line, text in lines_of(path):
        fields = [part.strip() for part in text.split("|")]
        if len(fields) <= above or not all(field == _NONE or field.isdecimal() for field in fields if field):
            raise broken(path, line, f"is {text[:60]!r}, not numbers between '|', at least {above + 1}")
        listed = dict.fromkeys(f"genre:{genre}" for genre in fields[above + 1 :] if genre and genre != _NONE)
        yield fields[0], [part if part != _NONE else None for part in fields[1 : above + 1]], tuple(listed)


def ratings(
    path: Path, known: Catalogue, liked_above: float, every_kind: bool, max_users: int | None
) -> Iterator[tuple[str, str, float, int]]:
    """Yield the ratings above a value: a line ``user|how many`` and then that many lines of item and score.

    Track 1 of the cup has days and a time of day behind the score, which become the order.
    """
    user, left, users = "", 0, 0
    for line, text in lines_of(path):
        if not left:
            user, bar, count = text.partition("|")
            if not bar:
                raise broken(path, line, f"is {text[:60]!r} where a user and the number of ratings should be")
            if users == max_users:
                return
            users += 1
            left = whole(count, path, line, "the number of ratings")
            continue
        left -= 1
        fields = text.split("\t")
        if len(fields) not in (2, 4):
            raise broken(path, line, f"has {len(fields)} fields where item and score (and day and time) should be")
        score = number(fields[1], path, line, "the score")
        if score <= liked_above:
            continue
        name = known.names.get(fields[0])
        if name is None:
            raise broken(path, line, f"rates the item {fields[0]!r}, which no other file lists")
        if every_kind or ":" not in name:
            yield user, name, score, _seconds(fields[2:], path, line)
    if left:
        raise DataError(f"{path.name} ends {left} ratings too early: the file is cut off ({path})")


def _seconds(moment: list[str], path: Path, line: int) -> int:
    """Return a day and a time of day as seconds, -1 where there are none."""
    if not moment:
        return -1
    day, clock = moment
    parts = clock.split(":")
    if len(parts) != 3:
        raise broken(path, line, f"has {clock!r} where a time of day should be")
    hours, minutes, seconds = (whole(part, path, line, "a time of day") for part in parts)
    return whole(day, path, line, "the day") * _DAY + hours * 3600 + minutes * 60 + seconds


_LAYOUTS = (
    *(
        Layout(f"KDD Cup 2011 track {n}", tuple(f"{name}{n}.txt" for name in ("trainIdx", "trackData", "albumData")))
        for n in "12"
    ),
    Layout("plain", ("interactions.csv", "items.csv")),
)
_INSIDE = ("music", "track1", "track2", *(f"ydata-ymusic-kddcup-2011-track{n}" for n in "12"))


@dataclass(frozen=True)
class Music:
    """Music that listeners liked.

    Attributes
    ----------
    interactions : Interactions
        Who liked what. Tracks go by their number, other items carry a prefix: ``album:``, ``artist:``, ``genre:``.
    titles : dict
        Title of each track, where there are any.
    parents : dict
        The parents of each track, album and artist: an album or, without one, an artist; for an album, its artist.
    genres : dict
        Genres of tracks and albums, where there are any.
    """

    interactions: Interactions
    titles: dict[str, str]
    parents: dict[str, str]
    genres: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def taxonomy(self, *, genres: bool = False, items: Iterable[str] | None = None) -> list[Edge]:
        """Return edges artist > album > track, all of weight 1.

        Parameters
        ----------
        genres : bool, default False
            Whether tracks and albums hang under their genres too, all of which weigh as much as the album or artist.
        items : iterable of str, optional
            The items to place. Default: those of `interactions`.
        """
        level = list(dict.fromkeys(self.interactions.items if items is None else items))
        done = set(level)
        edges: list[Edge] = []
        while level:
            new = [edge for node in level for edge in self._above(node, genres)]
            edges += new
            level = [parent for parent in dict.fromkeys(edge[1] for edge in new) if parent not in done]
            done.update(level)
        return edges

    def _above(self, node: str, genres: bool) -> list[Edge]:
        parent = self.parents.get(node)
        listed = self.genres.get(node, ()) if genres else ()
        edges = [(node, parent, 1.0)] if parent is not None else []
        return edges + [(node, genre, 1.0 / len(listed)) for genre in listed]


def load_music(
    folder: str | os.PathLike[str], *, liked_above: float = 80.0, items: str = "tracks", max_users: int | None = None
) -> Music:
    r"""Read music data.

    Parameters
    ----------
    folder : path
        Holds Yahoo! Music of the KDD Cup 2011 (``trainIdx1.txt``, ``trackData1.txt``, ``albumData1.txt``, or those
        with a 2), or ``interactions.csv`` (user, item, weight, order) and ``items.csv`` (item, title, artist, album);
        any of them gzipped or not.
    liked_above : float, default 80
        Yahoo!'s ratings (0 to 100) up to this are left out, as in the paper. Playlists have none.
    items : {"tracks", "all"}
        Yahoo!'s users rate albums, artists and genres too: whether those count as items.
    max_users : int, optional
        Stop after as many users: track 1 of the cup has 262 million ratings.

    Returns
    -------
    Music
        The likes, the titles, and a method `taxonomy`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "trainIdx2.txt").write_text("7|2\n1\t90\n2\t50")
    >>> _ = (folder / "trackData2.txt").write_text("1|30|40\n2|30|40")
    >>> _ = (folder / "albumData2.txt").write_text("30|40")
    >>> music = load_music(folder)
    >>> music.interactions.baskets()
    {'7': ['1']}
    >>> music.taxonomy()
    [('1', 'album:30', 1.0), ('album:30', 'artist:40', 1.0)]
    """
    choice("items", items, ("tracks", "all"))
    threshold("liked_above", liked_above)
    if max_users is not None:
        at_least("max_users", max_users, 1)
    found = recognise(folder, "music", _LAYOUTS, _INSIDE, single=True)
    if found.layout == "plain":
        return _plain(found, max_users)
    number_of_track = found.layout[-1]
    known = catalogue(found, number_of_track)
    rows = ratings(found.path(f"trainIdx{number_of_track}.txt"), known, liked_above, items == "all", max_users)
    liked = not_empty(Interactions.collect(rows), f"no {items} in {found.folder} are rated above {liked_above}")
    return _of_catalogue(liked, known)


def _of_catalogue(liked: Interactions, known: Catalogue) -> Music:
    return Music(liked, {}, known.parents, known.genres)


def _plain(found: Found, max_users: int | None) -> Music:
    titles: dict[str, str] = {}
    parents: dict[str, str] = {}
    albums: dict[tuple[str, str], str] = {}  # an album goes by its artist too, and in whatever case
    for _, (item, title, artist, album) in rows_of(found.path("items.csv"), "item", "title", "artist", "album"):
        titles[item] = title
        if album:
            record = albums.setdefault((artist.casefold(), album.casefold()), f"album:{artist}: {album}")
            parents[item] = record
            if artist:
                parents.setdefault(record, f"artist:{artist}")
        elif artist:
            parents[item] = f"artist:{artist}"
    liked = Interactions.collect(_playlists(found, max_users))
    return Music(not_empty(liked, f"{found.path('interactions.csv')} is empty"), titles, parents)


def _playlists(found: Found, max_users: int | None) -> Iterator[tuple[str, str, float, int]]:
    path = found.path("interactions.csv")
    users: set[str] = set()
    for line, (user, item, weight, order) in rows_of(path, "user", "item", "weight", "order"):
        named(user, item, path, line)
        users.add(user)
        if max_users is None or len(users) <= max_users:
            yield user, item, number(weight, path, line, "the weight"), whole(order, path, line, "the order")
