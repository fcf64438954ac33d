"""Every reader of files as a function of bytes: it gives an answer that holds, or one of this library's errors."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import vbn
from reproduction import datasets
from reproduction.cache import Cache
from reproduction.report import read_about, read_results
from reproduction.winners import settings, variants
from tests.storage import making
from tests.storage.making import fit, seal, tensor_file
from vbn.cli import held_out_of, note_added, read_config, read_names, read_pairs, run_of
from vbn.data import encode_corpus, encoded, find_file, number_file, read_sentences
from vbn.datasets import WordNet, open_bundled, wordnet_taxonomy
from vbn.datasets import unpack as unpack_archive
from vbn.storage import JOURNAL

SEEDS = Path(__file__).with_name("seeds")
MARK = b"==> "  # opens the name of a file where an input is several


@dataclass(frozen=True)
class Reader:
    """What is done with the bytes: written to `file`, or to several where they name them, then read."""

    read: Callable[[Path], object]
    file: str = ""
    zipped: bool = False  # whether the files that the bytes name are put into one: checksums would stop most changes

    def __call__(self, content: bytes) -> bool:
        """Whether the bytes were accepted; anything but one of this library's errors is a fault."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            if self.zipped:
                (folder / self.file).write_bytes(zipped(content))
            elif self.file:
                (folder / self.file).write_bytes(content)
            else:
                unpack(content, folder)
            try:
                self.read(folder / self.file)
            except vbn.VBNError:
                return False
            return True


def _parts(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each part that begins with a line ``==> name``."""
    for part in content.split(b"\n" + MARK):
        name, _, text = part.removeprefix(MARK).partition(b"\n")
        letters = name.decode("ascii", "replace")
        yield "".join(letter for letter in letters if letter.isalnum() or letter in "./_-"), text


def zipped(content: bytes) -> bytes:
    """The parts as one zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in dict(_parts(content)).items():
            archive.writestr(zipfile.ZipInfo(name), text)  # of no date, so that it is the same every time
    return stream.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    """Write each part to a file of its name."""
    for name, text in _parts(content):
        path = folder / name
        if ".." in path.parts or path.is_dir() or len(path.name) > 100 or not path.is_relative_to(folder):
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):  # a file has the name of this folder
            continue
        path.write_bytes(text)


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """The opposite of `unpack`."""
    return b"\n".join(MARK + name.encode() + b"\n" + _bytes(text) for name, text in files.items())


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


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


def _folder(path: Path) -> None:
    data = vbn.Dataset.from_folder(path)
    _whole(data)
    assert (np.diff(data.counts.indptr) >= 0).all()


def _matrix(path: Path) -> None:
    _whole(vbn.Dataset.from_matrix(path))


def _held_out(path: Path) -> None:
    """As `vbn evaluate` reads it, with and without numbers."""
    for number in (None, False, True):
        read = read_pairs(path, (), number=number)
        assert len(read.left) == len(read.right)
        assert read.numbers is None or len(read.numbers) == len(read.left)


def _labelled(path: Path) -> None:
    model = vbn.load(_model())
    assert model.reliability(path).n_pairs > 0  # calibrate() reads the same, and needs pairs that a line fits


def _added(path: Path) -> None:
    model = vbn.load(_model())
    model.add(path)
    for array in model.trained_.posterior.arrays().values():
        assert np.isfinite(array).all()


def _events(path: Path) -> None:
    model = vbn.load(_model())
    model.observe(path, missing="skip")
    for array in model.trained_.posterior.arrays().values():
        assert np.isfinite(array).all()


def _journal(path: Path) -> None:
    """Lines of a journal beside a model; their checksums fit."""
    folder = shutil.copytree(_model(), path.parent / "model")
    lines = path.read_bytes().splitlines()
    (folder / JOURNAL).write_bytes(b"".join(b"%08x %s\n" % (zlib.crc32(line), line) for line in lines))
    for array in vbn.load(folder).trained_.posterior.arrays().values():
        assert np.isfinite(array).all()


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


