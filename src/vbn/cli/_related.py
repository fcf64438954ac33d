"""`vbn related`: where a typed relation leads."""

from __future__ import annotations

from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._options import AsJson, K, Model, Popularity, PopularityFloor, check_relation, open_model
from vbn.cli._output import show


@verb("vbn related my-model antonym lowest -k 5")
def related(
    model: Model,
    relation: Annotated[str, typer.Argument(metavar="RELATION", help="Name of the relation.")],
    entity: Annotated[str, typer.Argument(metavar="ENTITY", help="The entity that it starts from.")],
    k: K = 10,
    popularity: Popularity = 0.0,
    popularity_floor: PopularityFloor = 0.0,
    as_json: AsJson = False,
) -> None:
    """The entities to which a relation most probably leads."""
    trained = open_model(model)
    check_relation(trained, relation)
    show(trained.related(relation, entity, k, popularity, popularity_floor), as_json=as_json)
