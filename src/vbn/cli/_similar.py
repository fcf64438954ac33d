"""`vbn similar`: the neighbours of an entity, and analogies."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._options import AsJson, K, Model, OnSide, Side, open_model
from vbn.cli._output import show


class By(StrEnum):
    """What similar means."""

    cosine = "cosine"
    context = "context"


class Readout(StrEnum):
    """Which vectors are compared."""

    entity = "entity"
    both = "both"
    smoothed = "smoothed"


@verb(
    "vbn similar my-model gouda -k 5",
    "vbn similar my-model --positive king --positive woman --negative man",
    "vbn similar my-model --json -- -x-    (a name that begins with a dash)",
)
def similar(
    model: Model,
    entity: Annotated[
        str | None, typer.Argument(metavar="ENTITY", help="A name; or give --positive and --negative.")
    ] = None,
    k: K = 10,
    by: Annotated[
        By, typer.Option(help="cosine: alike. context: likely to stand near it (the paper's ranking).")
    ] = By.cosine,
    positive: Annotated[list[str] | None, typer.Option(help="Like this one; may be repeated.")] = None,
    negative: Annotated[list[str] | None, typer.Option(help="Unlike this one; may be repeated.")] = None,
    side: OnSide = Side.column,
    readout: Annotated[
        Readout,
        typer.Option(help="For cosine: the entity's own vector, with its context vector, or drawn to its parents."),
    ] = Readout.entity,
    as_json: AsJson = False,
) -> None:
    """The entities most similar to one, or to some and not to others."""
    if entity is None and not positive and not negative:
        raise typer.BadParameter("give an entity, or --positive and --negative.")
    found = open_model(model).similar(
        entity, k, by=by.value, positive=positive, negative=negative, side=side.value, readout=readout.value
    )
    show(found, as_json=as_json)
