"""What each part of the model is worth: levels of the hierarchy, biases, relations, densities, epochs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from reproduction.cache import Cache, Record
from reproduction.judging import contributions
from reproduction.running import Progress
from reproduction.words.antonyms import divide
from reproduction.words.completion import WordsOnly
from reproduction.words.corpus import Sentences, Words, counted, judged
from reproduction.words.graph import cosines, with_families
from reproduction.words.masked import Cases, masked, ranks
from reproduction.words.settings import kept
from vbn.data import Dataset
from vbn.estimators import VBN
from vbn.evaluation import spearman

FIGURES = ("Similarity", "Similarity, rare", "HR@10%", "HR@10%, rare", "MPR", "MPR, rare")
_NO_BIAS = 1e8  # shape of the precision of biases that are to be as good as 0
_SETTLED = 2e-3  # share of itself by which the bound may still change from one epoch to the next

VARIANTS: dict[str, dict[str, Any]] = {
    "full model, three levels": {"levels": 3},
    "two levels": {"levels": 2},
    "one level": {"levels": 1},
    "no hierarchy": {"levels": 0},
    "no biases": {"levels": 3, "biases": False},
    "with antonyms and parts": {"levels": 3, "relations": True},
}
"""What is trained; point estimates are read from the first."""

POINTS = "point estimates in prediction"


@dataclass(frozen=True)
class AblationResult:
    """Figures by variant, the bound after each epoch, and the epoch from which it hardly changes."""

    figures: dict[str, dict[str, float]]
    bounds: dict[str, list[float]]
    settled: dict[str, int | None]


def ablations(words: Words, settings: Mapping[str, dict[str, Any]], cache: Cache, progress: Progress) -> AblationResult:
    """Train every variant once on the training sentences; judge similarity and sentence completion.

    Parameters
    ----------
    settings
        Of `winners("ablations")`: sections corpus, taxonomy, families, vbn, readout, relations.
    """
    parts = words.parts
    counts = Counter(word for sentence in parts.training for word in sentence)
    cases = masked(parts.test, counts)
    figures: dict[str, dict[str, float]] = {}
    bounds, settled = {}, {}
    for name, variant in VARIANTS.items():
        key = {"experiment": "ablations", "corpus": words.mark, "settings": settings, "variant": variant}
        compute = partial(_judged, words, settings, variant, parts.training, cases, counts)
        record = kept(cache, progress, f"ablations, {name}", key, compute)
        figures[name] = record.facts["figures"]
        if variant == {"levels": 3}:
            figures[POINTS] = record.facts["points"]
        bounds[name] = list(record.facts["bounds"])
        settled[name] = settled_after(bounds[name])
    return AblationResult(figures, bounds, settled)


def settled_after(bounds: list[float], share: float = _SETTLED) -> int | None:
    """The first epoch from which the bound never again changes by more than a share of itself; None: it still does.

    Examples
    --------
    >>> settled_after([-9.0, -5.0, -4.0, -4.001, -4.002])
    4
    """
    change = np.abs(np.diff(bounds)) / np.maximum(np.abs(bounds[1:]), 1e-300)
    large = np.flatnonzero(change > share)
    first = 2 if not len(large) else int(large[-1]) + 3
    return first if first <= len(bounds) else None


def variant_data(
    words: Words, settings: Mapping[str, dict[str, Any]], variant: Mapping[str, Any], sentences: Sentences
) -> Dataset:
    """The data of a variant: a hierarchy of some levels, and relations if it has any."""
    data = counted(sentences, settings["corpus"]["window"])
    if variant["levels"]:
        edges = words.graph(data.rows.names, **settings["taxonomy"], levels=variant["levels"])
        data = data.with_taxonomy(with_families(edges, data.rows.names, **settings["families"]))
    if variant.get("relations"):
        pairs = divide(words.antonyms).training
        data = data.with_relation("antonym", pairs, symmetric=True, missing="skip")
        data = data.with_relation("part", words.meronyms, missing="skip")
    return data


def _judged(
    words: Words,
    settings: Mapping[str, dict[str, Any]],
    variant: Mapping[str, Any],
    sentences: Sentences,
    cases: Cases,
    counts: Counter[str],
) -> Record:
    parameters = dict(settings["vbn"])
    if variant.get("relations"):
        parameters |= settings["relations"]
    if not variant.get("biases", True):
        parameters |= {"bias_prior": "zero", "alpha": {**parameters["alpha"], "bias": _NO_BIAS}}
    model = VBN(**parameters, verbose=False).fit(variant_data(words, settings, variant, sentences))
    facts: dict[str, Any] = {
        "figures": _figures(words, settings, model, cases, counts),
        "bounds": model.lower_bounds_.tolist(),
    }
    if variant == {"levels": 3}:
        facts["points"] = _figures(words, settings, without_variances(model), cases, counts)
    return Record(facts)


def without_variances(model: VBN) -> VBN:
    """A copy of a model that predicts with its means only."""
    trained = model.trained_
    q = trained.posterior
    u, v = (replace(part, variance=np.zeros_like(part.variance)) for part in (q.u, q.v))
    bias = replace(q.bias, variance=np.zeros_like(q.bias.variance))
    return model.with_trained(trained.with_posterior(replace(q, u=u, v=v, bias=bias)))


def _figures(
    words: Words, settings: Mapping[str, dict[str, Any]], model: VBN, cases: Cases, counts: Counter[str]
) -> dict[str, float]:
    trained = model.trained_
    found: dict[str, float] = {}
    vectors = model.vectors(**settings["readout"])[1]
    for name, rare in (("Similarity", False), ("Similarity, rare", True)):
        found[name] = float(np.mean([_correlation(words, trained.rows, vectors, one, rare) for one in words.sets]))
    asked = WordsOnly(trained, "average")
    above, others = ranks(asked.scores, asked.columns, cases, counts)
    for name in ("HR@10%", "MPR"):
        each = contributions(name, above[0], others)
        found[name] = float(each[cases.first].mean())
        found[f"{name}, rare"] = float(each[cases.rare].mean())
    return found


def _correlation(words: Words, names: Any, vectors: np.ndarray, which: str, rare: bool) -> float:
    """100 x Spearman on the reporting pairs whose words training has seen."""
    pairs = judged(words.sets[which], words.counts)
    at = [
        n
        for n in np.flatnonzero(pairs.reports & pairs.rare if rare else pairs.reports)
        if pairs.left[n] in names and pairs.right[n] in names
    ]
    left, right = names.ids([pairs.left[n] for n in at]), names.ids([pairs.right[n] for n in at])
    return 100.0 * spearman(cosines(vectors, left, right), pairs.scores[at])
