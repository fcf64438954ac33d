"""`vbn reproduce`: a hidden command that says where it went."""

from __future__ import annotations

import typer

from vbn.cli.app import app


@app.command(
    hidden=True,
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def reproduce() -> None:
    """Say that the reproduction runs from a checkout."""
    typer.echo("vbn reproduce has moved: run `make reproduce` in a checkout of the repository.", err=True)
    raise typer.Exit(2)
