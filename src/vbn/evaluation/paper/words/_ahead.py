"""Trainings of the experiments on words in several processes at once, into the cache: gensim uses one core only.

Each experiment is called once to hear which runs it lacks, then once for each of these, in a process that does this run
and takes all others for done.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from vbn.evaluation.paper._cache import Cache, Record
from vbn.evaluation.paper._options import Progress, to_nobody
from vbn.evaluation.paper._workers import run_jobs
from vbn.evaluation.paper.words._corpus import Words

Experiment = Callable[[Words, Mapping[str, dict[str, Any]], int, Cache, Progress], Any]
Settings = Mapping[str, Mapping[str, dict[str, Any]]]


def _done() -> Record:
    """Stands for a run that does not matter now: it names no models and has no figures."""
    nothing: Any = defaultdict(dict)
    return Record(nothing, nothing)


class Planning(Cache):
    """Takes every run for done and notes the files of those that are not."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        super().__init__(folder)
        self.missing: list[str] = []

    def find(self, what: Mapping[str, Any]) -> Record | None:
        """A run that names nothing."""
        path = self.path(what)
        if not path.is_file():
            self.missing.append(path.name)
        return _done()


class Only(Cache):
    """A cache in which all runs are done but one, by the name of its file."""

    def __init__(self, folder: str | os.PathLike[str], name: str) -> None:
        super().__init__(folder)
        self.name = name

    def find(self, what: Mapping[str, Any]) -> Record | None:
        """The run if it is the one that is wanted and there; None if it has yet to be done."""
        return super().find(what) if self.path(what).name == self.name else _done()


def missing(
    experiments: Mapping[str, Experiment], words: Words, settings: Settings, seeds: int, cache: Cache
) -> list[tuple[str, str]]:
    """(experiment, file) of every run that the cache does not have."""
    found = []
    for name, experiment in experiments.items():
        plan = Planning(cache.folder)
        experiment(words, settings[name], seeds, plan, _silent())
        found += [(name, file) for file in plan.missing]
    return found


def run_ahead(
    words: Words, folder: str | os.PathLike[str], settings: Settings, seeds: int, cache: Cache, progress: Progress,
    processes: int,
) -> None:  # fmt: skip
    """Do what the cache does not have yet.

    Parameters
    ----------
    words, folder
        The data, and where each process reads it from.
    settings
        Of each experiment.
    seeds
        How many.
    cache, progress
        Where records go, and lines of progress.
    processes
        How many at once.
    """
    from vbn.evaluation.paper.words._reproduce import EXPERIMENTS

    jobs = missing(EXPERIMENTS, words, settings, seeds, cache)
    given = (os.fspath(folder), settings, seeds, os.fspath(cache.folder))
    run_jobs(jobs, _do, _start, given, processes, progress)


_HERE: dict[str, Any] = {}  # what a process works with


def _start(folder: str, settings: Settings, seeds: int, cache: str) -> None:
    _HERE.update(words=Words.load(folder), settings=settings, seeds=seeds, cache=cache)


def _do(job: tuple[str, str]) -> tuple[str, float]:
    """Do a run in a process; what it is called and how long it took."""
    from vbn.evaluation.paper.words._reproduce import EXPERIMENTS

    (name, file), started, heard = job, time.perf_counter(), Heard()
    EXPERIMENTS[name](_HERE["words"], _HERE["settings"][name], _HERE["seeds"], Only(_HERE["cache"], file), heard)
    return heard.label or name, time.perf_counter() - started


class Heard(Progress):
    """Remembers the one run that was not from the cache."""

    def __init__(self) -> None:
        super().__init__("words", tell=to_nobody)
        self.label = ""

    def step(self, label: str, started: float, *, cached: bool = False, took: float = 0.0) -> None:
        """Keep the label of what was computed."""
        if not cached:
            self.label = label
        super().step(label, started, cached=cached, took=took)


def _silent() -> Progress:
    return Progress("words", tell=to_nobody)