def _catalogue(path: Path) -> None:
    """With columns that are found, and with columns that are named."""
    data = vbn.Dataset.from_interactions(["ann", "bob", "ann"], ["1", "2", "3"])
    for given in ({}, {"id": 0, "levels": [1], "label": 2, "prefix": True}):
        found = data.with_catalogue(path, **given)
        _whole(found)
        assert found.columns.names[:3] == data.columns.names


def _relation(path: Path) -> None:
    names = ["a", "b", "c", "d"]
    vbn.Dataset.from_pairs(names, names[::-1]).with_relation("opposite", path)


def _features(path: Path) -> None:
    names = ["a", "b", "c", "ü"]
    found = vbn.Dataset.from_pairs(names, names[::-1]).with_features(path).column_features
    (source,) = found.sources
    assert np.isfinite(source.taken(slice(None))).all()
    assert (np.diff(source.rows) > 0).all()
    assert source.rows[-1] < len(names)
    assert np.isfinite(found.scaled(np.arange(len(names)), *found.scaling())).all()


def _texts(path: Path) -> None:
    names = ["a", "b", "c", "ü"]
    data = vbn.Dataset.from_pairs(names, names[::-1])
    found = data.with_text(path, encoder=lambda texts: [[len(text), text.count("e")] for text in texts])
    assert (found.column_features.sources[0].taken(slice(None))[:, 0] > 0).all()


def _vectors(folder: Path) -> None:
    """A broken file of the cache is told and its texts are encoded again: no error at all."""
    texts = ["one", "two", "three"]

    def encode(texts: list[str]) -> np.ndarray:
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    before = os.environ.get("VBN_CACHE")
    os.environ["VBN_CACHE"] = str(folder)
    try:
        found = encoded(texts, encode, "soak", sure=False)
    finally:
        os.environ.pop("VBN_CACHE")
        if before is not None:
            os.environ["VBN_CACHE"] = before
    assert found[:, 0].tolist() == [3.0, 3.0, 5.0]


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


@cache
def _model() -> Path:
    return fit().save(Path(tempfile.mkdtemp()) / "model")


@cache
def _checkpoint() -> Path:
    """A fit that broke off after one of its epochs."""
    folder = Path(tempfile.mkdtemp()) / "checkpoint"
    _fitting(checkpoint=folder, epochs=1).fit(making.data())
    return folder


def _fitting(**options: Any) -> vbn.VBN:
    return vbn.VBN(**({"dim": 2, "epochs": 2, "relation_rank": 2, "n_threads": 1, "verbose": False} | options))


def _state_file(folder: Path) -> Path:
    return next(folder.glob("state-*.safetensors"))


def _checkpoint_config(path: Path) -> None:
    folder = shutil.copytree(_checkpoint(), path.parent / "checkpoint")
    shutil.copy(path, folder / "config.json")
    _resumed(folder)


def _checkpoint_state(path: Path) -> None:
    """The checksum fits, as where somebody means harm."""
    folder = shutil.copytree(_checkpoint(), path.parent / "checkpoint")
    shutil.copy(path, _state_file(folder))
    config = making.read_config(folder)
    config["checkpoint"]["tensors"] = making.entry_of(_state_file(folder))
    making.write_config(folder, config)
    _resumed(folder)


def _resumed(folder: Path) -> None:
    """What a fit goes on from, and the fit."""
    model = _fitting().fit(making.data(), resume_from=folder)
    for array in model.trained_.posterior.arrays().values():
        assert np.isfinite(array).all()


def _run(path: Path) -> None:
    """train.toml beside a model, as evaluating, adding and resuming read it."""
    folder = path.parent
    shutil.copy(_model() / "config.json", folder)
    (folder / "held_out.csv").touch()
    run = run_of(folder)
    assert run is None or isinstance(run.added, int)
    held_out_of(folder)
    if run is not None:
        note_added(folder, run, 1)
        assert run_of(folder) == (run.checksum, run.added + 1)


