"""Files that verbs read: names, one a line; pairs of names with a number; the data of a training."""

from __future__ import annotations

import math
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import typer

from vbn._errors import DataError, UnknownEntityError, VBNWarning
from vbn.cli.content import CONTENT, check_content_usage, with_content
from vbn.cli.settings import input_files, paths_of
from vbn.cli.shared import WHOLE, option_of, say, split_columns
from vbn.cli.wording import joined
from vbn.data import (
    AMOUNTS,
    COUNTS,
    INTERACTIONS,
    RATINGS,
    Dataset,
    Field,
    bytes_of,
    column_names,
    find_columns,
    find_file,
    likely_pair,
    open_sheet,
    plain_name,
    read_columns,
    read_lines,
    table_kind,
    text_kind,
)

LEFT = ("left", *INTERACTIONS[0].aliases, "word1", "word_1", "source", "subject", "first")
RIGHT = ("right", *INTERACTIONS[1].aliases, "word2", "word_2", "target", "object", "second")
_SCORES = ("rating", "score", "similarity", "human")
_TEXT_FILE = frozenset({"header", "delimiter", "min_count", "max_size"})
# What each constructor takes, and how many columns it reads.
_ACCEPTED = {
    "sequences": (_TEXT_FILE | {"drop_missing", "window", "dynamic_window"}, 1),
    "baskets": (_TEXT_FILE | {"drop_missing", "split_items", "weight"}, 2),
    "interactions": (
        _TEXT_FILE | {"drop_missing", "split_items", "time", "min_weight", "weighted", "half_life"},
        3,
    ),
    "pairs": (_TEXT_FILE | {"drop_missing", "shared"}, 3),
    "matrix": (_TEXT_FILE | {"shared", "row_names", "column_names"}, 0),
    "folder": (frozenset(), 0),
}
_SPECIAL = frozenset().union(*(options for options, _ in _ACCEPTED.values()))


class Pairs(NamedTuple):
    """Two columns of names, and one of numbers if there is one."""

    left: list[str]
    right: list[str]
    numbers: np.ndarray | None


def read_pairs(
    path: Path,
    columns: Sequence[str | int | None],
    *,
    header: bool | None = None,
    number: bool | None = None,
    missing: str | None = None,
    least: float | None = None,
) -> Pairs:
    """Read pairs of names from a csv, tsv, txt or parquet file (gz too).

    `number` says whether there must be a number for each pair; None ignores numbers, unless a column is named for them.
    Rows whose rating or amount is below `least` are left out, with a message, if there is such a column.
    """
    fields = [Field("left", LEFT), Field("right", RIGHT)]
    if number is not None or len(columns) > len(fields):
        fields.append(Field("number", (*COUNTS, *_SCORES), number=True, optional=not number))
    elif least is not None:
        fields.append(Field("number", (*sorted(RATINGS), *AMOUNTS), number=True, optional=True))
    _refuse_guesses(path, columns, fields, header)
    read = read_columns(str(path), tuple(columns), {}, fields, header=header, missing=missing)
    if least is not None and "number" in read.numbers:
        kept = read.numbers["number"] >= least
        said = f"of {path.name} count: those with {read.titles['number']!r} of at least {least:g}, as in training"
        say(f"{int(kept.sum()):,} of {len(kept):,} rows {said}")
        read = read.only(kept)
    left, right = read.labels["left"], read.labels["right"]
    return Pairs(
        [left.names[code] for code in left.codes.tolist()],
        [right.names[code] for code in right.codes.tolist()],
        read.numbers.get("number"),
    )


def _refuse_guesses(
    path: Path, columns: Sequence[str | int | None], fields: Sequence[Field], header: bool | None
) -> None:
    """Ask for the columns of a pair if only their place would decide, although others may be meant."""
    chosen = {item.key: column for item, column in zip(fields, columns, strict=False) if column is not None}
    file = find_file(path)
    names: Sequence[str]
    if file.kind == "parquet":
        from vbn.data import read_parquet

        names = read_parquet(file).names
    else:
        names = open_sheet(file, chosen, fields, header, None).names
    plain = {plain_name(name) for name in names}
    guessed = any(item.key not in chosen and plain.isdisjoint(item.aliases) for item in fields[:2])
    if guessed and len(names) > len(fields):
        shown = ", ".join(map(repr, names[:20]))
        raise DataError(f"which columns of {path.name} hold the pair? Say --columns and two of {shown}.")


@contextmanager
def names_from(*files: Path | None) -> Iterator[None]:
    """Let an error about an unknown name say which of these files holds it."""
    try:
        yield
    except UnknownEntityError as error:
        for file in files:
            if file is not None and error.name in read_names(file):
                raise DataError(f"{file.name}: {error.template}", remedies=error.remedies) from error
        raise


