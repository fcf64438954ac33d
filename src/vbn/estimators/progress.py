"""A fit as it is watched: a progress bar in a terminal or notebook, a line now and then in a log, and Ctrl-C."""

from __future__ import annotations

import html
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from types import FrameType
from typing import Any

from vbn.model import EpochInfo

_PATIENCE = 2.5  # seconds of silence after which compiling is announced
_LOG_EVERY = 10.0  # seconds between lines of a log
_DRAW_EVERY = 0.2  # seconds between pictures of a bar in a notebook


class NotebookLine:
    """A line below a notebook's cell that is written again and again, and leaves nothing behind at the end."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, text: str, share: float | None = None) -> None:
        """Write a text, after a bar that is filled to a share."""
        bar = "" if share is None else f'<progress max="1" value="{share:.4f}"></progress> '
        self._put(text, f"<div>{bar}<code>{html.escape(text)}</code></div>")

    def clear(self) -> None:
        """Remove the line."""
        if self._handle is not None:
            self._put("", "")

    def _put(self, plain: str, marked_up: str) -> None:
        made = {"text/plain": plain, "text/html": marked_up}
        if self._handle is None:
            self._handle = import_module("IPython.display").display(made, raw=True, display_id=True)
        else:
            self._handle.update(made, raw=True)


class Progress(AbstractContextManager["Progress"]):
    """Shows epochs as they pass, on standard error; `done` of them were done before, by a fit that is resumed."""

    def __init__(self, epochs: int, verbose: bool, done: int = 0) -> None:
        self.epochs = epochs
        self._bar: Any = None
        self._line: NotebookLine | None = None
        self._log = False
        self._last = 0.0
        if not verbose:
            return
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        if console.is_jupyter:
            self._line = NotebookLine()
        self._log = not (console.is_terminal or console.is_jupyter)
        if not self._log and self._line is None:
            self._bar = Progress(
                TextColumn("epoch {task.completed}/{task.total}"),
                BarColumn(),
                TextColumn("{task.fields[status]}"),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=console,
            )
            self._task = self._bar.add_task("fit", total=epochs, completed=done, status="")

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._line is not None:
            self._line.clear()

    def show(self, done: int, epoch: EpochInfo) -> None:
        """Show an epoch that is done."""
        rate = epoch.cells / max(epoch.seconds, 1e-9)
        status = f"bound {epoch.lower_bound:,.0f}  {_engineering(rate)} cells/s"
        if epoch.validation is not None:
            status += f"  validation {epoch.validation:.4f}"
        text = f"epoch {done}/{self.epochs}  {status}  {duration((self.epochs - done) * epoch.seconds)} left"
        if self._bar is not None:
            self._bar.update(self._task, completed=done, status=status)
        elif self._line is not None and self._due(done, _DRAW_EVERY):
            self._line.show(text, done / self.epochs)
        elif self._log and self._due(done, _LOG_EVERY):
            print(text, file=sys.stderr, flush=True)  # noqa: T201

    def _due(self, done: int, every: float) -> bool:
        """Return whether it is time for the next line, or the first or last one."""
        if done not in (1, self.epochs) and time.monotonic() - self._last <= every:
            return False
        self._last = time.monotonic()
        return True

    def say(self, message: str) -> None:
        """Print a line that stays."""
        if self._bar is not None:
            self._bar.console.print(message)
        elif self._log or self._line is not None:
            print(message, file=sys.stderr, flush=True)  # noqa: T201


def announced(message: str, verbose: bool) -> AbstractContextManager[None]:
    """Show a message if the work inside takes longer than a moment."""
    return _announced(message) if verbose else nullcontext()


@contextmanager
def _announced(message: str) -> Iterator[None]:
    from rich.console import Console

    console = Console(stderr=True)
    status, line = console.status(message), NotebookLine()

    def speak() -> None:
        if console.is_jupyter:
            line.show(message)
        elif console.is_terminal:
            status.start()
        else:
            console.print(message)

    timer = threading.Timer(_PATIENCE, speak)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
        line.clear()


def duration(seconds: float) -> str:
    """Return a time as one would say it: 45 s, 12 min, 1 h 6 min, 2 d 3 h."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min"
    return f"{hours // 24} d {hours % 24} h"


def _engineering(value: float) -> str:
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.1f} {unit}"
    return f"{value:.0f} "


class Interrupt(AbstractContextManager["Interrupt"]):
    """Makes the first Ctrl-C end a fit after the present epoch, and the second one end it at once.

    The first one is remembered, not raised: raised while kernels are compiled, it would be swallowed by the compiler's
    own clean-up. This works only in the main thread, and not where Ctrl-C is ignored, as in a background job.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: Any = signal.getsignal(signal.SIGINT)
        in_main = threading.current_thread() is threading.main_thread()
        self._here = in_main and self._before is not signal.SIG_IGN

    def __enter__(self) -> Interrupt:
        if self._here:
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._here:
            signal.signal(signal.SIGINT, self._before if self._before is not None else signal.SIG_DFL)

    def _handle(self, signum: int, frame: FrameType | None) -> None:  # noqa: ARG002 - a signal handler's signature
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
