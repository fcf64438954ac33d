"""The engine protocol: where row updates run. Threads on this machine are one engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Engine(Protocol):
    """Runs one block's ranges of rows side by side and waits for all of them."""

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Results of task(first, last) for every range, in the order of the ranges."""

    def close(self) -> None:
        """Let go of the threads, processes or connections."""
