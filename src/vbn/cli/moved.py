"""Verbs that now run from a checkout: hidden commands that say where they went."""

from __future__ import annotations

from typing import Annotated

import typer

from vbn.cli.app import MOVED, app


def _moved(verb: str) -> None:
    def say(rest: Annotated[list[str] | None, typer.Argument()] = None) -> None:  # noqa: ARG001 - whatever it was
        typer.echo(f"vbn {verb} has moved: run `make {verb}` in a checkout of the repository.", err=True)
        raise typer.Exit(2)

    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(verb, hidden=True, add_help_option=False, context_settings=settings)(say)


for _verb in MOVED:
    _moved(_verb)
