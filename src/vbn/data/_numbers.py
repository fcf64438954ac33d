"""Columns of numbers, and the check that they can be counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from vbn._errors import DataError
from vbn.data._names import Where, item_number
from vbn.data._types import FloatArray

_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
_LARGE = 2**1023  # whole numbers beyond this may not fit a float64


def as_number(value: object, where: str) -> float:
    """Turn one value into a float; a missing one (None, or empty in a file) becomes NaN."""
    if value is None or value == "":
        return float("nan")
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return float("inf")
    except (TypeError, ValueError):
        hint = "; write a decimal comma as a point" if _DECIMAL_COMMA.fullmatch(str(value)) else ""
        raise DataError(f"{value!r} at {where} is not a number{hint}") from None


def as_numbers(values: object, what: str, where: Where = item_number) -> FloatArray:
    """Turn a column into float64, or say which entry is not a number."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.tolist()  # masked entries become None
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        if values.ndim != 1:
            raise DataError(f"{what} must be one-dimensional, not of shape {values.shape}")
        return values.astype(np.float64)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise DataError(f"{what} must be a column of numbers (a list, an array), not {values!r}")

    def parsed(entries: Iterable[object]) -> Iterator[float]:
        for position, value in enumerate(entries):
            plain = type(value) is float or (type(value) is int and -_LARGE < value < _LARGE)
            yield value if plain else as_number(value, f"{where(position)} of {what}")  # type: ignore[misc]

    return np.fromiter(parsed(values), dtype=np.float64)


def check_counts(values: FloatArray, what: str, where: Where) -> None:
    """Refuse counts that are missing, infinite or negative, naming the first one."""
    wrong = ~((values >= 0) & np.isfinite(values))
    if not wrong.any():
        with np.errstate(over="ignore"):
            if not np.isfinite(values.sum()):
                raise DataError(f"the {what}s add up to more than a number can hold (1.8e308); divide them all")
        return
    first = int(np.argmax(wrong))
    value = values[first]
    fault = "missing (NaN)" if np.isnan(value) else "infinite" if np.isinf(value) else f"negative ({value:g})"
    more = f" (and {int(wrong.sum()) - 1:,} more like it)" if wrong.sum() > 1 else ""
    raise DataError(
        f"the {what} at {where(first)} is {fault}{more}; counts and weights must be finite and not "
        "negative: correct the row or leave it out"
    )
