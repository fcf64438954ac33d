"""Edges between the words of the glosses: hypernyms as taxonomy, antonyms, parts.

A word stands for one sense (``Namer.own_sense``) and takes that synset's hypernyms as parents; an
inflected form (``geese``) takes its lemma. A hypernym is named by the first of its words that stands for it,
or like ``canine.n.02`` where all its words stand for something else. So the word graph follows the synset
graph, with all ancestors up to ``entity``, and no cycle of words arises from mixed senses.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from graphlib import TopologicalSorter

from _gloss_counts import DOMAINS, Corpus, antonym_pairs
from vbn.datasets import PARTS, Synset, SynsetId, WordNet

# WordNet has nouns such as "in" (indium) and "as" (arsenic); these words never mean them in a gloss.
_LISTED = """
a about above across after against all along also although always am among an and another any are
around as at be because been before being below between both but by can could did do does done down
during each either etc every few for from had has have having he her here him his how i if in into
is it its itself less like many may me might more most much must my near no nor not of off often on
one ones only onto or other others our out over own per same she should so some such than that the
their them themselves then there these they this those though through thus to too toward two under
until up upon us very was we were what when where which while who whom whose will with within
without would you your
"""
FUNCTION_WORDS = frozenset(_LISTED.split())


@dataclass
class Graph:
    """Taxonomy and relations over words, every edge once, in a fixed order."""

    parents: list[tuple[str, str]] = field(default_factory=list)
    antonyms: list[tuple[str, str]] = field(default_factory=list)
    parts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def nodes(self) -> set[str]:
        """All words and categories that the taxonomy names."""
        return {name for edge in self.parents for name in edge}

    def depth(self) -> int:
        """Return the number of levels; raises if the taxonomy has a cycle."""
        above: dict[str, set[str]] = {}
        for child, parent in self.parents:
            above.setdefault(child, set()).add(parent)
        levels: dict[str, int] = {}
        for name in TopologicalSorter(above).static_order():
            levels[name] = 1 + max((levels[parent] for parent in above.get(name, ())), default=0)
        return max(levels.values())


def build_graph(wordnet: WordNet, corpus: Corpus) -> Graph:
    """Connect the words of a corpus."""
    namer = Namer(wordnet)
    graph = Graph(parents=sorted(namer.taxonomy(sorted(corpus.total_frequency()))))
    graph.depth()
    vocabulary = corpus.frequency["train"]
    graph.antonyms = sorted(p for p in antonym_pairs(wordnet) if p[0] in vocabulary and p[1] in vocabulary)
    graph.parts = sorted(
        (whole, part)
        for whole, part in namer.part_pairs()
        if whole in vocabulary and part in vocabulary and whole != part
    )
    return graph


class Namer:
    """Chooses a sense for each word and a word for each synset."""

    def __init__(self, wordnet: WordNet) -> None:
        self.wordnet = wordnet
        self.domains = {wordnet.domains[name] for name in (*DOMAINS, "noun.Tops")}
        self.own_sense = cache(self._own_sense)
        self.name = cache(self._name)

    def _own_sense(self, word: str) -> Synset | None:
        """Return the synset a lemma stands for.

        That is the first of its three first noun senses inside the domains, where there is one and the word
        is not far more often an adjective or adverb (``small``); otherwise the first sense of its most
        frequent part of speech.
        """
        if word in FUNCTION_WORDS:
            return None
        times = {pos: self.wordnet.frequency(word, pos) for pos in PARTS}
        for number, synset in enumerate(self.wordnet.senses(word, "n")[:3], 1):
            if synset.domain in self.domains:
                noun = self.wordnet.frequency(word, "n", number)
                if max(times["a"], times["r"]) <= 10 * (1 + noun):
                    return synset
                break
        ranked = sorted(PARTS, key=lambda pos: -times[pos])  # stable: noun, verb, adjective, adverb
        return next((senses[0] for pos in ranked if (senses := self.wordnet.senses(word, pos))), None)

    def _name(self, number: SynsetId) -> str:
        """Return the first of a synset's words that stands for it, or a name like ``canine.n.02``."""
        synset = self.wordnet.synsets[number]
        for lemma in synset.lemmas:
            if self.own_sense(lemma) == synset:
                return lemma
        lemma = synset.lemmas[0]
        sense = self.wordnet.senses(lemma, number[0]).index(synset) + 1
        return f"{lemma}.{number[0]}.{sense:02d}"

    def lemma(self, form: str) -> str | None:
        """Return the lemma of an inflected form; None for a word that is a lemma itself, or unknown.

        Adjectives and adverbs that are also forms of a word at least as frequent (``cooked``, ``larger``)
        count as those forms: adjectives have no hypernyms.
        """
        own = self.own_sense(form)
        if form in FUNCTION_WORDS or (own is not None and own.id[0] in "nv"):
            return None
        forms = ((next(iter(self.wordnet.morphy(form, pos, itself=False)), None), pos) for pos in PARTS)
        found = [(lemma, pos) for lemma, pos in forms if lemma is not None and lemma not in FUNCTION_WORDS]
        if not found:
            return None
        lemma, pos = max(found, key=lambda pair: self.wordnet.frequency(*pair))
        often = max(self.wordnet.frequency(form, pos) for pos in PARTS)
        return lemma if own is None or self.wordnet.frequency(lemma, pos) >= often else None

    def taxonomy(self, vocabulary: list[str]) -> set[tuple[str, str]]:
        """Return child -> parent edges for these words and all their ancestors."""
        edges: set[tuple[str, str]] = set()
        pending: list[SynsetId] = []
        for form in vocabulary:
            lemma = self.lemma(form)
            if lemma is not None:
                edges.add((form, lemma))
            synset = self.own_sense(lemma or form)
            if synset is not None:
                edges |= {(lemma or form, self.name(above)) for above in synset.hypernyms}
                pending += synset.hypernyms
        seen: set[SynsetId] = set()
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                above = self.wordnet.synsets[number].hypernyms
                edges |= {(self.name(number), self.name(parent)) for parent in above}
                pending += above
        return edges

    def part_pairs(self) -> set[tuple[str, str]]:
        """Return (whole, part) between words in the senses they stand for."""
        pairs = set()
        for synset in self.wordnet.synsets.values():
            wholes = self._standing_for(synset)
            for number in synset.targets("%p", "%s") if wholes else ():
                parts = self._standing_for(self.wordnet.synsets[number])
                pairs |= {(whole, part) for whole in wholes for part in parts}
        return pairs

    def _standing_for(self, synset: Synset) -> list[str]:
        return [lemma for lemma in synset.lemmas if self.own_sense(lemma) == synset]
