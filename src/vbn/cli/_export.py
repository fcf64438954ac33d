"""`vbn export`: densities in the formats of other tools."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from vbn.cli._app import verb
from vbn.cli._options import Model, OnSide, Side, open_model


class Format(StrEnum):
    """Formats that `export` writes."""

    word2vec = "word2vec"
    word2vec_binary = "word2vec-binary"
    parquet = "parquet"
    safetensors = "safetensors"
    numpy = "numpy"


class Role(StrEnum):
    """Which of an entity's two densities."""

    entity = "entity"
    context = "context"


@verb("vbn export my-model vectors.txt --format word2vec", "vbn export my-model densities.parquet")
def export(
    model: Model,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    form: Annotated[Format | None, typer.Option("--format", help="By default what the file's suffix says.")] = None,
    role: Annotated[Role, typer.Option(help="The density as a row, or as a context (column).")] = Role.entity,
    side: OnSide = Side.column,
    categories: Annotated[
        bool, typer.Option(help="Also write entities that were never seen and are only parents of others.")
    ] = True,
) -> None:
    """Write the densities to a file for other tools."""
    written = open_model(model).export(
        file, format=None if form is None else form.value, role=role.value, side=side.value, categories=categories
    )
    typer.echo(str(written))
