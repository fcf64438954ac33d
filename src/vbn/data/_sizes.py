"""Amounts of memory as people write them."""

from __future__ import annotations

import math
import numbers
import re

from vbn._errors import ParameterError

_UNITS = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip


def bytes_of(size: object) -> int:
    """Bytes of a size: a number, or a text such as "8GiB" or "500 MB".

    Examples
    --------
    >>> bytes_of("8GiB"), bytes_of("1.5 kB"), bytes_of(4096)
    (8589934592, 1500, 4096)
    """
    amount = _number(size)
    if not (math.isfinite(amount) and amount >= 1):
        raise ParameterError(f"memory={size!r} is no amount of memory; give one such as '8GiB', '500MB' or a number.")
    return int(amount)


def _number(size: object) -> float:
    """The size in bytes; NaN for what is none."""
    if isinstance(size, bool):
        return math.nan
    if isinstance(size, numbers.Real):
        return float(size)
    found = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", size) if isinstance(size, str) else None
    return float(found[1]) * _UNITS[found[2].lower()] if found and found[2].lower() in _UNITS else math.nan
