"""How a reproduction is to run, and how it tells what it does.

Every domain is a function (folder of the data, options, cache, progress) -> DomainResult.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from vbn._errors import ParameterError


@dataclass(frozen=True)
class Options:
    """Settings of a reproduction.

    Attributes
    ----------
    seeds : int
        How many seeds the spread is over.
    processes : int
        How many trainings go on at the same time; the results are the same for any number.
    quick : bool
        A small version: one masking, few models, few epochs; its figures mean nothing.
    """

    seeds: int = 3
    quick: bool = False
    processes: int = 1

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise ParameterError(f"seeds={self.seeds!r} must be at least 1.")
        if self.processes < 1:
            raise ParameterError(f"processes={self.processes!r} must be at least 1.")


def to_stderr(message: str) -> None:
    """Show a line of progress."""
    sys.stderr.write(message + "\n")
    sys.stderr.flush()


def to_nobody(_: str) -> None:
    """Show nothing: lines of progress come from another process."""


class Progress:
    """Lines such as "movies 7/40 ALS, masking 2 (12 s; about 9 min left)", by what the runs so far have taken.

    Parameters
    ----------
    domain
        Its name begins every line.
    total
        How many runs there will be.
    tell
        Where the lines go.

    Attributes
    ----------
    at_once : int
        How many runs go on at the same time.
    took : float
        Seconds of all runs so far, also of those from the cache.
    """

    def __init__(self, domain: str, total: int = 0, tell: Callable[[str], None] = to_stderr) -> None:
        self.domain, self.total, self._tell = domain, total, tell
        self.at_once, self.took = 1, 0.0
        self._done, self._spent, self._computed = 0, 0.0, 0

    def another(self) -> Progress:
        """One that counts for itself and tells where this one does."""
        return Progress(self.domain, tell=self._tell)

    def expect(self, runs: int) -> None:
        """Announce further runs."""
        self.total += runs

    def say(self, message: str) -> None:
        """A line of its own."""
        self._tell(f"{self.domain}: {message}")

    def step(self, label: str, started: float, *, cached: bool = False, took: float = 0.0) -> None:
        """Count a run that is done; `started` is when it began, by `time.perf_counter`.

        `took` is how long it took when it was not in the cache yet.
        """
        self._done += 1
        self.took += took
        seconds = time.perf_counter() - started
        if not cached:
            self._spent += seconds
            self._computed += 1
        left = max(self.total - self._done, 0) * self._spent / max(self._computed, 1) / self.at_once
        told = "from the cache" if cached else f"{seconds:.0f} s"
        ahead = f"; about {duration(left)} left" if left else ""
        self._tell(f"{self.domain} {self._done}/{max(self.total, self._done)} {label} ({told}{ahead})")


def duration(seconds: float) -> str:
    """A time as one would say it: 45 s, 12 min."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
