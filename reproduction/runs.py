"""Train a model on a split, rank it at every position of the popularity dial, and keep what comes out.

Runs are done ahead in several processes, into the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from reproduction.cache import RIVALS_SALT, Cache, Record, fingerprint
from reproduction.domains import Domain, load_domain
from reproduction.examples import missed_most, neighbours, of_the_least
from reproduction.judging import never_seen, ranks
from reproduction.masking import BOTH, ITEMS, Masked, Split, by_time, cold, cold_users, mask, thinned
from reproduction.models import BY_KEY, Model, Parameters, given_nothing, of_fit, weighted
from reproduction.pool import Cases, Pool
from reproduction.reliability import reliability
from reproduction.running import Options, Progress, run_jobs, to_nobody
from vbn.baselines import as_scorer
from vbn.inference import Dial
from vbn.model import dial_words

_WEIGHTS = (-0.25, -0.1875, -0.125, -0.0625, 0.0, 0.0625, 0.125, 0.1875, 0.25, 0.375, 0.5, 0.75)
_WEIGHTS_WITH_FLOOR = {
    1.0: (-0.5, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 1.0, 1.25),
    4.0: (-1.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0),
}
_TAILS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
_TAILS_FROM = (Dial(), Dial(0.5, 1.0), Dial(1.5, 4.0))

DIAL = (
    *(Dial(weight) for weight in _WEIGHTS),
    *(Dial(weight, floor) for floor, weights in _WEIGHTS_WITH_FLOOR.items() for weight in weights),
    *(replace(dial, tail=tail) for dial in _TAILS_FROM for tail in _TAILS),
)
"""Positions that are judged: without and with a floor, and with a lift for the tail; that of the parameters on top."""


def label(dial: Dial) -> str:
    """A position in words.

    Examples
    --------
    >>> label(Dial(0.25)), label(Dial(1.0, 4.0, 0.5))
    ('dial 0.25', 'dial 1, floor 4, long tail +0.5')
    """
    return f"dial {dial_words(dial.weight, dial.floor, dial.tail)}"


def as_facts(dials: tuple[Dial, ...]) -> list[list[float]]:
    """Positions for the facts of a record, which are JSON."""
    return [[dial.weight, dial.floor, dial.tail] for dial in dials]


def positions(record: Record) -> tuple[Dial, ...]:
    """What each line of the ranks of a record is; the first is the one that tables show.

    Examples
    --------
    >>> positions(Record({"dial": [[0.25, 0.0, 0.0], [0.5, 1.0, 2.0]]}))
    (Dial(weight=0.25, floor=0.0, tail=0.0), Dial(weight=0.5, floor=1.0, tail=2.0))
    >>> positions(Record({"dial": []}))
    (Dial(weight=0.0, floor=0.0, tail=0.0),)
    """
    return tuple(Dial(*position) for position in record.facts["dial"]) or (Dial(),)


def curves(places: tuple[Dial, ...]) -> dict[str, list[int]]:
    """The numbers of the positions of each floor, by weight; where the dial is at 0, floors make no difference.

    Lifts of the long tail are curves of their own, which begin where nothing is lifted.

    Examples
    --------
    >>> curves((Dial(0.25), Dial(0.0), Dial(0.5, floor=1.0), Dial(0.25, tail=1.0)))
    {'': [1, 0], 'floor 1': [1, 2], 'long tail from 0.25': [0, 3]}
    """
    level = [number for number, dial in enumerate(places) if not dial.tail]
    found = {
        f"floor {floor:g}" if floor else "": sorted(
            (number for number in level if places[number].floor == floor or not places[number]),
            key=lambda number: places[number].weight,
        )
        for floor in sorted({places[number].floor for number in level})
    }
    lifted = {replace(dial, tail=0.0) for dial in places if dial.tail}
    for start in sorted(lifted, key=lambda dial: (dial.weight, dial.floor)):
        own = (number for number, dial in enumerate(places) if replace(dial, tail=0.0) == start)
        found[f"long tail from {label(start).removeprefix('dial ')}"] = sorted(own, key=lambda at: places[at].tail)
    return found


@dataclass
class Runner:
    """Runs models, asks the cache first, and tells how far it is.

    Attributes
    ----------
    cache, progress
        Where records are kept, and where lines of progress go.
    """

    cache: Cache
    progress: Progress
    _last: dict[str, Any] = field(default_factory=dict)

    def run(self, model: Model, split: Split, settings: dict[str, Parameters], seed: int) -> Record:
        """Ranks of one model on one split, as "above" (variants, cases) and "others"; its "dial" is in the facts.

        On a cold split "above_within" and "others_within" are the same among the cold items only.

        Parameters
        ----------
        model, split
            What to train, and on what.
        settings
            Parameters of every model, by key.
        seed
            Of training.
        """
        model = _placed(model, split, settings[model.key])
        started, what = time.perf_counter(), identity(model, split, settings, seed)
        found = self.cache.find(what)
        record = self._computed(model, split, settings, seed) if found is None else found
        if found is None:
            self.cache.keep(what, record)
        label, took = f"{model.name}, {split.label}", record.facts["seconds"]
        self.progress.step(label, started, cached=found is not None, took=took)
        return record

    def _computed(self, model: Model, split: Split, settings: dict[str, Parameters], seed: int) -> Record:
        started = time.perf_counter()
        fitted, seconds = self._fitted(model, split, settings, seed)
        dial = dial_of(model, settings[model.key])
        ways = {ITEMS: "average", BOTH: "fold_in" if split.by_list else "both"}
        way = ways.get(model.setting, "fold_in")
        scorer = as_scorer(fitted, query=way, popularity=model.popularity, affinity=True)
        offsets = None
        if dial:
            offsets = np.array([one.added(fitted.trained_.profile) for one in dial])
        above, others = ranks(scorer, split.masked, split.which, model.asking, offsets)
        facts = {
            "fit_seconds": seconds,
            "seconds": time.perf_counter() - started,
            "dial": as_facts(dial),
            "neighbours": neighbours(fitted, split.examples, split.domain.interactions.items),
            "bounds": [float(bound) for bound in getattr(fitted, "lower_bounds_", [])],
        }
        if split.which == "test" and not split.cold and not split.by_list:
            if model.asking.query == "items":
                facts["seen_least"] = of_the_least(fitted, scorer, split)
            if model.bayesian:
                facts["reliability"] = reliability(fitted, split, model.asking)
            if model.asking.prior:
                facts["never_seen"] = never_seen(
                    scorer, split.masked, model.asking, None if offsets is None else offsets[0]
                )
        arrays = {"above": above, "others": others}
        if split.cold:
            among = split.masked.counts(split.which) == 0
            within = ranks(scorer, split.masked, split.which, model.asking, offsets, among)
            arrays |= {"above_within": within[0], "others_within": within[1]}
        return Record(facts, arrays)

    def _fitted(self, model: Model, split: Split, settings: dict[str, Parameters], seed: int) -> tuple[Any, float]:
        """The trained model, and how long its training took; a base is trained once for all that build on it."""
        started = time.perf_counter()
        parameters = settings[model.key]
        if model.base:
            base, before = self._fitted(BY_KEY[model.base], split, settings, seed)
            edges = split.domain.edges(parameters.get("taxonomy"))
            return model.fit(base, edges, of_fit(parameters)), before + time.perf_counter() - started
        key = fingerprint(identity(model, split, settings, seed))
        if key not in self._last:
            weight = parameters.get("weight", "auto")
            data = split.data(model.setting, _taxonomy(model, split, parameters), weight, model.text)
            started = time.perf_counter()
            fitted = model.fit(data, of_fit(parameters), seed)
            self._last = {key: (fitted, time.perf_counter() - started)}
        result: tuple[Any, float] = self._last[key]
        return result


def dial_of(model: Model, parameters: Parameters) -> tuple[Dial, ...]:
    """Positions of the dial: first the one to report, then the others of the curve."""
    if not model.dial:
        return ()
    own = dial_given(parameters)
    return (own, *(position for position in DIAL if position != own))


_OF_DIAL = ("popularity", "popularity_floor", "popularity_tail")


def dial_given(parameters: Mapping[str, Any]) -> Dial:
    """The position among some parameters.

    Examples
    --------
    >>> dial_given({"popularity": 0.5, "dim": 50}), dial_parameters(Dial(0.5, 1.0))
    (Dial(weight=0.5, floor=0.0, tail=0.0), {'popularity': 0.5, 'popularity_floor': 1.0, 'popularity_tail': 0.0})
    """
    return Dial(*(float(parameters.get(name, 0.0)) for name in _OF_DIAL))


def dial_parameters(dial: Dial) -> Parameters:
    """A position as parameters."""
    return dict(zip(_OF_DIAL, astuple(dial), strict=True))


def _placed(model: Model, split: Split, parameters: Parameters) -> Model:
    """The model as trained and asked with these parameters on this split."""
    model = model.placed(parameters)
    return replace(model, asking=replace(model.asking, query="items")) if split.by_list else model


def _taxonomy(model: Model, split: Split, parameters: Parameters) -> str | None:
    if not (model.taxonomy or model.nodes):
        return None
    chosen: str = parameters.get("taxonomy", next(iter(split.domain.taxonomies)))
    return chosen


def identity(model: Model, split: Split, settings: dict[str, Parameters], seed: int) -> dict[str, Any]:
    """All that a run depends on, but for the version of the code."""
    parameters = settings[model.key]
    model = _placed(model, split, parameters)
    edges = _taxonomy(model, split, parameters)
    base = identity(BY_KEY[model.base], split, settings, seed) if model.base else None
    return {
        "split": split.hash,
        "examples": split.examples,
        "cold": split.cold,
        "model": model.key,
        "parameters": parameters,
        "seed": seed,
        "taxonomy": None if edges is None else split.domain.taxonomy_hash(edges),
        "asking": model.asking,
        "dial": dial_of(model, parameters),
        "fitted": given_nothing() if model.dial_from_fit else None,
        "package": model.version,
        "base": base,
        **({"texts": split.domain.texts_hash} if model.text else {}),
        **({"code": RIVALS_SALT} if model.rival else {}),
    }


SHARE = "share "
"""What the kind of a split with a share of the users begins with."""
NEW_USERS, TIME = "new users", "by time"
"""Splits with users that training has not seen, and by time."""


@dataclass(frozen=True)
class Job:
    """Models that share a training, on one split: masking or cold split number `seed`."""

    kind: str
    seed: int
    keys: tuple[str, ...]


def split_of(domain: Domain, kind: str, seed: int) -> Split:
    """A masking ("masking"), that of a share of the users ("share 0.1"), or a split of another kind.

    With cold items ("cold"), `NEW_USERS`, or by `TIME`, which is the same for every seed.
    """
    if kind == TIME:
        whole = domain.by_time()
        since = 0 if domain.dated is None else domain.dated[1]
        made = by_time(whole.interactions, since, implied=whole.implied)
        return Split(whole, made, "test", f"{kind} {seed + 1}")
    if kind == NEW_USERS:
        made = replace(cold_users(domain.interactions, domain.least, seed=seed), implied=domain.implied)
        return Split(domain, made, "test", f"{kind} {seed + 1}", by_list=True)
    if kind == "cold":
        made = replace(cold(domain.interactions, seed=seed), implied=domain.implied)
        return Split(domain, made, "test", f"cold {seed + 1}", missed_most(made), cold=True)
    masked = replace(mask(domain.interactions, domain.least, seed), implied=domain.implied)
    if kind.startswith(SHARE):
        masked = thinned(masked, float(kind.removeprefix(SHARE)), seed)
    return Split(
        domain, masked, "test", f"{kind}, masking {seed + 1}" if kind.startswith(SHARE) else f"{kind} {seed + 1}"
    )


def n_splits(options: Options) -> int:
    """How many splits of a kind there are, where each seed has one."""
    return 1 if options.quick else options.seeds


def pooled(
    domain: Domain,
    kind: str,
    models: tuple[Model, ...],
    options: Options,
    runner: Runner,
    parameters: dict[str, Parameters],
    binned: Callable[[Masked], np.ndarray] | None = None,
) -> Pool:
    """Run models on the splits of a kind, one for each seed.

    Parameters
    ----------
    domain, kind, models
        What is split, how (see `split_of`), and what is trained on it.
    options, runner, parameters
        How many seeds, what runs the models, and their parameters.
    binned
        Gives the number of the bin of each test case; default: tenths of the catalogue by frequency.
    """
    pool = Pool(options.seeds)
    runner.progress.expect(n_splits(options) * len(models))
    for seed in range(n_splits(options)):
        split = split_of(domain, kind, seed)
        cases = Cases.of(split.masked)
        pool.cases.append(cases if binned is None else replace(cases, bin=binned(split.masked)))
        for model in models:
            record = runner.run(model, split, parameters, seed)
            pool.records.setdefault(model.key, []).append(record)
    return pool


def run_ahead(
    domain: Domain,
    folder: Path,
    wanted: dict[tuple[str, int], tuple[Model, ...]],
    parameters: dict[str, Parameters],
    cache: Cache,
    progress: Progress,
    processes: int,
) -> None:
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
    from reproduction.winners import variants

    silent = Progress(name, tell=to_nobody)
    models = BY_KEY | {model.key: model for model in (*variants(name)[0], *weighted()[0])}
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
