"""Ranges of rows of equal length."""

from __future__ import annotations

ROWS_PER_TASK = 1 << 13


def row_ranges(n: int, rows_per_task: int | None = None) -> list[tuple[int, int]]:
    """Divide n rows into ranges."""
    step = rows_per_task or ROWS_PER_TASK
    return [(first, min(first + step, n)) for first in range(0, n, step)]
