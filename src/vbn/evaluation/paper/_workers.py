"""Processes that share the cores: each has its own, so that the threads of one do not stand in the way of another."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from vbn._cores import available_cores
from vbn.evaluation.paper._options import Progress

J = TypeVar("J")

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_jobs(
    jobs: Sequence[J], do: Callable[[J], tuple[str, float]], start: Callable[..., None], given: tuple[Any, ...],
    processes: int, progress: Progress,
) -> None:  # fmt: skip
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
