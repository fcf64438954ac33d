"""All experiments on words, one after the other, as one result."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from vbn.evaluation.paper._cache import Cache
from vbn.evaluation.paper._options import Options, Progress
from vbn.evaluation.paper._positions import curves
from vbn.evaluation.paper._results import DomainResult, Picture, Series
from vbn.evaluation.paper.words import _antonyms, _completed, _completion, _similarity, _tables
from vbn.evaluation.paper.words._ablations import FIGURES, VARIANTS, AblationResult, ablations
from vbn.evaluation.paper.words._ahead import Experiment, run_ahead
from vbn.evaluation.paper.words._antonyms import antonyms
from vbn.evaluation.paper.words._completion import DIALS, CompletionResult, completion
from vbn.evaluation.paper.words._corpus import Words
from vbn.evaluation.paper.words._reliable import reliability_table
from vbn.evaluation.paper.words._settings import winners
from vbn.evaluation.paper.words._similarity import similarity
from vbn.inference import Dial

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
    return {name: winners(name, quick=options.quick) for name in EXPERIMENTS}, 1 if options.quick else options.seeds


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
        _similarity.runs(seeds) + _completion.runs(seeds) + _antonyms.runs(seeds) + len(VARIANTS),
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
            _tables.similarity_table(alike),
            _tables.graph_or_corpus(alike),
            _completed.completion_table(hidden, ranking),
            reliability_table(hidden.reliability),
            _tables.antonym_table(opposite),
            _ablation_table(parts),
        ),
        verdicts=(
            _tables.similarity_verdicts(alike),
            *_completed.completion_verdicts(hidden, ranking),
            _completed.completion_dominance(hidden, ranking),
        ),
        texts=_tables.example_texts(alike, opposite, words.counts),
        pictures=(_dial_picture(hidden, _completed.places(ranking)), _bound_picture(parts)),
        notes=(*_NOTES, *quick),
        facts={"settings": settings, "settled": parts.settled, "pairs": _pair_counts(alike)},
    )


def _pair_counts(found: _similarity.SimilarityResult) -> dict[str, Any]:
    return {
        name: {"known": int(pairs.known.sum()), "rare": int(pairs.rare.sum()), "all": len(pairs.scores)}
        for name, pairs in found.pairs.items()
    }


def _ablation_table(found: AblationResult) -> Any:
    rows = [(name, [line[figure] for figure in FIGURES]) for name, line in found.figures.items()]
    settled = ", ".join(f"{name}: {'later' if epoch is None else epoch}" for name, epoch in found.settled.items())
    return _tables.plain_table(
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
        if model not in best and model.partition(", ")[2] not in ("", _completion.AVERAGE):
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
        "words-dial", "Sentence completion: all words against rare ones",
        "The popularity dial turns, without training anew; VBN as it is asked best has a curve for each floor.",
        "MPR, all words", "MPR, rare words", tuple(series),
    )  # fmt: skip


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
