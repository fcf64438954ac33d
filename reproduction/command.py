"""What `make reproduce` does: run the domains that were asked for in turn, and report on all."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from reproduction.cache import Cache
from reproduction.domains import LOADERS, load_domain
from reproduction.interactions import reproduce_interactions
from reproduction.models import models_of
from reproduction.report import about, check_drawing, read_amounts, read_results, write_report
from reproduction.results import DomainResult
from reproduction.running import Options, Progress, to_stderr
from reproduction.search import search
from reproduction.winners import FOLDER
from vbn._errors import ParameterError

DOMAINS = (*LOADERS, "words")
"""In the order of the report."""


def reproduce(
    domains: Iterable[str],
    folder: Path,
    out: Path,
    options: Options | None = None,
    cache: Path | None = None,
    tell: Callable[[str], None] = to_stderr,
) -> tuple[Path, ...]:
    """Run domains and write a report; results of other domains in an earlier report of that folder stay in it.

    An amounts.json in that folder becomes part of the report.

    Parameters
    ----------
    domains
        Some of "movies", "music", "medical", "phenotypes", "words".
    folder
        Where the data sets are.
    out
        Folder of the report.
    options
        How to run.
    cache
        Folder of the runs that are done; by default `out`/cache.
    tell
        Where lines of progress go.

    Returns
    -------
    tuple of Path
        report.md, report.html and report.json.
    """
    chosen = tuple(domains)
    for name in chosen:
        if name not in DOMAINS:
            raise ParameterError(f"no domain is called {name!r}; there are {', '.join(DOMAINS)}.")
    check_drawing()
    kept = Cache(out / "cache" if cache is None else cache, tell)
    done = {result.name: result for result in _earlier(out)}
    paths: tuple[Path, ...] = ()
    for name in (name for name in DOMAINS if name in chosen):
        done[name] = _timed(name, folder, options or Options(), kept, Progress(name, tell=tell), done.get(name))
        there = tuple(done[each] for each in DOMAINS if each in done)
        amounts = read_amounts(out) or tuple(done[each] for each in done if each not in DOMAINS)
        paths = write_report((*there, *amounts), out, about())
    return paths


def search_winners(
    domains: Iterable[str],
    folder: Path,
    trials: int,
    cache: Path,
    winners: Path | None = None,
    models: Iterable[str] | None = None,
    tell: Callable[[str], None] = to_stderr,
) -> tuple[Path, ...]:
    """Try settings of every model on validation data and write the best as toml files.

    Parameters
    ----------
    domains
        Some of "movies", "music", "medical", "phenotypes", "words".
    folder
        Where the data sets are.
    trials
        How many settings of each model are tried.
    cache
        Folder of the runs that are done.
    winners
        Folder to write to, by default that of this package, where `reproduce` reads them.
    models
        Keys of the only models to search for, by default all of the domain; words know none.
    tell
        Where lines of progress go.

    Returns
    -------
    tuple of Path
        The files written.
    """
    home = FOLDER if winners is None else winners
    paths: list[Path] = []
    for name in domains:
        progress = Progress(f"{name}, search", tell=tell)
        if name == "words":
            from reproduction.words import Words, search_words

            paths += search_words(Words.load(folder), trials, Cache(cache, tell), progress, home)
            continue
        domain = load_domain(name, folder)
        chosen = None if models is None else tuple(model for model in models_of(domain) if model.key in models)
        found = search(domain, trials, Cache(cache, tell), progress, home, models=chosen)
        paths += [home / name / f"{key}.toml" for key in found]
    return tuple(paths)


def _timed(
    name: str, folder: Path, options: Options, cache: Cache, progress: Progress, earlier: DomainResult | None
) -> DomainResult:
    """Run one domain, and keep how long its runs took in all, and how long one waits for them.

    If all runs were in the cache, one did not wait; then what an earlier report says stays.
    """
    before, started = cache.size(), time.perf_counter()
    result = run_domain(name, folder, options, cache, progress)
    waited = time.perf_counter() - started
    if cache.size() == before and earlier is not None:
        waited = earlier.facts.get("waited", waited)
    facts = {"seconds": progress.took, "waited": waited, "commit": about().commit}
    return replace(result, facts={**result.facts, **facts})


def run_domain(name: str, folder: Path, options: Options, cache: Cache, progress: Progress) -> DomainResult:
    """Run one domain."""
    if name == "words":
        from reproduction.words import reproduce_words

        return reproduce_words(folder, options, cache, progress)
    if name == "phenotypes":
        from reproduction.phenotypes import reproduce_phenotypes

        return reproduce_phenotypes(folder, options, cache, progress)
    return reproduce_interactions(name, folder, options, cache, progress)


def _earlier(out: Path) -> tuple[DomainResult, ...]:
    path = out / "report.json"
    return read_results(path) if path.is_file() else ()
