"""A domain of users and items from its data to its results: all runs, and all that is shown of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reproduction.cache import Cache
from reproduction.content import COLD, content_models, with_content
from reproduction.domains import Domain, load_domain
from reproduction.examples import seen_once, strangers
from reproduction.judging import MAIN
from reproduction.masking import Split, mask
from reproduction.models import ALL, BY_KEY, NO_PARAMETER, QUICK, TODAY, TUNED_RIVALS, Model, Parameters, models_of
from reproduction.pictures import bounds, long_tail, pareto, reliability_picture
from reproduction.pool import FULL, RARE, Cases, Pool
from reproduction.results import DomainResult, Picture, Table, Verdicts
from reproduction.running import Options, Progress
from reproduction.runs import Runner, run_ahead, split_of
from reproduction.tables import FIRST_TEN, all_table, dominance, paper_table, reliability_table, verdicts
from reproduction.winners import settings, variants


@dataclass(frozen=True)
class Findings:
    """What the runs of a domain left behind.

    Attributes
    ----------
    domain, models
        What was run, and what was to be run on it, in the order of the report.
    pool, cold : Pool
        Ranks on the maskings, and of items without data.
    others, swept
        Rivals tuned for one end, and the pool of their ranks beside ours.
    pairs : int
        How many pairs training has.
    """

    domain: Domain
    models: tuple[Model, ...]
    pool: Pool
    cold: Pool
    others: tuple[Model, ...]
    swept: Pool
    pairs: int


def assembled(found: Findings, notes: tuple[str, ...], facts: dict[str, Any]) -> DomainResult:
    """Tables, verdicts, examples and pictures."""
    domain = found.domain
    return DomainResult(
        domain.name,
        domain.title,
        f"{domain.text} Here: {domain.described()}.",
        _tables(found),
        _verdicts(found),
        (*seen_once(domain, found.models, found.pool), *strangers(domain, found.models, found.cold)),
        _pictures(found),
        notes,
        facts,
    )


def _tables(found: Findings) -> tuple[Table, ...]:
    reliable = reliability_table(found.models, found.pool)
    return (
        *((paper_table(found.domain.name, found.models, found.pool),) if found.domain.paper else ()),
        all_table(found.models, found.pool, found.cold),
        *((reliable,) if reliable.rows else ()),
    )


def _verdicts(found: Findings) -> tuple[Verdicts, ...]:
    ours, paper_ours = BY_KEY["vbn"], BY_KEY["vbn-items"]
    rivals = tuple(model for model in found.models if model.key not in ("vbn", "vbn-default", "vbn-items"))
    theirs = tuple(model for model in rivals if model.paper)
    result = []
    if found.domain.paper:
        result.append(verdicts("VBN against the paper's rivals", ours, theirs, found.pool, role="inference"))
    if paper_ours.key in found.pool.records:
        title = "VBN against the paper's rivals, all items x items and without a dial"
        result.append(verdicts(title, paper_ours, theirs, found.pool, role="as in the paper"))
    result.append(verdicts("VBN against every rival", ours, (*rivals, paper_ours), found.pool))
    result += [*_no_parameter(found), *_first_ten(found)]
    result.append(dominance(ours, (*rivals, paper_ours), found.pool))
    if found.others:
        result.append(dominance(ours, found.others, found.swept, "The same against rivals tuned for one end"))
    return tuple(result)


def _no_parameter(found: Findings) -> tuple[Verdicts, ...]:
    """`VBN()` against every tuned rival, and against VBN as it was tuned."""
    given_nothing, pool, cold = BY_KEY["vbn-default"], found.pool, found.cold
    tuned = tuple(model for model in found.models if model.key in TUNED_RIVALS)
    against, beside = f"{NO_PARAMETER}, against every tuned rival", f"{NO_PARAMETER}, less VBN as it was tuned"
    return (
        verdicts(against, given_nothing, tuned, pool, "no parameter", cold=cold),
        verdicts(beside, given_nothing, (BY_KEY["vbn"],), pool, "no parameter, tuned", cold=cold),
    )


def _first_ten(found: Findings) -> tuple[Verdicts, ...]:
    """The first ten, where what one would pick today is strong."""
    today = tuple(model for model in found.models if model.group == TODAY)
    roles = {"vbn": "first ten", "vbn-default": "first ten, no parameter"}
    return tuple(
        verdicts(f"{BY_KEY[key].name}: the first ten", BY_KEY[key], today, found.pool, role, columns=FIRST_TEN)
        for key, role in roles.items()
    )


def _pictures(found: Findings) -> tuple[Picture, ...]:
    name, models, pool = found.domain.name, found.models, found.pool
    return (
        long_tail(name, models, pool),
        *(pareto(name, models, pool, figure, found.others, found.swept) for figure in MAIN),
        reliability_picture(name, models, pool),
        bounds(name, models, pool, found.pairs),
    )


RARE_CASES = 1000
"""As many rare cases are pooled at least, if `_MOST` maskings have them."""
_MOST = 30


def reproduce_interactions(
    name: str, folder: Path, options: Options, cache: Cache, progress: Progress | None = None
) -> DomainResult:
    """Run a domain and put its results together.

    Parameters
    ----------
    name
        "movies", "music", "medical" or "phenotypes".
    folder
        Where the data is.
    options, cache, progress
        How to run, where runs are kept, where to tell about them.
    """
    told = progress or Progress(name)
    domain = load_domain(name, folder)
    told.say(domain.described())
    others, theirs = ((), {}) if options.quick else variants(name)
    parameters = settings(name, quick=options.quick) | theirs
    if options.processes > 1:
        wanted = _plan(domain, options, others)
        run_ahead(domain, folder, wanted, parameters, cache, told.another(), options.processes)
    result = reproduce_domain(domain, options, cache, told, parameters, others)
    return with_content(result, domain, COLD, options, Runner(cache, told), parameters)


def reproduce_domain(
    domain: Domain,
    options: Options,
    cache: Cache,
    progress: Progress,
    parameters: dict[str, Parameters],
    others: tuple[Model, ...] = (),
) -> DomainResult:
    """As `reproduce_interactions`, for data that is loaded and parameters that are chosen.

    `others` are rivals at other settings, judged on one masking for each seed.
    """
    models = _models(domain, options)
    there = ready(domain, options)
    run = _Run(domain, options, Runner(cache, progress), parameters)
    pool = run.masked(there)
    cold_pool = run.cold(tuple(model for model in there if model.asking.prior))
    swept = run.swept(tuple(model for model in others if model.installed), pool)
    pairs = int(mask(domain.interactions, domain.least).training().sum())
    facts = {
        "users": len(domain.interactions.users),
        "items": len(domain.interactions.items),
        "pairs": len(domain.interactions),
        "maskings": len(pool.cases),
        "cases": pool.number(FULL),
        "rare_cases": pool.number(RARE),
        "cold_cases": cold_pool.number(FULL),
        "seeds": options.seeds,
        "parameters": {model.key: parameters[model.key] for model in there},
    }
    found = Findings(domain, models, pool, cold_pool, others, swept, pairs)
    return assembled(found, _notes(models, pool, options.quick), facts)


def _models(domain: Domain, options: Options) -> tuple[Model, ...]:
    """The models of a domain."""
    return models_of(domain, tuple(BY_KEY[key] for key in QUICK) if options.quick else ALL)


def ready(domain: Domain, options: Options) -> tuple[Model, ...]:
    """Those that are installed."""
    return tuple(model for model in _models(domain, options) if model.installed)


def _plan(domain: Domain, options: Options, others: tuple[Model, ...]) -> dict[tuple[str, int], tuple[Model, ...]]:
    """The models of each split, as far as the first masking tells how many there will be."""
    rare = int(Cases.of(split_of(domain, "masking", 0).masked).rare.sum())
    there = ready(domain, options)
    with_prior = tuple(model for model in there if model.asking.prior)
    maskings, colds = (1, 1) if options.quick else (n_maskings(rare, options.seeds), options.seeds)
    swept = tuple(model for model in others if model.installed)
    plan = {("masking", seed): there + (swept if seed < options.seeds else ()) for seed in range(maskings)}
    of_cold = (*with_prior, *(model for model in content_models(domain) if model not in with_prior))
    return plan | {("cold", seed): of_cold for seed in range(colds)}


@dataclass(frozen=True)
class _Run:
    """All splits of a domain, one after the other."""

    domain: Domain
    options: Options
    runner: Runner
    parameters: dict[str, Parameters]

    def masked(self, models: tuple[Model, ...]) -> Pool:
        """Maskings until there are enough rare cases."""
        pool, total = Pool(self.options.seeds), 1
        while len(pool.cases) < total:
            seed = len(pool.cases)
            split = split_of(self.domain, "masking", seed)
            pool.cases.append(Cases.of(split.masked))
            wanted = 1 if self.options.quick else n_maskings(pool.number(RARE) / (seed + 1), self.options.seeds)
            self.runner.progress.expect((wanted - (total if seed else 0)) * len(models))
            total = wanted
            self._all(pool, split, models, seed)
        return pool

    def cold(self, models: tuple[Model, ...]) -> Pool:
        """Cold splits, one for each seed."""
        pool, total = Pool(self.options.seeds), 1 if self.options.quick else self.options.seeds
        self.runner.progress.expect(total * len(models))
        for seed in range(total):
            split = split_of(self.domain, "cold", seed)
            pool.cases.append(Cases.of(split.masked))
            self._all(pool, split, models, seed)
        return pool

    def swept(self, models: tuple[Model, ...], pool: Pool) -> Pool:
        """Rivals at other settings beside our model, on one masking for each seed."""
        number = min(self.options.seeds, len(pool.cases))
        found = Pool(number, pool.cases[:number], {"vbn": pool.records["vbn"][:number]})
        self.runner.progress.expect(number * len(models))
        for seed in range(number if models else 0):
            self._all(found, split_of(self.domain, "masking", seed), models, seed)
        return found

    def _all(self, pool: Pool, split: Split, models: tuple[Model, ...], seed: int) -> None:
        for model in models:
            record = self.runner.run(model, split, self.parameters, seed)
            pool.records.setdefault(model.key, []).append(record)


def n_maskings(rare_cases: float, seeds: int) -> int:
    """How many maskings give enough rare cases if each gives so many; at least one for each seed.

    Examples
    --------
    >>> n_maskings(98, seeds=3), n_maskings(1630, seeds=3), n_maskings(0, seeds=3)
    (11, 3, 30)
    """
    needed = math.ceil(RARE_CASES / max(rare_cases, 1.0))
    return max(min(needed, _MOST), seeds)


def _notes(models: tuple[Model, ...], pool: Pool, quick: bool) -> tuple[str, ...]:
    notes = [f"{model.name}: {model.package} is not installed." for model in models if not model.installed]
    if pool.number(RARE) < RARE_CASES:
        notes.append(f"Only {pool.number(RARE):,} rare cases were pooled; {RARE_CASES:,} are wanted.")
    if quick:
        notes.append("A quick run: one masking, few models, few epochs. Its figures mean nothing.")
    return tuple(notes)
