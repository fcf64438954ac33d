"""The served model: loaded once, and replaced in one step when its folder is."""

from __future__ import annotations

import copy
import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import VBNError
from vbn.data import Events, Triple, Vocabulary
from vbn.estimators import Observes, load, record, replay
from vbn.model import Trained
from vbn.serve.map import Layout, store, stored
from vbn.serve.searching import TypeAhead
from vbn.storage import CONFIG, has_grown


@dataclass(frozen=True)
class Served:
    """A model with what is computed from it once; a request uses the same one from beginning to end."""

    model: Any  # fitted; it never changes: entities are added to a copy
    version: int = 1  # number of models that this server has had
    root: int = 1  # version of the model that was loaded: this one, or the one that it has grown from by added entities
    origin: str = ""  # checksum of the model that was loaded, if this one has grown from it
    events: int = 0  # batches of events that it has observed: their number in the journal

    @property
    def trained(self) -> Trained:
        """Its densities and names."""
        found: Trained = self.model.trained_
        return found

    def copy(self) -> Any:
        """Return a model to which entities may be added; it shares the arrays until then."""
        return copy.copy(self.model).set_params(verbose=False)

    def grown(self, model: Any, root: int) -> Served:
        """Return a model that this one has become by a change, such as an added entity."""
        if root != self.root:
            return Served(model, self.version + 1, root)
        return Served(model, self.version + 1, root, self.origin or self.mark, self.events)

    @cached_property
    def id(self) -> str:
        """What every answer calls the model: a part of the checksum that it was loaded with, and changes since then.

        Changes are entities that were added or forgotten (.1), and batches of events (+1). A checksum of all densities
        after each event would take longer than the event.
        """
        changes = self.version - self.root
        added, observed = f".{changes}" if changes else "", f"+{self.events}" if self.events else ""
        return (self.origin or self.mark)[:16] + added + observed

    def warm_up(self) -> None:
        """Ask first questions, so that later ones find kernels compiled and everything that is computed once."""
        found = self.typeahead["column"]("", 1).tolist()
        for name in [self.trained.columns[number] for number in found]:
            self.model.similar(name, 1)
            self.model.recommend([name], 1, popularity=0.0)
            self.model.explain(name)

    def with_events(self, model: Any) -> Served:
        """Return a model that has observed events since; it counts as the same model and is searched alike."""
        position = model._position
        batches = self.events + 1 if position is None else position.number
        made = replace(self, model=model, origin=self.origin or self.mark, events=batches)
        if "typeahead" in self.__dict__ and len(made.trained.rows) == len(self.trained.rows):
            made.__dict__["typeahead"] = self.typeahead
        return made

    def try_an_event(self) -> None:
        """Let a copy observe an event, which compiles what is needed."""
        trained = self.trained
        if isinstance(self.model, Observes) and len(trained.rows) and len(trained.columns):
            self.copy().observe([(trained.rows[0], trained.columns[0])])

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
        found = {side: _search(known) for side, known in names.items()}
        return {"row": found["column"], **found}

    @cached_property
    def guide(self) -> Any:
        """Where a newcomer may begin."""
        from vbn.serve.guide import guide  # which is written in terms of this class

        return guide(self)


def _named(served: Served) -> Served:
    """Return the same model with its id computed, so that no request waits for it."""
    _ = served.id
    return served


def _search(known: Vocabulary) -> TypeAhead:
    labels = None if known.labels is None else [known.label(number) for number in range(len(known))]
    return TypeAhead(known.names, known.counts, labels)


class Holder:
    """Holds the served model, given as such or as a folder, and checks the folder for a newer one.

    Models are read into memory: who copies something over a mapped file would end the server.
    """

    draws = True  # whether to compute the layout of the map, which is kept beside the model

    def __init__(self, source: Any) -> None:
        self.folder = Path(source) if isinstance(source, (str, Path)) else None
        self.problem = ""
        self._lock = threading.Lock()
        self._mark = self._look()
        self.current = _named(Served(source if self.folder is None else self._load(self.folder)))

    @property
    def home(self) -> Path | None:
        """The folder that the model comes from."""
        return self.folder

    @property
    def told(self) -> str:
        """What is wrong with the folder; empty if nothing is."""
        return self.problem

    def refresh(self) -> bool:
        """Load the model again if its folder changed, and return whether it was; a broken one only sets `problem`."""
        with self._lock:
            return self._refreshed()

    def save(self, model: Any, base: Served) -> bool:
        """Write a model that has grown from `base` to the folder and serve it; False if another is served by now."""
        return self._saved(model, base, base.root)

    def replace(self, model: Any, base: Served) -> bool:
        """Do as `save`, with a model whose entities have other numbers than those of `base`."""
        return self._saved(model, base, base.version + 1)

    def _saved(self, model: Any, base: Served, root: int) -> bool:
        with self._lock:
            self._refreshed()
            if self.current is not base:
                return False
            if self.folder is not None:
                model.save(self.folder)
            self.problem = ""
            self._mark = self._look()
            self.current = _named(base.grown(model, root))
        return True

    def layout(self, served: Served) -> Layout | None:
        """Return the layout that is kept beside a model; None if there is none."""
        return None if self.folder is None else stored(self.folder, served.trained, served.mark)

    def keep(self, layout: Layout, served: Served) -> None:
        """Keep a layout beside its model."""
        if self.folder is not None:
            store(self.folder, layout, served.mark)

    def _load(self, folder: Path) -> Any:
        return load(folder, mapped=False)

    def _prepare(self, served: Served) -> None:
        """Answer first questions with a new model, while the old one still answers those of others."""
        try:
            served.warm_up()
        except VBNError:  # whoever asks is refused in the same words
            return

    def observe(self, events: Sequence[Triple]) -> int:
        """Let the model observe events and return how many; from a folder, they are on disk when this returns."""
        with self._lock:
            self._refreshed()
            model = self.current.copy()
            if self.folder is None:
                model._observe(Events.of(events))
                known = len(events)
            else:
                known = record(model, self.folder, events)
            self.current = self.current.with_events(model)
        return known

    def _catch_up(self) -> None:
        """Observe what another process has written to the journal."""
        if self.folder is None or not isinstance(self.current.model, Observes):
            return
        if has_grown(self.folder, self.current.model._position):
            model = self.current.copy()
            if replay(model, self.folder):
                self.current = self.current.with_events(model)

    def _refreshed(self) -> bool:
        mark = self._look()
        if self.folder is None or mark == self._mark or mark is None:
            self._catch_up()
            return False
        whole = self._look(whole=True)
        try:
            model = self._load(self.folder)
        except VBNError as error:
            self.problem = f"the model on disk cannot be loaded: {error}"
            self._mark = whole  # it may be copied file by file: try again when the next file comes
            return False
        self.problem = ""
        self._mark = mark[:1]
        version = self.current.version + 1
        served = _named(Served(model, version, version))
        self._prepare(served)
        self.current = served
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
