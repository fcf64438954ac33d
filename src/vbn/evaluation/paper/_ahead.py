"""Runs of a domain in several processes at once, into the cache: many rivals use one core only."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vbn.evaluation.paper._cache import Cache
from vbn.evaluation.paper._domains import Domain, load_domain
from vbn.evaluation.paper._examples import missed_most
from vbn.evaluation.paper._masking import cold, mask
from vbn.evaluation.paper._models import BY_KEY, Model, Parameters
from vbn.evaluation.paper._options import Progress, to_nobody
from vbn.evaluation.paper._runs import Runner, identity
from vbn.evaluation.paper._split import Split
from vbn.evaluation.paper._workers import run_jobs


@dataclass(frozen=True)
class Job:
    """Models that share a training, on one split: masking or cold split number `seed`."""

    kind: str
    seed: int
    keys: tuple[str, ...]


def split_of(domain: Domain, kind: str, seed: int) -> Split:
    """A masking ("masking") or a split without the items that become cold ("cold"), by number."""
    if kind == "cold":
        made = cold(domain.interactions, seed=seed)
        return Split(domain, made, "test", f"cold {seed + 1}", missed_most(made), cold=True)
    return Split(domain, mask(domain.interactions, domain.least, seed), "test", f"{kind} {seed + 1}")


def run_ahead(
    domain: Domain, folder: Path, wanted: dict[tuple[str, int], tuple[Model, ...]],
    parameters: dict[str, Parameters], cache: Cache, progress: Progress, processes: int,
) -> None:  # fmt: skip
    """Do what the cache does not have yet.

    Parameters
    ----------
    domain, folder
        The data, and where each process reads it from.
    wanted
        The models of each split, by its kind and number.
    parameters
        Of every model.
    cache, progress
        Where records go, and lines of progress.
    processes
        How many at once.
    """
    jobs = list(_missing(domain, wanted, parameters, cache))
    given = (domain.name, folder, parameters, cache.folder)
    run_jobs(jobs, _do, _start, given, processes, progress)


def _missing(
    domain: Domain, wanted: dict[tuple[str, int], tuple[Model, ...]], parameters: dict[str, Parameters], cache: Cache
) -> Iterator[Job]:
    for (kind, seed), models in wanted.items():
        split = split_of(domain, kind, seed)
        lacking = [model for model in models if not cache.path(identity(model, split, parameters, seed)).is_file()]
        shared: dict[str, list[str]] = {}
        for model in lacking:
            shared.setdefault(model.base or model.key, []).append(model.key)
        yield from (Job(kind, seed, tuple(keys)) for keys in shared.values())


_HERE: dict[str, Any] = {}  # what a process works with


def _start(name: str, folder: Path, parameters: dict[str, Parameters], cache: Path) -> None:
    from vbn.evaluation.paper._winners import variants

    silent = Progress(name, tell=to_nobody)
    models = BY_KEY | {model.key: model for model in variants(name)[0]}
    _HERE.update(domain=load_domain(name, folder), parameters=parameters, runner=Runner(Cache(cache), silent))
    _HERE.update(models=models)


def _do(job: Job) -> tuple[str, float]:
    """Do a job in a process; what it is called and how long it took."""
    started = time.perf_counter()
    place = (job.kind, job.seed)
    if _HERE.get("place") != place:
        _HERE.update(place=place, split=split_of(_HERE["domain"], *place))
    for key in job.keys:
        _HERE["runner"].run(_HERE["models"][key], _HERE["split"], _HERE["parameters"], job.seed)
    return f"{', '.join(job.keys)}, {job.kind} {job.seed + 1}", time.perf_counter() - started
