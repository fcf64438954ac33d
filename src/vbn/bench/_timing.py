"""Times of several tasks in one process, in turn, so that a noisy machine hits all of them alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from typing import Any


def alternate(tasks: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, list[float]]:
    """Seconds of each task, once in each of several rounds; all are done once before the clock runs.

    Parameters
    ----------
    tasks
        What to time, by name.
    repeats
        Number of rounds.

    Examples
    --------
    >>> sorted(alternate({"a": lambda: 1, "b": lambda: 2}, repeats=2))
    ['a', 'b']
    """
    for task in tasks.values():
        task()
    found: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            gc.collect()
            started = time.perf_counter()
            task()
            found[name].append(time.perf_counter() - started)
    return found


def best(times: Mapping[str, list[float]]) -> dict[str, float]:
    """The fastest time of each task."""
    return {name: min(seconds) for name, seconds in times.items()}
