"""`vbn data`: data to try things out on, simulated or downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vbn.cli._app import app

data = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Data to try things out on.")
app.add_typer(data, name="data")


@data.command(epilog="\b\nExample:\n  vbn data example shop")
def example(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write to.")] = Path("shop"),
    customers: Annotated[int, typer.Option(min=1, help="How many customers.")] = 600,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same files.")] = 0,
) -> None:
    """Write a simulated shop: orders.csv (customer, product) and catalogue.csv (child, parent)."""
    from vbn.datasets import write_shop

    for file in sorted(write_shop(folder, customers, seed).glob("*.csv")):
        typer.echo(file)


@data.command(epilog="\b\nExample:\n  vbn data get ml-1m --to data")
def get(
    name: Annotated[str, typer.Argument(help="ml-1m, ml-25m, ml-latest-small, semcor or wordnet.")],
    to: Annotated[Path, typer.Option(help="Folder to put it in.")] = Path("data"),
) -> None:
    """Download a public data set: shows its licence, checks the file, unpacks it, prints the folder."""
    from vbn.cli._output import say
    from vbn.datasets import download

    typer.echo(download(name, to, tell=say))
