"""Files of a model folder: written whole or not at all, read only if they are plain files inside it.

A kill at any moment leaves the old file or the new one; what a killed save leaves behind is swept by the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from vbn._errors import ModelFileError

_PART = ".part"


@dataclass(frozen=True)
class Written:
    """A file that is on disk: its name, its checksum and its size."""

    file: str
    sha256: str
    bytes: int


def folder_path(folder: object) -> Path:
    """What a user gave as a folder, as a path; anything but a path is refused."""
    if not isinstance(folder, str | os.PathLike) or not isinstance(os.fspath(folder), str):
        raise ModelFileError(f"a model folder is given by its path, as a string or a Path, not by {folder!r}.")
    if not os.fspath(folder) or "\0" in os.fspath(folder):
        raise ModelFileError(f"{os.fspath(folder)!r} is not the path of a folder.")
    return Path(folder)


def write_file(folder: Path, chunks: Iterable[bytes | memoryview], name: str | None = None, stem: str = "") -> Written:
    """Write a file and sync it; without a `name`, name it `stem` and the beginning of its checksum."""
    temporary = folder / f".{name or stem}.{os.getpid()}{_PART}"
    digest, size = hashlib.sha256(), 0
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, 0o666), "wb") as stream:
            for chunk in chunks:
                stream.write(chunk)
                digest.update(chunk)
                size += len(chunk)
            stream.flush()
            os.fsync(stream.fileno())
        final = name or f"{stem}-{digest.hexdigest()[:16]}.safetensors"
        temporary.replace(folder / final)
    finally:
        temporary.unlink(missing_ok=True)
    _sync(folder)
    return Written(final, digest.hexdigest(), size)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """One writer at a time: two would sweep each other's files. The lock ends with the process, however it ends."""
    if os.name == "nt":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network file systems have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def sweep(folder: Path, keep: set[str] | None = None) -> None:
    """Remove what killed writers left; and, where `keep` is given, tensor files that nothing names any more."""
    for entry in list(folder.iterdir()):
        left = entry.name.startswith(".") and entry.name.endswith(_PART)
        old = keep is not None and _is_tensor_file(entry.name) and entry.name not in keep
        if left or old:
            with contextlib.suppress(OSError):  # what cannot go now, as it is in use, goes with the next save
                entry.unlink()


def open_plain(folder: Path, name: str) -> BufferedReader:
    """Open a file of the folder for reading: no link, no pipe, no device, nothing outside."""
    if not name or name in (".", "..") or "\0" in name or Path(name).name != name:
        raise ModelFileError(f"{name!r} is not the name of a file in {folder}.")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    path = folder / name
    if path.is_symlink():
        raise ModelFileError(f"{path} is a symbolic link; a model folder holds its files itself.")
    stream = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise ModelFileError(f"{path} is not a plain file.")
    return stream


def _is_tensor_file(name: str) -> bool:
    return name.startswith(("model-", "state-")) and name.endswith(".safetensors")


def _sync(folder: Path) -> None:
    """Put the directory itself on disk, so that a rename survives a power cut."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
