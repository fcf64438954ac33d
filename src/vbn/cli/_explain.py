"""`vbn explain`: how much of a density is prior and how much is data."""

from __future__ import annotations

from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._options import AsJson, Model, OnSide, Side, open_model
from vbn.cli._output import print_json


@verb("vbn explain my-model brie")
def explain(
    model: Model,
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="The entity to explain.")],
    side: OnSide = Side.column,
    as_json: AsJson = False,
) -> None:
    """Why a density is where it is: its parents, its contexts."""
    found = open_model(model).explain(entity, side=side.value)
    if as_json:
        print_json(found.to_dict())
    else:
        typer.echo(str(found))