def read_names(path: Path) -> list[str]:
    """Read names from a text file, one per line; blank lines are ignored."""
    lines = read_lines(find_file(path, ("txt", "csv", "tsv")))
    names = [name for line in lines if (name := line.rstrip("\r\n")).strip()]
    if not names:
        raise DataError(f"{path.name} holds no names; write one per line.")
    return names


def check_usage(settings: Mapping[str, Any]) -> None:
    """Refuse settings that do not go together, before anything is read."""
    for key, how in (("input", "the file to train on"), ("kind", "--kind"), ("out", "--out, a folder for the model")):
        if key not in settings:
            raise typer.BadParameter(f"give {how}.")
    kind = settings["kind"]
    if kind not in _ACCEPTED:
        raise typer.BadParameter(f"kind {kind!r} is not one of {', '.join(_ACCEPTED)}.")
    accepted, width = _ACCEPTED[kind]
    if "co_occurrences" in settings:
        accepted |= {"weight"}
    for key in sorted(_SPECIAL & settings.keys()):
        if key not in accepted:
            raise typer.BadParameter(f"{option_of(key)} has no meaning for {kind}.")
    if len(settings.get("columns", ())) > width:
        raise typer.BadParameter(f"--columns: {kind} have at most {width} columns to choose.")
    if "weight" in settings:
        _weight(settings["weight"])
    if {"levels", "split", "label", "prefix"} & settings.keys() and "catalogue" not in settings:
        raise typer.BadParameter("options for a catalogue were given, but no --catalogue.")
    if "id" in settings and not {"catalogue", *CONTENT} & settings.keys():
        raise typer.BadParameter("--id: give --catalogue, --features or --text, too.")
    unknown = set(settings.get("symmetric", ())) - settings.get("relation", {}).keys()
    if unknown:
        raise typer.BadParameter(f"--symmetric {sorted(unknown)[0]}: there is no --relation of this name.")
    knowledge = {"taxonomy_side", "taxonomy_columns", *(() if "catalogue" in settings else ("drop_cycles",))}
    if knowledge & settings.keys() and "taxonomy" not in settings:
        raise typer.BadParameter("options for a taxonomy were given, but no --taxonomy.")
    if "relation_columns" in settings and "relation" not in settings:
        raise typer.BadParameter("--relation-columns was given, but no --relation.")
    if "half_life" in settings and "time" not in settings:
        raise typer.BadParameter("--half-life needs --time, the column of the input that says when.")
    if "validation" in settings and "hold_out" in settings:
        raise typer.BadParameter("give --validation or --hold-out, not both.")
    if "hold_out" in settings and not 0.0 < settings["hold_out"] < 1.0:
        raise typer.BadParameter(f"--hold-out must be above 0 and below 1, not {settings['hold_out']:g}.")
    check_content_usage(settings)
    _check_hold_out_by(settings)
    _check_held_out(settings)
    _check_engine(settings)


def _check_hold_out_by(settings: Mapping[str, Any]) -> None:
    by, kind = settings.get("hold_out_by"), settings["kind"]
    if by is not None and "hold_out" not in settings:
        raise typer.BadParameter("--hold-out-by says which pairs to hold out: give --hold-out, too.")
    if by in ("time", "last") and kind != "folder" and "time" not in settings:
        raise typer.BadParameter(f"--hold-out-by {by} needs --time, the column of the input that says when.")


def _check_held_out(settings: Mapping[str, Any]) -> None:
    """Refuse a file for held-out pairs that is an input, or lies in a folder that must hold no records."""
    if "held_out" not in settings:
        return
    if "hold_out" not in settings:
        raise typer.BadParameter("--held-out says where to write held-out pairs: give --hold-out, too.")
    file, out = Path(settings["held_out"]).resolve(), Path(settings["out"]).resolve()
    private = [f"--no-{key}" for key in ("counts", "rows") if not settings.get(key, True)]
    if private and out in file.parents:
        raise typer.BadParameter(f"{private[0]} keeps records out of the folder: choose a --held-out outside of it.")
    if not file.parent.is_dir():
        raise typer.BadParameter(f"--held-out: there is no folder {file.parent}.")
    if file.exists() and any(file.samefile(read) for read in input_files(settings)):
        raise typer.BadParameter(f"--held-out would overwrite {settings['held_out']}, which is an input.")


def _check_engine(settings: Mapping[str, Any]) -> None:
    cluster = [option_of(key) for key in ("address", "workers") if key in settings]
    if settings.get("engine") != "ray":
        if cluster:
            raise typer.BadParameter(f"{' and '.join(cluster)}: only with --engine ray.")
    elif "memory" in settings:
        raise typer.BadParameter(
            "--memory keeps counts in files of this machine, which the workers of a cluster do not see: train on a "
            "folder that they see, with --kind folder."
        )


