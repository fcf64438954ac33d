"""Settings of a training to a `Dataset`: counts, taxonomy, relations."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from vbn.cli._options import option_of
from vbn.cli._reading import read_names
from vbn.data import Dataset, bytes_of

_TEXT_FILE = frozenset({"header", "delimiter", "min_count", "max_size"})
# What each constructor takes, and how many columns it reads.
_ACCEPTED = {
    "sequences": (_TEXT_FILE | {"drop_missing", "window", "dynamic_window"}, 1),
    "baskets": (_TEXT_FILE | {"drop_missing"}, 2),
    "interactions": (_TEXT_FILE | {"drop_missing"}, 3),
    "pairs": (_TEXT_FILE | {"drop_missing", "shared"}, 3),
    "matrix": (_TEXT_FILE | {"shared", "row_names", "column_names"}, 0),
    "folder": (frozenset(), 0),
}
_SPECIAL = frozenset().union(*(options for options, _ in _ACCEPTED.values()))


def check_usage(settings: Mapping[str, Any]) -> None:
    """Refuse settings that do not go together, before anything is read."""
    for key, how in (("input", "the file to train on"), ("kind", "--kind"), ("out", "--out, a folder for the model")):
        if key not in settings:
            raise typer.BadParameter(f"give {how}.")
    kind = settings["kind"]
    if kind not in _ACCEPTED:
        raise typer.BadParameter(f"kind {kind!r} is not one of {', '.join(_ACCEPTED)}.")
    accepted, width = _ACCEPTED[kind]
    for key in sorted(_SPECIAL & settings.keys()):
        if key not in accepted:
            raise typer.BadParameter(f"{option_of(key)} has no meaning for {kind}.")
    if len(settings.get("columns", ())) > width:
        raise typer.BadParameter(f"--columns: {kind} have at most {width} columns to choose.")
    unknown = set(settings.get("symmetric", ())) - settings.get("relation", {}).keys()
    if unknown:
        raise typer.BadParameter(f"--symmetric {sorted(unknown)[0]}: there is no --relation of this name.")
    if {"taxonomy_side", "taxonomy_columns", "drop_cycles"} & settings.keys() and "taxonomy" not in settings:
        raise typer.BadParameter("options for a taxonomy were given, but no --taxonomy.")
    if "validation" in settings and "hold_out" in settings:
        raise typer.BadParameter("--validation and --hold-out: one of the two.")
    if "hold_out" in settings and not 0.0 < settings["hold_out"] < 1.0:
        raise typer.BadParameter(f"--hold-out must be above 0 and below 1, not {settings['hold_out']:g}.")
    _check_engine(settings)


def _check_engine(settings: Mapping[str, Any]) -> None:
    cluster = [option_of(key) for key in ("address", "workers") if key in settings]
    if settings.get("engine") != "ray":
        if cluster:
            raise typer.BadParameter(f"{' and '.join(cluster)}: only with --engine ray.")
    elif "memory" in settings:
        raise typer.BadParameter(
            "--memory would keep counts in files of this machine, which workers of a cluster do not see: train on a "
            "folder that they see, with --kind folder."
        )


def read_training_data(settings: Mapping[str, Any], scratch: Path | None = None) -> Dataset:
    """The counts of the input, with taxonomy and relations.

    Counts that take more than the settings' memory are moved to the folder `scratch` and mapped.
    """
    data = read_counts(settings, settings["input"], limits=True)
    if "co_occurrences" in settings:
        data = data.with_co_occurrences(settings["co_occurrences"])
    if scratch is not None and settings["kind"] != "folder" and data.counts.nbytes > bytes_of(settings["memory"]):
        data = data.to_folder(scratch)
    unnamed = "drop" if settings.get("drop_missing") else "error"
    if "taxonomy" in settings:
        child, parent, weight = _three(settings.get("taxonomy_columns", ()))
        data = data.with_taxonomy(
            settings["taxonomy"], settings.get("taxonomy_side"), child=child, parent=parent, weight=weight,
            break_cycles="drop" if settings.get("drop_cycles") else "error", missing=unnamed,
        )  # fmt: skip
    missing = "skip" if settings.get("skip_unknown") else unnamed
    for name, file in settings.get("relation", {}).items():
        data = data.with_relation(name, file, name in settings.get("symmetric", ()), missing)
    return data


def read_counts(settings: Mapping[str, Any], file: str, *, limits: bool) -> Dataset:
    """Counts from one file; without `limits` nothing is left out for being rare."""
    kind = settings["kind"]
    accepted, _ = _ACCEPTED[kind]
    options = {key: settings[key] for key in accepted & settings.keys()}
    if not limits:
        options = {key: value for key, value in options.items() if key not in ("min_count", "max_size")}
    if "delimiter" in options:
        options["delimiter"] = options["delimiter"].replace("\\t", "\t")
    if options.pop("drop_missing", False):
        options["missing"] = "drop"
    columns = [None if column == "" else column for column in settings.get("columns", ())]
    if kind == "sequences":
        return Dataset.from_sequences(file, column=columns[0] if columns else None, **options)
    if kind == "folder":
        return Dataset.from_folder(file)
    if kind == "matrix":
        rows, names = _names(options.pop("row_names", None)), _names(options.pop("column_names", None))
        return Dataset.from_matrix(file, rows, names, **options)
    if kind == "baskets":
        return Dataset.from_baskets(file, *columns, **options)
    make = Dataset.from_interactions if kind == "interactions" else Dataset.from_pairs
    return make(file, *columns, **options)


def _names(file: str | None) -> list[str] | None:
    return None if file is None else read_names(Path(file))


def _three(columns: Any) -> list[str | int | None]:
    given = [None if column == "" else column for column in columns]
    return [*given, None, None, None][:3]
