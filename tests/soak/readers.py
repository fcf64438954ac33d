"""Every reader of files as a function of bytes: it gives an answer that holds, or one of this library's errors."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import vbn
from tests.storage.making import fit, seal, tensor_file
from vbn import datasets
from vbn.cli._reading import read_names
from vbn.cli._settings import read_config
from vbn.data._files import find_file
from vbn.data._sequences import encode_corpus, read_sentences
from vbn.data._text import number_file

SEEDS = Path(__file__).with_name("seeds")
MARK = b"==> "  # opens the name of a file where an input is several


@dataclass(frozen=True)
class Reader:
    """What is done with the bytes: written to `file`, or to several where they name them, then read."""

    read: Callable[[Path], object]
    file: str = ""

    def __call__(self, content: bytes) -> bool:
        """Whether the bytes were accepted; anything but one of this library's errors is a fault."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            if self.file:
                (folder / self.file).write_bytes(content)
            else:
                unpack(content, folder)
            try:
                self.read(folder / self.file)
            except vbn.VBNError:
                return False
            return True


def unpack(content: bytes, folder: Path) -> None:
    """Write each part that begins with a line ``==> name`` to a file of that name."""
    for part in content.split(b"\n" + MARK):
        name, _, text = part.removeprefix(MARK).partition(b"\n")
        path = folder / "".join(
            letter for letter in name.decode("ascii", "replace") if letter.isalnum() or letter in "./_-"
        )
        if ".." in path.parts or path.is_dir() or len(path.name) > 100 or not path.is_relative_to(folder):
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):  # a file has the name of this folder
            continue
        path.write_bytes(text)


def packed(files: dict[str, str]) -> bytes:
    """The opposite of `unpack`."""
    return b"\n".join(MARK + name.encode() + b"\n" + text.encode() for name, text in files.items())


def _whole(data: vbn.Dataset) -> None:
    counts = data.counts
    assert np.isfinite(counts.values).all()
    assert (counts.values > 0).all()
    assert counts.shape == (len(data.rows), len(data.columns))
    assert not len(counts.indices) or counts.indices.max() < len(data.columns)
    assert counts.indptr[-1] == len(counts.indices)


def _pairs(path: Path) -> None:
    _whole(vbn.Dataset.from_pairs(path))


def _interactions(path: Path) -> None:
    _whole(vbn.Dataset.from_interactions(path))


def _baskets(path: Path) -> None:
    _whole(vbn.Dataset.from_baskets(path))


def _sequences(path: Path) -> None:
    expected = encode_corpus(read_sentences(path, None, None, None))
    names, numbers, lines = number_file(find_file(path))
    assert names == expected.names
    assert (numbers == expected.tokens).all()
    assert (lines == expected.offsets).all()
    _whole(vbn.Dataset.from_sequences(path))


def _taxonomy(path: Path) -> None:
    found = vbn.Taxonomy.from_edges(path)
    for name in found.vocabulary.names[:20]:
        assert np.isclose(sum(share for _, share in found.parents(name)) or 1.0, 1.0)


def _relation(path: Path) -> None:
    names = ["a", "b", "c", "d"]
    vbn.Dataset.from_pairs(names, names[::-1]).with_relation("opposite", path)


def _config(path: Path) -> None:
    _damaged(path, "config.json")


def _tensors(path: Path) -> None:
    _damaged(path, tensor_file(_model()).name)


def _damaged(path: Path, name: str) -> None:
    """A model with another file under a name of its own; the checksum fits."""
    folder = shutil.copytree(_model(), path.parent / "model")
    shutil.copy(path, folder / name)
    if name != "config.json":
        seal(folder)
    for found in vbn.load(folder).similar("plain", k=3):
        assert np.isfinite(found.score)


_SAVED: list[Path] = []


def _model() -> Path:
    if not _SAVED:
        _SAVED.append(fit().save(Path(tempfile.mkdtemp()) / "model"))
    return _SAVED[0]


def _loaded(name: str) -> Callable[[Path], object]:
    return lambda folder: datasets.load(name, folder)


def _wordnet(folder: Path) -> None:
    found = datasets.WordNet.open(folder)
    for word in ("dog", "hot", "geese"):
        for part in "nvar":
            for sense in found.senses(word, part):
                sense.sentences()
    datasets.wordnet_taxonomy(found, ["dog", "goose", "hot", "cold"])


READERS = {
    "pairs": Reader(_pairs, "some.csv"),
    "pairs-gz": Reader(_pairs, "some.csv.gz"),
    "interactions": Reader(_interactions, "some.tsv"),
    "baskets": Reader(_baskets, "some.txt"),
    "sequences": Reader(_sequences, "some.txt"),
    "taxonomy": Reader(_taxonomy, "some.csv"),
    "relation": Reader(_relation, "some.csv"),
    "names": Reader(read_names, "some.txt"),
    "settings": Reader(read_config, "some.toml"),
    "model-config": Reader(_config, "some.json"),
    "model-tensors": Reader(_tensors, "some.safetensors"),
    "movielens": Reader(_loaded("movielens")),
    "music": Reader(_loaded("music")),
    "medical": Reader(_loaded("mimic")),
    "semcor": Reader(_loaded("semcor")),
    "similarity": Reader(_loaded("similarity")),
    "wordnet": Reader(_wordnet),
}
"""By name; each has its seeds in the folder of that name."""
