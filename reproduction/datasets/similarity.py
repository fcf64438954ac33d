"""Judged similarity of words: MEN, RW, SCWS, SimLex-999 and WordSim-353, as published or as plain tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vbn._errors import DataError, ParameterError
from vbn.datasets.reading import as_folder, broken, lines_of, number, optional


class _Published(NamedTuple):
    """A published file: what its fields are separated by (None: white space), which are words and score."""

    file: str
    delimiter: str | None
    left: int
    right: int
    score: int
    header: bool


_FILES = {
    "men": (
        _Published("men.tsv", "\t", 0, 1, 2, True),
        _Published("MEN_dataset_natural_form_full", " ", 0, 1, 2, False),
    ),
    "rw": (_Published("rw.tsv", "\t", 0, 1, 2, True), _Published("rw.txt", "\t", 0, 1, 2, False)),
    "scws": (_Published("scws.tsv", "\t", 0, 1, 2, True), _Published("ratings.txt", "\t", 1, 3, 7, False)),
    "simlex999": (
        _Published("simlex999.tsv", "\t", 0, 1, 2, True),
        _Published("SimLex-999.txt", "\t", 0, 1, 3, True),
    ),
    "ws353": (
        _Published("ws353.tsv", "\t", 0, 1, 2, True),
        _Published("combined.tab", "\t", 0, 1, 2, True),
        _Published("combined.csv", ",", 0, 1, 2, True),
    ),
}
_INSIDE = ("similarity", "nlu/similarity", "MEN", "rw", "SCWS", "SimLex-999", "wordsim353")


@dataclass(frozen=True)
class SimilaritySet:
    """Pairs of words and the similarity that people saw in them.

    Attributes
    ----------
    name : str
        ``men``, ``rw``, ``scws``, ``simlex999`` or ``ws353``.
    left, right : tuple of str
        The words, in the order and case of the file.
    scores : tuple of float
        The mean judgement, on the set's own scale.
    """

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    scores: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.scores)

    def lowered(self) -> SimilaritySet:
        """Return the set with its words in lower case."""
        left, right = (tuple(word.lower() for word in words) for words in (self.left, self.right))
        return SimilaritySet(self.name, left, right, self.scores)


def load_similarity(
    folder: str | os.PathLike[str], *, names: str | Sequence[str] | None = None
) -> dict[str, SimilaritySet]:
    """Read the word-similarity sets that a folder holds.

    Parameters
    ----------
    folder : path
        Holds published files (``MEN_dataset_natural_form_full``, ``rw.txt``, SCWS's ``ratings.txt``,
        ``SimLex-999.txt``, WordSim-353's ``combined.tab`` or ``combined.csv``), or tables ``men.tsv``, ``rw.tsv``,
        ``scws.tsv``, ``simlex999.tsv``, ``ws353.tsv`` with a header and the columns word, word, score; in the folder
        itself or in folders called ``similarity``, ``MEN``, ``rw``, ``SCWS``, ``SimLex-999``, ``wordsim353``.
    names : str or sequence of str, optional
        Which set or sets to read; an error if one is missing. Default: all that are there, at least one.

    Returns
    -------
    dict
        A `SimilaritySet` for each name, in alphabetical order.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "MEN_dataset_natural_form_full").write_text("sun sunlight 50.000000")
    >>> load_similarity(folder)["men"]
    SimilaritySet(name='men', left=('sun',), right=('sunlight',), scores=(50.0,))
    """
    root = as_folder(folder)
    chosen = (names,) if isinstance(names, str) else tuple(names or ())
    unknown = [name for name in chosen if name not in _FILES]
    if unknown:
        raise ParameterError(f"names: no similarity set is called {unknown[0]!r}; there are {', '.join(_FILES)}")
    found = {name: file for name in chosen or _FILES if (file := _find(root, name))}
    missing = [name for name in chosen if name not in found] or ([] if found else list(_FILES))
    if missing:
        files = ", ".join(layout.file for name in missing for layout in _FILES[name])
        raise DataError(f"no similarity set {', '.join(missing)} in {root}: looked for {files}, here and in {_INSIDE}")
    return {name: _read(name, *found[name]) for name in sorted(found)}


def _find(root: Path, name: str) -> tuple[Path, _Published] | None:
    for place in (root, *(root / inside for inside in _INSIDE)):
        for layout in _FILES[name]:
            path = optional(place, layout.file)
            if path is not None:
                return path, layout
    return None


def _read(name: str, path: Path, layout: _Published) -> SimilaritySet:
    rows: list[tuple[str, str, float]] = []
    for line, text in lines_of(path):
        if layout.header and line == 1:
            continue
        fields = text.split(layout.delimiter)
        if len(fields) <= layout.score:
            raise broken(path, line, f"has {len(fields)} fields, too few for two words and a score")
        left, right = fields[layout.left].strip(), fields[layout.right].strip()
        if not left or not right:
            raise broken(path, line, "has an empty word")
        rows.append((left, right, number(fields[layout.score], path, line, "the score")))
    if not rows:
        raise DataError(f"{path} holds no pairs")
    lefts, rights, scores = zip(*rows, strict=True)
    return SimilaritySet(name, lefts, rights, scores)
