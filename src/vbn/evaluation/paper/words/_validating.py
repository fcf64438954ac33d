"""Figures that settings are chosen by: pairs of the half that is not reported, and hidden validation words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from vbn.evaluation._metrics import spearman
from vbn.evaluation.paper._cache import Record
from vbn.evaluation.paper._figures import contributions
from vbn.evaluation.paper.words._completion import DIALS, FOUR, Training, judged_models
from vbn.evaluation.paper.words._corpus import Words
from vbn.evaluation.paper.words._graph import cosines
from vbn.evaluation.paper.words._judged import SHOWN, judged
from vbn.evaluation.paper.words._masked import Cases, masked
from vbn.evaluation.paper.words._rivals import BASES, Material, readouts

Sections = Mapping[str, dict[str, Any]]

ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Weights of the trained vector in retrofitting."""
WEIGHTS = (0.3, 1.0, 3.0, 10.0, 30.0, 1000.0)
"""Weights of the parents in averaging over the graph."""
DECAYS = (0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""What each step up takes from a node of the graph alone."""


class Choosing:
    """The pairs of the half that chooses."""

    def __init__(self, words: Words, names: list[str]) -> None:
        place = {name: number for number, name in enumerate(names)}
        self.sets = {}
        for name, found in words.sets.items():
            pairs = judged(found, words.counts)
            at = np.flatnonzero(pairs.known & ~pairs.reports)
            left, right = (np.array([place[side[n]] for n in at]) for side in (pairs.left, pairs.right))
            self.sets[name] = left, right, pairs.scores[at], pairs.rare[at]

    def figures(self, vectors: Any) -> dict[str, float]:
        """100 x Spearman: the average over sets, that of rare pairs, and each set."""
        known, rare = {}, {}
        for name, (left, right, scores, is_rare) in self.sets.items():
            found = cosines(vectors, left, right)
            known[SHOWN[name]] = 100.0 * spearman(found, scores)
            rare[name] = 100.0 * spearman(found[is_rare], scores[is_rare])
        average = {"average": float(np.mean(list(known.values()))), "rare pairs": float(np.mean(list(rare.values())))}
        return {name: round(value, 2) for name, value in {**average, **known}.items()}


def judged_pairs(words: Words, settings: Sections, family: str) -> Record:
    """One trial of word similarity: the best readout of a training."""
    material = Material(words, settings)
    choosing = Choosing(words, material.names)
    tried = {name: (choosing.figures(vectors), vectors) for name, vectors in readouts(material, family, seed=0)}
    best = max(tried, key=lambda name: tried[name][0]["average"])
    figures, vectors = tried[best]
    facts = {"score": figures["average"], "reached": figures, "also": {"readout": {family: best}}}
    return Record(facts, {"vectors": np.asarray(vectors, dtype=np.float32)})


def readjusted(words: Words, settings: Sections, vectors: Mapping[str, np.ndarray]) -> Record:
    """How hard to retrofit, how much to average over the graph, and how far up ancestors count."""
    material = Material(words, settings)
    choosing, graph = Choosing(words, material.names), material.graph
    facts = {}

    def chosen(section: str, tried: dict[float, Any], name: str) -> None:
        figures = {value: choosing.figures(found) for value, found in tried.items()}
        best = max(figures, key=lambda value: figures[value]["average"])
        facts[section] = {"best": {name: best}, "reached": {"trials": len(tried), **figures[best]}}

    for base in BASES:
        own, iterations = vectors[base], settings[f"{base}-r"]["iterations"]
        chosen(f"{base}-r", {alpha: graph.retrofitted(own, alpha, iterations) for alpha in ALPHAS}, "alpha")
        chosen(f"{base}-averaged", {weight: graph.averaged(own, weight) for weight in WEIGHTS}, "weight")
    chosen("graph", {decay: graph.ancestors(decay) for decay in DECAYS}, "decay")
    return Record({"sections": facts})


def hidden_words(words: Words, settings: Sections, family: str) -> Record:
    """One trial of sentence completion: the best way to ask, and the best position of the dial if there is one."""
    cases, counts = _cases(words)
    training = Training(words, words.parts.training, settings)
    found = judged_models(training.every_way(family), cases, counts)
    figures = {name: four(above, found.others, cases) for name, above in found.above.items()}
    name, place = best_of(figures)
    facts: dict[str, Any] = _chosen(figures[name], place)
    return Record({**facts, "also": {"ranking": {family: _ranking(name, place, len(figures[name]))}}})


def retrofits_of_hidden(words: Words, settings: Sections, vectors: Mapping[str, np.ndarray]) -> Record:  # noqa: ARG001
    """How hard to retrofit the models of sentence completion, and where their dial is."""
    cases, counts = _cases(words)
    training = Training(words, words.parts.training, settings)
    facts: dict[str, Any] = {"ranking": {"best": {}, "reached": {}}}
    for family in ("bsg", "sg"):
        figures: dict[str, np.ndarray] = {}
        for alpha, scorings in training.retrofits(family, ALPHAS):
            found = judged_models(scorings, cases, counts)
            figures |= {f"{name}|{alpha!r}": four(above, found.others, cases) for name, above in found.above.items()}
        key, place = best_of(figures)
        name, _, alpha_text = key.partition("|")
        reached = {"trials": len(ALPHAS), **_chosen(figures[key], place)["reached"]}
        facts[f"{family}-r"] = {"best": {"alpha": float(alpha_text)}, "reached": reached}
        facts["ranking"]["best"][f"{family}-r"] = _ranking(name, place, len(figures[key]))
    return Record({"sections": facts})


def four(above: np.ndarray, others: np.ndarray, cases: Cases) -> np.ndarray:
    """HR@10% and MPR, full and rare, for each position of the dial."""
    chosen = {"full": cases.first, "rare": cases.rare}
    lines = [
        [float(contributions(figure, line[chosen[part]], others[chosen[part]]).mean()) for figure, part in FOUR]
        for line in above
    ]
    return np.array(lines)


def best_of(figures: Mapping[str, np.ndarray]) -> tuple[str, int]:
    """The name and the line with the largest mean over columns.

    Examples
    --------
    >>> best_of({"a": np.array([[1.0, 2.0]]), "b": np.array([[0.0, 0.0], [3.0, 3.0]])})
    ('b', 1)
    """
    places = [
        (float(line.mean()), name, number) for name, lines in figures.items() for number, line in enumerate(lines)
    ]
    _, name, number = max(places, key=lambda place: place[0])
    return name, number


def _chosen(lines: np.ndarray, place: int) -> dict[str, Any]:
    titles = [f"{figure} {part}" for figure, part in FOUR]
    reached = {title: round(float(value), 2) for title, value in zip(titles, lines[place], strict=True)}
    return {"score": float(lines[place].mean()), "reached": reached}


def _ranking(name: str, place: int, positions: int) -> dict[str, Any]:
    """How to ask, and where the dial is if there is one."""
    dial = DIALS[place]
    turned = {"popularity": dial.weight, "popularity_floor": dial.floor} if positions > 1 else {}
    return {"query": name.partition(", ")[2], **turned}


def _cases(words: Words) -> tuple[Cases, Counter[str]]:
    counts = Counter(word for sentence in words.parts.training for word in sentence)
    return masked(words.parts.validation, counts), counts
