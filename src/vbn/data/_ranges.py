"""Work divided into ranges of rows, and who runs them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np


class Runner(Protocol):
    """Runs a task over ranges of rows and returns the results in order; an engine is one."""

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Results of task(first, last) for every range, in the order of the ranges."""


def ranges_by_load(load: np.ndarray, most: float, widest: int | None = None) -> list[tuple[int, int]]:
    """Divide rows into ranges of about equal load, near `most`, and of at most `widest` rows.

    Examples
    --------
    >>> ranges_by_load(np.array([5.0, 1.0, 1.0, 1.0]), 4.0)
    [(0, 1), (1, 4)]
    """
    n = len(load)
    if n == 0:
        return []
    total = np.cumsum(load)
    n_ranges = max(1, int(total[-1] // most))
    middle = total - 0.5 * load  # a row goes to the side on which more of it lies
    cuts = np.searchsorted(middle, np.linspace(0.0, total[-1], n_ranges + 1)[1:-1])
    edges = np.concatenate(([0], cuts, [n]))
    if widest is not None:
        edges = np.concatenate((edges, np.arange(0, n, widest)))
    edges = np.unique(edges)
    return [(int(a), int(b)) for a, b in itertools.pairwise(edges)]


def ranges_by_cells(indptr: np.ndarray, cells: float) -> list[tuple[int, int]]:
    """Divide rows into ranges of about so many cells (a row counts as one more)."""
    return ranges_by_load(np.diff(indptr) + 1.0, cells)
