"""Where the command line begins: Ctrl-C is heard from here on, before anything that takes time is imported."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

INTERRUPTED = 130
_pressed = False


def main() -> None:
    """Run the command line: exit code 0, 1 where something failed, 2 for wrong usage, 130 after Ctrl-C."""
    previous = signal.getsignal(signal.SIGINT)
    if previous is signal.default_int_handler:  # else somebody decided otherwise, as `nohup` does
        signal.signal(signal.SIGINT, _interrupt)
        sys.unraisablehook = _unraisable
    try:
        from vbn.cli.app import run

        run()
    except BaseException as error:
        if isinstance(error, SystemExit) or not was_interrupted(error):
            raise
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)
    finally:
        if previous is signal.default_int_handler:
            signal.signal(signal.SIGINT, previous)
            sys.unraisablehook = sys.__unraisablehook__


def was_interrupted(error: BaseException) -> bool:
    """Return whether an error is a Ctrl-C, or one that an extension module turned into another error on import."""
    return isinstance(error, KeyboardInterrupt) or (_pressed and isinstance(error, ImportError | SystemError))


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _pressed
    _pressed = True
    signal.default_int_handler(number, frame)


def _unraisable(found: Any) -> None:
    """End the program at once after a Ctrl-C that Python cannot raise, as in the callbacks of an import."""
    if isinstance(found.exc_value, KeyboardInterrupt):
        os.write(2, b"interrupted\n")
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(found)
