"""WordNet over the words of a corpus: hypernyms as a weighted taxonomy without cycles, antonyms and parts.

The weights are WordNet's tag counts, which come largely from SemCor: say so where a model of SemCor is judged.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn.data import closing_edges
from vbn.datasets.interactions import Edge
from vbn.datasets.reading import at_least, choice
from vbn.datasets.wordnet import PARTS, Synset, SynsetId, WordNet


def break_cycles(edges: Iterable[Edge]) -> tuple[list[Edge], list[Edge]]:
    """Split edges into those that are kept and those dropped, both sorted.

    The answer does not depend on the order in which the edges come: they are added by falling share of their child's
    weight (ties by name), and one that would close a cycle is dropped.

    Examples
    --------
    >>> break_cycles([("a", "b", 1.0), ("b", "a", 1.0), ("b", "c", 3.0)])
    ([('a', 'b', 1.0), ('b', 'c', 3.0)], [('b', 'a', 1.0)])
    """
    every = sorted(edges)
    ids: dict[str, int] = {}
    child = np.array([ids.setdefault(edge[0], len(ids)) for edge in every], dtype=np.int64)
    parent = np.array([ids.setdefault(edge[1], len(ids)) for edge in every], dtype=np.int64)
    closing = closing_edges(child, parent, _ranks(every), len(ids)).tolist()
    kept = [edge for edge, gone in zip(every, closing, strict=True) if not gone]
    return kept, [edge for edge, gone in zip(every, closing, strict=True) if gone]


def _ranks(edges: list[Edge]) -> np.ndarray:
    """Return the place of each edge by falling share of its child's weight."""
    total: dict[str, float] = defaultdict(float)
    for child, _, weight in edges:
        total[child] += weight
    order = sorted(range(len(edges)), key=lambda at: (-edges[at][2] / total[edges[at][0]], edges[at]))
    ranks = np.empty(len(edges), dtype=np.int64)
    ranks[order] = np.arange(len(edges))
    return ranks


# Pointers from adjectives and adverbs (wninput(5WN)): attribute, pertainym or adverb's adjective, derivation,
# participle; satellites also have their head (similar to).
_ACROSS = ("=", "\\", "+", "<")


@dataclass(frozen=True)
class WordTaxonomy:
    """A taxonomy of words.

    Attributes
    ----------
    edges : list of (child, parent, weight)
        Acyclic and sorted: what `Dataset.with_taxonomy` takes.
    dropped : list of (child, parent, weight)
        The edges that were left out because they closed a cycle.
    """

    edges: list[Edge]
    dropped: list[Edge]


def wordnet_taxonomy(
    folder: str | os.PathLike[str] | WordNet,
    words: Iterable[str],
    *,
    senses: str = "first",
    nodes: str = "words",
    adjectives: bool = True,
    ancestors: int = 0,
    inflections: bool = True,
    levels: int | None = None,
) -> WordTaxonomy:
    """Build parents for the words of a vocabulary from WordNet's database files.

    Parameters
    ----------
    folder : path or WordNet
        A folder with ``data.noun`` and so on, an archive of one (tar, zip), or a folder that holds either.
    words : iterable of str
        The vocabulary. A word in capitals hangs where its lower-case form hangs.
    senses : {"first", "all"}
        The first sense of the part of speech that the word has most often, or all senses, weighted by 1 + how often
        each was tagged in WordNet's concordances.
    nodes : {"words", "synsets"}
        What the parents are. "words": the first word of each hypernym; the graph may have cycles, which are broken.
        "synsets": the synsets themselves, called ``dog.n.01``, so that the meanings of a word stay apart.
    adjectives : bool, default True
        Whether adjectives and adverbs hang under what they point to (similar to, attribute, pertainym, derivation,
        participle). Nouns and verbs hang under their hypernyms.
    ancestors : int, default 0
        How many further levels above become direct parents of a word too. A sense's weight is shared equally among
        the levels, and within one equally among its nodes.
    inflections : bool, default True
        Whether forms such as ``geese`` hang under their lemma, found by WordNet's morphology.
    levels : int, optional
        1: the words' own parents only; 2: also the parents of those; and so on. Default: up to the top.

    Returns
    -------
    WordTaxonomy
        Edges over what the vocabulary needs, and those dropped to break cycles.
    """
    choice("senses", senses, ("first", "all"))
    choice("nodes", nodes, ("words", "synsets"))
    at_least("ancestors", ancestors, 0)
    if levels is not None:
        at_least("levels", levels, 1)
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise ParameterError(f"words={words!r} must be a list of words, such as data.entities")
    builder = _Builder(_opened(folder), senses == "first", nodes == "synsets", adjectives, ancestors, inflections)
    edges: list[Edge] = []
    level, done, height = {str(word) for word in words}, set[str](), 0
    while level and (levels is None or height < levels):
        new = [(child, parent, weight) for child in sorted(level) for parent, weight in builder.parents(child)]
        done |= level
        level = {parent for _, parent, _ in new} - done
        edges += new
        height += 1
    if not edges:
        raise DataError("WordNet knows none of the words: are they English, and words rather than numbers or ids?")
    return WordTaxonomy(*break_cycles(edges))


