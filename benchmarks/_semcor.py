"""SemCor sentences, a hypernym taxonomy over their words, and the word-similarity sets."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from _data import lines
from vbn.datasets._wordnet import PARTS, WordNet

SIMILARITY_SETS = ("ws353", "scws", "rw", "men", "simlex999")
Edge = tuple[str, str]


def read_sentences(folder: Path) -> list[list[str]]:
    """Return SemCor's sentences as lower-cased tokens, multiwords split at ``_``, the empty token dropped."""
    return [
        [part for part in line.lower().replace("_", " ").split(" ") if part]
        for line in lines(folder / "semcor_sentences.txt.gz")
    ]


def read_similarity(folder: Path, vocabulary: Iterable[str]) -> dict[str, list[tuple[str, str, float]]]:
    """Return each set's (word, word, score), lower-cased, where both words are in the vocabulary."""
    known = set(vocabulary)
    sets = {}
    for name in SIMILARITY_SETS:
        with (folder / "similarity" / f"{name}.tsv").open(encoding="utf-8", newline="") as handle:
            rows = csv.reader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)
            next(rows)
            pairs = [(left.lower(), right.lower(), float(score)) for left, right, score in rows]
        sets[name] = [row for row in pairs if row[0] in known and row[1] in known]
    return sets


def read_hypernyms(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Return first-sense hypernyms: word -> part of speech (``n``, ``v``) -> parents."""
    hypernyms: dict[str, dict[str, list[str]]] = defaultdict(dict)
    for line in lines(folder / "wordnet_hypernyms_first_sense.tsv.gz"):
        child, parent, pos = line.split("\t")
        hypernyms[child].setdefault(pos, []).append(parent)
    return dict(hypernyms)


def read_lemmas(folder: Path) -> dict[str, str]:
    """Return the lemma that SemCor gives each lower-cased form most often (ties by name)."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    files = (folder / f"semcor_{name}.txt.gz" for name in ("sentences", "lemmas", "senses"))
    for forms, lemmas, senses in zip(*map(lines, files), strict=True):
        for form, lemma, sense in zip(forms.split(" "), lemmas.split(" "), senses.split(" "), strict=True):
            if sense != "-" and "_" not in form:
                seen[form.lower()][lemma.lower()] += 1
    return {form: min(counts, key=lambda lemma: (-counts[lemma], lemma)) for form, counts in seen.items()}


@dataclass
class WordTaxonomy:
    """Edges child -> parent, acyclic, and the edges that were dropped to make them so."""

    edges: list[Edge]
    dropped: list[Edge]


def word_taxonomy(
    folder: Path, vocabulary: Iterable[str], levels: int = 2, parts: str = "frequent", forms: str = "semcor"
) -> WordTaxonomy:
    """Return parents for every word that has some.

    Parameters
    ----------
    folder
        The data set's folder.
    vocabulary
        The words of the corpus.
    levels
        1: the words' own parents; 2: also the parents of those; and so on. Words of the vocabulary that
        are parents keep their own parents at any level.
    parts
        ``frequent``: hypernyms of the part of speech that the word has most often in the concordances
        (none if that is an adjective or adverb); ``all``: of its noun and its verb senses together.
    forms
        ``semcor``: a form that SemCor mostly gives another lemma hangs under it, then hypernyms, then
        WordNet's morphology; ``lemma``: a form that has hypernyms itself keeps them.
    """
    hypernyms = read_hypernyms(folder)
    wordnet = WordNet.open(folder / "wordnet-dict.tar.gz")
    tagged = read_lemmas(folder)

    def own(word: str) -> list[str]:
        found = hypernyms.get(word, {})
        if parts == "all":
            return list(dict.fromkeys(parent for pos in "nv" for parent in found.get(pos, ())))
        known = [pos for pos in PARTS if wordnet.senses(word, pos)]
        best = max(known, key=lambda pos: wordnet.frequency(word, pos), default=None)
        return found.get(best, []) if best else []

    def parents(word: str) -> list[str]:
        lemma = tagged.get(word, word)
        if forms == "semcor" and lemma != word and "_" not in lemma:
            return [lemma]
        return own(word) or ([form] if (form := morphy_lemma(wordnet, word)) else [])

    edges: list[Edge] = []
    level = sorted(set(vocabulary))
    done: set[str] = set()
    for _ in range(levels):
        new = [(word, parent) for word in level for parent in parents(word) if parent != word]
        edges += new
        done.update(level)
        level = sorted({parent for _, parent in new} - done)
    return break_cycles(edges)


def morphy_lemma(wordnet: WordNet, form: str) -> str | None:
    """Return the most frequent lemma that a form belongs to, other than itself."""
    found = [(lemma, pos) for pos in PARTS for lemma in wordnet.morphy(form, pos, itself=False)[:1]]
    return max(found, key=lambda pair: wordnet.frequency(*pair))[0] if found else None


def break_cycles(edges: Iterable[Edge]) -> WordTaxonomy:
    """Drop the edges that close a cycle in a walk upwards over the sorted edges: always the same ones."""
    above: dict[str, list[str]] = defaultdict(list)
    for child, parent in sorted(set(edges)):
        above[child].append(parent)
    kept: list[Edge] = []
    dropped: list[Edge] = []
    finished: set[str] = set()
    for start in sorted(above):
        path = {start: iter(above[start])} if start not in finished else {}
        while path:
            child = next(reversed(path))
            parent = next(path[child], None)
            if parent is None:
                finished.add(child)
                del path[child]
            elif parent in path:
                dropped.append((child, parent))
            else:
                kept.append((child, parent))
                if parent not in finished:
                    path[parent] = iter(above.get(parent, ()))
    return WordTaxonomy(sorted(kept), sorted(dropped))