def with_kind(settings: dict[str, Any], quiet: bool = False) -> dict[str, Any]:
    """Return settings with the kind of the input, by what the file and its columns are called if it is not given.

    Columns with unusual names are users and items if the catalogue shares the name of one of them.
    """
    if "kind" in settings or "input" not in settings:
        return settings
    path = Path(settings["input"])
    if not path.exists():
        find_file(path)  # says so, and what may have been meant
    suffix = Path(path.name.removesuffix(".gz")).suffix
    kind = "folder" if path.is_dir() else {".npz": "matrix"}.get(suffix)
    if kind is None and suffix == ".txt" and path.is_file() and "columns" not in settings:
        kind = text_kind(path)
    found: dict[str, Any] = {} if kind is None else {"kind": kind}
    names: list[str] = []
    if kind is None and path.is_file():
        names = column_names(path, settings.get("delimiter", "").replace("\\t", "\t") or None)
        if len(settings.get("columns", ())) > 1:
            found = {"kind": table_kind(names) or "interactions"}
        else:
            named = table_kind(names)
            found = _by_catalogue(settings, names) if named is None else {"kind": named}
    if not found:
        raise typer.BadParameter(_asking_for_kind(path, names))
    if not quiet:
        columns = f" {_columns_option(found['columns'])}" if "columns" in found else ""
        say(f"{path.name or path} is read as --kind {found['kind']}{columns}")
    return settings | found


