"""All experiments on words as one result; their trainings are done ahead in several processes.

Each experiment is called once to hear which runs it lacks, then once for each of these, in a process that does this run
and takes all others for done.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from reproduction.cache import Cache, Record
from reproduction.models import NO_PARAMETER
from reproduction.results import DomainResult, Picture, Series
from reproduction.running import Options, Progress, run_jobs, to_nobody
from reproduction.runs import curves
from reproduction.words import tables
from reproduction.words.ablations import FIGURES, VARIANTS, AblationResult, ablations
from reproduction.words.antonyms import antonyms
from reproduction.words.antonyms import runs as antonym_runs
from reproduction.words.completion import AVERAGE, DIALS, CompletionResult, completion
from reproduction.words.completion import runs as completion_runs
from reproduction.words.corpus import Words
from reproduction.words.masked import reliability_table
from reproduction.words.settings import QUICK, winners
from reproduction.words.similarity import SimilarityResult, similarity
from reproduction.words.similarity import runs as similarity_runs
from vbn.inference import Dial

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
    words: Words,
    folder: str | os.PathLike[str],
    settings: Settings,
    seeds: int,
    cache: Cache,
    progress: Progress,
    processes: int,
) -> None:
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
    from reproduction.words.reproduce import EXPERIMENTS

    jobs = missing(EXPERIMENTS, words, settings, seeds, cache)
    given = (os.fspath(folder), settings, seeds, os.fspath(cache.folder))
    run_jobs(jobs, _do, _start, given, processes, progress)


_HERE: dict[str, Any] = {}  # what a process works with


def _start(folder: str, settings: Settings, seeds: int, cache: str) -> None:
    _HERE.update(words=Words.load(folder), settings=settings, seeds=seeds, cache=cache)


def _do(job: tuple[str, str]) -> tuple[str, float]:
    """Do a run in a process; what it is called and how long it took."""
    from reproduction.words.reproduce import EXPERIMENTS

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


Sections = Mapping[str, dict[str, Any]]
_NOTES = (
    "The corpus is in lower case and split at underscores; the paper kept the case.",
    "WordNet's tag counts, which weight the senses in the graph, derive largely from SemCor.",
    "Hypernyms of verbs are the paper's troponyms.",
    "Word families (potent, impotent, impotently), made from affixes, are parents too where the settings say so.",
)


def _once(words: Words, settings: Sections, _: int, cache: Cache, progress: Progress) -> AblationResult:
    return ablations(words, settings, cache, progress)


EXPERIMENTS: dict[str, Experiment] = {
    "similarity": similarity,
    "completion": completion,
    "antonyms": antonyms,
    "ablations": _once,
}
"""In the order of the report."""


def reproduce_words(folder: str | os.PathLike[str], options: Options, cache: Cache, progress: Progress) -> DomainResult:
    """Run every experiment on words that is not in the cache yet.

    Parameters
    ----------
    folder
        The folder with the data sets.
    options
        Seeds, processes, and whether to run the small version.
    cache
        Where runs are kept.
    progress
        Told of every run.
    """
    words = Words.load(folder)
    progress.say(_described(words))
    settings, seeds = _settings(options)
    if options.processes > 1:
        run_ahead(words, folder, settings, seeds, cache, progress.another(), options.processes)
    return _reproduced(words, settings, options, cache, progress)


def _settings(options: Options) -> tuple[dict[str, dict[str, dict[str, Any]]], int]:
    small = {"vbn-default": {**QUICK}} if options.quick else {}
    found = {name: {**winners(name, quick=options.quick), **small} for name in EXPERIMENTS}
    return found, 1 if options.quick else options.seeds


def _described(words: Words) -> str:
    return f"{len(words.sentences):,} sentences, {words.counts.total():,} words, {len(words.counts):,} distinct"


def reproduce_from(words: Words, options: Options, cache: Cache, progress: Progress) -> DomainResult:
    """The same for words that have been loaded, one run after the other."""
    return _reproduced(words, _settings(options)[0], options, cache, progress)


def _reproduced(
    words: Words, settings: dict[str, dict[str, dict[str, Any]]], options: Options, cache: Cache, progress: Progress
) -> DomainResult:
    seeds = 1 if options.quick else options.seeds
    progress.expect(
        similarity_runs(seeds) + completion_runs(seeds) + antonym_runs(seeds) + len(VARIANTS),
    )
    alike = similarity(words, settings["similarity"], seeds, cache, progress)
    hidden = completion(words, settings["completion"], seeds, cache, progress)
    opposite = antonyms(words, settings["antonyms"], seeds, cache, progress)
    parts = ablations(words, settings["ablations"], cache, progress)
    ranking = settings["completion"]["ranking"]
    quick = ("A quick run: two epochs in ten dimensions. Its figures mean nothing.",) if options.quick else ()
    return DomainResult(
        "words",
        "Words",
        f"SemCor ({_described(words)}) with WordNet.",
        tables=(
            tables.similarity_table(alike),
            tables.graph_or_corpus(alike),
            tables.completion_table(hidden, ranking),
            reliability_table(hidden.reliability),
            tables.antonym_table(opposite),
            _ablation_table(parts),
        ),
        verdicts=(
            tables.similarity_verdicts(alike),
            tables.similarity_verdicts_without(alike),
            *tables.completion_verdicts(hidden, ranking),
            tables.completion_dominance(hidden, ranking),
        ),
        texts=tables.example_texts(alike, opposite, words.counts),
        pictures=(_dial_picture(hidden, tables.places(ranking)), _bound_picture(parts)),
        notes=(*_NOTES, *quick),
        facts={"seeds": seeds, "settings": settings, "settled": parts.settled, "pairs": _pair_counts(alike)},
    )


def _pair_counts(found: SimilarityResult) -> dict[str, Any]:
    return {
        name: {"known": int(pairs.known.sum()), "rare": int(pairs.rare.sum()), "all": len(pairs.scores)}
        for name, pairs in found.pairs.items()
    }


def _ablation_table(found: AblationResult) -> Any:
    rows = [(name, [line[figure] for figure in FIGURES]) for name, line in found.figures.items()]
    settled = ", ".join(f"{name}: {'later' if epoch is None else epoch}" for name, epoch in found.settled.items())
    return tables.plain_table(
        "What each part is worth",
        FIGURES,
        rows,
        "Trained on the training sentences, one seed; similarity is the average of the sets on the reporting pairs; "
        "sentence completion by averaged queries, dial at 0. Epoch after which the bound changes by less than 0.2 %: "
        f"{settled}.",
    )


def _dial_picture(found: CompletionResult, chosen: Mapping[str, tuple[str, int]]) -> Picture:
    """Full against rare as the popularity dial turns: every model as it is asked best and as in the paper.

    Only ours as it is asked best has a curve for each floor; those of all would hide each other.
    """
    series = []
    best = {way for way, _ in chosen.values()}
    for model, runs in found.above.items():
        if model not in (*best, NO_PARAMETER) and model.partition(", ")[2] not in ("", AVERAGE):
            continue
        for floor, places in curves(DIALS if len(runs[0]) > 1 else (Dial(),)).items():
            if floor and model != chosen["VBN"][0]:
                continue
            x, y = (
                tuple(float(found.by_seed(model, "MPR", part, place).mean()) for place in places)
                for part in ("full", "rare")
            )
            name = f"{model}, {floor}" if floor else model
            series.append(Series(name, x, y, ours=model.startswith("VBN"), joined=len(x) > 1))
    return Picture(
        "words-dial",
        "Sentence completion: all words against rare ones",
        "The popularity dial turns, without training anew; VBN as it is asked best has a curve for each floor.",
        "MPR, all words",
        "MPR, rare words",
        tuple(series),
    )


def _bound_picture(found: AblationResult) -> Picture:
    """The bound after each epoch, from the second on, as a share of its last value."""
    series = tuple(
        Series(
            name,
            tuple(float(epoch) for epoch in range(2, len(bounds) + 1)),
            tuple(bound / abs(bounds[-1]) for bound in bounds[1:]),
            ours=name.startswith("full"),
        )
        for name, bounds in found.bounds.items()
    )
    return Picture("words-bound", "The bound by epoch", "Relative to the last one.", "epoch", "bound", series)
