"""Counts from glosses: which sequences there are, and which words stand near each other in them.

A definition is read as a sequence whose first place is shared by the words it defines (all one-word lemmas
of the synset, or its first lemma where all are compounds, joined by ``_``); each example is a sequence of
its own. Every sequence belongs to training or, one in twenty by a hash of its text, to the held-out part.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from vbn.datasets import Synset, SynsetId, WordNet

DOMAINS = ("noun.food", "noun.animal", "noun.body")
WINDOW = 5
HELDOUT_ONE_IN = 20
ANTONYM_PAIRS = 700
"""How many of the most frequent antonym pairs lend the glosses of their synsets."""

_WORD = re.compile(r"[a-z0-9]+(?:[-'.][a-z0-9]+)*")
_QUOTED = re.compile(r'"([^"]*)"')
_CRUDE = re.compile(r"\b(obscene|vulgar)\b")
Slots = list[tuple[str, ...]]


@dataclass
class Corpus:
    """Counts of unordered pairs and of single words, by part (``train``, ``heldout``)."""

    window: int
    counts: dict[str, Counter[tuple[str, str]]]
    frequency: dict[str, Counter[str]]
    sequences: Counter[str]
    synsets: set[SynsetId]

    def total_frequency(self) -> Counter[str]:
        """Return how often each word occurs in both parts together."""
        return self.frequency["train"] + self.frequency["heldout"]


def read_glosses(wordnet: WordNet) -> Corpus:
    """Count the glosses of the chosen domains and of frequent antonyms."""
    chosen = in_domain(wordnet) | antonym_synsets(wordnet, ANTONYM_PAIRS)
    parts = ("train", "heldout")
    corpus = Corpus(WINDOW, {p: Counter() for p in parts}, {p: Counter() for p in parts}, Counter(), chosen)
    for number in sorted(chosen):
        for slots in sequences(wordnet.synsets[number]):
            part = part_of_sequence(slots)
            corpus.sequences[part] += 1
            corpus.frequency[part].update(word for slot in slots for word in slot)
            corpus.counts[part].update(near_pairs(slots, WINDOW))
    return corpus


def in_domain(wordnet: WordNet) -> set[SynsetId]:
    """Return the domains' synsets without Latin taxa (genus Canis ...) and what WordNet calls obscene."""
    wanted = {wordnet.domains[name] for name in DOMAINS}
    taxa = descendants(wordnet, wordnet.senses("taxonomic_group", "n")[0].id)
    return {
        number
        for number, synset in wordnet.synsets.items()
        if synset.domain in wanted and number not in taxa and not _CRUDE.search(synset.gloss)
    }


def descendants(wordnet: WordNet, top: SynsetId) -> set[SynsetId]:
    """Return a synset and everything below it."""
    found: set[SynsetId] = set()
    open_ends = [top]
    while open_ends:
        number = open_ends.pop()
        if number not in found:
            found.add(number)
            open_ends += wordnet.synsets[number].targets("~", "~i")
    return found


def antonym_pairs(wordnet: WordNet) -> dict[tuple[str, str], set[SynsetId]]:
    """Return all antonym pairs (in alphabetical order) of one-word lemmas, with the synsets that say so."""
    pairs: dict[tuple[str, str], set[SynsetId]] = {}
    for synset in wordnet.synsets.values():
        for symbol, target, source_word, target_word in synset.pointers:
            if symbol == "!":
                left = synset.lemmas[source_word - 1]
                right = wordnet.synsets[target].lemmas[target_word - 1]
                if "_" not in left + right and left != right:
                    pair = (left, right) if left < right else (right, left)
                    pairs.setdefault(pair, set()).update((synset.id, target))
    return pairs


def antonym_synsets(wordnet: WordNet, n_pairs: int) -> set[SynsetId]:
    """Return the synsets of the pairs whose rarer word is most often tagged in the concordances."""

    def commonness(word: str, synsets: set[SynsetId]) -> int:
        parts = {pos for pos, _ in synsets}
        return sum(wordnet.frequency(word, pos, sense) for pos in parts for sense in (1, 2, 3))

    pairs = antonym_pairs(wordnet)
    ranked = sorted(pairs, key=lambda pair: (-min(commonness(word, pairs[pair]) for word in pair), pair))
    return {number for pair in ranked[:n_pairs] for number in pairs[pair]}


def sequences(synset: Synset) -> Iterator[Slots]:
    """Yield a synset's definition, led by the words it defines, and its examples."""
    definition = synset.gloss.split('"', 1)[0].rstrip(" ;:,")
    single = [lemma for lemma in synset.lemmas if "_" not in lemma and re.search("[a-z]", lemma)]
    lemmas = tuple(dict.fromkeys(single)) or synset.lemmas[:1]
    yield [lemmas, *words(definition)]
    for example in _QUOTED.findall(synset.gloss):
        slots = words(example)
        if len(slots) > 1:
            yield slots


def words(text: str) -> Slots:
    """Split a text into lower-cased words; numbers, punctuation and the genitive's 's fall away."""
    found = (token.removesuffix("'s") for token in _WORD.findall(text.lower()))
    return [(token,) for token in found if re.search("[a-z]", token)]


def part_of_sequence(slots: Slots) -> str:
    """Return ``heldout`` for one sequence in twenty, by a hash of its words: stable on every machine."""
    text = " ".join("/".join(slot) for slot in slots)
    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return "heldout" if number % HELDOUT_ONE_IN == 0 else "train"


def near_pairs(slots: Slots, window: int) -> Iterator[tuple[str, str]]:
    """Yield the unordered pairs of words at most ``window`` places apart (words that share a place too)."""
    for at, slot in enumerate(slots):
        for number, word in enumerate(slot):
            neighbours = [*slot[number + 1 :], *(w for near in slots[at + 1 : at + 1 + window] for w in near)]
            for other in neighbours:
                yield (word, other) if word < other else (other, word)
