"""Options and arguments that several verbs share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer


class Side(StrEnum):
    """The namespace of a name, where rows and columns are different entities."""

    row = "row"
    column = "column"


Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Folder of a trained model.")]
K = Annotated[int, typer.Option("-k", min=1, help="How many answers.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
OnSide = Annotated[
    Side, typer.Option("--side", help="Whose name it is, where rows and columns differ (users and items).")
]
ColumnNames = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="A,B,...",
        help="Columns of the file by name or number (from 0), in their order; what is left empty is found by its name.",
    ),
]
Popularity = Annotated[float, typer.Option(help="The dial: above 0 favours popular entities, below 0 rare ones.")]
PopularityFloor = Annotated[
    float,
    typer.Option(min=0, help="To the dial, entities seen far less often than so many times the average are alike."),
]
HasHeader = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether the file begins with a header; by default, look.")
]


def open_model(folder: Path) -> Any:
    """Load a model."""
    import vbn

    return vbn.load(folder)


def check_relation(model: Any, name: str) -> None:
    """Refuse a relation that the model does not have, and say which it has."""
    from vbn._errors import RelationError

    known = [relation.name for relation in model._model().relations]
    if not known:
        raise RelationError("this model has no relations; train one with --relation NAME=FILE.")
    if name not in known:
        raise RelationError(f"unknown relation {name!r}; this model has {', '.join(map(repr, known))}.")


def option_of(setting: str) -> str:
    """The option that gives a setting: "--min-count" for "min_count"."""
    return f"--{setting.replace('_', '-')}"


def split_columns(given: str | None) -> list[str | int | None]:
    """Names or numbers of columns from "user,item,2"; an empty place leaves a column to be found by its usual name."""
    import csv

    if not given:
        return []
    fields = next(csv.reader([given]))
    return [int(field) if field.isdecimal() else field or None for field in fields]
