"""What `vbn train` keeps beside a model: its settings, the pairs held out, a checkpoint. They go when the model goes.

train.toml states the checksum of the model that it came with, so that nobody evaluates or resumes another one by it.
"""

from __future__ import annotations

import contextlib
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

from vbn._errors import DataError, ModelFileError
from vbn.storage import CARD, read_config, write_file
from vbn.storage import CONFIG as MODEL_CONFIG

CONFIG, HELD_OUT, CHECKPOINT = "train.toml", "held_out.csv", "checkpoint"
STAMP = ("checksum", "added")  # keys of train.toml that are no settings
_STAMPED = re.compile(rf"^[ \t]*(?:{'|'.join(STAMP)})[ \t]*=.*(?:\n|\Z)", re.MULTILINE)
_COMMENT = re.compile(r"\A(?:#.*\n)?")


class Run(NamedTuple):
    """What train.toml says of the model that it came with."""

    checksum: str
    added: int  # entities added since the training


def checksum(folder: Path) -> str | None:
    """That of the model in a folder; None where there is none."""
    if not (folder / MODEL_CONFIG).is_file():
        return None
    try:
        return str(read_config(folder)["tensors"]["sha256"])
    except ModelFileError as error:
        raise ModelFileError(f"{folder} cannot be read as a model: {error}") from error


def run_of(folder: Path) -> Run | None:
    """The run that made the model in a folder, or None if the train.toml there is of another model or missing."""
    try:
        settings = tomllib.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    found, added = (settings.get(key) for key in STAMP)
    if type(added) is not int or found is None or found != checksum(folder):
        return None
    return Run(str(found), added)


def stamp(folder: Path, settings: str, added: int = 0) -> None:
    """Write train.toml for the model that is in the folder now."""
    told = f'checksum = "{checksum(folder)}"\nadded = {added}\n'
    text = _COMMENT.sub(lambda comment: comment[0] + told, _STAMPED.sub("", settings))  # before any table
    write_file(folder, [text.encode()], CONFIG)


def note_added(folder: Path, run: Run, number: int) -> None:
    """Entities were added to the model of a run: it is still the one that the run made, and more."""
    stamp(folder, (folder / CONFIG).read_text(encoding="utf-8"), run.added + number)


def held_out_of(folder: Path) -> Path | None:
    """The pairs held out when the model in a folder was trained; None if there are none."""
    file = folder / HELD_OUT
    if not file.is_file():
        return None
    if run_of(folder) is None:
        raise DataError(
            f"{file} may not be of this model, which was replaced or changed since; give --data, a file of held-out "
            "data."
        )
    return file


def epochs_done(out: Path) -> int:
    """How many epochs the checkpoint to resume from has."""
    if not (out / CHECKPOINT / MODEL_CONFIG).is_file():
        raise DataError(
            f"there is no {out / CHECKPOINT} to resume from: leave --resume out to begin anew, with "
            "--checkpoint-every N to be able to resume next time."
        )
    try:
        return len(read_config(out / CHECKPOINT)["record"]["lower_bounds"])
    except ModelFileError as error:
        raise ModelFileError(f"{out / CHECKPOINT} cannot be resumed from: {error}") from error


def check_resuming(out: Path) -> None:
    """Refuse to lose what was done to a model since its training; a folder with a checkpoint only is fine."""
    if checksum(out) is None:
        return
    run = run_of(out)
    if run is None:
        raise DataError(
            f"the model in {out} was replaced or changed since its training, so its {CHECKPOINT} may be another "
            "model's: leave --resume out, or replace the model with --force."
        )
    if run.added:
        which = "1 entity was" if run.added == 1 else f"{run.added:,} entities were"
        raise DataError(
            f"{which} added to the model in {out} since its training and would be lost: choose another --out, or pass "
            "--force and add them again afterwards."
        )


def forget(folder: Path, *, checkpoint: bool) -> None:
    """Remove what belonged to a model that was replaced, its checkpoint too if that is wanted."""
    for name in (CONFIG, HELD_OUT):
        (folder / name).unlink(missing_ok=True)
    if checkpoint:
        _remove_checkpoint(folder / CHECKPOINT)


def _remove_checkpoint(folder: Path) -> None:
    """Remove a checkpoint's files, and its folder if nothing else is in it."""
    try:
        ours = "checkpoint" in read_config(folder)
    except (ModelFileError, OSError):
        return
    if not ours:
        return
    for file in [folder / MODEL_CONFIG, folder / CARD, *folder.glob("*.safetensors")]:
        file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # somebody keeps other files there
        folder.rmdir()
