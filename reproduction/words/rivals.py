"""The families of models for word similarity, and the paper's examples as they come out here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from reproduction.models import NO_PARAMETER
from reproduction.rivals import FastText
from reproduction.words.corpus import Edge, Words, counted
from reproduction.words.graph import WordGraph, with_families
from vbn.baselines import BayesianSkipGram, SkipGram, as_scorer
from vbn.data import Dataset
from vbn.estimators import VBN

RARE = "lemma"
BESIDE = ("now", "otherwise")
"""*now* stands in one sentence with it, *otherwise* next to it."""
OPPOSITE = "lowest"


def neighbours(model: Any, word: str = RARE, k: int = 4) -> dict[str, list[str]]:
    """The words nearest to one, by the ways that a model has; empty if it does not know the word."""
    if word not in as_scorer(model).columns:
        return {}
    ways: dict[str, dict[str, Any]] = {"cosine": {}}
    if isinstance(model, VBN):
        ways = {"cosine": {"readout": "smoothed"}, "p(d)": {"by": "context"}}
    return {way: [row.entity for row in model.similar(word, k=k, **options)] for way, options in ways.items()}


def rank_beside(model: Any, query: str, word: str = RARE) -> float | None:
    """Percentile rank of a rare word where a frequent one is the query: 50 is chance, 100 the top.

    By the predictive probability, or by the cosine for models that have none, as in the paper.
    """
    scorer = as_scorer(model)
    columns = scorer.columns
    if word not in columns or query not in columns:
        return None
    scores = scorer.scores([query])[0]
    at, i = columns.id(word), columns.id(query)
    candidates = (columns.counts > 0) & (np.arange(len(scores)) != i)
    above = (scores[candidates] > scores[at]).sum() + ((scores[candidates] == scores[at]).sum() - 1) / 2.0
    return float(100.0 * (1.0 - above / (candidates.sum() - 1)))


def described(model: Any) -> dict[str, Any]:
    """All examples of a model, as facts for the cache."""
    return {"near": neighbours(model), "beside": {query: rank_beside(model, query) for query in BESIDE}}


Section = dict[str, Any]


@dataclass(frozen=True)
class Material:
    """What the families are trained on: the corpus, and the graph over its words and over the judged ones."""

    words: Words
    settings: Mapping[str, Section]

    @cached_property
    def names(self) -> list[str]:
        """Words of the corpus, sorted, then judged words that it does not have."""
        return [*sorted(self.words.counts), *self.words.absent]

    @cached_property
    def edges(self) -> list[Edge]:
        """Parents of all of them."""
        edges = self.words.graph(self.names, **self.settings["taxonomy"])
        return with_families(edges, self.names, **self.settings["families"])

    @cached_property
    def graph(self) -> WordGraph:
        """The same as a matrix."""
        return WordGraph(self.names, self.edges)

    @cached_property
    def data(self) -> Dataset:
        """Counts and parents."""
        return counted(self.words.sentences, self.settings["corpus"]["window"]).with_taxonomy(self.edges)


@dataclass(frozen=True)
class Trained:
    """What a family leaves: vectors of `Material.names` by name of model, and examples of what was fitted."""

    vectors: dict[str, Any]
    examples: dict[str, Any] = field(default_factory=dict)


BASES = ("sg", "fasttext", "bsg")
"""Families whose vectors are also retrofitted to the graph and averaged over it."""
_SHOWN = {"sg": "SG", "fasttext": "FastText", "bsg": "BSG"}
_SMOOTHINGS = (0.0, 1.0, 2.0, 3.0, 5.0, 10.0)


class _Letters(FastText):
    """fastText that keeps what it learned about letters, for words which the corpus does not have."""

    _learned = None

    def _new(self, **common: Any) -> Any:
        self._learned = super()._new(**common)
        return self._learned

    @property
    def letters(self) -> Any:
        """Return gensim's vectors, which know pieces of words too; None before `fit`."""
        return None if self._learned is None else self._learned.wv


def vbn_vectors(material: Material, seed: int) -> Trained:
    """Ours, by the chosen readout and by the plain ones."""
    model = _fitted(material, "vbn", seed)
    read = {"VBN": material.settings["readout"]["vbn"], "VBN, u + v": "both", "VBN, u alone": "entity"}
    vectors = {name: _read(material, model, readout) for name, readout in read.items()}
    return Trained(vectors, {"VBN": described(model)})


def default_vectors(material: Material, seed: int) -> Trained:
    """VBN without a parameter, read out without one."""
    model = VBN(**material.settings.get("vbn-default", {}), seed=seed, verbose=False).fit(material.data)
    return Trained({NO_PARAMETER: vectors_for(model, material.names, readout="auto")}, {NO_PARAMETER: described(model)})


def corpus_vectors(family: str, material: Material, seed: int) -> Trained:
    """A model without the graph, the same retrofitted to the graph, and averaged over it."""
    model, name = _fitted(material, family, seed), _SHOWN[family]
    vectors = _read(material, model, material.settings["readout"][family])
    made = {
        name: vectors,
        f"{name}-R": material.graph.retrofitted(vectors, **material.settings[f"{family}-r"]),
        f"{name}, averaged over the graph": material.graph.averaged(vectors, **material.settings[f"{family}-averaged"]),
    }
    return Trained(made, {name: described(model)})


def readouts(material: Material, family: str, seed: int) -> Iterator[tuple[str, np.ndarray]]:
    """One training, read out in every way that there is: what to call the way, and the vectors."""
    model = _fitted(material, family, seed)
    ways = ["entity", "both"]
    if family == "vbn":
        ways += [f"smoothed {weight:g}" for weight in _SMOOTHINGS[1:]]
    for way in ["entity"] if family == "fasttext" else ways:
        yield way, _read(material, model, way)


def _fitted(material: Material, family: str, seed: int) -> Any:
    section = material.settings[family]
    if family in ("vbn", "bsg"):
        made = (VBN if family == "vbn" else BayesianSkipGram)(**section, seed=seed, verbose=False)
        return made.fit(material.data)
    return (SkipGram if family == "sg" else _Letters)(**section, seed=seed).fit(material.words.sentences)


def _read(material: Material, model: Any, way: str) -> np.ndarray:
    """Vectors of all words: "entity", "both", or "smoothed" and a weight; letters speak for words that are absent."""
    if isinstance(model, _Letters):
        return np.array([model.letters.get_vector(name) for name in material.names], dtype=np.float64)
    readout, _, weight = way.partition(" ")
    smoothing = {"smoothing": float(weight)} if weight else {}
    return vectors_for(model, material.names, readout=readout, **smoothing)


def graph_vectors(material: Material, seed: int) -> Trained:  # noqa: ARG001 - nothing is drawn
    """No corpus at all: words are alike if the same nodes are above them."""
    return Trained({"Graph alone": material.graph.ancestors(**material.settings["graph"])})


FAMILIES: dict[str, Callable[[Material, int], Trained]] = {
    "vbn": vbn_vectors,
    "vbn-default": default_vectors,
    **{family: partial(corpus_vectors, family) for family in BASES},
    "graph": graph_vectors,
}
UNSEEDED = ("graph",)


def vectors_for(model: Any, words: Sequence[str], **readout: Any) -> np.ndarray:
    """Return the vectors of words as `vectors` reads them out; 0 for those that a model does not know."""
    known = as_scorer(model).columns
    at = [number for number, word in enumerate(words) if word in known]
    found = model.vectors([words[number] for number in at], **readout)[1]
    result = np.zeros((len(words), found.shape[1]))
    result[at] = found
    return result
