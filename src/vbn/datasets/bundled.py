"""The data set that ships with the library: WordNet's glosses as counts and edges."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vbn._errors import DataError
from vbn.data import UNREADABLE, Counts, Dataset, Vocabulary

_FILE = "wordnet-glosses.npz"
Triangle = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class HeldOut(NamedTuple):
    """Pairs of words from sequences that are not in the training counts, each unordered pair once.

    Each word has training counts or, if not, a place in the taxonomy.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    counts: NDArray[np.int64]  # how often the pair occurs in the held-out sequences
    left_frequency: NDArray[np.int64]  # how often the word occurs in the training sequences
    right_frequency: NDArray[np.int64]


class Bundled(NamedTuple):
    """What `load_bundled` returns.

    Attributes
    ----------
    train : Dataset
        Word co-occurrences with the hypernym taxonomy and the relations ``antonym`` (symmetric) and
        ``part-of`` (whole, part).
    heldout : HeldOut
        Pairs from one sequence in twenty.
    frequency : dict
        How often each word occurs in the training sequences.
    """

    train: Dataset
    heldout: HeldOut
    frequency: dict[str, int]


@dataclass(frozen=True)
class RawBundled:
    """The file's content as arrays over one numbering of all words and categories."""

    names: tuple[str, ...]
    frequency: NDArray[np.int64]
    train: Triangle
    heldout: Triangle
    taxonomy: NDArray[np.int64]
    antonym: NDArray[np.int64]
    part_of: NDArray[np.int64]

    @property
    def n_known(self) -> int:
        """Number of names with training counts or a place in the taxonomy; they come first."""
        return max(int(np.count_nonzero(self.frequency)), int(self.taxonomy.max()) + 1)

    def pairs(self, edges: NDArray[np.int64]) -> list[tuple[str, str]]:
        """Return the names of edges given as two rows of ids."""
        return [(self.names[left], self.names[right]) for left, right in edges.T.tolist()]


def load_bundled() -> Bundled:
    """Load the bundled data set: no download, no text, about half a megabyte.

    How often two words stand within five words of each other in WordNet 3.0's definitions and examples of
    food, animals, parts of the body and frequent antonyms; hypernyms as taxonomy; antonyms and parts as
    relations. WordNet 3.0 is copyright 2006 by Princeton University; its licence is beside the data.

    Returns
    -------
    Bundled
        ``train``, ``heldout`` and ``frequency``.

    Examples
    --------
    >>> bundled = load_bundled()
    >>> bundled.frequency["brie"], bundled.frequency["cheese"]
    (1, 87)
    """
    return open_bundled(_file())


def _file() -> Traversable:
    return files("vbn.datasets") / "bundled" / _FILE


def open_bundled(file: Traversable) -> Bundled:
    """Return what `load_bundled` does, from a file; the file never changes, so any error means that it is damaged."""
    try:
        raw = read_bundled(file)
        seen = int(np.count_nonzero(raw.frequency))
        frequency = dict(zip(raw.names[:seen], raw.frequency[:seen].tolist(), strict=True))
        return Bundled(_dataset(raw), _held_out(raw), frequency)
    except UNREADABLE as error:
        raise DataError(f"{file} is damaged ({error}); reinstall vbn") from error


def read_bundled(file: Traversable | None = None) -> RawBundled:
    """Read the bundled file: words of the training counts first, by falling frequency there."""
    with (file or _file()).open("rb") as handle:
        archive: Any = np.load(handle, allow_pickle=False)
        arrays: dict[str, NDArray[Any]] = {name: archive[name] for name in archive.files}
    text = arrays["names"].tobytes()
    ends = np.cumsum(arrays["name_lengths"], dtype=np.int64)
    starts = ends - arrays["name_lengths"]
    names = tuple(text[a:b].decode() for a, b in zip(starts.tolist(), ends.tolist(), strict=True))
    return RawBundled(
        names,
        arrays["train_frequency"].astype(np.int64),
        _triangle(arrays, "train"),
        _triangle(arrays, "heldout"),
        *(arrays[name].astype(np.int64) for name in ("taxonomy", "antonym", "part_of")),
    )


def _triangle(arrays: dict[str, NDArray[Any]], part: str) -> Triangle:
    """Undo the packing: gaps between column numbers, row by row from the diagonal on, upper triangle."""
    lengths = arrays[f"{part}_row_lengths"].astype(np.int64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    running = np.cumsum(arrays[f"{part}_gaps"], dtype=np.int64)
    before = np.concatenate([[0], running])[np.cumsum(lengths) - lengths]
    columns = running - np.repeat(before, lengths) + rows
    return rows, columns, arrays[f"{part}_counts"].astype(np.int64)


def _dataset(raw: RawBundled) -> Dataset:
    """Put the training part together; the vocabulary counts are word frequencies, not sums of cells."""
    known = raw.n_known
    vocabulary = Vocabulary(raw.names[:known], raw.frequency[:known])
    rows, columns, counts = raw.train
    both = Counts.from_coo(
        np.concatenate([rows, columns]),
        np.concatenate([columns, rows]),
        np.concatenate([counts, counts]),
        shape=(known, known),
    )
    data = Dataset(vocabulary, None, both, kind="sequences")
    data = data.with_taxonomy(raw.pairs(raw.taxonomy))
    data = data.with_relation("antonym", raw.pairs(raw.antonym), symmetric=True)
    return data.with_relation("part-of", raw.pairs(raw.part_of))


def _held_out(raw: RawBundled) -> HeldOut:
    known = np.maximum(*raw.heldout[:2]) < raw.n_known
    rows, columns, counts = (part[known] for part in raw.heldout)
    return HeldOut(
        tuple(raw.names[row] for row in rows.tolist()),
        tuple(raw.names[column] for column in columns.tolist()),
        counts,
        raw.frequency[rows],
        raw.frequency[columns],
    )
