"""Results on standard output, messages on standard error."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any

import typer

from vbn._errors import ModelFileError


def say(message: str) -> None:
    """A message to whoever watches; no result."""
    typer.echo(message, err=True)


def show(result: Any, *, as_json: bool) -> None:
    """Print a table, as text or as a JSON list of its rows."""
    if as_json:
        print_json(result.to_dicts())
    else:
        typer.echo(str(result))


def print_json(value: Any) -> None:
    """Print JSON in UTF-8, whatever the terminal's encoding; what is not a finite number is null."""
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


def check_folder(path: Path) -> None:
    """Refuse a folder that could not be written, before hours of training rather than after."""
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


def check_model_folder(path: Path) -> None:
    """Refuse, besides, a folder in which a model would replace files that are not a model's."""
    check_folder(path)
    if path.is_dir():
        from vbn import storage

        storage.check_folder(path)
