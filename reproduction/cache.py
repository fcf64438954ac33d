"""Runs kept by content: what is asked for twice is computed once, even after a kill.

The key of a run is the hash of all that its outcome depends on: data, split, model, parameters, version of the code.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import DataError, ParameterError
from vbn._version import __version__
from vbn.data import UNREADABLE

SALT = "11"  # to be changed with any change of code that moves a result of this library
RIVALS_SALT = "6"  # the same for what others train, so that a change of ours does not repeat it
_FACTS = "facts.json"


@dataclass(frozen=True)
class Record:
    """What a run leaves behind: facts that fit into JSON, and arrays by name."""

    facts: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


class Cache:
    """Records in a folder, one file each, written in one step so that a kill leaves no half of one.

    Parameters
    ----------
    folder
        Where the files are; made when the first one is written.
    tell
        Called with a sentence where a file is broken and its run is repeated.

    Examples
    --------
    >>> import tempfile
    >>> cache = Cache(tempfile.mkdtemp())
    >>> cache.run({"model": "ALS", "dim": 50}, lambda: Record({"MPR": 92.2})).facts
    {'MPR': 92.2}
    >>> cache.run({"model": "ALS", "dim": 50}, lambda: 1 / 0).facts
    {'MPR': 92.2}
    """

    def __init__(self, folder: str | os.PathLike[str], tell: Callable[[str], None] = lambda _: None) -> None:
        self.folder, self._tell = Path(folder), tell

    def run(self, what: Mapping[str, Any], compute: Callable[[], Record]) -> Record:
        """The record of `what`: from its file, or computed and then kept.

        Parameters
        ----------
        what
            Everything that the outcome depends on: see `fingerprint`. The version of this library's code is added,
            unless it has another "code".
        compute
            Makes the record.
        """
        found = self.find(what)
        if found is None:
            found = compute()
            self.keep(what, found)
        return found

    def find(self, what: Mapping[str, Any]) -> Record | None:
        """The record of `what`, if there is one."""
        path = self.path(what)
        if not path.is_file():
            return None
        try:
            return _read(path)
        except UNREADABLE as error:
            self._tell(f"{path.name} in the cache cannot be read ({error}); its run is repeated.")
            return None

    def keep(self, what: Mapping[str, Any], record: Record) -> None:
        """Write a record."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, array in record.arrays.items():
            if name == _FACTS or array.dtype.hasobject:
                raise ParameterError(f"the array {name!r} of a record has a reserved name or holds Python objects.")
        facts = np.frombuffer(json.dumps(record.facts, allow_nan=False).encode(), np.uint8)
        handle, part = tempfile.mkstemp(dir=self.folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                arrays: dict[str, Any] = {_FACTS: facts, **record.arrays}
                np.savez_compressed(stream, **arrays)
            Path(part).replace(self.path(what))
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise

    def size(self) -> int:
        """How many records there are."""
        return sum(1 for _ in self.folder.glob("*.npz"))

    def path(self, what: Mapping[str, Any]) -> Path:
        """The file of a run."""
        return self.folder / f"{fingerprint({'code': (__version__, SALT), **what})[:32]}.npz"


def _read(path: Path) -> Record:
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    facts = json.loads(arrays.pop(_FACTS).tobytes())
    if not isinstance(facts, dict):
        raise DataError(f"its {_FACTS} holds no facts by name")
    return Record(facts, arrays)


def fingerprint(content: Any) -> str:
    """A hash of nested dicts, lists, arrays, dataclasses, numbers and texts.

    Examples
    --------
    >>> fingerprint({"a": 1, "b": [2.0]}) == fingerprint({"b": [2.0], "a": 1})
    True
    >>> fingerprint({"a": 1}) == fingerprint({"a": 1.5})
    False
    """
    found = hashlib.sha256()
    _digest(content, found.update)
    return found.hexdigest()


def _digest(content: Any, update: Callable[[bytes], None]) -> None:
    """Feed a hash; each kind of value opens with its own mark, so that no two of different kinds are the same."""
    if dataclasses.is_dataclass(content) and not isinstance(content, type):
        update(f"@{type(content).__name__}".encode())
        content = {part.name: getattr(content, part.name) for part in dataclasses.fields(content)}
    if isinstance(content, Mapping):
        update(f"{{{len(content)}".encode())
        for key in sorted(content, key=str):
            _digest(str(key), update)
            _digest(content[key], update)
    elif isinstance(content, np.ndarray):
        update(f"#{content.dtype.str}{content.shape}".encode())
        update(np.ascontiguousarray(content).tobytes())
    elif isinstance(content, (list, tuple)):
        update(f"[{len(content)}".encode())
        for entry in content:
            _digest(entry, update)
    elif content is None or isinstance(content, (str, bool, int, float, np.generic)):
        text = repr(content.item() if isinstance(content, np.generic) else content).encode("utf-8", "surrogatepass")
        update(f"={len(text)}:".encode() + text)
    else:
        raise DataError(f"a {type(content).__name__} cannot be part of what identifies a run.")
