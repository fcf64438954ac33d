"""WordNet 3.x in memory: its database files, wndb(5WN), in a folder or an archive, its senses and its morphology."""

from __future__ import annotations

import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from vbn._errors import DataError
from vbn.data import UNREADABLE
from vbn.datasets.reading import as_path

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""WordNet's letters for the parts of speech, and how its files call them."""

SynsetId = tuple[str, str]
"""Part of speech (``n``, ``v``, ``a``, ``r``) and the eight digits that open the synset's line."""

_SENSE_LETTERS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # the digit after % in a sense key


@dataclass(frozen=True, slots=True)
class Synset:
    """One synset: its words, its pointers to others and its gloss."""

    id: SynsetId
    domain: int  # number of the lexicographer's file (``lexnames``)
    lemmas: tuple[str, ...]  # lower-cased, spaces as ``_``, without adjective markers such as ``(p)``
    pointers: tuple[tuple[str, SynsetId, int, int], ...]  # symbol, target, numbers of the two words from 1; 0: all
    gloss: str
    satellite: bool = False  # whether it is an adjective that stands for another one's meaning

    def targets(self, *symbols: str) -> list[SynsetId]:
        """Return the synsets that pointers with one of these symbols lead to, in file order."""
        return [target for symbol, target, _, _ in self.pointers if symbol in symbols]

    @property
    def hypernyms(self) -> list[SynsetId]:
        """The more general synsets: hypernyms and, for names, instance hypernyms."""
        return self.targets("@", "@i")


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
    """Parse one line of ``cntlist.rev`` (sense key, number of the sense, how often tagged), or of ``cntlist``."""
    key, number, count = line.split()
    if "%" not in key:  # there the count comes first
        key, number, count = number, count, key
    word, sense = key.split("%")
    return (word, _SENSE_LETTERS[sense[0]], int(number)), int(count)


_PLACES = ("", "dict", "wordnet", "wordnet-3.0", "WordNet-3.0/dict", "corpora", "corpora/wordnet", "nlu")
_ARCHIVES = ("wordnet.zip", "wordnet-dict.tar.gz", "WNdb-3.0.tar.gz", "WordNet-3.0.tar.gz")


def _locate(path: Path) -> Path:
    """Return the folder with ``data.noun`` in it, or the archive."""
    if path.is_file():
        return path
    folders = [path / place for place in _PLACES]
    found = [folder for folder in folders if (folder / "data.noun").is_file()]
    found += [folder / name for folder in folders for name in _ARCHIVES if (folder / name).is_file()]
    if not found:
        raise DataError(
            f"no WordNet database at {path}: give a folder with data.noun, index.noun and so on, or with one of "
            f"{', '.join(_ARCHIVES)}, or the path of such an archive"
        )
    return found[0]


def _read_folder(path: Path, name: str) -> str:
    """Return the text of one database file in a folder."""
    try:
        return (path / name).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise DataError(f"WordNet's {name} cannot be read from {path}: {error.strerror}") from error


def _read_archive(path: Path) -> Callable[[str], str]:
    """Read the database files beside ``data.noun`` in an archive, all at once."""
    try:
        files = {PurePosixPath(name): data for name, data in _members(path)}
    except UNREADABLE as error:
        raise DataError(f"{path} is not a whole archive of WordNet's files: {error}") from error
    folders = [name.parent for name in files if name.name == "data.noun"]
    folders.sort(key=lambda folder: folder.name != "wordnet-3.0")  # where there are several versions
    if not folders:
        raise DataError(f"{path} holds no WordNet database (no file data.noun)")

    def read(name: str) -> str:
        if folders[0] / name not in files:
            raise DataError(f"{path} has no file {name} beside its data.noun")
        return files[folders[0] / name].decode("utf-8", errors="replace")

    return read


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    yield entry.filename, archive.read(entry)
        return
    with tarfile.open(path) as tar:
        for member in tar:
            handle = tar.extractfile(member) if member.isfile() else None
            if handle is not None:
                yield member.name, handle.read()


T = TypeVar("T")

# Rules of detachment, WordNet's morphy(7WN): which ending becomes which.
_SUFFIXES = {
    "n": "s- ses-s xes-x zes-z ches-ch shes-sh men-man ies-y",
    "v": "s- ies-y es-e es- ed-e ed- ing-e ing-",
    "a": "er- est- er-e est-e",
    "r": "",
}


class WordNet:
    """A WordNet 3.x database in memory; `WordNet.open` finds its files."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self.text = read  # of one file of the database by its name, for example ``LICENSE``

    @classmethod
    def open(cls, source: str | os.PathLike[str]) -> WordNet:
        """Open a folder of database files, or a tar or zip archive that holds one (``*/data.noun``).

        A folder may also hold such an archive, ``wordnet.zip`` or ``wordnet-dict.tar.gz``, or the database in a folder
        ``dict``, ``wordnet``, ``wordnet-3.0``, ``corpora`` or ``nlu``.
        """
        path = _locate(as_path(source))
        return cls(partial(_read_folder, path) if path.is_dir() else _read_archive(path))

    def _parsed(self, name: str, parse: Callable[[str], T]) -> Iterator[T]:
        """Parse each line of a file, and say which one cannot be."""
        for number, line in enumerate(self.text(name).splitlines(), start=1):
            if not line or line.startswith(" "):
                continue  # the licence, which opens each file
            try:
                yield parse(line)
            except (ValueError, IndexError, KeyError) as error:
                raise DataError(f"line {number} of WordNet's {name} cannot be read: {line[:60]!r}") from error

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
            self.text("cntlist.rev")
        except DataError:  # some copies have the same counts in the other order only
            return dict(self._parsed("cntlist", parse_count))
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
        """Return the lemmas that a lower-cased form may belong to, first the form itself if it is one.

        Exceptions win over the rules of detachment, as in WordNet's own ``morphy``.
        """
        known = self._index[pos]
        lemmas = self._exceptions[pos].get(form)
        if lemmas is None:
            rules = [] if form.endswith("ss") else [rule.split("-") for rule in _SUFFIXES[pos].split()]
            lemmas = [form.removesuffix(old) + new for old, new in rules if form.endswith(old)]
        found = dict.fromkeys([form, *lemmas])
        return [word for word in found if word in known and (itself or word != form)]
