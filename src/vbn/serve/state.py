"""What all requests share: the model, its map, metrics, and two threads that look after model and map."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vbn._errors import VBNError
from vbn.serve.access import Settings
from vbn.serve.map import Layout, Map, draw_map, extended, lay_out
from vbn.serve.metrics import Metrics
from vbn.serve.problems import ReadOnlyError
from vbn.serve.served import Holder, Served
from vbn.serve.tsne import NotWantedError

_PATH = re.compile(r"(?<![\w./:])(?:[A-Za-z]:)?[/\\](?:[^\s/\\'\":]+[/\\])*(?=[^\s/\\])")


@dataclass
class State:
    """What all requests share."""

    holder: Holder
    settings: Settings
    metrics: Metrics = field(default_factory=Metrics)
    # what is written is written one after the other, on a thread of its own, and takes none of those that answer
    writer: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "vbn-writer"))
    ready: threading.Event = field(default_factory=threading.Event)  # set while questions are answered without delay
    before_ready: list[Callable[[], object]] = field(default_factory=list)  # what to do once, not on the event loop
    _computed: tuple[int, Layout | None] = (0, None)  # the root of a model, and its layout; None if that failed
    _layouts: dict[int, tuple[Layout, bool]] = field(default_factory=dict)
    _maps: dict[tuple[int, bool], Map] = field(default_factory=dict)
    _branches: tuple[int, list[str] | None] = (0, None)  # the root of a model, and the branches that its map colours
    _map_problem: str = ""
    _stored: str = ""  # mark of the model whose layout was written or read last
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stop: threading.Event = field(default_factory=threading.Event)
    _changed: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Start the threads that look after model and map, and ask a first question, which compiles what is needed."""
        threading.Thread(target=self._warm_up, name="vbn-warm-up", daemon=True).start()
        self._changed.set()
        tasks = [("vbn-map", self._look_after_map)]
        if self.settings.watch:
            tasks.append(("vbn-model", self._look_after_model))
        self._threads = [threading.Thread(target=task, name=name, daemon=True) for name, task in tasks]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop these threads."""
        self._stop.set()
        self.ready.clear()
        self._changed.set()
        for thread in self._threads:
            thread.join(timeout=1.0)
        self.writer.shutdown(wait=False)

    @property
    def problem(self) -> str:
        """What is wrong, without paths of this machine, because anybody may ask; empty if nothing is."""
        found = " ".join(told for told in (self.holder.told, self._map_problem) if told)
        folder = self.holder.home
        return without_paths(found, () if folder is None else (folder, folder.resolve()))

    def need_writable(self) -> None:
        """Refuse to change anything on a read-only server."""
        if not self.settings.writable:
            raise ReadOnlyError(
                "this server is read-only: {remedy} to change the model.", remedies=[("", "start it with --writable")]
            )

    def save(self, model: Any, base: Served, grown: bool = True) -> bool:
        """Write a model that was made from `base` to the folder and serve it; see `Holder.save` and `replace`."""
        done = self.holder.save(model, base) if grown else self.holder.replace(model, base)
        self._changed.set()
        return done

    def _warm_up(self) -> None:
        """Answer first questions; if one cannot be answered, the next ones are refused in the same words."""
        try:
            self.holder.current.warm_up()
            if self.settings.writable:
                self.holder.current.try_an_event()
        except VBNError as error:
            self._map_problem = f"the first question failed: {error}"
        for task in self.before_ready:
            task()
        if not self._stop.is_set():
            self.ready.set()

    def _look_after_model(self) -> None:
        """Load models that were replaced, until the end; report whatever goes wrong, and try again."""
        while not self._stop.wait(self.settings.watch):
            try:
                if self.holder.refresh():
                    self._changed.set()
            except Exception as error:  # noqa: BLE001 - the thread must go on
                self.holder.problem = f"the model on disk cannot be loaded: {_shown(error)}."

    def _look_after_map(self) -> None:
        """Lay out every new model, until the end; if that fails, the principal axes stay."""
        while True:
            self._changed.wait()
            self._changed.clear()
            if self._stop.is_set():
                return
            served = self.holder.current
            try:
                self._finish(served)
            except NotWantedError:
                continue  # with the model that was loaded meanwhile
            except Exception as error:  # noqa: BLE001 - the thread must go on
                self._map_problem = f"the map cannot be laid out: {_shown(error)}."
                self._remember(served, None)

    def _finish(self, served: Served) -> None:
        """Lay out a model, or extend the layout of the model it has grown from, and keep the layout beside it."""
        if self._computed[0] != served.root:
            found = self.holder.layout(served)
            if found is not None:
                self._stored = served.mark
            elif self.holder.draws:
                found = lay_out(served.trained, wanted=lambda: self._wanted(served))
            else:
                found = self._drawn_elsewhere(served)
            self._map_problem = ""
            self._remember(served, found)
        if self.holder.draws and self._computed[1] is not None and self._stored != served.mark:
            self.holder.keep(extended(self._computed[1], served.trained), served)
            self._stored = served.mark

    def _drawn_elsewhere(self, served: Served) -> Layout:
        """Wait for the layout that another worker computes."""
        while (found := self.holder.layout(served)) is None:
            if not self._wanted(served):
                raise NotWantedError
            self._stop.wait(self.settings.watch or 1.0)
        self._stored = served.mark
        return found

    def _wanted(self, served: Served) -> bool:
        return not self._stop.is_set() and self.holder.current.root == served.root

    def _remember(self, served: Served, layout: Layout | None) -> None:
        with self._lock:
            self._computed = served.root, layout
            self._layouts, self._maps = {}, {}

    def layout_if_ready(self, served: Served) -> Layout | None:
        """Return the places of entities, or None if they are not computed yet."""
        with self._lock:
            if served.version in self._layouts or self._computed[0] == served.root:
                return self._layout(served)[0]
            return None

    def map_of(self, served: Served) -> Map:
        """Return the map; until its layout is computed, that of the two principal axes."""
        with self._lock:
            layout, final = self._layout(served)
            key = served.version, final
            if key not in self._maps:
                self._maps = {known: made for known, made in self._maps.items() if known[0] >= served.version - 1}
                kept = self._branches[1] if self._branches[0] == served.root else None
                self._maps[key] = draw_map(served.trained, layout, final, kept)
                self._branches = served.root, self._maps[key].about["branches"]
            return self._maps[key]

    def layout_of(self, served: Served) -> Layout:
        """Return the places that the map shows at this moment."""
        with self._lock:
            return self._layout(served)[0]

    def _layout(self, served: Served) -> tuple[Layout, bool]:
        """Return the layout of a model, and whether it is final."""
        if served.version not in self._layouts:
            self._layouts = {known: made for known, made in self._layouts.items() if known >= served.version - 1}
            root, computed = self._computed
            if root == served.root and computed is not None:
                made = extended(computed, served.trained), True
            else:
                made = lay_out(served.trained, method="principal axes"), root == served.root
            self._layouts[served.version] = made
        return self._layouts[served.version]


def without_paths(text: str, known: Iterable[Path] = ()) -> str:
    """Return a message with the last part alone of every path, such as those that are known.

    >>> without_paths("cannot read '/home/ann/my models/m/config.json' nor /tmp/x-1/y", [Path("/home/ann/my models/m")])
    "cannot read 'm/config.json' nor y"
    """
    for path in known:
        if path.name:
            text = text.replace(str(path), path.name)
    return _PATH.sub("", text)


def _shown(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".rstrip(".: ")
