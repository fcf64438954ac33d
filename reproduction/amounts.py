"""Score against the amount of data: the same maskings with a share of the users, among the whole catalogue."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from reproduction.cache import Cache
from reproduction.domains import LOADERS, Domain, load_domain
from reproduction.masking import Split
from reproduction.models import BARE, BY_KEY, Model, Parameters, weighted
from reproduction.pool import FULL, RARE, Cases, Pool
from reproduction.report import (
    about,
    check_drawing,
    read_about,
    read_amounts,
    read_results,
    write_amounts,
    write_report,
)
from reproduction.results import Cell, DomainResult, Picture, Row, Series, Table, Verdicts
from reproduction.running import Options, Progress, to_stderr
from reproduction.runs import SHARE, Runner, run_ahead, split_of
from reproduction.search import SPACES, tried, winner
from reproduction.tables import FOUR, Triple, compared
from reproduction.winners import few_epochs, settings
from vbn._errors import ParameterError

SHARES = (0.01, 0.03, 0.1, 0.3, 1.0)
PAPERS = ("movies", "music", "medical")
"""The paper's domains, which are run by default."""
RIVALS = ("popularity", "als", "bpr", "itemknn", "ease", "lightfm")
TRIALS = 4
"""Further settings of each rival, judged on the validation pairs of a share; those of the whole data come first."""
_CASES, _MOST = 2000, 20  # small shares are drawn until there are so many cases, or so often
_FRAMES = {FULL: "all targets", RARE: "rare targets"}
OURS = BY_KEY["vbn-default"]


def amounts(
    domains: Iterable[str],
    folder: Path,
    out: Path,
    shares: Sequence[float] = SHARES,
    options: Options | None = None,
    cache: Path | None = None,
    tell: Callable[[str], None] = to_stderr,
) -> tuple[Path, ...]:
    """Run domains with shares of their users, and write amounts.md, amounts.json and pictures.

    Results of other domains in an earlier amounts.json of that folder stay in it, and a report there is written again
    with all of them.

    Parameters
    ----------
    domains
        Some of "movies", "music", "medical", "phenotypes".
    folder
        Where the data sets are.
    out
        Folder to write to, that of the report if there is one.
    shares
        Of the users, above 0 and at most 1.
    options
        How to run.
    cache
        Folder of the runs that are done; by default `out`/cache.
    tell
        Where lines of progress go.

    Returns
    -------
    tuple of Path
        amounts.md and amounts.json.
    """
    chosen, ordered = tuple(domains), tuple(sorted(set(shares)))
    for name in chosen:
        if name not in LOADERS:
            raise ParameterError(f"no domain of users and items is called {name!r}; there are {', '.join(LOADERS)}.")
    if not ordered or not all(0.0 < share <= 1.0 for share in ordered):
        raise ParameterError(f"shares={tuple(shares)!r} must be numbers above 0 and at most 1.")
    check_drawing()
    kept = Cache(out / "cache" if cache is None else cache, tell)
    done = {result.name: result for result in read_amounts(out)}
    paths: tuple[Path, ...] = ()
    for name in (name for name in LOADERS if name in chosen):
        progress = Progress(f"{name}, amounts", tell=tell)
        result = amounts_of(load_domain(name, folder), folder, ordered, options or Options(), kept, progress)
        done[result.name] = result
        there = tuple(done[_name(each)] for each in LOADERS if _name(each) in done)
        paths = write_amounts(there, out, about())
        _into_report(there, out)
    return paths


def _name(domain: str) -> str:
    return f"amounts-{domain}"


def _into_report(results: tuple[DomainResult, ...], out: Path) -> None:
    """Write the report of a folder again with these results in place of earlier ones, if there is a report."""
    path = out / "report.json"
    if path.is_file():
        others = (result for result in read_results(path) if result.name not in map(_name, LOADERS))
        write_report((*others, *results), out, read_about(path))


@dataclass(frozen=True)
class Amount:
    """A share of the users, the ranks of all models there, and the settings of rivals that its validation chose."""

    share: float
    pool: Pool
    parameters: dict[str, Parameters]

    @property
    def title(self) -> str:
        """The share in words."""
        return f"{100.0 * self.share:g} %"

    def never_seen(self, key: str, what: str) -> Cell:
        """A share of never-seen items, in per cent: "in_top_tens" or "in_catalogue"."""
        found = [record.facts["never_seen"][what] for record in self.pool.records.get(key, [])]
        return Cell(float(np.mean(found))) if found else Cell()


