"""The entities of one namespace: what counts as a name, columns of names as integer codes, and vocabularies.

A name is a non-empty string; whole numbers become their decimal text. A missing name (None, NaN, or the empty string,
which is how files write it) gets the code -1 in a column. Everything else (booleans, lists) is refused by position.
"""

from __future__ import annotations

import os
import warnings
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from vbn._errors import REMEDY, DataError, ParameterError, UnknownEntityError, VBNWarning, caller_level
from vbn.data.counts import BoolArray, FloatArray, IdArray, read_only
from vbn.data.describe import counted
from vbn.data.labels import Labels

MISSING_TEXTS = frozenset({"NA", "N/A", "n/a", "#N/A", "<NA>", "nan", "NaN", "NAN", "null", "NULL", "Null", "None"})
"""How files write that a name is missing."""
Where = Callable[[int], str]
_FEW, _SOME = 0.05, 3  # rows of a file without a name that are left out by default: this share, or so many


def item_number(position: int) -> str:
    """Say where a value of a Python sequence is."""
    return f"position {position} (counted from 0)"


def row_number(position: int) -> str:
    """Say where a row of a table, or of a list of tuples, is."""
    return f"row {position} (counted from 0)"


def missing_name(value: object) -> str:
    """Describe a missing name ("missing name (NaN)"); return an empty string if the value is not missing."""
    if isinstance(value, str):
        return "" if value else "empty name"
    if isinstance(value, float | np.floating) and value != value:
        return "missing name (NaN)"
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return f"missing name ({value})"
    return ""


def as_name(value: object, where: str) -> str:
    """Turn one value into an entity's name, or say where it is and why it cannot be one."""
    if isinstance(value, str) and value:
        return str(value)
    fault = missing_name(value)
    if fault:
        raise DataError(f"{fault} at {where}; fill it in or leave this entry out")
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(float(value)))
    raise _no_name(value, where)


def _no_name(value: object, where: str) -> DataError:
    return DataError(
        f"{shown(value, 40)} at {where} is of type {type(value).__name__} and cannot be an entity's name; "
        "use a string or a whole number"
    )


def shown(value: object, most: int = 60) -> str:
    """Return a value as messages show it: cut if it is long."""
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."


@dataclass(frozen=True)
class Coded:
    """A column of names: the distinct ones by first appearance, and one code for each entry."""

    names: list[str]
    codes: IdArray  # -1 where the name is missing
    fault: str = ""  # what the first missing name is

    def __len__(self) -> int:
        return len(self.codes)

    def only(self, kept: BoolArray) -> Coded:
        """Return some of the entries, as if the others had never been there."""
        codes = self.codes[kept]
        named = codes >= 0
        used, first, inverse = np.unique(codes[named], return_index=True, return_inverse=True)
        order, rank = _by_first(first)
        left = np.full(len(codes), -1, dtype=np.int64)
        left[named] = rank[inverse.reshape(-1)]
        return Coded([self.names[code] for code in used[order].tolist()], left, self.fault)


class _Index(dict[str, int]):
    """Numbers a name at its first look-up; the empty name is -1 from the start."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self) - 1
        return number


class Encoder:
    """Numbers names by first appearance, in one pass over any amount of them."""

    def __init__(self) -> None:
        self._number = _Index({"": -1})
        self._codes = array("q")
        self._fault = ""

    def __len__(self) -> int:
        return len(self._codes)

    def extend(self, values: Iterable[object], where: Where) -> None:
        """Number further entries; `where` says where an entry is, counted from this call's first."""
        entries: Sequence[Any] = values if isinstance(values, list | tuple) else list(values)
        kinds = set(map(type, entries))
        if kinds == {int}:
            entries = list(map(str, entries))
        elif kinds != {str}:
            entries = [self._name(entry, where, position) for position, entry in enumerate(entries)]
        self._codes.extend(map(self._number.__getitem__, entries))

    def _name(self, entry: object, where: Where, position: int) -> str:
        fault = missing_name(entry)
        if not fault:
            return as_name(entry, where(position))
        self._fault = self._fault or fault
        return ""

    def result(self) -> Coded:
        """Return the names and codes so far."""
        return Coded(list(self._number)[1:], np.array(self._codes, dtype=np.int64), self._fault or "empty name")


def encode(values: object, what: str, where: Where = item_number) -> Coded:
    """Number the names in a column, however it is held; messages say `what` it holds and `where` an entry is."""

    def place(position: int) -> str:
        return f"{where(position)} of {what}"

    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise DataError(f"{what} must be a column of names (a list, an array), not {values!r}")
    if isinstance(values, np.ma.MaskedArray):
        return encode(values.tolist(), what, where)  # masked entries become None
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise DataError(f"{what} must be one-dimensional, not of shape {values.shape}")
        if values.dtype.kind == "f":
            return _encode_floats(values, place)
        if values.dtype.kind in "iu":
            return _encode_integers(values)
    encoder = Encoder()
    encoder.extend(values.tolist() if isinstance(values, np.ndarray) else values, place)
    return encoder.result()


