"""WordNet's database files (``data.*``, ``index.*``, ``*.exc``): synsets, first senses, morphology.

The reader takes a synset's identifier from its line and never seeks by byte offset, so copies with
carriage returns at line ends read the same as the original.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from vbn._errors import DataError
from vbn.datasets._wordnet_files import wordnet_files

T = TypeVar("T")

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""WordNet's letters for the parts of speech, and how its files call them."""

SynsetId = tuple[str, str]
"""Part of speech (``n``, ``v``, ``a``, ``r``) and the eight digits that open the synset's line."""

# Rules of detachment, WordNet's morphy(7WN).
_SUFFIXES: dict[str, tuple[tuple[str, str], ...]] = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
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


class WordNet:
    """A WordNet 3.x database in memory.

    Parameters
    ----------
    read : callable
        Takes a file name such as ``data.noun`` and returns its text.

    See Also
    --------
    WordNet.open : the usual way to get one.
    """

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read

    @classmethod
    def open(cls, source: str | os.PathLike[str]) -> WordNet:
        """Open a folder of database files, or a tar or zip archive that holds one (``*/data.noun``).

        A folder may also hold such an archive, ``wordnet.zip`` or ``wordnet-dict.tar.gz``, or the database in a folder
        ``dict``, ``wordnet``, ``wordnet-3.0``, ``corpora`` or ``nlu``.
        """
        return cls(wordnet_files(source))

    def _parsed(self, name: str, parse: Callable[[str], T]) -> Iterator[T]:
        """Parse each line of a file, and say which one cannot be."""
        for number, line in enumerate(self._read(name).splitlines(), start=1):
            if not line or line.startswith(" "):
                continue  # the licence, which opens each file
            try:
                yield parse(line)
            except (ValueError, IndexError, KeyError) as error:
                raise DataError(f"line {number} of WordNet's {name} cannot be read: {line[:60]!r}") from error

    def text(self, name: str) -> str:
        """Return one file of the database as text, for example ``LICENSE``."""
        return self._read(name)

    @cached_property
    def domains(self) -> dict[str, int]:
        """Lexicographer files by name, for example ``noun.food``, with their numbers."""
        return dict(self._parsed("lexnames", lambda line: (line.split()[1], int(line.split()[0]))))

    @cached_property
    def synsets(self) -> dict[SynsetId, Synset]:
        """Every synset by its identifier, in file order."""
        parsed = (synset for name in PARTS.values() for synset in self._parsed(f"data.{name}", _parse_synset))
        return {synset.id: synset for synset in parsed}

    @cached_property
    def _index(self) -> dict[str, dict[str, list[SynsetId]]]:
        return {
            pos: {
                word: [(pos, offset) for offset in offsets]
                for word, offsets in self._parsed(f"index.{name}", _parse_index)
            }
            for pos, name in PARTS.items()
        }

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        rows = {pos: self._parsed(f"{name}.exc", str.split) for pos, name in PARTS.items()}
        return {pos: {row[0]: row[1:] for row in lines} for pos, lines in rows.items()}

    @cached_property
    def _tagged(self) -> dict[tuple[str, str, int], int]:
        """How often each sense was tagged in the concordances: (word, pos, sense number) -> times."""
        return dict(self._parsed("cntlist.rev", _parse_count))

    @cached_property
    def _names(self) -> dict[SynsetId, str]:
        places = {
            (synset, word): number
            for pos in PARTS
            for word, senses in self._index[pos].items()
            for number, synset in enumerate(senses, start=1)
        }
        return {
            key: f"{synset.lemmas[0]}.{key[0]}.{places.get((key, synset.lemmas[0]), 0):02d}"
            for key, synset in self.synsets.items()
        }

    def name(self, synset: SynsetId) -> str:
        """Return a synset's usual name: its first word, part of speech and the number of that sense, ``dog.n.01``."""
        return self._names[synset]

    def words(self) -> list[str]:
        """Return every word of the database, sorted."""
        return sorted({word for entries in self._index.values() for word in entries})

    def senses(self, word: str, pos: str) -> list[Synset]:
        """Return the word's synsets, the most frequent sense first; empty if it is no such word."""
        return [self.synsets[sense] for sense in self._index[pos].get(word, ())]

    def frequency(self, word: str, pos: str, sense: int = 1) -> int:
        """Return how often a sense (counted from 1) was tagged in the semantic concordances."""
        return self._tagged.get((word, pos, sense), 0)

    def morphy(self, form: str, pos: str, *, itself: bool = True) -> list[str]:
        """Return the lemmas that a surface form may belong to.

        Exceptions win over the rules of detachment, as in WordNet's own ``morphy``.

        Parameters
        ----------
        form : str
            A lower-cased word.
        pos : str
            Part of speech: ``n``, ``v``, ``a`` or ``r``.
        itself : bool, default True
            Whether a form that is a lemma counts, then as the first answer.
        """
        known = self._index[pos]
        lemmas = self._exceptions[pos].get(form)
        if lemmas is None:
            rules = () if form.endswith("ss") else _SUFFIXES[pos]
            lemmas = [form.removesuffix(old) + new for old, new in rules if form.endswith(old)]
        found = dict.fromkeys([form, *lemmas])
        return [word for word in found if word in known and (itself or word != form)]


def _parse_synset(line: str) -> Synset:
    """Parse one line of a data file, wndb(5WN)."""
    fields, _, gloss = line.partition("|")
    parts = fields.split()
    pos = "a" if parts[2] == "s" else parts[2]
    n_words = int(parts[3], 16)
    words = parts[4 : 4 + 2 * n_words : 2]
    start = 4 + 2 * n_words
    n_pointers = int(parts[start])
    pointers = []
    for at in range(start + 1, start + 1 + 4 * n_pointers, 4):
        symbol, offset, target_pos, ends = parts[at : at + 4]
        target = ("a" if target_pos == "s" else target_pos, offset)
        pointers.append((symbol, target, int(ends[:2], 16), int(ends[2:], 16)))
    lemmas = tuple(word.split("(")[0].lower() for word in words)
    return Synset((pos, parts[0]), int(parts[1]), lemmas, tuple(pointers), gloss.strip(), parts[2] == "s")


def _parse_index(line: str) -> tuple[str, list[str]]:
    """Parse one line of an index file: a word and its synsets, the most frequent sense first."""
    fields = line.split()
    return fields[0], fields[-int(fields[2]) :]


def _parse_count(line: str) -> tuple[tuple[str, str, int], int]:
    """Parse one line of ``cntlist.rev``: a sense key, the number of the sense, how often it was tagged."""
    key, number, count = line.split()
    word, sense = key.split("%")
    return (word, _SENSE_LETTERS[sense[0]], int(number)), int(count)
