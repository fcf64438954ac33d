"""The served model: loaded once, replaced in one step when its folder is, and searched by name."""

from __future__ import annotations

import copy
import hashlib
import re
import threading
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import VBNError
from vbn.data import Vocabulary
from vbn.estimators import load
from vbn.model import Trained
from vbn.storage import CONFIG

_WORD = re.compile(r"(?<=\W)(?=\w)")
_LAST = "\U0010ffff"


@dataclass(frozen=True)
class Served:
    """A model with what is computed from it once; a request uses the same one from beginning to end."""

    model: Any  # fitted; it never changes: entities are added to a copy
    version: int = 1  # number of models that this server has had
    root: int = 1  # version of the model that was loaded: this one, or the one that it has grown from by added entities

    @property
    def trained(self) -> Trained:
        """Its densities and names."""
        found: Trained = self.model.trained_
        return found

    def copy(self) -> Any:
        """Return a model to which entities may be added; it shares the arrays until then."""
        return copy.copy(self.model).set_params(verbose=False)

    @cached_property
    def mark(self) -> str:
        """Checksum of the densities, which identifies the model."""
        found = hashlib.sha256()
        for name, array in sorted(self.trained.posterior.arrays().items()):
            found.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    @cached_property
    def typeahead(self) -> dict[str, TypeAhead]:
        """Search by name, for each side."""
        sides = ("column",) if self.trained.shared else ("row", "column")
        names = {side: self.trained.vocabulary(side) for side in sides}
        found = {side: TypeAhead(_searched(known), known.counts) for side, known in names.items()}
        return {"row": found["column"], **found}


def _searched(known: Vocabulary) -> list[str]:
    """Return what names are searched by: labels, if there are any, followed by the names."""
    return [f"{label} {name}" if (label := known.label(i)) else name for i, name in enumerate(known.names)]


class Holder:
    """Holds the served model, given as such or as a folder, and checks the folder for a newer one.

    Models are read into memory: who copies something over a mapped file would end the server.
    """

    def __init__(self, source: Any) -> None:
        self.folder = Path(source) if isinstance(source, (str, Path)) else None
        self.problem = ""
        self._lock = threading.Lock()
        self._mark = self._look()
        self.current = Served(source if self.folder is None else load(self.folder, mapped=False))

    def refresh(self) -> bool:
        """Load the model again if its folder changed, and return whether it was; a broken one only sets `problem`."""
        with self._lock:
            return self._refreshed()

    def save(self, model: Any, base: Served) -> bool:
        """Write a model that has grown from `base` to the folder and serve it; False if another is served by now."""
        with self._lock:
            self._refreshed()
            if self.current is not base:
                return False
            if self.folder is not None:
                model.save(self.folder)
            self.problem = ""
            self._mark = self._look()
            self.current = Served(model, base.version + 1, base.root)
        return True

    def _refreshed(self) -> bool:
        mark = self._look()
        if self.folder is None or mark == self._mark or mark is None:
            return False
        whole = self._look(whole=True)
        try:
            model = load(self.folder, mapped=False)
        except VBNError as error:
            self.problem = f"the model on disk cannot be loaded: {error}"
            self._mark = whole  # it may be copied file by file: try again when the next file comes
            return False
        self.problem = ""
        self._mark = mark[:1]
        version = self.current.version + 1
        self.current = Served(model, version, version)
        return True

    def _look(self, whole: bool = False) -> tuple[tuple[str, int, int, int], ...] | None:
        """Return what identifies the state of the folder; None if there is no model.

        That is the config, which is written last, or all files while the folder is broken.
        """
        if self.folder is None:
            return None
        try:
            config = self.folder / CONFIG
            others = sorted(self.folder.glob("*.safetensors")) if whole or self.problem else []
            return tuple(_stamp(path) for path in (config, *others))
        except OSError:  # being replaced at this moment, or gone: keep the old model
            return None


def _stamp(path: Path) -> tuple[str, int, int, int]:
    found = path.stat()
    return path.name, found.st_mtime_ns, found.st_ino, found.st_size


class TypeAhead:
    """Search for names by their beginning, by the beginning of a word in them, or by any part; ignores case.

    >>> found = TypeAhead(["green tea", "Tea", "coffee", "steak"], [1, 5, 9, 2])
    >>> found("tea", 10).tolist()
    [1, 0, 3]
    """

    def __init__(self, names: tuple[str, ...] | list[str], counts: np.ndarray | list[float]) -> None:
        folded = [name.casefold().replace("\n", " ").lstrip() for name in names]
        words = [[0, *(match.start() for match in _WORD.finditer(text) if match.start())] for text in folded]
        starts = [(folded[number][at:], number, at > 0) for number, places in enumerate(words) for at in places]
        starts.sort(key=lambda entry: entry[0])
        self._keys = [key for key, _, _ in starts]
        self._numbers = np.array([number for _, number, _ in starts], dtype=np.int64)
        self._inner = np.array([inner for _, _, inner in starts], dtype=bool)
        self._counts = np.asarray(counts, dtype=np.float64)
        self._text = "\n".join(folded)
        self._ends = np.cumsum([len(text) + 1 for text in folded], dtype=np.int64)

    def __call__(self, typed: str, limit: int) -> np.ndarray:
        """Return the numbers of at most `limit` names, the likeliest first; for an empty text, the most frequent."""
        text = typed.casefold().strip().replace("\n", " ")
        if not text:
            return np.argsort(-self._counts, kind="stable")[:limit]
        here = slice(bisect_left(self._keys, text), bisect_left(self._keys, text + _LAST))
        numbers, inner = self._numbers[here], self._inner[here]
        found = self._best(np.unique(numbers[~inner]), limit)
        found = self._joined(found, np.unique(numbers[inner]), limit)
        return self._joined(found, self._holding(text, 4 * limit), limit) if len(found) < limit else found

    def _best(self, numbers: np.ndarray, limit: int) -> np.ndarray:
        return numbers[np.argsort(-self._counts[numbers], kind="stable")[:limit]]

    def _joined(self, found: np.ndarray, more: np.ndarray, limit: int) -> np.ndarray:
        new = self._best(more[~np.isin(more, found)], limit)
        return np.concatenate([found, new])[:limit]

    def _holding(self, text: str, most: int) -> np.ndarray:
        places: list[int] = []
        at = self._text.find(text)
        while at >= 0 and len(places) < most:
            number = int(np.searchsorted(self._ends, at, side="right"))
            places.append(number)
            at = self._text.find(text, int(self._ends[number]))
        return np.array(places, dtype=np.int64)
