"""Where WordNet's database files lie: a folder, or a tar or zip archive of one; each file as text."""

from __future__ import annotations

import os
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from vbn._errors import DataError
from vbn.data import UNREADABLE
from vbn.datasets._reading import as_path

_PLACES = ("", "dict", "wordnet", "wordnet-3.0", "WordNet-3.0/dict", "corpora", "corpora/wordnet", "nlu")
_ARCHIVES = ("wordnet.zip", "wordnet-dict.tar.gz", "WNdb-3.0.tar.gz", "WordNet-3.0.tar.gz")


def wordnet_files(source: str | os.PathLike[str]) -> Callable[[str], str]:
    """Return a function that gives the text of a database file by its name, for example ``data.noun``."""
    path = _locate(as_path(source))
    texts = _Folder(path) if path.is_dir() else _Archive(path)
    return texts.read


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


class _Folder:
    """Database files in a folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, name: str) -> str:
        """Return the text of one file."""
        try:
            return (self._path / name).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise DataError(f"WordNet's {name} cannot be read from {self._path}: {error.strerror}") from error


class _Archive:
    """Database files in an archive, all read at once: those beside ``data.noun``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            files = {PurePosixPath(name): data for name, data in _members(path)}
        except UNREADABLE as error:
            raise DataError(f"{path} is not a whole archive of WordNet's files: {error}") from error
        folders = [name.parent for name in files if name.name == "data.noun"]
        folders.sort(key=lambda folder: folder.name != "wordnet-3.0")  # where there are several versions
        if not folders:
            raise DataError(f"{path} holds no WordNet database (no file data.noun)")
        self._texts = {
            name.name: data.decode("utf-8", errors="replace")
            for name, data in files.items()
            if name.parent == folders[0]
        }

    def read(self, name: str) -> str:
        """Return the text of one file."""
        if name not in self._texts:
            raise DataError(f"{self._path} has no file {name} beside its data.noun")
        return self._texts[name]


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