def amounts_of(
    domain: Domain, folder: Path, shares: Sequence[float], options: Options, cache: Cache, progress: Progress
) -> DomainResult:
    """Run one domain that has been loaded; `folder` is where further processes read it from."""
    started = time.perf_counter()
    progress.say(domain.described())
    ours, fixed = weighted()
    rivals = tuple(BY_KEY[key] for key in RIVALS)
    parameters = settings(domain.name, quick=options.quick)
    parameters |= {key: few_epochs(one) if options.quick else one for key, one in fixed.items()}
    ready = (*ours, *(rival for rival in rivals if rival.installed))
    run = _Run(domain, folder, options, Runner(cache, progress), ready)
    found = [run.amount(share, parameters) for share in shares]
    facts = {
        "seconds": progress.took,
        "waited": time.perf_counter() - started,
        "commit": about().commit,
        "draws": {one.title: len(one.pool.cases) for one in found},
        "cases": {one.title: [one.pool.number(part) for part in (FULL, RARE)] for one in found},
        "parameters": {one.title: {key: one.parameters[key] for key in RIVALS} for one in found},
    }
    return shown(domain, found, ours, rivals, options, facts)


@dataclass(frozen=True)
class _Run:
    """All shares of a domain, one after the other."""

    domain: Domain
    folder: Path
    options: Options
    runner: Runner
    models: tuple[Model, ...]

    def amount(self, share: float, parameters: dict[str, Parameters]) -> Amount:
        """Choose settings on the validation pairs of the first draw, then rank on the test pairs of all draws."""
        kind = f"{SHARE}{share!r}"
        first = split_of(self.domain, kind, 0)
        chosen = parameters | self._tuned(share, first, parameters)
        draws = 1 if self.options.quick else n_draws(len(first.masked.cases()[0]), self.options.seeds)
        if self.options.processes > 1:
            wanted = {(kind, seed): self.models for seed in range(draws)}
            told = self.runner.progress.another()
            run_ahead(self.domain, self.folder, wanted, chosen, self.runner.cache, told, self.options.processes)
        pool = Pool(self.options.seeds)
        self.runner.progress.expect(draws * len(self.models))
        for seed in range(draws):
            split = split_of(self.domain, kind, seed)
            pool.cases.append(Cases.of(split.masked))
            for model in self.models:
                pool.records.setdefault(model.key, []).append(self.runner.run(model, split, chosen, seed))
        return Amount(share, pool, chosen)

    def _tuned(self, share: float, split: Split, parameters: dict[str, Parameters]) -> dict[str, Parameters]:
        """The best settings of each rival on the validation pairs of a share; those of all data were searched for."""
        rivals = [model for model in self.models if model.key in SPACES]
        if share == 1.0 or self.options.quick or not len(split.masked.cases("validation")[0]):
            return {}
        asked = Split(self.domain, split.masked, "validation", f"{split.label}, validation")
        self.runner.progress.expect((1 + TRIALS) * len(rivals))
        found = {
            rival.key: tried(rival, [asked], parameters, (parameters[rival.key],), 1 + TRIALS, self.runner)
            for rival in rivals
        }
        return {key: winner(trials)[1] for key, trials in found.items()}


