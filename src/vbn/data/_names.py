"""Names of entities: what counts as one, and how a column of them becomes integer codes.

A name is a non-empty string. Whole numbers become their decimal text. What is missing (None, NaN, the empty string,
which is how files write it) gets the code -1 in a column; everything else (booleans, lists) is refused by position.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import DataError
from vbn.data._types import BoolArray, IdArray

Where = Callable[[int], str]


def item_number(position: int) -> str:
    """Say where a value of a Python sequence stands."""
    return f"position {position} (counted from 0)"


def row_number(position: int) -> str:
    """Say where a row of a table, or of a list of tuples, stands."""
    return f"row {position} (counted from 0)"


def missing_name(value: object) -> str:
    """Say what a missing name is ("missing name (NaN)"), or return nothing if the value is not missing."""
    if isinstance(value, str):
        return "" if value else "empty name"
    if isinstance(value, float | np.floating) and value != value:
        return "missing name (NaN)"
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return f"missing name ({value})"
    return ""


def as_name(value: object, where: str) -> str:
    """Turn one value into an entity's name, or say where it stands and why it cannot be one."""
    if isinstance(value, str) and value:
        return str(value)
    fault = missing_name(value)
    if fault:
        raise DataError(f"{fault} at {where}; fill it in or leave this entry out")
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float | np.floating):
        number = float(value)
        if number.is_integer():
            return str(int(number))
    shown = repr(value)
    shown = shown if len(shown) <= 40 else shown[:37] + "..."
    raise DataError(
        f"{shown} at {where} is of type {type(value).__name__} and cannot be an entity's name; "
        "use a string or a whole number"
    )


@dataclass(frozen=True)
class Coded:
    """A column of names: the distinct ones by first appearance, and one code for each entry."""

    names: list[str]
    codes: IdArray  # -1 where the name is missing
    fault: str = ""  # what the first missing name is

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing(self) -> BoolArray:
        """Which entries have no name."""
        return self.codes < 0

    def only(self, kept: BoolArray) -> Coded:
        """Return some of the entries, as if the others had never been there."""
        codes = self.codes[kept]
        used, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        order, rank = _by_first(first)
        return Coded([self.names[code] for code in used[order].tolist()], rank[inverse.reshape(-1)])


class _Index(dict[str, int]):
    """Numbers a name when it is first asked for; the empty one, which is there from the start, is -1."""

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
        """Number further entries; `where` places an entry, counted from this call's first."""
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
        """Return all that was numbered so far."""
        return Coded(list(self._number)[1:], np.array(self._codes, dtype=np.int64), self._fault or "empty name")


def encode(values: object, what: str, where: Where = item_number) -> Coded:
    """Number the names in a column, however it is held.

    Parameters
    ----------
    values
        A list, a NumPy array or any other iterable of names.
    what
        What the column holds ("users"), for messages.
    where
        Places an entry in the user's own terms.
    """

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
        entries: Iterable[object] = values.tolist()
    else:
        entries = values
    encoder = Encoder()
    encoder.extend(entries, place)
    return encoder.result()


def _encode_floats(values: np.ndarray, place: Where) -> Coded:
    """Number floats that hold whole numbers: integers beside missing values."""
    values = values.astype(np.float64)
    there = ~np.isnan(values)
    wrong = there & (~(np.abs(values) < 2.0**63) | (values != np.floor(values)))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise DataError(
            f"{float(values[first])!r} at {place(first)} is of type float and cannot be an entity's name; "
            "use a string or a whole number"
        )
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
