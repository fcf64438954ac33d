"""What a server holds: the model, its map, its metrics, and two threads: for new models and for the map."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from vbn.serve._holder import Holder, Served
from vbn.serve._layout import Layout, extended, lay_out, store, stored
from vbn.serve._map import Map, drawn
from vbn.serve._metrics import Metrics
from vbn.serve._settings import Settings
from vbn.serve._tsne import NotWantedError


@dataclass
class State:
    """Shared by all requests.

    Attributes
    ----------
    holder, settings, metrics
        The model, how it is served, and counts of requests.
    """

    holder: Holder
    settings: Settings
    metrics: Metrics = field(default_factory=Metrics)
    _computed: tuple[int, Layout | None] = (0, None)  # the root of a model, and its layout; None where that failed
    _layouts: dict[int, tuple[Layout, bool]] = field(default_factory=dict)
    _maps: dict[tuple[int, bool], Map] = field(default_factory=dict)
    _map_problem: str = ""
    _stored: str = ""  # mark of the model whose layout was written or read last
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)
    _changed: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Begin to look after model and map."""
        self._changed.set()
        tasks = [("vbn-map", self._look_after_map)]
        if self.settings.watch:
            tasks.append(("vbn-model", self._look_after_model))
        self._threads = [threading.Thread(target=task, name=name, daemon=True) for name, task in tasks]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End that."""
        self._stop.set()
        self._changed.set()
        for thread in self._threads:
            thread.join(timeout=1.0)

    @property
    def problem(self) -> str:
        """What is wrong, or nothing."""
        return " ".join(told for told in (self.holder.problem, self._map_problem) if told)

    def save(self, model: Any, base: Served) -> bool:
        """Write a model that has grown from `base` to the folder, and serve it; see `Holder.save`."""
        done = self.holder.save(model, base)
        self._changed.set()
        return done

    def _look_after_model(self) -> None:
        """Load models that were replaced, until the end; whatever goes wrong is told of, and tried again."""
        while not self._stop.wait(self.settings.watch):
            try:
                if self.holder.refresh():
                    self._changed.set()
            except Exception as error:  # noqa: BLE001 - without this thread no model would ever be loaded again
                self.holder.problem = f"the model on disk cannot be loaded: {_told(error)}."

    def _look_after_map(self) -> None:
        """Lay out every model that comes, until the end; one that fails keeps the principal axes."""
        while True:
            self._changed.wait()
            self._changed.clear()
            if self._stop.is_set():
                return
            served = self.holder.current
            try:
                self._finish(served)
            except NotWantedError:
                continue  # the model that came meanwhile has its turn
            except Exception as error:  # noqa: BLE001 - as above
                self._map_problem = f"the map cannot be laid out: {_told(error)}."
                self._remember(served, None)

    def _finish(self, served: Served) -> None:
        """Have a layout for a model, and keep it beside the model; one of what it has grown from will do."""
        folder = self.holder.folder
        if self._computed[0] != served.root:
            found = None if folder is None else stored(folder, served.trained, served.mark)
            if found is not None:
                self._stored = served.mark
            else:
                found = lay_out(served.trained, wanted=lambda: self._wanted(served))
            self._map_problem = ""
            self._remember(served, found)
        if folder is not None and self._computed[1] is not None and self._stored != served.mark:
            store(folder, extended(self._computed[1], served.trained), served.mark)
            self._stored = served.mark

    def _wanted(self, served: Served) -> bool:
        return not self._stop.is_set() and self.holder.current.root == served.root

    def _remember(self, served: Served, layout: Layout | None) -> None:
        with self._lock:
            self._computed = served.root, layout
            self._layouts, self._maps = {}, {}

    def layout_if_ready(self, served: Served) -> Layout | None:
        """Where entities stand, if that is known already."""
        with self._lock:
            if served.version in self._layouts or self._computed[0] == served.root:
                return self._layout(served)[0]
            return None

    def map_of(self, served: Served) -> Map:
        """The map: until its layout is computed, by the two principal axes."""
        with self._lock:
            layout, final = self._layout(served)
            key = served.version, final
            if key not in self._maps:
                self._maps = {known: made for known, made in self._maps.items() if known[0] >= served.version - 1}
                self._maps[key] = drawn(served.trained, layout, final)
            return self._maps[key]

    def _layout(self, served: Served) -> tuple[Layout, bool]:
        """The layout of a model, and whether no better one will come."""
        if served.version not in self._layouts:
            self._layouts = {known: made for known, made in self._layouts.items() if known >= served.version - 1}
            root, computed = self._computed
            if root == served.root and computed is not None:
                made = extended(computed, served.trained), True
            else:
                made = lay_out(served.trained, method="principal axes"), root == served.root
            self._layouts[served.version] = made
        return self._layouts[served.version]


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".rstrip(".: ")
