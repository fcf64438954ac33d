"""Files beside a model that hold records of its data, and what goes from them when an entity is forgotten."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from vbn._errors import ModelFileError
from vbn.storage.files import write_file

RECORDS = ("held_out.csv", "held_out_known.csv")
"""Pairs that were held out from the training: a name of a row, a name of a column, a count."""
CHECKPOINT = "checkpoint"
"""The folder with the state of an unfinished fit."""
LAYOUT = "layout.npz"
"""The places of all entities on the map."""
_PLACES = {"row": (0,), "column": (1,), "both": (0, 1)}

Forgotten = tuple[str, str]
"""A side and a name that must not be found in a folder any more; "both" where rows and columns are the same."""


def forget_beside(folder: Path, forgotten: Collection[Forgotten], rows: bool) -> None:
    """Remove entities from what is kept beside a model: pairs with them, the map, and a checkpoint, which has all.

    Without `rows`, the model is one without them, and all pairs go.
    """
    if rows and not forgotten:
        return
    for name in RECORDS:
        if not rows:
            (folder / name).unlink(missing_ok=True)
        elif (folder / name).is_file():
            without_pairs(folder / name, forgotten)
    (folder / LAYOUT).unlink(missing_ok=True)
    remove_checkpoint(folder / CHECKPOINT)


def without_pairs(file: Path, forgotten: Iterable[Forgotten]) -> None:
    """Rewrite a file of pairs without those of some entities."""
    gone = {(place, name) for side, name in forgotten for place in _PLACES[side]}
    without_rows_of(file, lambda row: not gone.isdisjoint(enumerate(row[:2])))


def without_rows_of(file: Path, gone: Callable[[list[str]], bool]) -> None:
    """Rewrite a file of pairs without the rows that a function says are gone; the titles stay."""
    with file.open(encoding="utf-8", newline="") as stream:
        titles, *rows = csv.reader(stream)
    kept = [row for row in rows if not gone(row)]
    if len(kept) < len(rows):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([titles, *kept])
        write_file(file.parent, [text.getvalue().encode()], file.name)


def remove_checkpoint(folder: Path) -> None:
    """Remove a checkpoint's files, and its folder if nothing else is in it."""
    from vbn.storage.folder import CARD, CONFIG, read_config

    try:
        ours = "checkpoint" in read_config(folder)
    except (ModelFileError, OSError):
        return
    if not ours:
        return
    for file in [folder / CONFIG, folder / CARD, *folder.glob("*.safetensors")]:
        file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # there are other files in it
        folder.rmdir()
