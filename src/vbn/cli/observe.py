"""Events of the day, into the journal of a model or into the model itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vbn.cli.app import verb
from vbn.cli.shared import ColumnNames, HasHeader, Model, open_model, say, split_columns


def _counted(number: int, what: str) -> str:
    """Return a number with what it counts."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


@verb(
    "vbn observe my-model events.csv",
    "vbn observe my-model ratings.csv --columns user,item,stars --min-weight 3.5",
    "vbn observe my-model events.csv --save",
)
def observe(
    model: Model,
    events: Annotated[Path, typer.Argument(metavar="EVENTS", help="A csv of user, item[, weight] (or parquet).")],
    columns: ColumnNames = None,
    header: HasHeader = None,
    min_weight: Annotated[
        float | None, typer.Option(help="Observe events of at least this weight or rating; each counts 1.")
    ] = None,
    drop_missing: Annotated[bool, typer.Option("--drop-missing", help="Leave out events without a name.")] = False,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out events with an item that the model does not know.")
    ] = False,
    save: Annotated[
        bool, typer.Option("--save", help="Save the model with all its events, which empties its journal.")
    ] = False,
) -> None:
    """Update the densities that new events touch, without retraining.

    Events go to the journal in the model's folder, and every program that loads the model observes them; a server of
    the same folder does so within seconds. The next save, also by --save, takes them into the model.
    """
    from vbn.data import read_events
    from vbn.estimators import BATCH, record
    from vbn.inference import known_events

    found = open_model(model)
    if not hasattr(found, "observe"):
        raise typer.BadParameter(f"{model} holds a baseline, which has no densities that events could update.")
    missing = "skip" if skip_unknown else "drop" if drop_missing else "error"
    given: dict[str, Any] = dict(zip(("users", "items", "weights"), split_columns(columns), strict=False))
    read = read_events(events, **given, min_weight=min_weight, header=header, missing=missing)
    known = known_events(found.trained_, read, skip_unknown)
    before, counts = len(found.trained_.rows), found.data_ is not None
    for at in range(0, len(known), BATCH):
        record(found, model, known.only(slice(at, at + BATCH)).triples())
    new = len(found.trained_.rows) - before
    skipped = f", {len(read) - len(known):,} skipped" if len(known) < len(read) else ""
    say(f"observed {_counted(len(known), 'event')}, {_counted(new, 'new row')}{skipped}")
    if save:
        found.save(model, counts=counts)
    typer.echo(str(model))
