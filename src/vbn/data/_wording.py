"""Numbers as a reader wants them: "1 row", "2 rows", "1,034,230"."""

from __future__ import annotations

_EXACT = 1e15  # up to here a float64 holds every tenth


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number of things, in the singular or the plural.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row"), counted(2, "entity", "entities")
    ('1 row', '2,000 rows', '2 entities')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def amount(value: float) -> str:
    """Return a total, whole where it is a whole number.

    Examples
    --------
    >>> amount(1034230.0), amount(1034230.25), amount(0.5), amount(1e20)
    ('1,034,230', '1,034,230.2', '0.5', '1e+20')
    """
    if abs(value) >= _EXACT:
        return f"{value:.6g}"
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.1f}" if abs(value) >= 1e5 else f"{value:,.6g}"
