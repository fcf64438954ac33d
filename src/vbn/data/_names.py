"""Names of entities: what counts as one, and how a column of them becomes integer codes.

A name is a non-empty string. Whole numbers become their decimal text; everything else (None, NaN,
booleans, lists, the empty string, which is how files write a missing value) is refused by position.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import DataError
from vbn.data._types import IdArray

Where = Callable[[int], str]


def item_number(position: int) -> str:
    """Say where a value of a Python sequence stands."""
    return f"position {position} (counted from 0)"


def row_number(position: int) -> str:
    """Say where a row of a table, or of a list of tuples, stands."""
    return f"row {position} (counted from 0)"


def as_name(value: object, where: str) -> str:
    """Turn one value into an entity's name, or say where it stands and why it cannot be one."""
    if isinstance(value, str):
        if value:
            return str(value)
        raise DataError(f"empty name at {where}; give the entity a name or leave this entry out")
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float | np.floating):
        number = float(value)
        if number.is_integer():
            return str(int(number))
        if number != number:
            raise DataError(f"missing name (NaN) at {where}; fill it in or leave this entry out")
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        raise DataError(f"missing name ({value}) at {where}; fill it in or leave this entry out")
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
    codes: IdArray

    def __len__(self) -> int:
        return len(self.codes)


class _Index(dict[str, int]):
    """Numbers a name when it is first asked for."""

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        return number


class Encoder:
    """Numbers names by first appearance, in one pass over any amount of them."""

    def __init__(self) -> None:
        self._number = _Index()
        self._codes = array("q")

    def __len__(self) -> int:
        return len(self._codes)

    def extend(self, values: Iterable[object], where: Where) -> None:
        """Number further entries; `where` places an entry, counted from this call's first."""
        entries: Sequence[Any] = values if isinstance(values, list | tuple) else list(values)
        kinds = set(map(type, entries))
        if kinds == {int}:
            entries = list(map(str, entries))
        elif kinds != {str} or "" in entries:
            entries = [as_name(entry, where(position)) for position, entry in enumerate(entries)]
        self._codes.extend(map(self._number.__getitem__, entries))

    def result(self) -> Coded:
        """Return all that was numbered so far."""
        return Coded(list(self._number), np.array(self._codes, dtype=np.int64))


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
            values = _whole(values, place)
        if values.dtype.kind in "iu":
            return _encode_integers(values)
        entries: Iterable[object] = values.tolist()
    else:
        entries = values
    encoder = Encoder()
    encoder.extend(entries, place)
    return encoder.result()


def _whole(values: np.ndarray, place: Where) -> np.ndarray:
    """Turn floats that hold whole numbers (integers beside missing values) back into integers."""
    values = values.astype(np.float64)
    wrong = ~(np.abs(values) < 2.0**63) | (values != np.floor(values))
    if wrong.any():
        first = int(np.argmax(wrong))
        as_name(float(values[first]), place(first))
        raise DataError(f"{float(values[first])!r} at {place(first)} cannot be an entity's name; use a string")
    return values.astype(np.int64)


def _encode_integers(values: np.ndarray) -> Coded:
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return Coded([str(name) for name in distinct[order].tolist()], rank[inverse.reshape(-1)])
