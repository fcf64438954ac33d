"""How much a row of interactions weighs: by its weight, 1 if its rating is high enough, less if it is long ago."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from vbn._errors import REMEDY, DataError, ParameterError
from vbn.data.counts import Counts
from vbn.data.io.columns import Columns, Field
from vbn.data.io.numbers import check_times

if TYPE_CHECKING:
    from vbn.data.dataset import Dataset

_UNITS = {"s": ("seconds", 1.0), "min": ("minutes", 60.0), "h": ("hours", 3600.0), "d": ("days", 86400.0)}
_UNITS |= {"w": ("weeks", 7 * 86400.0), "y": ("years", 365.25 * 86400.0)}
_SECONDS = {name: long for short, (word, long) in _UNITS.items() for name in (short, word, word.removesuffix("s"))}
_SECONDS_SINCE_1970 = 1e8  # times above it are seconds of dates after 1973
_FADED = 1000.0  # half-lives after which nothing is left in double precision
_LENGTH = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*", re.IGNORECASE)


def check_weighing(min_weight: Any, weighted: Any, half_life: Any, has_time: bool) -> None:
    """Refuse parameters that are out of range, or do not go together."""
    if min_weight is not None and (_no_number(min_weight) or not math.isfinite(min_weight)):
        raise ParameterError(f"min_weight must be a number or None, got {min_weight!r}")
    if weighted is not None and not isinstance(weighted, bool | np.bool_):
        raise ParameterError(f"weighted must be True, False or None, got {weighted!r}")
    if half_life is not None and not has_time:
        raise ParameterError(
            f"half_life needs to know when each row was; name the column with {REMEDY}", remedies=[("time",)]
        )


def _no_number(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, Real)


def length_of(half_life: Any) -> float:
    """Return a half-life in the unit of the times: a number as it is, a text such as "30d" in seconds.

    Units are s, min, h, d, w and y, or their words, as in "30 days"; not months, which differ in length.

    Examples
    --------
    >>> length_of("30d"), length_of("2 hours"), length_of(500)
    (2592000.0, 7200.0, 500.0)
    """
    found = math.nan
    if isinstance(half_life, str):
        parts = _LENGTH.fullmatch(half_life)
        if parts:
            found = float(parts[1]) * (_SECONDS.get(parts[2].lower(), math.nan) if parts[2] else 1.0)
    elif not _no_number(half_life):
        found = float(half_life)
    if not 0.0 < found < math.inf:
        raise ParameterError(
            f"half_life must be a positive number in the unit of the times, or a text such as '30d', '12h' or '2y', "
            f"got {half_life!r}"
        )
    return found


def weighed(
    read: Columns, fields: Sequence[Field], min_weight: float | None, weighted: bool | None, half_life: Any
) -> tuple[Columns, dict[str, str | None] | None]:
    """Return the rows that count, with what each of them weighs, and which columns were read for what.

    Rows below `min_weight` are left out. The others count 1, or their weight if they are `weighted`, which is the
    default without a `min_weight`. A `half_life` halves what a row weighs for each such time before the latest row.
    """
    reading, values = read.reading(fields), read.numbers.get("weights")
    if min_weight is not None:
        if values is None:
            raise DataError(f"min_weight needs weights; give them as {REMEDY}", remedies=[("weights",)])
        if not np.isfinite(values).all():
            where = read.where(int(np.argmax(~np.isfinite(values))))
            raise DataError(
                f"the weight at {where} is missing or infinite; correct the row, or pass {REMEDY} to leave out all "
                "rows without one",
                remedies=[("missing", "drop")],
            )
        read = read.only(values >= min_weight)
        if len(read) == 0:
            raise DataError(
                f"there is no data: all weights are below {REMEDY}; the largest is {values.max():g}",
                remedies=[("min_weight", min_weight)],
            )
    one_each = values is not None and not (min_weight is None if weighted is None else weighted)
    if one_each:
        title = read.titles.get("weights")
        kept = read.numbers["weights"] > 0 if min_weight is None else np.ones(len(read), dtype=bool)
        read = read.only(kept)
        read = replace(read, numbers={**read.numbers, "weights": np.ones(len(read))})
        if reading is not None:
            named = {} if min_weight is None else {f"weights of at least {min_weight:g}": title}
            reading = {**reading, **named, "weights": None}
    if half_life is not None:
        times = read.numbers["time"]
        check_times(times, read.where)
        ages = (times.max(initial=-math.inf) - times) / length_of(half_life)
        _check_unit(half_life, times, ages)
        share = np.exp2(-ages)
        before = read.numbers.get("weights", np.ones(len(read)))
        read = replace(read, numbers={**read.numbers, "weights": before * share})
        if reading is not None:
            named = {key: title for key, title in reading.items() if key != "time" and title is not None}
            reading = {**named, f"weights that halve every {half_life}": reading["time"]}
    return read, reading


def _check_unit(half_life: Any, times: np.ndarray, ages: np.ndarray) -> None:
    """Refuse a half-life in another unit than the times.

    A number may leave nothing of most rows: 90 of dates are seconds, and days were meant. A text is in seconds, and
    changes nothing where times are days, years or written as 20240531.
    """
    in_seconds = isinstance(half_life, str) and half_life.strip()[-1].isalpha()
    if in_seconds and len(ages) and 0 < times.max() < _SECONDS_SINCE_1970 and ages.max() < 1.0:
        raise ParameterError(
            f"half_life={half_life!r} needs dates or seconds, but the times are numbers up to {times.max():.10g}, all "
            "within one half-life; write them as 2024-05-31, or give half_life as a number in their unit"
        )
    plain = not isinstance(half_life, str) or half_life.strip().replace(".", "", 1).isdigit()
    if plain and len(ages) and np.median(ages) > _FADED:
        raise ParameterError(
            f"half_life={half_life} is in the unit of the times, seconds for dates; most rows are over a thousand of "
            f"these old and would not count. For days, pass {REMEDY}",
            remedies=[("half_life", f"{half_life}d")],
        )


def faded(data: Dataset, time: float, half_life: Any) -> Dataset:
    """Return a data set whose counts have faded for so much longer: those of its entities and of its cells alike.

    Examples
    --------
    >>> from vbn.data import Dataset
    >>> faded(Dataset.from_interactions(["ann", "ben"], ["tea", "tea"]), 60.0, "30s").counts.total
    0.5
    """
    share = math.exp2(-time / length_of(half_life))
    old = data.counts
    rows, columns = (names.recounted(names.counts * share) for names in (data.rows, data.columns))
    if data.shared:
        rows = columns
    values = np.maximum(old.values * share, np.finfo(np.float64).tiny)  # no cell becomes one that never was
    return data._replaced(rows, columns, counts=Counts(old.indptr, old.indices, values, old.shape))
