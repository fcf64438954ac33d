"""Ranges of rows of equal length."""

from __future__ import annotations

_ROWS_PER_TASK = 1 << 13


def row_ranges(n: int, rows_per_task: int = _ROWS_PER_TASK) -> list[tuple[int, int]]:
    """Divide n rows into ranges."""
    return [(first, min(first + rows_per_task, n)) for first in range(0, n, rows_per_task)]
