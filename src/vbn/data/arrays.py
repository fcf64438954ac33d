"""Array types that the data room shares, and rows divided into ranges."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IdArray = NDArray[np.int64]  # entity ids while data is being read
IndexArray = NDArray[np.int32] | NDArray[np.int64]  # entity ids as stored: 32 bits while they fit


def read_only(array: NDArray) -> NDArray:
    """Return a view of `array` that refuses to be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def as_index(ids: NDArray, size: int) -> IndexArray:
    """Return ids of `size` things as int32, or as int64 from 2**31 things on."""
    return ids.astype(np.int32, copy=False) if size < 2**31 else ids.astype(np.int64, copy=False)


def summed(ids: NDArray, weights: FloatArray, n: int) -> FloatArray:
    """Return the sum of the weights of each of `n` ids."""
    return np.bincount(ids, weights=weights, minlength=n).astype(np.float64, copy=False)


def starts_of(ids: NDArray, n: int) -> IdArray:
    """Return where each of `n` rows begins among cells sorted by row, and the end of the last one."""
    indptr = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(ids, minlength=n), out=indptr[1:])
    return indptr


def first_of_runs(*keys: NDArray) -> IdArray:
    """Return where a new combination of sorted keys begins."""
    new = np.ones(len(keys[0]), dtype=bool)
    new[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return np.flatnonzero(new)


class Runner(Protocol):
    """Runs a task over ranges of rows and returns the results in order; an engine is one."""

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Return the results of task(first, last) for every range, in the order of the ranges."""


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
    middle = total - 0.5 * load  # a row goes to the side that holds more of it
    cuts = np.searchsorted(middle, np.linspace(0.0, total[-1], n_ranges + 1)[1:-1])
    edges = np.concatenate(([0], cuts, [n]))
    if widest is not None:
        edges = np.concatenate((edges, np.arange(0, n, widest)))
    edges = np.unique(edges)
    return [(int(a), int(b)) for a, b in itertools.pairwise(edges)]


def ranges_by_cells(indptr: np.ndarray, cells: float) -> list[tuple[int, int]]:
    """Divide rows into ranges of about `cells` cells each; every row counts as one cell more than it has."""
    return ranges_by_load(np.diff(indptr) + 1.0, cells)