def _download(path: Path) -> None:
    out = path.parent / "out"
    out.mkdir()
    unpack_archive(path, out)


def _cached(path: Path) -> None:
    """A broken file of the cache is told and its run done anew: no error at all."""
    records = Cache(path.parent)
    path.rename(records.path({}))
    found = records.find({})
    if found is None:
        raise vbn.DataError("not accepted")
    assert isinstance(found.facts, dict)


def _report(path: Path) -> None:
    read_about(path)
    read_results(path)


def _winners(path: Path) -> None:
    folder = path.parent / "movies"
    folder.mkdir()
    path.rename(folder / "als.toml")
    settings("movies", quick=True, folder=path.parent)
    variants("movies", folder=path.parent)


def _loaded(name: str) -> Callable[[Path], object]:
    return lambda folder: datasets.load(name, folder)


def _wordnet(folder: Path) -> None:
    found = WordNet.open(folder)
    for word in ("dog", "hot", "geese"):
        for part in "nvar":
            for sense in found.senses(word, part):
                sense.hypernyms  # noqa: B018 - it must not fail
    wordnet_taxonomy(found, ["dog", "goose", "hot", "cold"])


READERS = {
    "pairs": Reader(_pairs, "some.csv"),
    "pairs-gz": Reader(_pairs, "some.csv.gz"),
    "interactions": Reader(_interactions, "some.tsv"),
    "baskets": Reader(_baskets, "some.txt"),
    "sequences": Reader(_sequences, "some.txt"),
    "taxonomy": Reader(_taxonomy, "some.csv"),
    "catalogue": Reader(_catalogue, "some.csv"),
    "relation": Reader(_relation, "some.csv"),
    "features": Reader(_features, "some.csv"),
    "features-parquet": Reader(_features, "some.parquet"),
    "features-npy": Reader(_features, "some.npy"),
    "features-npz": Reader(_features, "some.npz", zipped=True),
    "texts": Reader(_texts, "some.csv"),
    "vectors": Reader(_vectors),
    "names": Reader(read_names, "some.txt"),
    "settings": Reader(read_config, "some.toml"),
    "model-config": Reader(_config, "some.json"),
    "model-tensors": Reader(_tensors, "some.safetensors"),
    "movielens": Reader(_loaded("movielens")),
    "music": Reader(_loaded("music")),
    "medical": Reader(_loaded("mimic")),
    "semcor": Reader(_loaded("semcor")),
    "similarity": Reader(_loaded("similarity")),
    "phenotypes": Reader(_loaded("phenotypes")),
    "wordnet": Reader(_wordnet),
    "wordnet-tar": Reader(_wordnet, "wordnet.tar"),
    "wordnet-zip": Reader(_wordnet, "wordnet.zip"),
    "semcor-zip": Reader(lambda path: datasets.load("semcor", path.parent), "semcor.zip"),
    "folder": Reader(_folder),
    "matrix": Reader(_matrix, "some.csv"),
    "matrix-npz": Reader(_matrix, "some.npz", zipped=True),
    "matrix-archive": Reader(_matrix, "some.npz"),
    "matrix-parquet": Reader(_matrix, "some.parquet"),
    "pairs-parquet": Reader(_pairs, "some.parquet"),
    "held-out": Reader(_held_out, "some.csv"),
    "labelled": Reader(_labelled, "some.csv"),
    "added": Reader(_added, "some.csv"),
    "events": Reader(_events, "some.csv"),
    "journal": Reader(_journal, "some.jsonl"),
    "checkpoint-config": Reader(_checkpoint_config, "some.json"),
    "checkpoint-state": Reader(_checkpoint_state, "some.safetensors"),
    "train-toml": Reader(_run, "train.toml"),
    "bundled": Reader(open_bundled, "some.npz", zipped=True),
    "download": Reader(_download, "some.zip"),
    "cache": Reader(_cached, "some.npz", zipped=True),
    "report": Reader(_report, "report.json"),
    "winners": Reader(_winners, "some.toml"),
}
"""By name; each has its seeds in the folder of that name."""
