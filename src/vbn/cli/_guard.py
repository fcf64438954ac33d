"""What ends a command: one line and an exit code for every error, Ctrl-C and closed pipe; a traceback on demand.

Exit codes: 0, 1 where something failed, 2 for wrong usage (options, parameters), 130 after Ctrl-C, 141 where nobody
reads on.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from vbn._errors import ParameterError, VBNError
from vbn.cli._wording import in_options

FAILED, WRONG_USAGE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141


class Guarded(TyperGroup):
    """A group of commands whose errors are told in one line, unless `--debug` asks for the traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # so that a closed pipe shows here and not when Python ends
        except BrokenPipeError:
            _forget_output()
            raise typer.Exit(PIPE_CLOSED) from None
        except KeyboardInterrupt as interrupt:
            typer.echo(_first_line(interrupt) or "interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            if hasattr(error, "exit_code") or ctx.params.get("debug"):  # typer's own, or wanted with its traceback
                raise
            typer.echo(told(error), err=True)
            raise typer.Exit(WRONG_USAGE if isinstance(error, ParameterError) else FAILED) from None
        return result


def told(error: BaseException) -> str:
    """An error as one line for a user."""
    message = " ".join(str(error).split())
    if isinstance(error, VBNError):
        return f"error: {in_options(message)}"
    if isinstance(error, OSError):
        return f"error: {error.filename or 'the system'}: {error.strerror or message}"
    if isinstance(error, MemoryError):
        return f"error: out of memory. {message}".rstrip()
    return f"internal error: {type(error).__name__}: {message}; run with --debug and report it"


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]


def _forget_output() -> None:
    """Let Python flush its output to nowhere when it ends, as the pipe is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