@dataclass(frozen=True)
class _Builder:
    """Parents of one node after the other."""

    wordnet: WordNet
    first: bool
    by_synset: bool
    adjectives: bool
    ancestors: int
    inflections: bool

    @cached_property
    def _synsets(self) -> dict[str, SynsetId]:
        return {self.wordnet.name(key): key for key in self.wordnet.synsets} if self.by_synset else {}

    def parents(self, node: str) -> list[tuple[str, float]]:
        """Return the parents of a word or of a synset by its name, with weights."""
        if node in self._synsets:
            return [(self.wordnet.name(key), 1.0) for key in self._above(self._synsets[node])]
        weights: dict[str, float] = defaultdict(float)
        form = node.lower()
        for lemma, synset, weight in self._meanings(form):
            if lemma != form:
                weights[lemma] += weight
                continue
            for parent, share in self._shares(synset):
                weights[parent] += weight * share
        return [(parent, weight) for parent, weight in weights.items() if parent != node]

    def _meanings(self, form: str) -> list[tuple[str, Synset, float]]:
        """Return (lemma, synset, weight) for what a form may mean: as a lemma itself, or as a form of one."""
        readings = [(lemma, pos) for pos in PARTS for lemma in self.wordnet.morphy(form, pos)]
        if not self.inflections:
            readings = [reading for reading in readings if reading[0] == form]
        if self.first and readings:
            readings = [max(readings, key=lambda reading: self.wordnet.frequency(*reading))]
        return [
            (lemma, synset, 1.0 + self.wordnet.frequency(lemma, pos, number))
            for lemma, pos in readings
            if self.adjectives or pos not in "ar"
            for number, synset in enumerate(self.wordnet.senses(lemma, pos), start=1)
            if number == 1 or not self.first
        ]

    def _shares(self, synset: Synset) -> list[tuple[str, float]]:
        """Return a meaning's parents, and those above them where ancestors are wanted; the shares sum to 1."""
        level = [synset.id] if self.by_synset else self._above(synset.id)
        steps: list[list[SynsetId]] = []
        while level and len(steps) <= self.ancestors:
            steps.append(level)
            level = list(dict.fromkeys(key for below in level for key in self._above(below)))
        return [
            (
                self.wordnet.name(key) if self.by_synset else self.wordnet.synsets[key].lemmas[0],
                1 / len(steps) / len(step),
            )
            for step in steps
            for key in step
        ]

    def _above(self, key: SynsetId) -> list[SynsetId]:
        synset = self.wordnet.synsets[key]
        if key[0] in "nv":
            found = synset.hypernyms
        else:
            found = synset.targets(*_ACROSS, *("&" * synset.satellite)) if self.adjectives else []
        return [target for target in dict.fromkeys(found) if target != key]


Pair = tuple[str, str]


@dataclass(frozen=True)
class WordRelations:
    """What WordNet knows about a vocabulary.

    Attributes
    ----------
    taxonomy : list of (child, parent, weight)
        Acyclic edges, for `Dataset.with_taxonomy`.
    dropped : list of (child, parent, weight)
        Edges left out because they closed a cycle.
    antonyms : list of (word, word)
        Each pair once, in alphabetical order: for ``with_relation("antonym", ..., symmetric=True)``.
    meronyms : list of (whole, part)
        Parts, members and substances: for ``with_relation("part-of", ...)``.
    """

    taxonomy: list[Edge]
    dropped: list[Edge]
    antonyms: list[Pair]
    meronyms: list[Pair]


def load_wordnet(
    folder: str | os.PathLike[str], *, words: Iterable[str] | None = None, **options: Any
) -> WordRelations:
    """Read WordNet's database files: a taxonomy, antonyms and meronyms over a vocabulary.

    Parameters
    ----------
    folder : path
        A folder with ``data.noun`` and so on, an archive of one, or a folder that holds either.
    words : iterable of str, optional
        The vocabulary, for example ``data.entities``. Default: every word of WordNet.
    **options
        Those of `wordnet_taxonomy`, such as ``senses="all", nodes="synsets"``.
    """
    wordnet = WordNet.open(folder)
    wanted = wordnet.words() if words is None else words
    if isinstance(wanted, Iterator):
        wanted = list(wanted)
    taxonomy = wordnet_taxonomy(wordnet, wanted, **options)
    return WordRelations(
        taxonomy.edges, taxonomy.dropped, antonym_pairs(wordnet, wanted), meronym_pairs(wordnet, wanted)
    )


def antonym_pairs(folder: str | os.PathLike[str] | WordNet, words: Iterable[str] | None = None) -> list[Pair]:
    """Return the antonyms among the words, each pair once in alphabetical order, sorted.

    Parameters
    ----------
    folder : path or WordNet
        Where the database files lie.
    words : iterable of str, optional
        Pairs must have both their words here. Default: every pair.
    """
    return _restricted(((min(pair), max(pair)) for pair in _antonyms(_opened(folder))), words)


def meronym_pairs(folder: str | os.PathLike[str] | WordNet, words: Iterable[str] | None = None) -> list[Pair]:
    """Return (whole, part) among the words, sorted: parts, members and substances.

    Parameters
    ----------
    folder : path or WordNet
        Where the database files lie.
    words : iterable of str, optional
        Pairs must have both their words here. Default: every pair.
    """
    return _restricted(_meronyms(_opened(folder)), words)


def _opened(folder: str | os.PathLike[str] | WordNet) -> WordNet:
    return folder if isinstance(folder, WordNet) else WordNet.open(folder)


def _antonyms(wordnet: WordNet) -> Iterator[Pair]:
    for synset in wordnet.synsets.values():
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol == "!" and source_word and target_word:
                yield synset.lemmas[source_word - 1], wordnet.synsets[target].lemmas[target_word - 1]


def _meronyms(wordnet: WordNet) -> Iterator[Pair]:
    for synset in wordnet.synsets.values():
        for target in synset.targets("%m", "%p", "%s"):
            yield from ((whole, part) for whole in synset.lemmas for part in wordnet.synsets[target].lemmas)


def _restricted(pairs: Iterator[Pair], words: Iterable[str] | None) -> list[Pair]:
    known = None if words is None else set(words)
    return sorted({(a, b) for a, b in pairs if a != b and (known is None or (a in known and b in known))})
