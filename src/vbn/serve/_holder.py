"""The model that is served: loaded once, replaced in one step when its folder is, never half of either."""

from __future__ import annotations

import copy
import hashlib
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import VBNError
from vbn.estimators import load
from vbn.model import Trained
from vbn.serve._typeahead import TypeAhead


@dataclass(frozen=True)
class Served:
    """A model with what is computed of it once; requests keep the one that they began with.

    Attributes
    ----------
    model
        A fitted model. Never changed: what is added, is added to a copy.
    version : int
        Counts the models that this server has had.
    root : int
        Version of the model that was loaded: this one, or that from which it has grown by added entities.
    """

    model: Any
    version: int = 1
    root: int = 1

    @property
    def trained(self) -> Trained:
        """Its densities and names."""
        found: Trained = self.model._model()
        return found

    def copy(self) -> Any:
        """A model of its own that may grow; the arrays are shared until then."""
        twin = copy.copy(self.model)
        twin.verbose = False
        return twin

    @cached_property
    def mark(self) -> str:
        """What tells the densities of this model from others'."""
        found = hashlib.sha256()
        for name, array in sorted(self.trained.posterior.arrays().items()):
            found.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return found.hexdigest()

    @cached_property
    def typeahead(self) -> dict[str, TypeAhead]:
        """Look-up of names, by side."""
        sides = ("column",) if self.trained.shared else ("row", "column")
        names = {side: self.trained.vocabulary(side) for side in sides}
        found = {side: TypeAhead(known.names, known.counts) for side, known in names.items()}
        return {"row": found["column"], **found}


class Holder:
    """Holds the served model, and looks whether a newer one lies in its folder.

    Parameters
    ----------
    source
        A folder with a model, or a fitted model.
    """

    def __init__(self, source: Any) -> None:
        self.folder = Path(source) if isinstance(source, (str, Path)) else None
        self.problem = ""
        self._lock = threading.Lock()
        self._mark = self._look()
        self.current = Served(source if self.folder is None else load(self.folder))

    def refresh(self) -> bool:
        """Load the model anew if its folder changed; a broken one leaves the old one in place, and is told of.

        Returns
        -------
        bool
            Whether there is a new model.
        """
        with self._lock:
            return self._refreshed()

    def save(self, model: Any, base: Served) -> bool:
        """Write a model that has grown from `base` to the folder, and serve it.

        Returns
        -------
        bool
            False where another model is served by now: what was added has to be added to that one.
        """
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
            model = load(self.folder)
        except VBNError as error:
            self.problem = f"the model on disk cannot be loaded: {error}"
            self._mark = whole  # it may be copied file by file: whichever comes next, it is tried again
            return False
        self.problem = ""
        self._mark = mark[:1]
        version = self.current.version + 1
        self.current = Served(model, version, version)
        return True

    def _look(self, whole: bool = False) -> tuple[tuple[str, int, int, int], ...] | None:
        """What tells one state of the folder from the next; None where there is no model.

        That of its config, which is written last, or of all files where it is in disorder.
        """
        if self.folder is None:
            return None
        try:
            config = self.folder / "config.json"
            others = sorted(self.folder.glob("*.safetensors")) if whole or self.problem else []
            return tuple(_stamp(path) for path in (config, *others))
        except OSError:  # being replaced at this moment, or gone: the old model goes on
            return None


def _stamp(path: Path) -> tuple[str, int, int, int]:
    found = path.stat()
    return path.name, found.st_mtime_ns, found.st_ino, found.st_size
