"""Which column of a table or file holds what: by name, by number, by a usual name, by place."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vbn._errors import DataError


@dataclass(frozen=True)
class Field:
    """One column that a constructor reads."""

    key: str  # what the constructor calls it
    aliases: tuple[str, ...]  # column names that mean it, in lower case
    number: bool = False
    optional: bool = False
    by_position: bool = False  # an optional column that may also be found by its place


def known_aliases(fields: Sequence[Field]) -> set[str]:
    """Return every column name that one of the fields answers to."""
    return {alias for item in fields for alias in item.aliases}


def pick(
    available: Sequence[str], chosen: Mapping[str, str | int], fields: Sequence[Field], source: str
) -> dict[str, int]:
    """Return the position of the column of each field (optional ones only if they are there).

    Parameters
    ----------
    available
        The names of the columns.
    chosen
        The names or numbers (from 0) that the user gave, by field.
    fields
        What to look for. A field that was not given is found by one of its usual names; required
        ones that are still missing take the first columns that are left.
    source
        What the columns are of, for messages.
    """
    found = {key: _position(value, available, key, source) for key, value in chosen.items()}
    for item in fields:
        if item.key not in found:
            position = _by_alias(item, available, found)
            if position is not None:
                found[item.key] = position
    placed = False
    for item in fields:
        wanted = not item.optional or (item.by_position and placed)
        if item.key in found or not wanted:
            continue
        left = [number for number in range(len(available)) if number not in found.values()]
        if left:
            found[item.key], placed = left[0], True
        elif not item.optional:
            raise DataError(
                f"{source} has no column for {item.key}: its columns are {_listed(available)} (is the delimiter right?)"
            )
    return found


def _position(value: str | int, available: Sequence[str], key: str, source: str) -> int:
    if isinstance(value, int):
        if not 0 <= value < len(available):
            raise DataError(
                f"{key}: {source} has no column number {value}; it has {len(available)}, numbered from 0: "
                + _listed(available)
            )
        return value
    if value in available:
        return list(available).index(value)
    close = difflib.get_close_matches(value.lower(), [name.lower() for name in available], n=1)
    match = next((name for name in available if close and name.lower() == close[0]), None)
    hint = f" Did you mean {match!r}?" if match else ""
    raise DataError(f"{key}: {source} has no column {value!r}; its columns are {_listed(available)}.{hint}")


def _by_alias(item: Field, available: Sequence[str], found: Mapping[str, int]) -> int | None:
    lowered = [name.strip().lower() for name in available]
    for alias in item.aliases:
        if alias in lowered and lowered.index(alias) not in found.values():
            return lowered.index(alias)
    return None


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names[:20]) + (", ..." if len(names) > 20 else "")
