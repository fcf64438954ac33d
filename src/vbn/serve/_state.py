"""What a server holds: the model, its map, its metrics, and a thread that looks after both."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from vbn.serve._holder import Holder, Served
from vbn.serve._layout import Layout, kept_layout, lay_out
from vbn.serve._map import Map, drawn
from vbn.serve._metrics import Metrics
from vbn.serve._settings import Settings


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
    _layouts: dict[int, tuple[Layout, bool]] = field(default_factory=dict)
    _maps: dict[tuple[int, bool], Map] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to look after the model."""
        self._thread = threading.Thread(target=self._look_after, name="vbn-serve", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End that."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=1.0)

    def _look_after(self) -> None:
        """Compute layouts, and load models that were replaced, until the end."""
        while not self._stop.is_set():
            self.holder.refresh()
            self._finish(self.holder.current)
            if self._stop.wait(self.settings.watch or 3600.0):
                return

    def _finish(self, served: Served) -> None:
        if self._layouts.get(served.version, (None, False))[1]:
            return
        made = kept_layout(served.trained, self.holder.folder, served.mark)
        with self._lock:
            self._layouts = {served.version: (made, True)}
            self._maps = {}

    def layout_if_ready(self, served: Served) -> Layout | None:
        """Where entities stand, if that is known already."""
        found = self._layouts.get(served.version)
        return None if found is None else found[0]

    def map_of(self, served: Served) -> Map:
        """The map: until its layout is computed, by the two principal axes."""
        with self._lock:
            layout, final = self._layouts.get(served.version, (None, False))
            if layout is None:
                layout = lay_out(served.trained, method="principal axes")
                self._layouts[served.version] = layout, False
            key = served.version, final
            if key not in self._maps:
                self._maps[key] = drawn(served.trained, layout, final)
            return self._maps[key]
