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


def open_model(folder: Path) -> Any:
    """Load a model."""
    import vbn

    return vbn.load(folder)


def split_columns(given: str | None) -> list[str | int | None]:
    """Names or numbers of columns from "user,item,2"; an empty place leaves a column to be found by its usual name."""
    import csv

    if not given:
        return []
    fields = next(csv.reader([given]))
    return [int(field) if field.isdecimal() else field or None for field in fields]