def n_draws(cases: int, seeds: int) -> int:
    """How often a share is drawn if each draw gives so many cases; at least once for each seed.

    Examples
    --------
    >>> n_draws(120, seeds=3), n_draws(12_000, seeds=3), n_draws(2, seeds=5)
    (17, 3, 20)
    """
    return max(min(-(-_CASES // max(cases, 1)), _MOST), seeds)


def shown(
    domain: Domain,
    found: Sequence[Amount],
    ours: tuple[Model, ...],
    rivals: tuple[Model, ...],
    options: Options,
    facts: dict[str, object],
) -> DomainResult:
    """Tables, verdicts and pictures of a domain."""
    with_taxonomy = tuple(model for model in ours if model.taxonomy)
    weights = tuple(model for model in with_taxonomy if model.key != OURS.key)
    bare = next(model for model in ours if model.name == f"{OURS.name}, {BARE}")
    there = tuple(rival for rival in rivals if rival.key in found[0].pool.records)
    notes = [f"{rival.name}: {rival.package} is not installed." for rival in rivals if not rival.installed]
    if options.quick:
        notes.append("A quick run: one draw, few epochs, settings of the whole data. Its figures mean nothing.")
    cases = ", ".join(f"{one.title} {one.pool.number(FULL):,} ({one.pool.number(RARE):,} rare)" for one in found)
    beside = (OURS, bare, *rivals)
    return DomainResult(
        _name(domain.name),
        f"{domain.title}: amounts of data",
        "The same maskings with a share of the users, drawn at random; the catalogue is always the whole one, so that "
        "items which nobody in the share has are candidates. Models without a prior for these rank them last, in a "
        f"tie. Rare are the least frequent fifth of the catalogue in what is trained on; at small "
        f"shares nobody has them. Cases by share: {cases}.",
        (
            _table(
                "VBN and its rivals, by share of the users",
                beside,
                found,
                f"Each rival has the best of {1 + TRIALS} settings on validation pairs of the share, those found on "
                "the whole data among them; at 100 % it has the latter.",
            ),
            _table(
                "VBN with fixed weights, by share of the users",
                ours,
                found,
                "Weight: alpha = beta for entities and categories, the prior of their precisions; all else is as where "
                "no parameter is given.",
            ),
            _unseen_table((*with_taxonomy, *(rival for rival in there if rival.asking.prior)), found),
        ),
        (
            _verdicts(f"{OURS.name}, against its rivals, by share of the users", there, found, "amounts"),
            _verdicts(f"{OURS.name}, against fixed weights, by share of the users", weights, found, "weights"),
        ),
        pictures=(
            _picture(domain, "rivals", "Score against amount of data", (OURS, *there), found),
            _picture(domain, "weights", "The same against fixed weights", with_taxonomy, found),
        ),
        notes=tuple(notes),
        facts=facts,
    )


def _table(title: str, models: tuple[Model, ...], found: Sequence[Amount], text: str) -> Table:
    rows = [
        Row(
            model.name,
            tuple(one.pool.cell(model.key, figure, part) for one in found),
            f"{figure}, {_FRAMES[part]}",
            ours=model.key == OURS.key,
        )
        for figure, part in FOUR
        for model in models
    ]
    return Table(title, tuple(one.title for one in found), tuple(rows), text, grouped=True)


def _unseen_table(models: tuple[Model, ...], found: Sequence[Amount]) -> Table:
    catalogue = Row("in the catalogue", tuple(one.never_seen(OURS.key, "in_catalogue") for one in found))
    rows = [
        Row(model.name, tuple(one.never_seen(model.key, "in_top_tens") for one in found), "in top tens")
        for model in models
    ]
    return Table(
        "Never-seen items, per cent",
        tuple(one.title for one in found),
        (catalogue, *rows),
        "Items that nobody in the share has in training: their share of the catalogue, and of the first ten of users "
        "who are asked. More than in the catalogue would mean that what is unknown comes first.",
        best=("none",) * len(found),
    )


def _verdicts(title: str, rivals: tuple[Model, ...], found: Sequence[Amount], role: str) -> Verdicts:
    """Our leads in HR@10% over each rival, full and rare at every share."""
    lines: list[tuple[Triple | None, ...]] = [() for _ in rivals]
    for one in found:
        leads = compared(OURS, rivals, one.pool, tuple(("HR@10%", part) for part in _FRAMES))
        lines = [(*line, *more) for line, more in zip(lines, leads, strict=True)]
    return Verdicts(
        title,
        tuple(f"{one.title} of the users, {part}" for one in found for part in _FRAMES),
        tuple(rival.name for rival in rivals),
        tuple(lines),
        "HR@10% less that of the other, in points, with the 95 % interval of the paired bootstrap by user.",
        role,
    )


def _picture(domain: Domain, name: str, title: str, models: tuple[Model, ...], found: Sequence[Amount]) -> Picture:
    series = []
    for part, frame in _FRAMES.items():
        for model in models:
            cells = [(float(place), one.pool.cell(model.key, "HR@10%", part)) for place, one in enumerate(found)]
            known = [(place, cell.value, cell.spread or 0.0) for place, cell in cells if cell.value is not None]
            if known:
                x, y, spread = zip(*known, strict=True)
                series.append(Series(model.name, x, y, spread, ours=model.key == OURS.key, frame=frame))
    return Picture(
        f"amounts-{domain.name}-{name}",
        title,
        "HR@10% by the share of the users that is trained on and asked. Shaded: standard deviation over seeds.",
        "share of the users",
        "HR@10%",
        tuple(series),
        tuple(one.title for one in found),
        kind="frames",
    )
