"""What several verbs share: options, loading a model, printing results, checks of folders."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from vbn._errors import MissingExtraError, ModelFileError

Side = Literal["row", "column"]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="Folder of a trained model.")]
K = Annotated[int, typer.Option("-k", min=1, help="How many answers.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
OnSide = Annotated[
    Side, typer.Option("--side", help="Whose name it is, where rows and columns differ (users and items).")
]
ColumnNames = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="A,B,...",
        help="Columns of the file by name or number (from 0), in order; an empty one is found by its usual name.",
    ),
]
WHOLE = "none"
"""What --split-items calls cells that hold one name each."""
Popularity = Annotated[float, typer.Option(help="The dial: above 0 favours popular entities, below 0 rare ones.")]
AutoPopularity = Annotated[
    str,
    typer.Option(
        metavar="auto|NUMBER",
        help="The dial: above 0 favours popular entities, below 0 rare ones, 0 is the model itself. auto: what "
        "held-out pairs chose at the end of the training.",
    ),
]
PopularityFloor = Annotated[
    float,
    typer.Option(min=0, help="The dial treats entities seen far less often than this many times the average alike."),
]


def read_popularity(given: str) -> float | str:
    """Return a position of the dial, or "auto"."""
    try:
        return given if given == "auto" else float(given)
    except ValueError:
        raise typer.BadParameter(f"--popularity takes 'auto' or a number, not {given!r}.") from None


HasHeader = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether the file begins with a header; by default, look.")
]


def option_of(setting: str) -> str:
    """Return the option that gives a setting: "--min-count" for "min_count"."""
    return f"--{setting.replace('_', '-')}"


def split_columns(given: str | None) -> list[str | int | None]:
    """Return names or numbers of columns from "user,item,2"; an empty place leaves a column to be found by its name."""
    import csv

    if not given:
        return []
    fields = next(csv.reader([given]))
    return [int(field) if field.isdecimal() else field or None for field in fields]


def open_model(folder: Path) -> Any:
    """Load a model."""
    import vbn

    return vbn.load(folder)


def check_relation(model: Any, name: str) -> None:
    """Refuse a relation that the model does not have, and say which it has."""
    from vbn._errors import RelationError

    known = [relation.name for relation in model.trained_.relations]
    if not known:
        raise RelationError("this model has no relations; train one with vbn train --relation NAME=FILE.")
    if name not in known:
        raise RelationError(f"unknown relation {name!r}; this model has {', '.join(map(repr, known))}.")


def say(message: str) -> None:
    """Print a message, which is not a result, to standard error."""
    typer.echo(message, err=True)


def show(result: Any, *, as_json: bool) -> None:
    """Print a table, as text or as a JSON list of its rows."""
    if as_json:
        print_json(result.to_dicts())
    else:
        typer.echo(str(result))


def print_json(value: Any) -> None:
    """Print JSON in UTF-8, whatever the terminal's encoding; numbers that are not finite become null."""
    import json

    text = json.dumps(_finite(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    # Half a surrogate pair cannot be UTF-8; as \udc80 it is an escape that JSON knows.
    data = text.encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    else:  # an embedding program's stream of text
        sys.stdout.write(data.decode())


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    if hasattr(value, "item"):  # a number of numpy
        return _finite(value.item())
    return value


def show_rows(rows: list[dict[str, Any]]) -> None:
    """Print rows with the same keys as an aligned table: text to the left, numbers to the right."""
    if not rows:
        return
    titles = list(rows[0])
    cells = [[_cell(row.get(title)) for title in titles] for row in rows]
    widths = [max(len(title), *(len(line[at]) for line in cells)) for at, title in enumerate(titles)]
    left = [isinstance(rows[0].get(title), str) for title in titles]
    for line in [titles, *cells]:
        parts = (f"{c:<{w}}" if to_left else f"{c:>{w}}" for c, w, to_left in zip(line, widths, left, strict=True))
        typer.echo("  ".join(parts).rstrip())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def check_model_folder(path: Path) -> None:
    """Refuse a folder that cannot be written or holds other files, before hours of training rather than after."""
    try:
        missing = [place for place in (path.absolute(), *path.absolute().parents) if not place.exists()]
        there = missing[-1].parent if missing else path
        if not there.is_dir():
            raise ModelFileError(f"{there} is a file; a model is saved as a folder: choose another --out.")
        if not os.access(there, os.W_OK | os.X_OK):
            raise ModelFileError(f"{there} cannot be written to: choose another --out.")
        path.mkdir(parents=True, exist_ok=True)
        for place in missing:
            place.rmdir()
    except OSError as error:
        raise ModelFileError(f"{path} cannot be made ({error.strerror}): choose another --out.") from error
    if path.is_dir():
        from vbn import storage

        storage.check_folder(path)


def check_serving() -> None:
    """Refuse to go on without the packages that serving needs, before a training rather than after."""
    from importlib.util import find_spec

    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise MissingExtraError("fastapi or uvicorn is not installed: pip install 'vbn[serve]'.")


def serve_model(
    model: Path, host: str = "127.0.0.1", port: int = 8000, settings: Any = None, open_page: bool = False
) -> None:
    """Serve a model until Ctrl-C, and perhaps open its page in a browser."""
    from vbn.serve import serve

    def ready(address: str) -> None:
        say(f"serving {model} at {address} (Ctrl-C ends it)")
        if open_page:
            import webbrowser

            webbrowser.open(address)

    serve(model, host, port, settings, ready=ready)
