"""Which column of a table or file holds what: by name, by number, by a usual name, by place.

A column of numbers is never dropped in silence: what may be counts is taken, or the user is asked to name it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vbn._errors import DataError
from vbn.data._types import FloatArray

_INDEX = frozenset({"", "index", "level_0", "unnamed:_0", "__index_level_0__"})  # how tables write their row numbers
_TIMES = frozenset(
    ("time", "times", "timestamp", "timestamps", "ts", "unixtime", "unix_time", "date", "dates", "datetime", "day",
     "month", "year", "created", "created_at", "updated_at", "event_time")
)  # fmt: skip
COUNTS = ("count", "counts", "weight", "weights", "value", "values", "n", "freq", "frequency", "cnt", "num", "number",
          "total", "amount", "quantity", "qty", "times_seen", "occurrences", "strength")  # fmt: skip


@dataclass(frozen=True)
class Field:
    """One column that a constructor reads."""

    key: str  # what the constructor calls it
    aliases: tuple[str, ...]  # column names that mean it, in lower case
    number: bool = False
    optional: bool = False
    by_position: bool = False  # an optional column that may also be found by its place, whatever its name


@dataclass(frozen=True)
class Header:
    """The columns of a table or file before they are read."""

    names: Sequence[str]
    source: str  # what they are of, for messages
    named: bool  # False if the names are just numbers
    is_number: Callable[[int], bool]  # whether a column holds numbers


class Picked(NamedTuple):
    """Where the column of each field is, and the field whose column was taken for its place only."""

    places: dict[str, int]
    guessed: str | None


def plain_name(name: str) -> str:
    """Return the name of a column as it is compared with usual ones."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def known_aliases(fields: Sequence[Field]) -> set[str]:
    """Return every column name that one of the fields answers to."""
    return {alias for item in fields for alias in item.aliases}


def pick(header: Header, chosen: Mapping[str, str | int], fields: Sequence[Field]) -> Picked:
    """Return the position of the column of each field (optional ones only if they are there).

    Parameters
    ----------
    header
        The columns that there are.
    chosen
        The names or numbers (from 0) that the user gave, by field.
    fields
        What to look for. A field that was not given is found by one of its usual names; required ones that are still
        missing take the first columns that are left. Once all required ones are given, no other is looked for.
    """
    found = {key: _position(value, header, key) for key, value in chosen.items()}
    if all(item.key in chosen for item in fields if not item.optional):
        return Picked(found, None)
    for item in fields:
        if item.key not in found:
            position = _by_alias(item, header, found)
            if position is not None:
                found[item.key] = position
    placed = _place_required(found, header, fields)
    guessed = None
    for item in fields:
        if item.optional and item.key not in found:
            position = _by_place(item, header, found, placed)
            if position is not None:
                found[item.key], guessed = position, item.key
    return Picked(found, guessed)


def _place_required(found: dict[str, int], header: Header, fields: Sequence[Field]) -> bool:
    """Give required fields the first columns left, those that say to be an index or a time last."""
    placed = False
    for item in fields:
        if item.key in found or item.optional:
            continue
        left = [number for number in range(len(header.names)) if number not in found.values()]
        if not left:
            raise DataError(
                f"{header.source} has no column for {item.key}: its columns are {_listed(header.names)} "
                "(is the delimiter right?)"
            )
        likely = [number for number in left if plain_name(header.names[number]) not in _INDEX | _TIMES]
        found[item.key], placed = (likely or left)[0], True
    return placed


def _by_place(item: Field, header: Header, found: Mapping[str, int], placed: bool) -> int | None:
    """Return the column of an optional field that none is named for, if that is beyond doubt."""
    left = [
        number
        for number in range(len(header.names))
        if number not in found.values() and plain_name(header.names[number]) not in _INDEX | _TIMES
    ]
    if item.by_position and placed and left:
        return left[0]
    left = [number for number in left if header.is_number(number)]
    if not left:
        return None
    if not header.named and len(header.names) == len(found) + 1:
        return left[0]
    shown = ", ".join(repr(header.names[number]) for number in left)
    value = repr(header.names[left[0]]) if header.named else left[0]
    kept = ", ".join(f"{key}={header.names[at]!r}" if header.named else f"{key}={at}" for key, at in found.items())
    raise DataError(
        f"{header.source} has numbers in {'column' if len(left) == 1 else 'columns'} {shown}: are they {item.key}? "
        f"Say {item.key}={value} to use them, or {kept} to leave them out"
    )


def refuse_times(numbers: Mapping[str, FloatArray], header: Header, picked: Picked) -> None:
    """Refuse numbers that were taken for counts because of their place, but are seconds since 1970."""
    if picked.guessed is None or not (numbers[picked.guessed] >= 1e8).all():
        return
    number = picked.places[picked.guessed]
    places = ", ".join(f"{key}={at}" for key, at in picked.places.items() if key != picked.guessed)
    raise DataError(
        f"the numbers in column {header.names[number]!r} of {header.source} look like times, not like "
        f"{picked.guessed}; say {picked.guessed}={number} if they are, or {places} to leave them out"
    )


def _position(value: str | int, header: Header, key: str) -> int:
    available, source = header.names, header.source
    if isinstance(value, int):
        if not 0 <= value < len(available):
            raise DataError(
                f"{key}: {source} has no column number {value}; it has {len(available)}, numbered from 0: "
                + _listed(available)
            )
        return value
    if value in available:
        return _only(value, header)
    close = difflib.get_close_matches(value.lower(), [name.lower() for name in available], n=1)
    match = next((name for name in available if close and name.lower() == close[0]), None)
    hint = f" Did you mean {match!r}?" if match else ""
    raise DataError(f"{key}: {source} has no column {value!r}; its columns are {_listed(available)}.{hint}")


def _by_alias(item: Field, header: Header, found: Mapping[str, int]) -> int | None:
    plain = [plain_name(name) for name in header.names]
    meant = [alias for alias in item.aliases if alias in plain and plain.index(alias) not in found.values()]
    if not meant:
        return None
    if item.optional and len(meant) > 1:
        raise DataError(
            f"{header.source} has several columns that may be {item.key}: {_listed(meant)}; say {item.key}= one of them"
        )
    return _only(header.names[plain.index(meant[0])], header)


def _only(name: str, header: Header) -> int:
    """Return the position of a column, which must be the only one of its name."""
    names = list(header.names)
    if names.count(name) > 1:
        raise DataError(
            f"{header.source} has {names.count(name)} columns named {name!r}; rename them, or choose one by its number"
        )
    return names.index(name)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:20]) + (", ..." if len(names) > 20 else "")
