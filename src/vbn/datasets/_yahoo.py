"""Yahoo! Music's files of the KDD Cup 2011: ratings in blocks by user, and tracks, albums, artists and genres."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vbn._errors import DataError
from vbn.datasets._reading import Found, broken, lines_of, number, optional, whole

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