def _by_catalogue(settings: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the kind and the columns of a file if one of its first two, and no other, is in the catalogue too."""
    catalogue = Path(settings.get("catalogue", ""))
    if "columns" in settings or not catalogue.is_file():
        return {}
    shared, pair = set(names).intersection(column_names(catalogue)), list(names[:2])
    if len(pair) < 2 or len(shared) != 1 or shared.isdisjoint(pair) or any(split_columns(x) != [x] for x in pair):
        return {}
    pair.sort(key=lambda name: name in shared)
    return {"kind": "interactions", "columns": pair}


def _asking_for_kind(path: Path, names: Sequence[str]) -> str:
    """Return what to say where the kind of a file cannot be found, with an example from its own columns."""
    wanted = f"say with --kind what {path.name} holds: {', '.join(_ACCEPTED)}"
    pair = likely_pair(names)
    if len(pair) < 2 or any(split_columns(name) != [name] for name in pair):
        return f"{wanted}. Columns called user and item mean interactions." if path.is_file() else wanted
    listed = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    return (
        f"{wanted}. It has the columns {listed}; if {pair[0]!r} holds users and {pair[1]!r} items: "
        f"--kind interactions {_columns_option(pair)}"
    )


def _columns_option(names: Sequence[str]) -> str:
    return f"--columns {shlex.quote(joined(names))}"


def with_catalogue_columns(settings: dict[str, Any], data: Dataset, quiet: bool = False) -> dict[str, Any]:
    """Return settings that name the columns of the catalogue, found ones too, and say which were found.

    `vbn update` reads other catalogues alike.
    """
    if "catalogue" not in settings:
        return settings
    given = {"id": _column(settings, "id"), "label": _column(settings, "label")}
    found = find_columns(
        settings["catalogue"], data.columns, **given, levels=settings.get("levels"), split=settings.get("split")
    )
    plain = {key: name for key, name in found.items() if key in ("levels", "split") or split_columns(name) == [name]}
    if not quiet and found.keys() - settings.keys() - {"split"}:
        say(_found_columns(Path(settings["catalogue"]).name, found))
    return {**plain, **settings}


def _found_columns(file: str, found: Mapping[str, Any]) -> str:
    """Say how a catalogue is read, as options, and how to change the levels."""
    levels = found.get("levels", [])
    chains = [levels] if levels and isinstance(levels[0], str) else levels
    given = [("--id", [found["id"]]), *(("--levels", chain) for chain in chains)]
    given += [("--label", [found["label"]])] if "label" in found else []
    told = f"{file} is read as " + " ".join(f"{name} {shlex.quote(joined(columns))}" for name, columns in given)
    if len(chains) > 1:
        told += (
            "\n  Each --levels stands beside the others, as their values do not go together; --levels A,B puts B below "
            "A, and columns that you do not name are left out."
        )
    return told


def with_knowledge(settings: Mapping[str, Any], data: Dataset, scratch: Path | None = None) -> Dataset:
    """Return the data to train on with its co-occurrences, taxonomy, relations and content.

    Counts that take more than the settings' memory are moved to the folder `scratch` and mapped.
    """
    if "co_occurrences" in settings:
        data = data.with_co_occurrences(settings["co_occurrences"], _weight(settings.get("weight", "auto")))
    if scratch is not None and settings["kind"] != "folder" and data.counts.nbytes > bytes_of(settings["memory"]):
        data = data.to_folder(scratch)
    without_name = unnamed(settings)
    cycles = "drop" if settings.get("drop_cycles", True) else "error"
    columns: Any
    for file in paths_of(settings, "taxonomy"):
        columns = dict(zip(("child", "parent", "weight"), _columns(settings, "taxonomy_columns"), strict=False))
        data = data.with_taxonomy(
            file,
            settings.get("taxonomy_side"),
            **columns,
            break_cycles=cycles,
            missing=without_name,
        )
    if "catalogue" in settings:
        data = data.with_catalogue(
            settings["catalogue"],
            id=_column(settings, "id"),
            levels=settings.get("levels"),
            split=settings.get("split"),
            label=_column(settings, "label"),
            prefix=settings.get("prefix", False),
            break_cycles=cycles,
        )
    missing = "skip" if settings.get("skip_unknown") else without_name
    for name, file in settings.get("relation", {}).items():
        columns = dict(zip(("left", "right", "weight"), _columns(settings, "relation_columns"), strict=False))
        data = data.with_relation(name, file, name in settings.get("symmetric", ()), missing, **columns)
    return with_content(settings, data)


def read_input(settings: dict[str, Any], quiet: bool = False) -> tuple[dict[str, Any], Dataset]:
    """Return the counts of the input, and settings that say how its cells are taken apart if they hold several items.

    Where Python warns of such cells, they are taken apart here, with a message.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", VBNWarning)
        data = read_counts(settings, settings["input"], limits=True)
    marks = [_mark_in(warning.message) for warning in told]
    mark = next((mark for mark in marks if mark is not None), None)
    if mark is None or "split_items" in settings:
        for warning, about in zip(told, marks, strict=True):
            if about is None:
                warnings.showwarning(warning.message, warning.category, warning.filename, warning.lineno)
        return settings, data
    if not quiet:
        say(
            f"cells of {Path(settings['input']).name} hold several items, which are taken apart as by --split-items "
            f"{shlex.quote(str(mark))}; --split-items {WHOLE} takes each cell as one name"
        )
    settings = settings | {"split_items": mark}
    return settings, read_counts(settings, settings["input"], limits=True)


def _mark_in(warning: Warning | str) -> object:
    """Return what separates the items of a cell if that is what a warning is about."""
    remedies = warning.remedies if isinstance(warning, VBNWarning) else ()
    return next((value for name, *given in remedies if name == "split_items" for value in given), None)


def read_counts(settings: Mapping[str, Any], file: str, *, limits: bool) -> Dataset:
    """Read counts from one file; without `limits` rare entities are kept."""
    kind = settings["kind"]
    accepted, _ = _ACCEPTED[kind]
    options = {key: settings[key] for key in accepted & settings.keys()}
    if not limits:
        options = {
            key: value for key, value in options.items() if key not in ("min_count", "max_size", "time", "half_life")
        }
    if "time" in options:
        options["time"] = split_columns(options["time"])[0]
    if "delimiter" in options:
        options["delimiter"] = options["delimiter"].replace("\\t", "\t")
    if options.pop("drop_missing", None) is not None:
        options["missing"] = unnamed(settings)
    if options.get("split_items") == WHOLE:
        del options["split_items"]
    if "weight" in options:
        options["weight"] = _weight(options["weight"])
    columns = _columns(settings, "columns")
    if kind == "sequences":
        return Dataset.from_sequences(file, column=columns[0] if columns else None, **options)
    if kind == "matrix":
        for side in ("row", "column"):
            if f"{side}_names" in options:
                options[f"{side}s"] = read_names(Path(options.pop(f"{side}_names")))
    made: Dataset = getattr(Dataset, f"from_{kind}")(file, *columns, **options)
    return made


def unnamed(settings: Mapping[str, Any]) -> str:
    """Return what to do about rows without a name; by default, a few are left out."""
    return {True: "drop", False: "error"}.get(settings.get("drop_missing"), "auto")  # type: ignore[arg-type]


def _weight(given: str | float) -> str | float | None:
    """Read how much evidence a basket is: "auto", "none" or a positive number."""
    if given in ("auto", "none"):
        return "auto" if given == "auto" else None
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not 0.0 < number < math.inf:
        raise typer.BadParameter(f"--weight must be auto, none or a positive number, got {given}.")
    return number


def _column(settings: Mapping[str, Any], key: str) -> str | int | None:
    given = settings.get(key)
    return split_columns(given)[0] if isinstance(given, str) else given


def _columns(settings: Mapping[str, Any], key: str) -> list[str | int | None]:
    return [None if column == "" else column for column in settings.get(key, ())]
