"""`vbn recommend`: what goes with some entities, or with users seen in training."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._options import AsJson, K, Model, Popularity, PopularityFloor, open_model
from vbn.cli._output import show


class Query(StrEnum):
    """How several entities become one query."""

    fold_in = "fold_in"
    average = "average"
    both = "both"


class Explore(StrEnum):
    """How to explore."""

    thompson = "thompson"


@verb(
    'vbn recommend my-model "Heat" "Casino" -k 5',
    "vbn recommend my-model --user u17 --user u18 --json",
    "vbn recommend my-model --users users.txt --popularity -0.5 --candidates in-stock.txt",
)
def recommend(
    model: Model,
    entities: Annotated[
        list[str] | None, typer.Argument(metavar="ENTITIES", help="What somebody has, by name.")
    ] = None,
    k: K = 10,
    user: Annotated[list[str] | None, typer.Option(help="A row seen in training instead; may be repeated.")] = None,
    users: Annotated[Path | None, typer.Option(help="A text file of such rows, one a line.")] = None,
    query: Annotated[
        Query,
        typer.Option(
            help="fold_in: infer a density from the entities. average: as in the paper. both: a user's own density and "
            "the average of what he has."
        ),
    ] = Query.fold_in,
    popularity: Popularity = 0.0,
    popularity_floor: PopularityFloor = 0.0,
    candidates: Annotated[
        Path | None, typer.Option(help="A text file of the only names that may be an answer, one a line.")
    ] = None,
    include_seen: Annotated[bool, typer.Option("--include-seen", help="Also what the user has.")] = False,
    explore: Annotated[Explore | None, typer.Option(help="thompson: rank by scores drawn from the posterior.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of --explore.")] = None,
    as_json: AsJson = False,
) -> None:
    """What goes best with some entities, or with users.

    Users are rows seen in training. For several of them there is one table, whose first column tells whose row it is.
    """
    if sum(bool(way) for way in (entities, user, users)) != 1:
        raise typer.BadParameter("give entities, or --user, or --users: one of the three.")
    from vbn.cli._reading import names_from, read_names

    rows = read_names(users) if users else user
    with names_from(users, candidates):
        found = open_model(model).recommend(
            entities or None,
            k,
            user=rows[0] if rows and len(rows) == 1 and not users else rows or None,
            query=query.value,
            popularity=popularity,
            popularity_floor=popularity_floor,
            exclude_seen=not include_seen,
            candidates=None if candidates is None else read_names(candidates),
            explore=None if explore is None else explore.value,
            seed=seed,
        )
    show(found, as_json=as_json)