def _encode_floats(values: np.ndarray, place: Where) -> Coded:
    """Number floats that hold whole numbers: integers beside missing values."""
    values = values.astype(np.float64)
    there = ~np.isnan(values)
    wrong = there & (~(np.abs(values) < 2.0**63) | (values != np.floor(values)))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise _no_name(float(values[first]), place(first))
    found = _encode_integers(values[there].astype(np.int64))
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[there] = found.codes
    return Coded(found.names, codes, "missing name (NaN)")


def _encode_integers(values: np.ndarray) -> Coded:
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order, rank = _by_first(first)
    return Coded([str(name) for name in distinct[order].tolist()], rank[inverse.reshape(-1)])


def _by_first(first: IdArray) -> tuple[IdArray, IdArray]:
    """Return the order of distinct values by first appearance, and the place of each in it."""
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return order, rank


def check_missing(missing: Any) -> None:
    """Refuse an unknown option."""
    if missing not in ("auto", "error", "drop"):
        raise ParameterError(f'missing must be "auto", "error" or "drop", got {missing!r}')


def settled_missing(missing: str | None, source: object) -> str | None:
    """Return what to do about missing names: by default, a few of a file are left out, others are an error."""
    if missing != "auto":
        return missing
    return "few" if isinstance(source, str | os.PathLike) else "error"


def left_out(wrong: BoolArray, where: Where, what: str = "row", lacks: str = "name") -> BoolArray:
    """Return which entries to leave out, with a warning: the wrong ones if these are few, otherwise none.

    Few are three or a twentieth of all, but never half of them.
    """
    n = int(wrong.sum())
    if not 0 < n <= max(_SOME, _FEW * len(wrong)) or 2 * n >= len(wrong):
        return np.zeros_like(wrong)
    told, place = f"{counted(n, what)} without a {lacks}", where(int(np.argmax(wrong)))
    if n == 1:
        message = f"{told} is left out, at {place}; with {REMEDY} it is an error"
    else:
        message = f"{told} ({n / len(wrong):.1%}) are left out, the first at {place}; with {REMEDY} they are an error"
    warnings.warn(VBNWarning(message, remedies=[("missing", "error")]), stacklevel=caller_level())
    return wrong


def settle(column: Coded, missing: str | None, where: Where, text: str = "", gaps: bool = False) -> BoolArray:
    """Return which entries of a column have a name; entries without one are an error unless `missing` drops them.

    In text files (`text` says which), entries that read NA are dropped too ("drop") or warned about ("error"). They
    are names like any other for "skip", which drops entries without a name, and for None, which refuses these where
    the caller has no such option. Where `gaps` are usual, entries without a name are never an error.
    """
    there = column.codes >= 0
    if missing not in ("drop", "skip") and not gaps and not there.all():
        raise _refusal(column.fault or "empty name", ~there, where, option=missing is not None)
    if text and missing in ("drop", "error"):
        named = np.array([*(name not in MISSING_TEXTS for name in column.names), True])[
            column.codes
        ]  # True: no name at all
        if missing == "error" and not named.all():
            _warn_of_texts(column, ~named, text)
        elif missing == "drop":
            there &= named
    return there


def _refusal(fault: str, wrong: BoolArray, where: Where, option: bool) -> DataError:
    """Say which entry has no name and how many more there are."""
    more = int(wrong.sum()) - 1
    others = f" and {more:,} more like it" if more else ""
    message = f"{fault} at {where(int(np.argmax(wrong)))}{others}; fill in what is missing or "
    if option:
        return DataError(f"{message}pass {REMEDY} to leave such entries out", remedies=[("missing", "drop")])
    return DataError(f"{message}leave such entries out")


def _warn_of_texts(column: Coded, wrong: BoolArray, text: str) -> None:
    met = sorted({column.names[code] for code in column.codes[wrong].tolist()})
    entries, names = counted(int(wrong.sum()), "entry", "entries"), ", ".join(map(repr, met))
    message = f"{entries} in {text} taken for names: {names}; pass {REMEDY} if that means that the name is missing"
    warnings.warn(VBNWarning(message, remedies=[("missing", "drop")]), stacklevel=caller_level())


