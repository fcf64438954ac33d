"""The entities of one namespace: their names, their ids and how often each was seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vbn._errors import DataError, UnknownEntityError
from vbn.data._names import as_name, item_number
from vbn.data._types import FloatArray, IdArray, read_only


class Vocabulary:
    """Names of entities, numbered 0, 1, ...; immutable.

    Data sets order a vocabulary by falling count, ties by first appearance. Entities that came in
    later (with a taxonomy, or from a merge) follow at the end, so that ids never change.

    Parameters
    ----------
    names
        The distinct names, in the order of their ids. Whole numbers become strings.
    counts
        How often each entity was seen; 0 for all if not given.

    Examples
    --------
    >>> vocabulary = Vocabulary(["now", "lemma"], [7, 2])
    >>> vocabulary.id("lemma"), vocabulary[0], "then" in vocabulary
    (1, 'now', False)
    >>> vocabulary.extend(["now", "then"]).names
    ('now', 'lemma', 'then')
    """

    names: tuple[str, ...]
    counts: FloatArray

    def __init__(self, names: Iterable[object], counts: ArrayLike | None = None) -> None:
        clean = tuple(_clean(_several(names)))
        if len(set(clean)) < len(clean):
            raise DataError(f"the name {_first_repeat(clean)!r} is there twice; names must differ")
        try:
            seen = np.zeros(len(clean)) if counts is None else np.array(counts, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"the counts of a vocabulary must be numbers: {error}") from error
        if seen.shape != (len(clean),):
            raise DataError(f"{len(clean)} names but counts of shape {seen.shape}; give one for each")
        if not (np.isfinite(seen).all() and (seen >= 0).all()):
            raise DataError("the counts of a vocabulary must be finite and not negative")
        self.__dict__.update(names=clean, counts=read_only(seen))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Vocabulary is immutable; cannot set {name!r}")

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return _as_key(name) in self._index

    def __getitem__(self, number: int) -> str:
        return self.names[number]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        return self.names == other.names and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash(self.names)

    def __getstate__(self) -> dict[str, object]:
        return {"names": self.names, "counts": self.counts}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        shown = ", ".join(repr(name) for name in self.names[:3])
        return f"Vocabulary({len(self):,} names: {shown}{', ...' if len(self) > 3 else ''})"

    def id(self, name: object) -> int:
        """Return the id of a name.

        Raises
        ------
        UnknownEntityError
            With the closest names that are known.
        DataError
            For what cannot be a name at all, such as a list or None.
        """
        number = self._index.get(_as_key(name))
        if number is None:
            raise UnknownEntityError(_asked_for(name), self.names)
        return number

    def ids(self, names: Iterable[object]) -> IdArray:
        """Return the ids of several names as an int64 array."""
        entries: list[Any] = list(_several(names))
        try:
            return np.array([self._index[name] for name in entries], dtype=np.int64)
        except (KeyError, TypeError):  # not a string, or not known
            return np.array([self.id(name) for name in entries], dtype=np.int64)

    def extend(self, names: Iterable[object]) -> Vocabulary:
        """Return a vocabulary with the unknown ones of `names` appended, each with count 0.

        Names that are known keep their ids; if all are, the vocabulary itself is returned.
        """
        new = [name for name in dict.fromkeys(_clean(names)) if name not in self._index]
        if not new:
            return self
        return Vocabulary(self.names + tuple(new), np.concatenate([self.counts, np.zeros(len(new))]))


def known_ids(vocabulary: Vocabulary, names: Iterable[object]) -> IdArray:
    """The id of each name, or -1 where the vocabulary does not have it.

    Examples
    --------
    >>> known_ids(Vocabulary(["now", "lemma"]), ["lemma", "then"]).tolist()
    [1, -1]
    """
    return np.array([vocabulary.id(name) if name in vocabulary else -1 for name in names], dtype=np.int64)


def _several(names: Iterable[object]) -> Iterable[object]:
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise DataError(f"give a list of names, not {names!r} alone")
    return names


def _clean(names: Iterable[object]) -> Iterator[str]:
    for position, name in enumerate(names):
        yield name if type(name) is str and name else as_name(name, item_number(position))


def _as_key(name: object) -> str:
    """Turn what a user looks up into a key; what cannot be a name is simply not found."""
    if type(name) is str:
        return name
    try:
        return as_name(name, "look-up")
    except DataError:
        return ""


def _asked_for(name: object) -> str:
    """Return the name that was not found, or say why it cannot be one."""
    return "" if isinstance(name, str) and not name else as_name(name, "the look-up")


def _first_repeat(names: tuple[str, ...]) -> str:
    seen: set[str] = set()
    return next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
