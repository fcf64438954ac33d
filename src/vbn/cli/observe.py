"""Events of the day, into the journal of a model or into the model itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vbn.cli.app import verb
from vbn.cli.shared import WHOLE, ColumnNames, HasHeader, Model, open_model, say, split_columns
from vbn.cli.update import stored


def _counted(number: int, what: str) -> str:
    """Return a number with what it counts."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _as_in_training(folder: Path) -> dict[str, Any]:
    """Return how the training of a model read rows with a user and an item, as train.toml says it."""
    before = stored(folder)
    if before.get("kind") not in ("interactions", "pairs"):
        return {}
    names = ("columns", "header", "delimiter", "min_weight", "weighted", "drop_missing", "split_items")
    found = {name: before[name] for name in names if before.get(name) is not None}
    return {name: value for name, value in found.items() if (name, value) != ("split_items", WHOLE)}


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

    EVENTS is read as `vbn train` read its input, by what train.toml in the model's folder says: columns, header,
    separator, ratings and missing names; options win. Events go to the journal in the model's folder, and every program
    that loads the model observes them; a server of the same folder does so within seconds. The next save, also by
    --save, takes them into the model.
    """
    from vbn.cli.reading import unnamed
    from vbn.data import read_events
    from vbn.estimators import BATCH, record
    from vbn.inference import known_events

    found = open_model(model)
    if not hasattr(found, "observe"):
        raise typer.BadParameter(f"{model} holds a baseline, which has no densities that events could update.")
    given = {"columns": columns and split_columns(columns), "header": header, "min_weight": min_weight}
    how = _as_in_training(model) | {key: value for key, value in given.items() if value is not None}
    dropped = how.pop("drop_missing", None)
    missing = "skip" if skip_unknown else unnamed({"drop_missing": drop_missing or dropped})
    columns_given = [None if column == "" else column for column in how.pop("columns", ())]
    named = dict(zip(("users", "items", "weights"), columns_given, strict=False))
    read = read_events(events, **named, **how, missing=missing)
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
