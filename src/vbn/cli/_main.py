"""`vbn`: its verbs, and the run of one of them."""

from __future__ import annotations

import importlib
import io
import sys
import warnings

import typer

from vbn.cli._app import app
from vbn.cli._wording import in_options

# One module each, in the order that the help shows them; what is heavy they import when they are run.
VERBS = (
    "demo", "train", "similar", "recommend", "related", "predict", "explain", "add", "export", "evaluate",
    "serve", "data", "doctor",
)  # fmt: skip
MOVED = ("reproduce", "bench")
"""Hidden commands that say where they went."""


def run() -> None:
    """Run the verb that the arguments name, and end the program with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot print is no error
    warnings.showwarning = _warn
    for name in (*VERBS, *MOVED):
        importlib.import_module(f"vbn.cli._{name}")
    app(_debug_first(sys.argv[1:]), prog_name="vbn")


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    typer.echo(f"warning: {in_options(str(message))}", err=True)


def _debug_first(arguments: list[str]) -> list[str]:
    """Let `--debug` stand anywhere, but not after "--", where names begin."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options, names = arguments[:end], arguments[end:]
    if "--debug" not in options:
        return arguments
    return ["--debug", *(option for option in options if option != "--debug"), *names]
