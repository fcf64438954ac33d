"""Numbers and times in columns of tables and files: what they may look like, and what is wrong with others."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from vbn._errors import REMEDY, DataError
from vbn.data.counts import FloatArray
from vbn.data.vocabulary import Where, item_number

_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d\d)([ T].*)?")  # day, month, year
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
_LEADING_ZERO = re.compile(r"\s*0\d")
_LARGE = 2**1023  # whole numbers beyond this may not fit a float64


class NotANumberError(DataError):
    """A value that should be a number; the reader that knows its column says what to do."""


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
        raise NotANumberError(f"{value!r} at {where} is not a number{hint}") from None


def with_comma(value: object, where: str) -> float:
    """Turn one value of a file whose fields are not separated by commas into a float: 3,5 is 3.5."""
    text = str(value)
    return as_number(text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else value, where)


def is_number(cell: str) -> bool:
    """Return whether a field of a file reads as a number, perhaps with a decimal comma."""
    try:
        float(cell)
    except ValueError:
        return _DECIMAL_COMMA.fullmatch(cell) is not None
    return True


def is_amount(cell: str) -> bool:
    """Return whether a field of a file may be an amount: a number, but no code such as 00712."""
    return is_number(cell) and _LEADING_ZERO.match(cell) is None


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


def time_reader(example: object) -> Callable[[object, str], float]:
    """Return what reads the times of a column that begins with `example`: as numbers, or as dates."""
    if isinstance(example, str):
        try:
            float(example)
        except ValueError:
            return _as_seconds
        return as_number
    return _as_seconds if isinstance(example, datetime.date | np.datetime64) else as_number


def _as_seconds(value: object, where: str) -> float:
    """Turn a date, ISO text, 31.05.2024 or 31.05.24 into seconds since 1970; without a zone it is UTC."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, str):
        text = value.strip()
        dotted = _DOTTED.fullmatch(text)
        try:
            value = datetime.datetime.fromisoformat(_iso(*dotted.groups("")) if dotted else text)
        except ValueError:
            value = text or None
    if value is None or value != value:  # NaN and NaT differ from themselves
        return float("nan")
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime.datetime):
        raise DataError(
            f"{value!r} at {where} is not a date; write dates as 2024-05-31, 31.05.2024 or 2024-05-31T12:30:00"
        )
    return (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)).timestamp()


def _iso(day: str, month: str, year: str, rest: str) -> str:
    """Write a date as ISO does; a year of two digits is 1969 to 2068, as POSIX has it."""
    if len(year) == 2:
        year = f"{19 if int(year) >= 69 else 20}{year}"
    return f"{year}-{month:0>2}-{day:0>2}{rest}"


def as_times(values: object, what: str, where: Where = item_number) -> FloatArray:
    """Turn a column of numbers, dates or ISO texts into float64; dates become seconds since 1970."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "M" and values.ndim == 1:
        seconds = (values - np.datetime64(0, "s")) / np.timedelta64(1, "s")
        return np.asarray(seconds, dtype=np.float64)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iuf":
        return as_numbers(values, what, where)
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise DataError(f"{what} must be a column of numbers or dates (a list, an array), not {values!r}")
    entries = list(values)
    read = time_reader(next((entry for entry in entries if entry is not None), None))
    read_one = (read(value, f"{where(position)} of {what}") for position, value in enumerate(entries))
    return np.fromiter(read_one, dtype=np.float64)


def check_times(values: FloatArray, where: Where) -> None:
    """Refuse times that are missing or infinite, naming the first one."""
    wrong = ~np.isfinite(values)
    if wrong.any():
        first = int(np.argmax(wrong))
        more = f" (and {int(wrong.sum()) - 1:,} more like it)" if wrong.sum() > 1 else ""
        raise DataError(
            f"the time at {where(first)} is missing or infinite{more}; correct the row, or pass {REMEDY} to leave such "
            "rows out",
            remedies=[("missing", "drop")],
        )


def check_counts(values: FloatArray, what: str, where: Where, rows: bool = False) -> None:
    """Refuse counts that are missing, infinite or negative, naming the first one.

    `rows` is whether they are of rows, which can be left out.
    """
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
    message = (
        f"the {what} at {where(first)} is {fault}{more}; counts and weights must be finite and not "
        "negative: correct the row or leave it out"
    )
    remedies: list[tuple[str, object]] = []
    if rows and np.isnan(values).any():
        message += f"; {REMEDY} leaves out all rows without one"
        remedies.append(("missing", "drop"))
    elif rows and what == "weight" and (values > 0).any():
        message += f"; {REMEDY} leaves out all rows below that, such as returns, and counts the others 1 each"
        remedies.append(("min_weight", least_purchase(values)))
    raise DataError(message, remedies=remedies)


def least_purchase(values: FloatArray) -> float:
    """Return the smallest number above 0, or 1 if that is smaller.

    Examples
    --------
    >>> least_purchase(np.array([-1.0, 0.0, 2.0])), least_purchase(np.array([-1.0, 0.5]))
    (1, 0.5)
    """
    least = float(values[values > 0].min())
    return 1 if least >= 1 else least
