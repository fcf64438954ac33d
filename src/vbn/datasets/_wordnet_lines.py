"""Lines of WordNet's database files, wndb(5WN): synsets, entries of the index, tag counts."""

from __future__ import annotations

import re
from dataclasses import dataclass

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""WordNet's letters for the parts of speech, and how its files call them."""

SynsetId = tuple[str, str]
"""Part of speech (``n``, ``v``, ``a``, ``r``) and the eight digits that open the synset's line."""

_SENSE_LETTERS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # the digit after % in a sense key
_QUOTED = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, slots=True)
class Synset:
    """One synset: its words, its pointers to others and its gloss.

    Attributes
    ----------
    id : tuple of str
        Part of speech and the identifier in the database.
    domain : int
        Number of the lexicographer's file (``lexnames``).
    lemmas : tuple of str
        Lower-cased words, spaces as ``_``, without adjective markers such as ``(p)``.
    pointers : tuple of (symbol, target, source word, target word)
        Word numbers count from 1; 0 means the whole synset.
    gloss : str
        Definition and examples as printed.
    satellite : bool
        Whether it is an adjective that stands for another one's meaning (``similar to`` its head).
    """

    id: SynsetId
    domain: int
    lemmas: tuple[str, ...]
    pointers: tuple[tuple[str, SynsetId, int, int], ...]
    gloss: str
    satellite: bool = False

    def targets(self, *symbols: str) -> list[SynsetId]:
        """Return the synsets that pointers with one of these symbols lead to, in file order."""
        return [target for symbol, target, _, _ in self.pointers if symbol in symbols]

    @property
    def hypernyms(self) -> list[SynsetId]:
        """The more general synsets: hypernyms and, for names, instance hypernyms."""
        return self.targets("@", "@i")

    def sentences(self) -> tuple[str, list[str]]:
        """Split the gloss into its definition and its quoted examples."""
        definition = self.gloss.split('"', 1)[0].rstrip(" ;:,")
        return definition, _QUOTED.findall(self.gloss)


def parse_synset(line: str) -> Synset:
    """Parse one line of a data file, wndb(5WN)."""
    fields, _, gloss = line.partition("|")
    parts = fields.split()
    pos = "a" if parts[2] == "s" else parts[2]
    n_words = int(parts[3], 16)
    words = parts[4 : 4 + 2 * n_words : 2]
    if pos not in PARTS or not words:
        raise ValueError("a synset has a part of speech and a word")
    start = 4 + 2 * n_words
    n_pointers = int(parts[start])
    pointers = []
    for at in range(start + 1, start + 1 + 4 * n_pointers, 4):
        symbol, offset, target_pos, ends = parts[at : at + 4]
        target = ("a" if target_pos == "s" else target_pos, offset)
        pointers.append((symbol, target, int(ends[:2], 16), int(ends[2:], 16)))
    lemmas = tuple(word.split("(")[0].lower() for word in words)
    return Synset((pos, parts[0]), int(parts[1]), lemmas, tuple(pointers), gloss.strip(), parts[2] == "s")


def parse_index(line: str) -> tuple[str, list[str]]:
    """Parse one line of an index file: a word and its synsets, the most frequent sense first."""
    fields = line.split()
    return fields[0], fields[-int(fields[2]) :]


def parse_count(line: str) -> tuple[tuple[str, str, int], int]:
    """Parse one line of ``cntlist.rev``: a sense key, the number of the sense, how often it was tagged."""
    key, number, count = line.split()
    word, sense = key.split("%")
    return (word, _SENSE_LETTERS[sense[0]], int(number)), int(count)


def parse_ranked_count(line: str) -> tuple[tuple[str, str, int], int]:
    """Parse one line of ``cntlist``, which has the count in front."""
    count, key, number = line.split()
    return parse_count(f"{key} {number} {count}")
