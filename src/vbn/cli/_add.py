"""`vbn add`: entities that did not exist in training."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vbn.cli._app import verb
from vbn.cli._options import Model, OnSide, Side, open_model
from vbn.cli._output import say


@verb(
    'vbn add my-model "Zoolander 3" --parent "Ben Stiller" --out new-model',
    'vbn add my-model halloumi --parent cheese --context "grill=3" --context salad',
    "vbn add my-model --from new-items.csv    (columns name, parent: a row for each parent)",
)
def add(
    model: Model,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of the new entity; or give --from.")] = None,
    parent: Annotated[list[str] | None, typer.Option(help="Its parent, PARENT or PARENT=WEIGHT; repeatable.")] = None,
    context: Annotated[
        list[str] | None, typer.Option(help="What it was seen with, NAME or NAME=COUNT; may be repeated.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="Many at once: a csv of name, parent[, weight], a row a parent.")
    ] = None,
    side: OnSide = Side.column,
    out: Annotated[Path | None, typer.Option(help="Folder for the grown model; by default it replaces MODEL.")] = None,
) -> None:
    """Give new entities a density at once, without retraining."""
    from vbn.cli._belongings import forget, note_added, run_of

    if (name is None) == (source is None):
        raise typer.BadParameter("give a name, or --from a file: one of the two.")
    if source is not None and (parent or context):
        raise typer.BadParameter("--parent and --context belong to one name; with --from, the file has the parents.")
    target = out or model
    in_place = target.resolve() == model.resolve()
    run = run_of(model) if in_place else None
    grown = open_model(model)
    counts = grown._data is not None
    before = len(grown._model().vocabulary(side.value))
    new: Any = source
    if name is not None:
        new = {name: {"parents": _weights(grown, parent, side), "contexts": _contexts(grown, context, side)}}
    grown.add(new, side=side.value)
    folder = grown.save(target, counts=counts)
    added = len(grown._model().vocabulary(side.value)) - before
    if run is not None:
        note_added(folder, run, added)
    elif not in_place:
        forget(folder, checkpoint=True)
    say(f"added {added:,} {'entity' if added == 1 else 'entities'}")
    typer.echo(str(folder))


def _weights(model: Any, given: list[str] | None, side: Side) -> dict[str, float]:
    return dict(_numbered(entry, model._model().vocabulary(side.value)) for entry in given or ())


def _contexts(model: Any, given: list[str] | None, side: Side) -> dict[str, float]:
    """Contexts of a column are rows and the other way round; where both are the same, it does not matter."""
    other = model._model().vocabulary("row" if side is Side.column else "column")
    contexts: dict[str, float] = {}
    for entry in given or ():
        name, count = _numbered(entry, other)
        contexts[name] = contexts.get(name, 0.0) + count
    return contexts


def _numbered(entry: str, known: Any) -> tuple[str, float]:
    """NAME=NUMBER, or NAME alone, which counts 1; a known name may itself hold an equals sign."""
    if entry in known:
        return entry, 1.0
    name, equals, number = entry.rpartition("=")
    if not equals:
        return entry, 1.0
    try:
        return name, float(number)
    except ValueError:
        return entry, 1.0
