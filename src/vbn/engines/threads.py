"""Threads of this process.

Kernels release the GIL, and every row is computed by one thread: the result is the same to the bit for any number of
them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from vbn._cores import available_cores

if TYPE_CHECKING:
    from vbn.model import EpochData, Plan, RelationCells


class ThreadEngine:
    """Runs ranges of rows on a pool of threads.

    Parameters
    ----------
    n_threads
        Number of threads; all cores that the process may use if None.
    """

    def __init__(self, n_threads: int | None = None) -> None:
        self.n_threads = n_threads or available_cores()
        self._pool = ThreadPoolExecutor(self.n_threads, thread_name_prefix="vbn") if self.n_threads > 1 else None

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Return the results of task(first, last) for every range, in the order of the ranges."""
        return list(self.begin(task, ranges))

    def begin(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> Iterator[Any]:
        """Return an iterator over the same results; with several threads, these work on them from now on."""
        if self._pool is None or len(ranges) < 2:
            return itertools.starmap(task, ranges)
        return self._pool.map(lambda bounds: task(*bounds), ranges)

    def sample(self, plan: Plan, epoch: int, relations: RelationCells) -> EpochData:
        """Return a sample whose cells are drawn and kept in this process."""
        from vbn.model import DrawnSample

        return DrawnSample(plan, epoch, relations)

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
