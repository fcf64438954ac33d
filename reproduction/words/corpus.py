"""What the experiments on words start from: SemCor in lower case, WordNet over its words, judged pairs."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from reproduction.datasets import SimilaritySet, load_semcor, load_similarity
from vbn.data import Dataset
from vbn.datasets import WordNet, antonym_pairs, meronym_pairs, wordnet_taxonomy

Edge = tuple[str, str, float]
Pair = tuple[str, str]
Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Split:
    """Sentences for training, validation and test."""

    training: Sentences
    validation: Sentences
    test: Sentences


def split(sentences: Sentences, seed: int = 0) -> Split:
    """80/20 into training and test at random, and 15 % of the training part for validation."""
    order = np.random.default_rng([seed, 0x5E97]).permutation(len(sentences)).tolist()
    test = round(0.2 * len(order))
    validation = test + round(0.15 * (len(order) - test))
    parts = sorted(order[validation:]), sorted(order[test:validation]), sorted(order[:test])
    return Split(*([sentences[i] for i in part] for part in parts))


@dataclass(frozen=True)
class Words:
    """A corpus, a dictionary and judgements.

    Attributes
    ----------
    sentences : list of list of str
        In lower case.
    wordnet : WordNet
        Where parents, antonyms and parts come from.
    sets : dict of SimilaritySet
        In lower case.
    """

    sentences: Sentences
    wordnet: WordNet
    sets: dict[str, SimilaritySet]

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Words:
        """From the folder of the evaluation data, which holds SemCor, WordNet and the judgements."""
        sentences = load_semcor(folder, lower=True).sentences
        sets = {name: found.lowered() for name, found in load_similarity(folder).items()}
        return cls(sentences, WordNet.open(folder), sets)

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each word occurs in the corpus."""
        return Counter(word for sentence in self.sentences for word in sentence)

    @cached_property
    def absent(self) -> list[str]:
        """Judged words that the corpus does not have, sorted."""
        judged = {word for found in self.sets.values() for word in (*found.left, *found.right)}
        return sorted(judged - self.counts.keys())

    @cached_property
    def antonyms(self) -> list[Pair]:
        """Antonyms among the words of the corpus, each pair once."""
        return antonym_pairs(self.wordnet, self.counts)

    @cached_property
    def meronyms(self) -> list[Pair]:
        """(whole, part) among the words of the corpus."""
        return meronym_pairs(self.wordnet, self.counts)

    @cached_property
    def mark(self) -> str:
        """A hash of the corpus, for the cache."""
        return text_mark(" ".join(sentence) for sentence in self.sentences)

    @cached_property
    def parts(self) -> Split:
        """The sentences for training, validation and test of sentence completion."""
        return split(self.sentences)

    @cached_property
    def _graphs(self) -> dict[Any, list[Edge]]:
        return {}

    def graph(self, words: Iterable[str], **options: Any) -> list[Edge]:
        """Acyclic parents of some words; options are those of `wordnet_taxonomy`. Made once: it takes a while."""
        key = (tuple(words), tuple(sorted(options.items())))
        if key not in self._graphs:
            self._graphs[key] = wordnet_taxonomy(self.wordnet, key[0], **options).edges
        return list(self._graphs[key])


def text_mark(lines: Iterable[str]) -> str:
    """A hash of lines of text."""
    found = hashlib.sha256()
    for line in lines:
        found.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()


def edge_mark(edges: Iterable[Edge]) -> str:
    """A hash of the edges of a graph."""
    return text_mark(f"{child}\t{parent}\t{weight!r}" for child, parent, weight in edges)


_COUNTED: dict[tuple[int, int], tuple[Sentences, Dataset]] = {}  # with the sentences, so that their id stays theirs
_MOST_COUNTED = 3


def counted(sentences: Sentences, window: int) -> Dataset:
    """Co-occurrences within a window; the last few are kept, as most experiments count the same sentences."""
    key = (id(sentences), window)
    if key not in _COUNTED:
        while len(_COUNTED) >= _MOST_COUNTED:
            del _COUNTED[next(iter(_COUNTED))]
        _COUNTED[key] = sentences, Dataset.from_sequences(sentences, window=window)
    return _COUNTED[key][1]


SETS = {"men": "MEN", "rw": "RW", "scws": "SCWS", "simlex999": "SL", "ws353": "WS"}
RAREST = 5  # a pair is rare if its rarer word occurs at most this often


@dataclass(frozen=True)
class Judged:
    """The pairs of one set.

    Attributes
    ----------
    left, right : tuple of str
    scores : ndarray
    known : ndarray of bool
        Both words are in the corpus.
    rare : ndarray of bool
        Known, and the rarer word occurs at most five times.
    reports : ndarray of bool
        Known pairs of the half that figures are reported on: every second one in the order of the file. The other half
        chooses settings.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    scores: np.ndarray
    known: np.ndarray
    rare: np.ndarray
    reports: np.ndarray

    @property
    def unseen(self) -> np.ndarray:
        """Known pairs of the reporting half, and all pairs with an absent word: no setting was chosen on these."""
        return np.asarray(self.reports | ~self.known)


def judged(found: SimilaritySet, counts: Mapping[str, int]) -> Judged:
    """Divide a set by what the corpus has."""
    rarer = np.array([min(counts.get(a, 0), counts.get(b, 0)) for a, b in zip(found.left, found.right, strict=True)])
    known = rarer > 0
    reports = known & (np.cumsum(known) % 2 == 0)
    return Judged(found.left, found.right, np.array(found.scores), known, known & (rarer <= RAREST), reports)
