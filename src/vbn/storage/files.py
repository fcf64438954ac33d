"""Files and JSON of a model folder: written whole or not at all, and read with suspicion.

A kill at any moment leaves the old file or the new one; the next save removes what a killed one left behind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from vbn._errors import ModelFileError

LARGEST_JSON = 8 << 20
"""Bytes of JSON that are read; a config of a hundred thousand epochs has fewer."""

_PART = ".part"


@dataclass(frozen=True)
class Written:
    """A file on disk: its name, its checksum and its size."""

    file: str
    sha256: str
    bytes: int


def folder_path(folder: object) -> Path:
    """Return the folder that a user gave as a path; refuse anything but a path."""
    if not isinstance(folder, str | os.PathLike) or not isinstance(os.fspath(folder), str):
        raise ModelFileError(f"a model folder must be a path, as a string or a Path, got {folder!r}.")
    if not os.fspath(folder) or "\0" in os.fspath(folder):
        raise ModelFileError(f"{os.fspath(folder)!r} is not the path of a folder.")
    return Path(folder)


def write_file(folder: Path, chunks: Iterable[bytes | memoryview], name: str | None = None, stem: str = "") -> Written:
    """Write a file and sync it; without a `name`, call it `stem` and the beginning of its checksum."""
    temporary = folder / f".{name or stem}.{os.getpid()}{_PART}"
    digest, size = hashlib.sha256(), 0
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
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
    sync(folder)
    return Written(final, digest.hexdigest(), size)


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Open a file beside the target that replaces it once it is complete; a failure leaves the target unchanged."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}{_PART}")
    try:
        with temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let one writer in at a time, since two would remove each other's files; the lock ends with the process."""
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
    """Remove what killed writers left and, if `keep` is given, all tensor files that are not in it."""
    for entry in list(folder.iterdir()):
        left = entry.name.startswith(".") and entry.name.endswith(_PART)
        tensors = entry.name.startswith(("model-", "state-")) and entry.name.endswith(".safetensors")
        if left or (tensors and keep is not None and entry.name not in keep):
            with contextlib.suppress(OSError):  # in use: the next save removes it
                entry.unlink()


def open_plain(folder: Path, name: str) -> BufferedReader:
    """Open a file of the folder for reading; refuse links, pipes, devices and anything outside of the folder."""
    if not name or name in (".", "..") or "\0" in name or Path(name).name != name:
        raise ModelFileError(f"{name!r} is not the name of a file in {folder}.")
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    path = folder / name
    if path.is_symlink():
        raise ModelFileError(f"{path} is a symbolic link; the files of a model must lie in its folder.")
    stream = os.fdopen(os.open(path, flags), "rb")
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise ModelFileError(f"{path} is not a plain file.")
    return stream


def sync(folder: Path) -> None:
    """Write the directory itself to disk: only then does a rename survive a power cut."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def parse(text: bytes, what: str) -> dict[str, Any]:
    """Return a JSON object; raise `ModelFileError` for NaN, infinities, repeated keys and endless nesting."""
    hooks: dict[str, Any] = {"parse_constant": _refuse, "parse_float": _finite, "object_pairs_hook": _without_repeats}
    try:
        value = json.loads(text.decode("utf-8", "surrogatepass"), **hooks)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{what} is not readable JSON: {error}") from error
    if not isinstance(value, dict):
        raise ModelFileError(f"{what} is not a JSON object.")
    return value


def dump(value: dict[str, Any], what: str) -> bytes:
    """Return an object as JSON; keep lone surrogates in names, refuse numbers that JSON does not have."""
    try:
        text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"{what} cannot be written: {error}. Does a parameter have an unusual type?") from error
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) > LARGEST_JSON:
        raise ModelFileError(f"{what} would have {len(encoded):,} bytes; at most {LARGEST_JSON:,} can be read back.")
    return encoded


def as_json(values: dict[str, Any]) -> dict[str, Any]:
    """Return values as they come back from a file."""
    return parse(dump(values, "the parameters"), "the parameters")


def _plain(value: Any) -> Any:
    """Return numpy's numbers and types, and paths, in a form that JSON has."""
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "__fspath__"):
        return str(value)
    return np.dtype(value).name


def _refuse(name: str) -> float:
    raise ValueError(f"it contains {name}")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"it contains a number that is too large, {text[:20]}")
    return number


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it has a key twice")
    return found
