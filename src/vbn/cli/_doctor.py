"""`vbn doctor`: what is installed, on what machine, and whether it works."""

from __future__ import annotations

from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._guard import FAILED
from vbn.cli._options import AsJson
from vbn.cli._output import print_json


@verb("vbn doctor", "vbn doctor --json", "vbn doctor --address head:6379")
def doctor(
    as_json: AsJson = False,
    address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", envvar="RAY_ADDRESS", help="Report on this Ray cluster, too.")
    ] = None,
    self_test: Annotated[bool, typer.Option(help="Train a tiny model twice and compare the bits.")] = True,
) -> None:
    """Versions, machine, threads, extras, a cluster if one is named, and a self-test.

    What to send with the report of a bug. Exit code 1 if the self-test fails.
    """
    from vbn.cli._machine import examine

    found = examine(self_test=self_test, address=address)
    if as_json:
        print_json(found)
    else:
        for title, facts in found.items():
            typer.echo(title)
            width = max(len(name) for name in facts)
            for name, value in facts.items():
                typer.echo(f"  {name:<{width}}  {value}")
    if self_test and found["self-test"]["result"] != "passed":
        raise typer.Exit(FAILED)
