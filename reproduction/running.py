"""How a reproduction runs: its options, its lines of progress, and processes that share the cores.

Every domain is a function (folder of the data, options, cache, progress) -> DomainResult.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from vbn._cores import available_cores
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


J = TypeVar("J")

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_jobs(
    jobs: Sequence[J],
    do: Callable[[J], tuple[str, float]],
    start: Callable[..., None],
    given: tuple[Any, ...],
    processes: int,
    progress: Progress,
) -> None:
    """Do jobs in several processes and tell of each when it is done.

    Parameters
    ----------
    jobs
        What to do, in this order as processes become free.
    do
        Does a job in a process; returns what to call it in a line of progress, and the seconds that it took.
    start, given
        Called with these arguments when a process starts.
    processes
        How many at once.
    progress
        Where lines go.
    """
    if not jobs:
        return
    progress.expect(len(jobs))
    progress.at_once = processes
    started = time.perf_counter()
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads' locks
    places = context.Queue()
    for share in shares(processes):
        places.put(share)
    with _few_threads(processes), ProcessPoolExecutor(processes, context, _begin, (places, start, given)) as pool:
        running: set[Future[tuple[str, float]]] = {pool.submit(do, job) for job in jobs}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    label, seconds = future.result()
                    progress.step(label, time.perf_counter() - seconds)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    progress.say(f"{len(jobs)} trainings in {time.perf_counter() - started:.0f} s")


def shares(processes: int) -> list[tuple[int, ...]]:
    """The cores of each process; an empty tuple where a system does not say, or there are fewer cores than processes.

    Examples
    --------
    >>> [len(share) for share in shares(1)] == [len(os.sched_getaffinity(0))]
    True
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    if len(cores) < processes:
        return [()] * processes
    return [tuple(cores[number::processes]) for number in range(processes)]


def _begin(places: Any, start: Callable[..., None], given: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    share = places.get()
    if share:
        os.sched_setaffinity(0, share)
    start(*given)


def _end_with_parent() -> None:
    """Wait until the parent is gone, killed perhaps, and go too: nobody would ever ask for anything again."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _few_threads(processes: int) -> Iterator[None]:
    """Let libraries that a new process loads start no more threads than its share of the cores."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, str(max(available_cores() // processes, 1))))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
