"""Relations between words from WordNet: antonyms, and wholes with their parts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from vbn.datasets._interactions import Edge
from vbn.datasets._wordnet import WordNet
from vbn.datasets._wordnet_taxonomy import wordnet_taxonomy

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
    wanted = wordnet.words() if words is None else _collected(words)
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
    return _restricted((_in_order(pair) for pair in _antonyms(_opened(folder))), words)


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


def _collected(words: Iterable[str]) -> Iterable[str]:
    """Return words that can be walked twice; what is no list of words is left to `wordnet_taxonomy` to refuse."""
    return list(words) if isinstance(words, Iterable) and not isinstance(words, str) else words


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


def _in_order(pair: Pair) -> Pair:
    return min(pair), max(pair)


def _restricted(pairs: Iterator[Pair], words: Iterable[str] | None) -> list[Pair]:
    known = None if words is None else set(words)
    return sorted({(a, b) for a, b in pairs if a != b and (known is None or (a in known and b in known))})
