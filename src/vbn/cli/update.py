"""`vbn update`: a saved model goes on with new data, which is read as `vbn train` read the first."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vbn._errors import DataError
from vbn.cli.app import verb
from vbn.cli.shared import ColumnNames, Model, check_model_folder, open_model, say, split_columns
from vbn.cli.train import Kind, _effective, latest_of

if TYPE_CHECKING:
    from vbn.data import Dataset

_EPOCHS = 10  # densities start from where they are, so fewer will do than at first
# Settings of the first training that say how to read more of the same, and what belongs to its catalogue.
_READING: tuple[str, ...] = (
    "kind",
    "columns",
    "header",
    "delimiter",
    "drop_missing",
    "split_items",
    "time",
    "min_weight",
    "weighted",
    "half_life",
)
_READING += ("window", "dynamic_window", "shared", "co_occurrences", "weight", "drop_cycles", "content_side")
_OF_CATALOGUE = ("id", "levels", "split", "label", "prefix")


@verb(
    "vbn update my-model today.csv",
    "vbn update my-model today.csv --catalogue new-items.csv --out models/tuesday",
    "vbn update my-model more.txt --kind sequences --epochs 5    (a model that Python saved)",
)
def update(
    model: Model,
    data: Annotated[Path, typer.Argument(metavar="INPUT", help="New data like that of the training.")],
    catalogue: Annotated[
        Path | None, typer.Option(help="A file of one row an item, for new items; read as that of the training.")
    ] = None,
    taxonomy: Annotated[list[Path] | None, typer.Option(help="A file of child, parent[, weight]; repeatable.")] = None,
    kind: Annotated[Kind | None, typer.Option(help="What INPUT holds [as in the training].")] = None,
    columns: ColumnNames = None,
    drop_missing: Annotated[
        bool | None,
        typer.Option("--drop-missing/--refuse-missing", help="Leave out all rows without a name, or fail."),
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often every density is updated.")] = _EPOCHS,
    out: Annotated[Path | None, typer.Option(help="Folder for the new model; by default it replaces MODEL.")] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Add a file with the same content once more: its counts are then double.")
    ] = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Number of threads [all cores].")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No summary, no progress.")] = False,
) -> None:
    """Continue training a saved model with new data.

    INPUT is read with the options of the training, which train.toml in the model's folder has: kind, columns, weights,
    half-life, the columns of a catalogue. All counts, old and new, are trained on from where the densities are, so
    vectors stay comparable. A model without counts takes its posterior as the prior of the new data. The folder holds
    the old model or the new one at any moment; Ctrl-C leaves the old one.
    """
    from vbn.cli.run_files import sha256

    trained, target = open_model(model), out or model
    if not hasattr(trained, "partial_fit"):
        raise DataError(f"{model} holds a {type(trained).__name__}, which cannot go on learning; train it again.")
    if out is not None:
        check_model_folder(out)
    if not again and data.is_file() and sha256(data) in trained.inputs_.values():
        raise DataError(f"{data} was added to this model already; --again counts it once more.")
    before = stored(model)
    given: dict[str, Any] = {
        "kind": kind,
        "columns": ["" if column is None else column for column in split_columns(columns)],
        "input": str(data),
        "catalogue": None if catalogue is None else str(catalogue),
        "taxonomy": [str(file) for file in taxonomy or ()],
        "drop_missing": drop_missing,
    }
    settings = _reading(before, {key: value for key, value in given.items() if value not in (None, [])}, quiet)
    new, latest = _read(settings, before, trained)
    if not quiet:
        say(str(new.describe()))
    trained, new, latest = _faded(trained, new, settings, latest, model)
    started = time.perf_counter()
    sizes = len(trained.trained_.rows), len(trained.trained_.columns)
    line = trained.trained_.slope, trained.trained_.intercept
    _go_on(trained, new, model, {"epochs": epochs, "n_threads": threads, "verbose": not quiet})
    _save(trained, model, target, settings, before, new, latest)
    if not quiet:
        _report(trained, new, sizes, time.perf_counter() - started)
        if line != (trained.trained_.slope, trained.trained_.intercept):
            say("its probabilities are as trained again; vbn calibrate fits them to what came true")
    typer.echo(str(target))


def stored(folder: Path) -> dict[str, Any]:
    """Return the settings of the training that train.toml has; none for a model that Python saved."""
    from vbn.cli.run_files import CONFIG, run_of
    from vbn.cli.settings import read_config

    if not (folder / CONFIG).is_file():
        return {}
    if run_of(folder) is None:
        say(f"the model was changed since its training; {CONFIG} still says how its data is read")
    return read_config(folder / CONFIG)


def _reading(before: Mapping[str, Any], given: dict[str, Any], quiet: bool) -> dict[str, Any]:
    """Return the settings that the new data is read by."""
    from vbn.cli.reading import check_usage, with_kind

    kept = {key: before[key] for key in _READING if key in before}
    if given.get("kind", kept.get("kind")) != kept.get("kind"):
        kept = {}  # another kind has other options
    if "catalogue" in given:
        kept |= {key: before[key] for key in _OF_CATALOGUE if key in before}
        kept |= _of_new_items(before, given["catalogue"])
    if not {"features", "text"} & kept.keys():
        kept.pop("content_side", None)
    if "catalogue" not in given and "taxonomy" not in given:
        kept.pop("drop_cycles", None)
    settings = with_kind({**kept, **given}, quiet)
    check_usage(settings | {"out": "model"})
    return settings


def _of_new_items(before: Mapping[str, Any], catalogue: str) -> dict[str, Any]:
    """Return features and texts that the first catalogue had, as columns of the new one."""
    from vbn.cli.content import CONTENT

    found = {}
    for key in CONTENT:
        entries = before.get(key, {})
        same = {name: [catalogue, *entry[1:]] for name, entry in entries.items() if entry[0] == before.get("catalogue")}
        if same:
            found[key] = same
        for name in entries.keys() - same.keys():
            say(f"{name}: no {key} for new items, which --catalogue has no columns of; they follow their parents")
    return found


def _read(settings: dict[str, Any], before: Mapping[str, Any], model: Any) -> tuple[Dataset, dict[str, float]]:
    """Return the new data, and the time of its latest row if old rows fade."""
    from vbn.cli.reading import read_counts, with_knowledge

    data = read_counts(settings, settings["input"], limits=True)
    latest = latest_of(settings, data)
    data = with_knowledge(settings, _with_items(settings, _frequent(data, before.get("min_count", 0), model)))
    known = model.data_
    if data.shared != model.trained_.shared or (known is not None and data.kind != known.kind):
        has = "the same entities as rows and columns" if model.trained_.shared else "rows and columns of two kinds"
        of = "" if known is None else f" from {known.kind}"
        raise DataError(f"{settings['input']} was read as {data.kind}; the model has {has}{of}: say --kind.")
    return data, latest


def _with_items(settings: Mapping[str, Any], data: Dataset) -> Dataset:
    """Return the data with all items of the new catalogue: many of them may have no data yet."""
    from vbn.data import Field, read_columns

    if "catalogue" not in settings or "id" not in settings:
        return data
    where = split_columns(str(settings["id"]))[0]
    read = read_columns(settings["catalogue"], (), {"id": where}, (Field("id", ()),), missing="drop")
    return data.with_taxonomy(dict.fromkeys(read.labels["id"].names, ()))


def _frequent(data: Dataset, least: float, model: Any) -> Dataset:
    """Return the data without entities that the model does not know and that occur less often than in training."""
    import numpy as np

    from vbn.data import known_ids, without_entities

    if not least:
        return data
    sides = ((data.rows, model.trained_.rows), (data.columns, model.trained_.columns))
    rows, columns = ((names.counts >= least) | (known_ids(known, names) >= 0) for names, known in sides)
    if data.shared:
        rows = columns
    if not (rows[data.counts.row_ids()] & columns[data.counts.indices]).any():
        raise DataError(f"nothing new is left: all entities are unknown and occur less than {least:g} times.")
    return data if np.all(rows) and np.all(columns) else without_entities(data, rows, columns)


def _faded(
    model: Any, new: Dataset, settings: Mapping[str, Any], latest: Mapping[str, float], folder: Path
) -> tuple[Any, Dataset, dict[str, float]]:
    """Return model and new data with counts that have faded until the latest row, as if all had been read at once."""
    from vbn.cli.run_files import noted
    from vbn.data import faded

    notes = noted(folder)
    behind = set(model.inputs_.values()) - set(notes.sha256.values())  # an update that was killed after it had saved
    before = None if behind else notes.latest
    if not latest:
        return model, new, {} if before is None else {"latest": before}
    if before is None or model.data_ is None:
        say("old counts do not fade: the model does not have them, or does not say when they were")
        return model, new, dict(latest)
    gap, half_life = latest["latest"] - before, settings["half_life"]
    if gap < 0:  # all new rows are older than the latest of the training
        return model, faded(new, -gap, half_life), {"latest": before}
    return model.with_trained(model.trained_, faded(model.data_, gap, half_life)), new, dict(latest)


def _go_on(model: Any, new: Dataset, folder: Path, run: dict[str, Any]) -> None:
    """Train on, with parameters of this run only."""
    if model.data_ is None:
        say("the model has no counts: its posterior becomes the prior of the new data, and none are kept")
    own = {name: getattr(model, name) for name in run}
    inputs = model.inputs_
    model.set_params(**run).partial_fit(new)
    model.set_params(**own)
    model.inputs_ = inputs
    if model.interrupted_:
        raise KeyboardInterrupt(f"interrupted: the model in {folder} is as it was")


def _save(
    model: Any,
    folder: Path,
    out: Path,
    settings: Mapping[str, Any],
    before: Mapping[str, Any],
    new: Dataset,
    latest: Mapping[str, float],
) -> None:
    """Save the model, and what was added to it, in its folder or in another one."""
    from vbn.cli.run_files import forget, noted, run_of, save, stamp
    from vbn.cli.settings import checksums, input_files, relative, to_toml
    from vbn.storage import CHECKPOINT, RECORDS, remove_checkpoint

    run, notes = run_of(folder), noted(folder)

    def moved(file: str) -> str:
        return relative(str(folder / file), out)

    sums = checksums(input_files(settings), out)
    model.inputs_ = {moved(file): digest for file, digest in model.inputs_.items()} | sums
    save(model, out, counts=model.data_ is not None)
    remove_checkpoint(out / CHECKPOINT)
    if out.resolve() != folder.resolve():
        forget(out, checkpoint=True)
    else:
        for name in RECORDS:
            _without_seen(out / name, new)
    if before:
        effective = {key: value for key, value in _effective(model).items() if value is not None}
        more = {
            "updates": [*map(moved, notes.updates), *sums],
            **latest,
            "sha256": {moved(file): digest for file, digest in notes.sha256.items()} | sums,
        }
        told = to_toml({**before, **effective, "out": str(out), **more}, out)
        stamp(out, told, 0 if run is None else run.added)


def _without_seen(file: Path, new: Dataset) -> None:
    """Remove held-out pairs that the model has learned from now."""
    from vbn.storage import without_rows_of

    if not file.is_file():
        return
    cells = zip(new.counts.row_ids().tolist(), new.counts.indices.tolist(), strict=True)
    seen = {(new.rows[i], new.columns[j]) for i, j in cells}
    without_rows_of(file, lambda row: (row[0], row[1]) in seen)


def _report(model: Any, new: Dataset, sizes: tuple[int, int], seconds: float) -> None:
    from vbn.data import counted

    trained = model.trained_
    rows, columns = len(trained.rows) - sizes[0], len(trained.columns) - sizes[1]
    grown = [counted(rows, "new row"), counted(columns, "new column")]
    if trained.shared:
        grown = [counted(columns, "new entity", "new entities")]
    parts = [counted(new.counts.nnz, "new pair"), *grown, f"{model.n_iter_} epochs in {seconds:.1f} s"]
    say(f"updated: {', '.join(parts)}")
