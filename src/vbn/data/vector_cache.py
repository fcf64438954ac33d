"""Vectors of texts on disk, found again by what the text says and by what encoded it.

The folder is VBN_CACHE, or the cache folder of the user; an empty VBN_CACHE switches it off. Every encoder has a folder
of its own, in which each run that had something to encode leaves two files: `*.vectors.npy`, and last `*.hashes.npy`
with a hash of each text. They are never changed, so several processes may read and write at once. Texts themselves are
not written. Deleting the folder costs only the time to encode again.
"""

from __future__ import annotations

import hashlib
import os
import sys
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from vbn._errors import VBNWarning, caller_level
from vbn.data.io.files import UNREADABLE

_HASH = 16  # bytes of the hash of a text
_AT_ONCE = 4096  # texts that are encoded at once

Encode = Callable[[list[str]], np.ndarray]


def cache_folder() -> Path | None:
    """Return where vectors are kept; None if VBN_CACHE is empty.

    Examples
    --------
    >>> import os
    >>> os.environ["VBN_CACHE"] = ""
    >>> cache_folder() is None
    True
    """
    given = os.environ.get("VBN_CACHE")
    if given is not None:
        return Path(given) if given else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "vbn"


def encoded(texts: Sequence[str], encode: Encode, key: str, sure: bool = True) -> np.ndarray:
    """Return the vector of each text, encoding only those that were not encoded before.

    `key` says what encodes. If that is not `sure`, because an encoder may have changed under the same key, a few of the
    vectors found are made again, and all are if these differ. The result is mapped from the cache where a single file
    holds all texts in their order.
    """
    base = cache_folder()
    hashes = _hashes(texts)
    if base is None or not texts:
        return _all(texts, encode)
    folder = base / "text" / key
    found = _Found(hashes)
    for path, known in _files(folder):
        found.take(path, known)
    if not sure and not found.still_true(texts, encode):
        found = _Found(hashes)
    new = found.missing()
    if not len(new):
        return found.vectors()
    distinct = new[np.unique(hashes[new], return_index=True)[1]]
    distinct.sort()
    wanted = [texts[at] for at in distinct.tolist()]
    try:
        path = _written(folder, wanted, hashes[distinct], encode)
    except OSError as error:
        warnings.warn(
            VBNWarning(f"embeddings cannot be kept in {folder}: {error.strerror}; set VBN_CACHE to another folder"),
            stacklevel=caller_level(),
        )
        return _all(texts, encode)
    found.take(path, hashes[distinct])
    return found.vectors()


def _hashes(texts: Sequence[str]) -> np.ndarray:
    made = b"".join(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=_HASH).digest() for text in texts)
    return np.frombuffer(made, dtype=f"V{_HASH}")


def _batches(texts: Sequence[str], encode: Encode) -> Iterator[np.ndarray]:
    for start in range(0, len(texts), _AT_ONCE):
        yield encode(list(texts[start : start + _AT_ONCE]))


def _all(texts: Sequence[str], encode: Encode) -> np.ndarray:
    return np.concatenate(list(_batches(texts, encode))) if texts else encode([])


def _files(folder: Path) -> Iterator[tuple[Path, np.ndarray]]:
    """Yield the files of vectors with the hashes of their texts; those that are damaged are told and left out."""
    for path in sorted(folder.glob("*.hashes.npy")):
        vectors = path.with_name(path.name.replace(".hashes.", ".vectors."))
        try:
            known = np.load(path, allow_pickle=False)
            shape = _mapped(vectors).shape
        except UNREADABLE as error:
            known, shape, told = np.empty(0), (), str(error)
        else:
            told = "their sizes differ"
        if known.shape != (*shape[:1], _HASH) or known.dtype != np.uint8 or len(shape) != 2:
            warnings.warn(VBNWarning(f"{path} is damaged ({told}); delete it"), stacklevel=caller_level())
            continue
        yield vectors, np.ascontiguousarray(known).view(f"V{_HASH}").reshape(-1)


def _mapped(path: Path) -> np.ndarray:
    found: np.ndarray = np.lib.format.open_memmap(path, mode="r")
    if found.dtype != np.float32:
        raise ValueError(f"{path.name} holds {found.dtype}")
    return found


def _written(folder: Path, texts: list[str], hashes: np.ndarray, encode: Encode) -> Path:
    """Encode texts into a new file; its hashes come last and by renaming, so that what is there is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    name = uuid.uuid4().hex
    path, draft = folder / f"{name}.vectors.npy", folder / f"{name}.draft"
    out: np.ndarray | None = None
    start = 0
    for block in _batches(texts, encode):
        if out is None:
            shape = (len(texts), block.shape[1])
            out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
        out[start : start + len(block)] = block
        start += len(block)
    if isinstance(out, np.memmap):
        out.flush()
    with draft.open("wb") as stream:
        np.save(stream, hashes.view(np.uint8).reshape(-1, _HASH))
    draft.replace(folder / f"{name}.hashes.npy")
    return path


class _Found:
    """Which file holds the vector of each text, and where in it."""

    def __init__(self, hashes: np.ndarray) -> None:
        self.hashes, self.paths = hashes, list[Path]()
        self.file = np.full(len(hashes), -1)
        self.row = np.zeros(len(hashes), dtype=np.int64)

    def take(self, path: Path, known: np.ndarray) -> None:
        """Look for the texts that are still missing in another file."""
        if self.paths and _mapped(path).shape[1] != _mapped(self.paths[0]).shape[1]:
            return  # an encoder of another width: never of the same key, unless somebody changed the files
        places = {entry.tobytes(): row for row, entry in enumerate(known)}
        self.paths.append(path)
        for at in self.missing().tolist():
            row = places.get(self.hashes[at].tobytes())
            if row is not None:
                self.file[at], self.row[at] = len(self.paths) - 1, row

    def missing(self) -> np.ndarray:
        """Return the texts that no file has."""
        return np.flatnonzero(self.file < 0)

    def still_true(self, texts: Sequence[str], encode: Encode) -> bool:
        """Return whether some of the texts found, spread over all, are encoded as they were."""
        there = np.flatnonzero(self.file >= 0)
        if not len(there):
            return True
        some = np.unique(there[np.linspace(0, len(there) - 1, 8).astype(int)])
        now = encode([texts[at] for at in some.tolist()])
        before = np.stack([_mapped(self.paths[self.file[at]])[self.row[at]] for at in some.tolist()])
        if now.shape != before.shape:
            return False
        size = float(np.abs(before).max(initial=0.0)) or 1.0
        return bool((np.abs(now - before) <= 1e-3 * size).all())

    def vectors(self) -> np.ndarray:
        """Return the vectors of all texts, mapped if one file has them in this order and no others."""
        maps = [_mapped(path) for path in self.paths]
        only: np.ndarray = maps[self.file[0]]
        if len(only) == len(self.row) and (self.file == self.file[0]).all() and (np.diff(self.row) == 1).all():
            return only
        result = np.empty((len(self.row), only.shape[1]), dtype=np.float32)
        for number, mapped in enumerate(maps):
            mine = np.flatnonzero(self.file == number)
            result[mine] = mapped[self.row[mine]]
        return result
