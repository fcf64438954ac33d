"""`vbn reproduce`: the paper's tables and today's rivals, from the data to a report."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from vbn.cli._app import verb


class Part(StrEnum):
    """What is reproduced."""

    movies = "movies"
    music = "music"
    medical = "medical"
    words = "words"
    all = "all"


@verb(
    "vbn reproduce movies --data data --out report",
    "vbn reproduce all --data data --out report --cache runs",
    "vbn reproduce music --data data --search 20 --winners my-settings",
)
def reproduce(
    domain: Annotated[Part, typer.Argument(help="Which tables.")],
    data: Annotated[Path, typer.Option(exists=True, file_okay=False, help="Folder with the data sets.")],
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("report"),
    cache: Annotated[Path | None, typer.Option(help="Folder of the runs that are done. [OUT/cache]")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds that the spread is over.")] = 3,
    processes: Annotated[int, typer.Option(min=1, help="Trainings at the same time; memory grows with it.")] = 2,
    quick: Annotated[
        bool, typer.Option("--quick", help="One masking, few models, few epochs: to see that it works.")
    ] = False,
    search: Annotated[
        int | None,
        typer.Option(min=1, help="Do not report; try so many settings of each model on the validation data."),
    ] = None,
    winners: Annotated[Path | None, typer.Option(help="With --search: folder to write the best settings to.")] = None,
) -> None:
    """Train VBN and its rivals on public data and compare them, as in the paper and beyond.

    Writes report.html, report.md and report.json, and prints their places. A second call redoes only what changed; one
    that was killed goes on where it was. Progress goes to standard error.
    """
    from vbn.cli._output import check_folder
    from vbn.evaluation.paper import Options, reproduce, search_winners

    names = [part.value for part in Part if part is not Part.all] if domain is Part.all else [domain.value]
    check_folder(out)
    if search is not None:
        kept = out / "cache" if cache is None else cache
        paths = search_winners(names, data, search, kept, winners)
    elif winners is not None:
        raise typer.BadParameter("--winners belongs to --search.")
    else:
        paths = reproduce(names, data, out, Options(seeds, quick, processes), cache)
    for path in paths:
        typer.echo(path)
