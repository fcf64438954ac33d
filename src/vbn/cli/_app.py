"""The application that the verbs register with, and its own options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from vbn._version import __version__
from vbn.cli._guard import Guarded, Verb

Function = TypeVar("Function", bound=Callable[..., Any])

# Plain help pages: rich's would take longer to import than all the rest.
app = typer.Typer(
    cls=Guarded,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def verb(*examples: str) -> Callable[[Function], Function]:
    """Register a function as a command whose help ends with examples."""
    lines = "\n".join(f"  {example}" for example in examples)
    return app.command(cls=Verb, epilog=f"\b\nExample:\n{lines}" if len(examples) == 1 else f"\b\nExamples:\n{lines}")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vbn {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show a traceback where something fails (before or after the command).")
    ] = False,
) -> None:
    """Entity embeddings as probability densities, with a taxonomy as prior.

    Results go to standard output, progress and errors to standard error. Exit code 0, 1 where something failed, 2 for
    wrong usage, 130 after Ctrl-C.
    """
