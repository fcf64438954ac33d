"""`vbn`: parse, call, show. Results on standard output, progress and errors on standard error."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from vbn._errors import VBNError
from vbn._version import __version__

app = typer.Typer(
    help="Entity embeddings as probability densities, with a taxonomy as prior.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"vbn {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Entity embeddings as probability densities, with a taxonomy as prior."""


@app.command()
def demo(
    out: Annotated[str, typer.Option(help="Folder for the trained model.")] = "vbn-demo-model",
    epochs: Annotated[int, typer.Option(min=1, help="Epochs of each of the two trainings.")] = 15,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all randomness.")] = 0,
) -> None:
    """Tell the whole story on the bundled data: train, compare, add a word, ask for antonyms.

    Example: `vbn demo`
    """
    from vbn.cli._demo import run_demo

    run_demo(out, epochs=epochs, seed=seed)


def main() -> None:
    """Run the command line: exit code 0, 1 where something failed, 2 for wrong usage."""
    try:
        app()
    except VBNError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(130)
