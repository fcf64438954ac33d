"""Several processes that serve one model: they map the same private copy of its files.

The first process copies the folder, forks the workers, looks for newer models and replaces workers that died. A worker
has a socket of its own at the common port, which outlives it, so that whoever waits there is answered by its successor.
"""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import socket
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from vbn._errors import ModelFileError, ParameterError
from vbn.estimators import load
from vbn.serve.map import Layout, store
from vbn.serve.served import Holder, Served

_STATE = "state-"  # begins the names of files that only a fit needs
_LOOK = 0.2  # seconds between looks at the workers
_PATIENCE = 10.0  # seconds for workers to end
_HASTY = 5  # workers in a row that may end before they lived for a second


class Mirror(Holder):
    """Copies a folder to a private place, and maps the copy; what happens to the folder does not touch it."""

    def __init__(self, source: str | Path) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="vbn-serve-"))
        self.present = self.place / "present"  # leads to the newest copy
        self._copies, self._noted = 0, ""
        self._held = os.open(self.place, os.O_RDONLY)
        fcntl.flock(self._held, fcntl.LOCK_SH)  # else systemd would clear it away as an old temporary folder
        try:
            super().__init__(source)
            _ = self.current.typeahead  # made before the fork, it is in memory once
        except BaseException:
            self.remove()
            raise

    def remove(self) -> None:
        """Remove all copies."""
        os.close(self._held)
        shutil.rmtree(self.place, ignore_errors=True)

    def refresh(self) -> bool:
        """Copy and load the model again if its folder changed; say to all workers what is wrong with it."""
        try:
            done = super().refresh()
        except Exception as error:  # noqa: BLE001 - the server must go on
            done, self.problem = False, f"the model on disk cannot be loaded: {type(error).__name__}: {error}"
        if self.problem != self._noted:
            self._noted = self.problem
            (self.place / "problem").write_text(self.problem, encoding="utf-8")
        return done

    def _load(self, folder: Path) -> Any:
        self._copies += 1
        copy = self.place / f"model-{self._copies}"
        try:
            _copied(folder, copy)
            model = load(copy, mapped=True)
        except BaseException:
            shutil.rmtree(copy, ignore_errors=True)
            raise
        link = self.place / "next"
        link.symlink_to(copy.name)
        link.replace(self.present)
        shutil.rmtree(self.place / f"model-{self._copies - 2}", ignore_errors=True)  # mapped, it lives on while needed
        return model

    def _prepare(self, served: Served) -> None:
        """Ask nothing: threads that a question may start would not survive the next fork."""


def _copied(folder: Path, copy: Path) -> None:
    copy.mkdir()
    try:
        for file in os.scandir(folder):
            if file.is_file(follow_symlinks=False) and not file.name.startswith(_STATE):
                shutil.copyfile(file.path, copy / file.name)
    except OSError as error:
        raise ModelFileError(f"{folder} cannot be copied: {error.strerror}") from error


class Follower(Holder):
    """Holds the model of a mirror in a worker, and follows the mirror to newer ones."""

    def __init__(self, mirror: Mirror, draws: bool) -> None:
        self.folder, self.draws, self.problem = mirror.present, draws, ""
        self._mirror, self._lock = mirror, threading.Lock()
        self._mark = self._look()
        self.current = mirror.current

    @property
    def home(self) -> Path | None:
        """The folder that the model comes from."""
        return self._mirror.folder

    @property
    def told(self) -> str:
        """What is wrong with the folder; empty if nothing is."""
        note = self._mirror.place / "problem"
        return self.problem or (note.read_text(encoding="utf-8") if note.exists() else "")

    def keep(self, layout: Layout, served: Served) -> None:
        """Keep a layout in the copy, where the other workers find it, and beside the model, for the next start."""
        for folder in (self._mirror.present, self._mirror.folder):
            if folder is not None:
                store(folder, layout, served.mark)

    def _load(self, folder: Path) -> Any:
        return load(folder.resolve(), mapped=True)


def serve_together(
    mirror: Mirror, sockets: Sequence[socket.socket], work: Callable[[Holder, socket.socket], None], watch: float
) -> None:
    """Run `work` in a process for each socket until this one is told to stop; then end them all."""
    ending = threading.Event()
    before = {sign: signal.signal(sign, lambda *_: ending.set()) for sign in (signal.SIGINT, signal.SIGTERM)}
    gang = _Gang(mirror, sockets, work)
    try:
        looked = time.monotonic()
        while not ending.wait(_LOOK):
            gang.replace_the_dead()
            if watch and time.monotonic() - looked >= watch:
                mirror.refresh()
                looked = time.monotonic()
    finally:
        gang.end()
        for sign, handler in before.items():
            signal.signal(sign, handler)


class _Gang:
    """The workers: one for each socket."""

    def __init__(
        self, mirror: Mirror, sockets: Sequence[socket.socket], work: Callable[[Holder, socket.socket], None]
    ) -> None:
        self._mirror, self._sockets, self._work = mirror, sockets, work
        self._hasty = 0
        gc.collect()
        gc.freeze()  # else the next collection would write to, and so copy, every page that is shared
        self._pids = {number: (self._start(number), time.monotonic()) for number in range(len(sockets))}

    def replace_the_dead(self) -> None:
        """Start a worker for each that has ended; give up if they end again and again at once."""
        for number, (pid, since) in list(self._pids.items()):
            if os.waitpid(pid, os.WNOHANG)[0]:
                self._hasty = self._hasty + 1 if time.monotonic() - since < 1.0 else 0
                del self._pids[number]
                if self._hasty >= _HASTY:
                    raise ParameterError("the workers end as soon as they start; serve with one to see why.")
                self._pids[number] = self._start(number), time.monotonic()

    def end(self) -> None:
        """Let the workers finish what they answer; whoever takes too long is killed."""
        for pid, _ in self._pids.values():
            os.kill(pid, signal.SIGTERM)
        last = time.monotonic() + _PATIENCE
        for pid, _ in self._pids.values():
            while not os.waitpid(pid, os.WNOHANG)[0]:
                if time.monotonic() > last:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                    break
                time.sleep(0.02)
        gc.unfreeze()

    def _start(self, number: int) -> int:
        holder, parent = Follower(self._mirror, draws=number == 0), os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads of BLAS, which knows about forks
            pid = os.fork()
        if pid:
            return pid
        code = 1
        try:
            for sign in (signal.SIGINT, signal.SIGTERM):
                signal.signal(sign, lambda *_: os._exit(0))  # until the server takes them, and when it is done
            for other in self._sockets:
                if other is not self._sockets[number]:
                    other.close()
            threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
            self._work(holder, self._sockets[number])
            code = 0
        except BaseException:  # noqa: BLE001 - nothing of the first process may run here
            traceback.print_exc()
        finally:
            os._exit(code)


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, however that ended."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
