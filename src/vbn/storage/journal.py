"""The journal of a model folder: events that a server acknowledged and the model on disk does not have yet.

A line is a checksum and a JSON object. The first one names the journal, each other one holds a batch of events with its
number. Lines are appended and synced before the events are acknowledged. A model that is saved states which journal and
which batches it has learned from, so no batch is ever counted twice; then those lines are removed. A last line that is
incomplete was never acknowledged: it is ignored, and the next writer overwrites it.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import secrets
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from vbn._errors import ModelFileError
from vbn.storage.files import open_plain, parse, sync, write_file

JOURNAL = "events.journal"
_RECORD = "events"  # where the config of a model states its position
Triples = Sequence[tuple[str, str, float]]


class Position(NamedTuple):
    """How far a model has read a journal: its name, and the number of the last batch.

    In this process also where that was in which file, to go on reading from there.
    """

    journal: str
    number: int
    file: int = 0
    size: int = 0

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Position | None:
        """Return what the record of a model states; None if it states nothing."""
        found = record.get(_RECORD)
        if found is None:
            return None
        name, number = (found.get(key) for key in ("journal", "number")) if isinstance(found, dict) else (None, None)
        if not isinstance(name, str) or type(number) is not int or number < 0:
            raise ModelFileError(
                "its config.json is damaged: the position in the journal of events must have a number."
            )
        return cls(name, number)

    def record(self) -> dict[str, Any]:
        """Return what the record of a model states."""
        return {_RECORD: {"journal": self.journal, "number": self.number}}


class Batch(NamedTuple):
    """A batch of events and its number."""

    number: int
    events: list[tuple[str, str, float]]


@dataclass
class Contents:
    """What a journal holds: its name, its batches, the bytes of its good lines, and whether the last line is torn."""

    name: str = ""
    batches: tuple[Batch, ...] = ()
    last: int = 0  # number of the last batch, of those that were read or of those before
    file: int = 0
    size: int = 0
    torn: bool = False

    def after(self, position: Position | None) -> list[Batch]:
        """Return the batches that a model at a position has not seen."""
        known = position.number if position is not None and position.journal == self.name else 0
        return [batch for batch in self.batches if batch.number > known]

    @property
    def position(self) -> Position:
        """Return the position of a model that has seen all batches."""
        return Position(self.name, self.last, self.file, self.size)


def has_grown(folder: Path, position: Position | None) -> bool:
    """Return whether the journal of a folder is not as a model at a position left it."""
    try:
        found = (folder / JOURNAL).stat()
    except FileNotFoundError:
        return False
    return position is None or (position.file, position.size) != (found.st_ino, found.st_size)


def read_journal(folder: Path, position: Position | None = None) -> Contents:
    """Return what the journal of a folder holds, at least after a position; nothing if there is none."""
    try:
        stream = open_plain(folder, JOURNAL)
    except FileNotFoundError:
        return Contents()
    with stream:
        _lock(stream, shared=True)  # a writer may be in the middle of a line
        return _contents(stream, position)


class Writer:
    """A journal that this process writes to, alone for the moment; see `writing`."""

    def __init__(self, folder: Path, stream: BinaryIO, position: Position | None) -> None:
        self._folder, self._stream = folder, stream
        self.contents = _contents(stream, position)

    def append(self, events: Triples) -> Position:
        """Write a batch to disk and return its position; once this returns, the batch survives a crash."""
        now, fresh = self.contents, not self.contents.name
        name, number = now.name or secrets.token_hex(8), now.last + 1
        lines = _line({"journal": name, "after": 0}) if fresh else b""
        lines += _line({"number": number, "events": list(events)})
        try:
            self._cut(now.size)  # a torn line
            self._stream.write(lines)
            self._stream.flush()
            os.fsync(self._stream.fileno())
            if fresh:
                sync(self._folder)
        except OSError:
            with contextlib.suppress(OSError):  # the disk is full or gone: the line is torn, or never came there
                self._cut(now.size)
            raise
        self.contents = Contents(name, (), number, now.file, now.size + len(lines))
        return self.contents.position

    def _cut(self, size: int) -> None:
        self._stream.seek(size)
        self._stream.truncate()


@contextlib.contextmanager
def writing(folder: Path, position: Position | None = None) -> Iterator[Writer]:
    """Open the journal of a folder to write to it, and read it at least after a position; other writers wait."""
    try:
        with _opened(folder) as stream:
            yield Writer(folder, stream, position)
    except OSError as error:
        raise ModelFileError(f"cannot write to {folder / JOURNAL}: {error.strerror}. Nothing was recorded.") from error


def fold(folder: Path, record: Mapping[str, Any]) -> None:
    """Remove the batches that the model in a folder has learned from, as its record says."""
    position = Position.of(record)
    if position is None or not (folder / JOURNAL).exists():
        return
    with _opened(folder) as stream:
        contents = _contents(stream)
        if contents.name != position.journal:
            return
        rest = contents.after(position)
        if not rest:
            (folder / JOURNAL).unlink()
            sync(folder)
            return
        head = _line({"journal": contents.name, "after": position.number})
        write_file(folder, [head, *(_line({"number": b.number, "events": b.events}) for b in rest)], JOURNAL)


def _opened(folder: Path) -> BinaryIO:
    """Return the journal, open and locked; another process may remove or replace it until we have the lock."""
    path = folder / JOURNAL
    if path.is_symlink():
        raise ModelFileError(f"{path} is a symbolic link; the files of a model must lie in its folder.")
    while True:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        stream = os.fdopen(os.open(path, flags, 0o666), "r+b")
        _lock(stream)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(path.stat(), os.fstat(stream.fileno())):
                return stream
        stream.close()


def _lock(stream: Any, shared: bool = False) -> None:
    """Wait for other processes; the lock ends with the stream."""
    if os.name == "nt":
        return
    import fcntl

    with contextlib.suppress(OSError):  # some network file systems have no locks
        fcntl.flock(stream, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)


def _line(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _contents(stream: BinaryIO, position: Position | None = None) -> Contents:
    """Return what a journal holds, from a position on if that is a place in this file; the last line may be torn."""
    here, found = os.fstat(stream.fileno()), Contents()
    if position is not None and position.file == here.st_ino and position.size <= here.st_size:
        found = Contents(position.journal, (), position.number, size=position.size)
    found.file, batches = here.st_ino, []
    stream.seek(found.size)
    lines = stream.read().splitlines(keepends=True)
    for at, line in enumerate(lines):
        value = _value(line)
        if value is None and at + 1 < len(lines):
            raise ModelFileError(
                f"a line of {JOURNAL}, {found.size:,} bytes from its beginning, does not match its checksum. Restore "
                "the file, or remove the line: its events are then lost."
            )
        if value is None:
            found.torn = True
            break
        if not found.name:
            found.name, found.last = _head(value)
        else:
            batches.append(_batch(value, found.last + 1))
            found.last += 1
        found.size += len(line)
    found.batches = tuple(batches)
    return found


def _value(line: bytes) -> dict[str, Any] | None:
    """Return the object of a line; None if the line is incomplete or damaged."""
    checksum, _, text = line.removesuffix(b"\n").partition(b" ")
    if not line.endswith(b"\n") or checksum != b"%08x" % zlib.crc32(text):
        return None
    return parse(text, JOURNAL)


def _head(value: dict[str, Any]) -> tuple[str, int]:
    name, after = value.get("journal"), value.get("after")
    if not isinstance(name, str) or not name or type(after) is not int or after < 0:
        raise ModelFileError(f"{JOURNAL} does not begin with its name.")
    return name, after


def _batch(value: dict[str, Any], number: int) -> Batch:
    events = value.get("events")
    good = value.get("number") == number and isinstance(events, list) and all(map(_is_event, events))
    if not good or not isinstance(events, list):
        raise ModelFileError(f"batch {number} of {JOURNAL} is missing or is no list of events.")
    return Batch(number, [(row, column, float(weight)) for row, column, weight in events])


def _is_event(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 3:
        return False
    row, column, weight = value
    named = isinstance(row, str) and isinstance(column, str) and row != "" and column != ""
    return named and type(weight) in (int, float) and 0 < weight < math.inf
