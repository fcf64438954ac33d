"""Ctrl-C during a fit: the first one ends it after the present epoch, the second one at once.

It is not raised while kernels are compiled: the compiler's own clean-up would swallow it.
"""

from __future__ import annotations

import signal
import threading
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any


class Interrupt(AbstractContextManager["Interrupt"]):
    """While entered, remembers a first Ctrl-C instead of raising it.

    Only in the main thread, as elsewhere none arrives, and not where Ctrl-C is ignored, as in a background job.
    """

    def __init__(self) -> None:
        self.requested = False
        self._before: Any = None
        self._here = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
        )

    def __enter__(self) -> Interrupt:
        if self._here:
            self._before = signal.getsignal(signal.SIGINT)
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if self._here:
            signal.signal(signal.SIGINT, self._before if self._before is not None else signal.SIG_DFL)

    def _handle(self, signum: int, frame: FrameType | None) -> None:  # noqa: ARG002 - a signal handler's signature
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
