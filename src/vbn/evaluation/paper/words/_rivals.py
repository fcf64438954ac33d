"""Vectors of words by family of models: ours, the same without the graph, gensim's, and the graph alone.

A family is trained once; what is only read out or retrofitted differently comes from the same training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vbn.baselines import BayesianSkipGram, FastText, SkipGram
from vbn.data import Dataset
from vbn.estimators import VBN
from vbn.evaluation.paper.words._corpus import Edge, Words, counted
from vbn.evaluation.paper.words._examples import described
from vbn.evaluation.paper.words._families import with_families
from vbn.evaluation.paper.words._graph import WordGraph

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


def vbn_vectors(material: Material, seed: int) -> Trained:
    """Ours, by the chosen readout and by the plain ones."""
    model = VBN(**material.settings["vbn"], seed=seed, verbose=False).fit(material.data)
    smoothing = material.settings["readout"]["smoothing"]
    read = {"VBN": "smoothed", "VBN, u + v": "both", "VBN, u alone": "entity"}
    vectors = {name: vectors_for(model, material.names, readout, smoothing) for name, readout in read.items()}
    return Trained(vectors, {"VBN": described(model)})


def bsg_vectors(material: Material, seed: int) -> Trained:
    """The same engine without the graph, retrofitted to it, and averaged over it."""
    section = dict(material.settings["bsg"])
    readout = section.pop("readout")
    model = BayesianSkipGram(**section, seed=seed, verbose=False).fit(material.data)
    vectors = vectors_for(model, material.names, readout)
    averaged = material.graph.averaged(vectors, **material.settings["averaging"])
    made = {"BSG": vectors, "BSG-R": _retrofitted(material, vectors), "BSG, averaged over the graph": averaged}
    return Trained(made, {"BSG": described(model)})


def sg_vectors(material: Material, seed: int) -> Trained:
    """Gensim's skip-gram, retrofitted to the graph, and averaged over it."""
    model = SkipGram(**material.settings["sg"], seed=seed).fit(material.words.sentences)
    vectors = vectors_for(model, material.names)
    averaged = material.graph.averaged(vectors, **material.settings["averaging"])
    made = {"SG": vectors, "SG-R": _retrofitted(material, vectors), "SG, averaged over the graph": averaged}
    return Trained(made, {"SG": described(model)})


class _Letters(FastText):
    """fastText that keeps what it learned about letters, for words which the corpus does not have."""

    letters: Any = None

    def _train(self, model: Any, corpus: Any, examples: int, words: int | None = None) -> None:
        super()._train(model, corpus, examples, words)
        self.letters = model.wv


def fasttext_vectors(material: Material, seed: int) -> Trained:
    """Gensim's fastText; words that the corpus does not have get the vectors of their letters."""
    model = _Letters(**material.settings["fasttext"], seed=seed).fit(material.words.sentences)
    vectors = np.array([model.letters.get_vector(name) for name in material.names], dtype=np.float64)
    return Trained({"FastText": vectors}, {"FastText": described(model)})


def graph_vectors(material: Material, seed: int) -> Trained:  # noqa: ARG001 - nothing is drawn
    """No corpus at all: words are alike if the same nodes are above them."""
    return Trained({"Graph alone": material.graph.ancestors(**material.settings["graph"])})


FAMILIES: dict[str, Callable[[Material, int], Trained]] = {
    "vbn": vbn_vectors,
    "bsg": bsg_vectors,
    "sg": sg_vectors,
    "fasttext": fasttext_vectors,
    "graph": graph_vectors,
}
UNSEEDED = ("graph",)


def vectors_for(model: Any, words: Sequence[str], readout: str = "entity", smoothing: float = 3.0) -> np.ndarray:
    """Vectors of words; 0 for those that a model does not know."""
    known = model._model().vocabulary("column")
    at = [number for number, word in enumerate(words) if word in known]
    found = model.vectors([words[number] for number in at], readout=readout, smoothing=smoothing)[1]
    result = np.zeros((len(words), found.shape[1]))
    result[at] = found
    return result


def _retrofitted(material: Material, vectors: np.ndarray) -> np.ndarray:
    return material.graph.retrofitted(vectors, **material.settings["retrofit"])
