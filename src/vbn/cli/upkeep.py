"""A model that is in use: what is in its folder, its probabilities set to what came true, entities forgotten."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from vbn.cli.app import verb
from vbn.cli.shared import (
    AsJson,
    ColumnNames,
    HasHeader,
    Model,
    OnSide,
    open_model,
    print_json,
    say,
    split_columns,
)

_LABELS = ("label", "labels", "y", "observed", "bought", "clicked")
Out = Annotated[Path | None, typer.Option(help="Folder for the changed model; by default it replaces MODEL.")]


@verb("vbn info my-model", "vbn info my-model --json")
def info(model: Model, as_json: AsJson = False) -> None:
    """Show what is in a model's folder, from settings to checksums."""
    facts = facts_of(model)
    if as_json:
        print_json(facts)
        return
    for title, value in facts.items():
        lines = _lines(value)
        typer.echo(f"{title.replace('_', ' '):<15}{lines[0] if lines else 'none'}")
        for line in lines[1:]:
            typer.echo(f"{'':<15}{line}")


def facts_of(folder: Path) -> dict[str, Any]:
    """Return what is in a model's folder, as JSON has it; raises an error if the model is damaged."""
    from vbn.cli.run_files import noted, run_of
    from vbn.storage import RECORDS, read_config

    open_model(folder)
    config, run = read_config(folder), run_of(folder)
    model, record, data = config["model"], config["record"], config.get("data", {})
    counts = "kind" in model
    records = [name for name in RECORDS if (folder / name).exists()]
    return {
        "model": config["estimator"],
        "version": config.get("version"),
        "data": data,
        "epochs": len(record["lower_bounds"]),
        "lower_bound": record["lower_bounds"][-1] if record["lower_bounds"] else None,
        "parameters": config["parameters"],
        "chosen": _chosen(config),
        "dial": model.get("dials", {}),
        "calibration": {"slope": model.get("slope", 1.0), "intercept": model.get("intercept", 0.0)},
        "features": model.get("content_strength", {}),
        "counts": counts,
        "records": [*(["counts"] if counts else []), *records],
        "names_of_rows": data.get("rows", 0),
        "rows_left_out": model.get("left_out", {}).get("rows", 0),
        "trained_here": run is not None,
        "added": 0 if run is None else run.added,
        "updates": noted(folder).updates,
        "inputs": record.get("inputs", {}),
        "checksum": config["tensors"]["sha256"],
        "files": {file.name: file.stat().st_size for file in sorted(folder.iterdir()) if file.is_file()},
    }


def _chosen(config: dict[str, Any]) -> dict[str, Any]:
    """Return what the fit chose where parameters were "auto"."""
    given, used = config["parameters"], config["record"].get("settings", {})
    return {name: value for name, value in used.items() if given.get(name) == "auto" and value != "auto"}


def _lines(value: Any) -> list[str]:
    """Return a fact as lines of text."""
    if isinstance(value, dict):
        return [f"{name} {_told(entry)}" for name, entry in value.items() if entry not in ({}, [])]
    if isinstance(value, list):
        return [_told(entry) for entry in value]
    return [_told(value)]


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_told(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        return ", ".join(_told(entry) for entry in value)
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, int | float):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    return str(value)


@verb(
    "vbn calibrate my-model shown.csv    (columns user, item, label: 1 where it was bought, else 0)",
    "vbn calibrate my-model held-out.csv --out calibrated-model",
)
def calibrate(
    model: Model,
    pairs: Annotated[Path, typer.Argument(metavar="PAIRS", help="csv, tsv, txt or parquet: left, right[, label].")],
    columns: ColumnNames = None,
    header: HasHeader = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the noise pairs that are drawn without labels.")] = 0,
    out: Out = None,
    as_json: AsJson = False,
) -> None:
    """Fit probabilities to held-out pairs; rankings stay as they are.

    A column called label (or bought, clicked, observed, or the third one of --columns) holds 1 for pairs that came true
    and 0 for others. Without one, all pairs came true, and noise pairs are drawn beside them as in training.
    """
    from vbn.cli.run_files import save_changed

    trained = open_model(model)
    read = _labelled(pairs, columns, header)
    trained.calibrate(read, seed=seed)
    state = trained.trained_
    folder = save_changed(trained, model, out)
    if as_json:
        print_json({"slope": state.slope, "intercept": state.intercept, "model": str(folder)})
        return
    told = "" if "label" in read else ", all of them taken as true, and on noise pairs"
    say(f"calibrated on {len(read['left']):,} pairs{told}: slope {state.slope:.4g}, intercept {state.intercept:.4g}")
    typer.echo(str(folder))


def _labelled(path: Path, columns: str | None, header: bool | None) -> dict[str, Any]:
    """Read pairs, with labels only if there is a column that is called so."""
    from vbn.cli.reading import LEFT, RIGHT
    from vbn.data import Field, read_columns

    fields = (Field("left", LEFT), Field("right", RIGHT), Field("label", _LABELS, number=True, optional=True))
    read = read_columns(str(path), tuple(split_columns(columns)), {}, fields, header=header)
    named = {key: [found.names[code] for code in found.codes.tolist()] for key, found in read.labels.items()}
    return named | dict(read.numbers)


@verb("vbn forget my-model u17 --side row", "vbn forget my-model old-item older-item --out smaller-model")
def forget(
    model: Model,
    names: Annotated[list[str], typer.Argument(metavar="NAMES", help="Who or what to forget.")],
    side: OnSide = "column",
    out: Out = None,
) -> None:
    """Remove entities and all their data from every file of a model's folder.

    Held-out pairs with them go, the map and a checkpoint are removed. What others have learned from them stays in
    their densities until the next `vbn update` or `vbn train`; take them out of your own files before that.
    """
    from vbn.cli.run_files import held_out_elsewhere, save_changed

    smaller = open_model(model)
    trained = smaller.trained_
    other = "row" if side == "column" else "column"
    both = [] if trained.shared else [name for name in names if name in trained.vocabulary(other)]
    smaller.forget(names, side=side)
    outside = held_out_elsewhere(model)
    folder = save_changed(smaller, model, out)
    for name in both:
        say(f"{name!r} is the name of a {other} too, which stays; forget it with --side {other}")
    if outside is not None:
        say(f"{outside} lies outside of the folder and still has what was held out; remove it, or the pairs in it")
    say(f"forgot {len(set(names)):,} {'entity' if len(set(names)) == 1 else 'entities'}")
    typer.echo(str(folder))
