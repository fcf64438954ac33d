"""What ends a command: one line and an exit code for every error, Ctrl-C and closed pipe; a traceback on demand.

Exit codes: 0, 1 where something failed, 2 for wrong usage (options, parameters), 130 after Ctrl-C, 141 where nobody
reads on.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from vbn._errors import ParameterError, VBNError
from vbn.cli._entry import INTERRUPTED, was_interrupted
from vbn.cli._usage import told_usage
from vbn.cli._wording import in_options

FAILED, WRONG_USAGE, PIPE_CLOSED = 1, 2, 141


class Verb(TyperCommand):
    """A command whose usage shows arguments as they are called elsewhere, without the braces of newer typers."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Parts of the line of usage."""
        return [re.sub(r"^\{(\w+)\}", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]


class Guarded(TyperGroup):
    """A group of commands whose errors are told in one line, unless `--debug` asks for the traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Parse and run, and end the program."""
        try:
            code = super().main(*args, **options | {"standalone_mode": False})
        except Exception as error:
            if not hasattr(error, "format_message"):  # not one of typer's
                raise
            if type(error).__name__ == "NoArgsIsHelpError":
                typer.echo(error.format_message(), err=True)
            else:
                typer.echo(told_usage(error), err=True)
            sys.exit(getattr(error, "exit_code", WRONG_USAGE))
        sys.exit(code if isinstance(code, int) else 0)

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Parse the options before the verb; the parser itself is slow to import."""
        try:
            return super().make_context(*args, **options)
        except BaseException as error:
            if not was_interrupted(error):
                raise
            typer.echo("interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None

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
            if getattr(error, "ctx", ctx) is None:  # the parser does not always say whose option it was
                error.verb = f"vbn {ctx.invoked_subcommand}"  # type: ignore[attr-defined]
            if hasattr(error, "exit_code") or ctx.params.get("debug"):  # typer's own, or wanted with its traceback
                raise
            if was_interrupted(error):
                typer.echo("interrupted", err=True)
                raise typer.Exit(INTERRUPTED) from None
            typer.echo(told(error), err=True)
            raise typer.Exit(WRONG_USAGE if isinstance(error, ParameterError) else FAILED) from None
        return result


def told(error: BaseException) -> str:
    """An error as one line for a user."""
    message = " ".join(filter(None, map(str.strip, str(error).splitlines())))  # a name's own spaces stay
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