class Vocabulary:
    """Names of entities, numbered 0, 1, ...; immutable.

    Data sets order a vocabulary by falling count, ties by first appearance. Entities that were added later (with a
    taxonomy, or from a merge) follow at the end: ids never change.

    Parameters
    ----------
    names
        The distinct names, in the order of their ids. Whole numbers become strings.
    counts
        How often each entity was seen; 0 for all if not given.
    labels
        What people call each entity, such as a title. An entity is found by its name, or by its label if it is the only
        one with it.

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
    labels: Labels | None

    def __init__(self, names: Iterable[object], counts: ArrayLike | None = None, labels: Labels | None = None) -> None:
        clean = tuple(_clean(_several(names)))
        if len(set(clean)) < len(clean):
            repeated = next(name for name, times in Counter(clean).items() if times > 1)
            raise DataError(f"the name {repeated!r} is there twice; names must differ")
        self.__dict__.update(names=clean, counts=_checked_counts(counts, len(clean)), labels=labels or None)

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
        key = _as_key(name)
        return key in self._index or (self.labels is not None and key in self.labels)

    def __getitem__(self, number: int) -> str:
        return self.names[number]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        same = self.names == other.names and self.labels == other.labels
        return same and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash(self.names)

    def __getstate__(self) -> dict[str, object]:
        return {"names": self.names, "counts": self.counts, "labels": self.labels}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        shown = ", ".join(repr(name) for name in self.names[:3])
        return f"Vocabulary({len(self):,} names: {shown}{', ...' if len(self) > 3 else ''})"

    def id(self, name: object) -> int:
        """Return the id of a name, or of a label that only one entity has.

        Raises
        ------
        UnknownEntityError
            With the closest names that are known, or with the names of the entities that have this label.
        DataError
            For what cannot be a name at all, such as a list or None.
        """
        number = self._index.get(key := _as_key(name))
        if number is None and self.labels is not None:
            number = self.labels.find(key, self.names)
        if number is None:
            known = self.names if self.labels is None else (*self.names, *filter(None, self.labels.texts))
            raise UnknownEntityError(str(name) if isinstance(name, str) else as_name(name, "the look-up"), known)
        return number

    def label(self, number: int) -> str | None:
        """Return the label of an entity, if it has one."""
        return None if self.labels is None else self.labels.of(number)

    def labels_of(self, ids: Iterable[int]) -> list[str | None] | None:
        """Return the label of each id, None for those without one; None for all if there are no labels."""
        labels = self.labels
        return None if labels is None else [labels.of(int(number)) for number in ids]

    def recounted(self, counts: ArrayLike, new: Iterable[str] = ()) -> Vocabulary:
        """Return the same names, followed by some new ones, with other counts; nothing known is checked again."""
        more = Vocabulary(new)
        known = next((name for name in more.names if name in self._index), None)
        if known is not None:
            raise DataError(f"the name {known!r} is there twice; names must differ")
        made = Vocabulary((), ())
        names = self.names + more.names
        seen = _checked_counts(counts, len(names))
        index = self._index
        if len(more):
            index = {**index, **{name: number for number, name in enumerate(more.names, len(self))}}
        made.__dict__.update(names=names, counts=seen, labels=self.labels, _index=index)
        return made

    def labelled(self, labels: Mapping[int, str]) -> Vocabulary:
        """Return the same names with labels, by id; they come before earlier ones."""
        earlier = dict(enumerate(() if self.labels is None else self.labels.texts))
        found = Labels(()).joined(labels, len(self)).joined(earlier, len(self))
        return Vocabulary(self.names, self.counts, found)

    def ids(self, names: Iterable[object]) -> IdArray:
        """Return the ids of several names as an int64 array."""
        entries: list[Any] = list(_several(names))
        try:
            return np.array([self._index[name] for name in entries], dtype=np.int64)
        except (KeyError, TypeError):  # not a string, or not known
            return np.array([self.id(name) for name in entries], dtype=np.int64)

    def extend(self, names: Iterable[object]) -> Vocabulary:
        """Return a vocabulary with those of `names` appended that are not in it yet, each with count 0.

        Known names keep their ids; if all are known, the vocabulary itself is returned.
        """
        new = [name for name in dict.fromkeys(_clean(names)) if name not in self._index]
        if not new:
            return self
        return Vocabulary(self.names + tuple(new), np.concatenate([self.counts, np.zeros(len(new))]), self.labels)


def _checked_counts(counts: ArrayLike | None, n: int) -> FloatArray:
    """Return the counts of n names, 0 for all if there are none."""
    try:
        seen = np.zeros(n) if counts is None else np.array(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the counts of a vocabulary must be numbers: {error}") from error
    if seen.shape != (n,):
        raise DataError(f"{n} names but counts of shape {seen.shape}; give one for each")
    if not (np.isfinite(seen).all() and (seen >= 0).all()):
        raise DataError("the counts of a vocabulary must be finite and not negative")
    return read_only(seen)


def known_ids(vocabulary: Vocabulary, names: Iterable[object]) -> IdArray:
    """Return the id of each name, or -1 where the vocabulary does not have it."""
    return np.array([vocabulary.id(name) if name in vocabulary else -1 for name in names], dtype=np.int64)


def _several(names: Iterable[object]) -> Iterable[object]:
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise DataError(f"give a list of names, not {names!r} alone")
    return names


def _clean(names: Iterable[object]) -> Iterator[str]:
    for position, name in enumerate(names):
        yield name if type(name) is str and name else as_name(name, item_number(position))


def _as_key(name: object) -> str:
    """Turn what a user looks up into a key; a value that cannot be a name is simply not found."""
    if type(name) is str:
        return name
    try:
        return as_name(name, "look-up")
    except DataError:
        return ""
