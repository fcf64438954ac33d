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
from vbn.model._trained import Trained
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
    """

    model: Any
    version: int = 1

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
        self._lock = threading.Lock()
        self._mark = self._look()
        self.current = Served(source if self.folder is None else load(self.folder))
        self.problem = ""

    def refresh(self) -> bool:
        """Load the model anew if its folder changed; a broken one leaves the old one in place, and is told of.

        Returns
        -------
        bool
            Whether there is a new model.
        """
        mark = self._look()
        if self.folder is None or mark == self._mark or mark is None:
            return False
        with self._lock:
            try:
                model = load(self.folder)
            except VBNError as error:
                self.problem = str(error)
                self._mark = mark
                return False
            self.put(model)
            self._mark, self.problem = mark, ""
        return True

    def put(self, model: Any) -> None:
        """Serve another model from now on."""
        self.current = Served(model, self.current.version + 1)

    def save(self, model: Any) -> None:
        """Write a model to the folder, and serve it."""
        with self._lock:
            if self.folder is not None:
                model.save(self.folder)
            self._mark = self._look()
            self.put(model)

    def _look(self) -> tuple[int, int] | None:
        """What tells one state of the folder from the next; None where there is no model."""
        if self.folder is None:
            return None
        try:
            found = (self.folder / "config.json").stat()
        except OSError:  # being replaced at this moment, or gone: the old model goes on
            return None
        return found.st_mtime_ns, found.st_ino
