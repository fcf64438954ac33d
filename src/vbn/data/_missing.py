"""Entries without a name: refused with their number, or left out; and texts, such as NA, that may mean one."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data._names import Coded, Where
from vbn.data._types import BoolArray
from vbn.data._wording import counted

if TYPE_CHECKING:
    from vbn.data._columns import Columns

_TEXTS = frozenset({"NA", "N/A", "n/a", "#N/A", "<NA>", "nan", "NaN", "NAN", "null", "NULL", "Null", "None"})


def check_missing(missing: Any) -> None:
    """Refuse an option that is not there."""
    if missing not in ("error", "drop"):
        raise ParameterError(f'missing must be "error" or "drop", not {missing!r}')


def settle(column: Coded, missing: str | None, where: Where, text: str = "") -> BoolArray:
    """Return which entries of a column have a name; those without are an error unless they are to be dropped.

    In text files (`text` says which), what reads NA is dropped as well ("drop") or warned of ("error"). It is a name
    like any other for "skip", which drops entries without a name, and for None, which refuses these but knows of no
    option.
    """
    there = ~column.missing
    if missing not in ("drop", "skip") and not there.all():
        raise DataError(_refusal(column.fault or "empty name", ~there, where, option=missing is not None))
    if text and missing in ("drop", "error"):
        named = np.array([*(name not in _TEXTS for name in column.names), True])[column.codes]  # True: no name at all
        if missing == "error" and not named.all():
            _warn_of_texts(column, ~named, text)
        elif missing == "drop":
            there &= named
    return there


def _refusal(fault: str, wrong: BoolArray, where: Where, option: bool) -> str:
    """Say which entry has no name and how many more there are."""
    more = int(wrong.sum()) - 1
    others = f" and {more:,} more like it" if more else ""
    remedy = 'or pass missing="drop" to leave such entries out' if option else "or leave such entries out"
    return f"{fault} at {where(int(np.argmax(wrong)))}{others}; fill in what is missing {remedy}"


def _warn_of_texts(column: Coded, wrong: BoolArray, text: str) -> None:
    met = sorted({column.names[code] for code in column.codes[wrong].tolist()})
    warnings.warn(
        f"{counted(int(wrong.sum()), 'entry', 'entries')} in {text} taken for names: {', '.join(map(repr, met))}; pass "
        'missing="drop" if that means that the name is missing',
        UserWarning,
        stacklevel=6,  # whoever called the constructor
    )


def without_gaps(columns: Columns, missing: str | None) -> Columns:
    """Return the rows that have all their names."""
    there = np.ones(len(columns), dtype=bool)
    for key, column in columns.labels.items():
        text = f"{columns.title(key)} of {columns.file}" if columns.file else ""
        there &= settle(column, missing, columns.place(key), text)
    if there.all():
        return columns
    return columns.only(there)
