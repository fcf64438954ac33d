"""WordNet's database files (``data.*``, ``index.*``, ``*.exc``): synsets, first senses, morphology.

The reader takes a synset's identifier from its line and never seeks by byte offset, so copies with
carriage returns at line ends read the same as the original.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TypeVar

from vbn._errors import DataError
from vbn.datasets._wordnet_files import wordnet_files
from vbn.datasets._wordnet_lines import (
    PARTS,
    Synset,
    SynsetId,
    parse_count,
    parse_index,
    parse_ranked_count,
    parse_synset,
)

T = TypeVar("T")

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
        parsed = (synset for name in PARTS.values() for synset in self._parsed(f"data.{name}", parse_synset))
        found = {synset.id: synset for synset in parsed}
        for synset in found.values():
            for _, target, own, other in synset.pointers:
                if target not in found or own > len(synset.lemmas) or other > len(found[target].lemmas):
                    raise DataError(
                        f"the synset {synset.id[1]} in WordNet's data.{PARTS[synset.id[0]]} points to {target[1]} "
                        f"({target[0]}), which is not there: are all files of one version, and whole?"
                    )
        return found

    @cached_property
    def _index(self) -> dict[str, dict[str, list[SynsetId]]]:
        return {pos: dict(self._entries(pos, name)) for pos, name in PARTS.items()}

    def _entries(self, pos: str, name: str) -> Iterator[tuple[str, list[SynsetId]]]:
        for word, offsets in self._parsed(f"index.{name}", parse_index):
            senses = [(pos, offset) for offset in offsets]
            if strange := [sense[1] for sense in senses if sense not in self.synsets]:
                raise DataError(
                    f"WordNet's index.{name} has {word!r} in the synset {strange[0]}, which data.{name} does not have: "
                    "are all files of one version, and whole?"
                )
            yield word, senses

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, list[str]]]:
        rows = {pos: self._parsed(f"{name}.exc", str.split) for pos, name in PARTS.items()}
        return {pos: {row[0]: row[1:] for row in lines} for pos, lines in rows.items()}

    @cached_property
    def _tagged(self) -> dict[tuple[str, str, int], int]:
        """How often each sense was tagged in the concordances: (word, pos, sense number) -> times."""
        try:
            self._read("cntlist.rev")
        except DataError:  # some copies have the same counts in the other order only
            return dict(self._parsed("cntlist", parse_ranked_count))
        return dict(self._parsed("cntlist.rev", parse_count))

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
