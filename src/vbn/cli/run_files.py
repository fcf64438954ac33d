"""The files that `vbn train` and `vbn tune` keep beside a model: settings, held-out pairs, trials, a checkpoint.

train.toml states the checksum of its model, so these files are never used to evaluate or resume another one.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from vbn._errors import DataError, ModelFileError
from vbn.storage import CHECKPOINT, RECORDS, read_config, remove_checkpoint, write_file
from vbn.storage import CONFIG as MODEL_CONFIG

CONFIG = "train.toml"
HELD_OUT, KNOWN = RECORDS
TRIALS, PICTURE = "trials.csv", "trials.png"
STAMP = ("checksum", "added", "sha256", "updates", "latest")  # keys of train.toml that are no settings
_STAMPED = re.compile(r"^[ \t]*(?:checksum|added)[ \t]*=.*(?:\n|\Z)", re.MULTILINE)
_COMMENT = re.compile(r"\A(?:#.*\n)?")


class Run(NamedTuple):
    """What train.toml says about its model."""

    checksum: str
    added: int  # entities added since the training


class Noted(NamedTuple):
    """What train.toml says besides the settings: checksums of all input, files of updates, and the latest time."""

    sha256: dict[str, str]
    updates: list[str]
    latest: float | None


def noted(folder: Path) -> Noted:
    """Return what train.toml in a folder says besides the settings; paths are as seen from the folder."""
    found = _settings(folder)
    sums, updates, latest = (found.get(key) for key in ("sha256", "updates", "latest"))
    return Noted(
        {str(file): str(digest) for file, digest in sums.items()} if isinstance(sums, dict) else {},
        [str(file) for file in updates] if isinstance(updates, list) else [],
        float(latest) if isinstance(latest, int | float) else None,
    )


def checksum(folder: Path) -> str | None:
    """Return the checksum of the model in a folder; None if there is no model."""
    if not (folder / MODEL_CONFIG).is_file():
        return None
    try:
        return str(read_config(folder)["tensors"]["sha256"])
    except ModelFileError as error:
        raise ModelFileError(f"{folder} cannot be read as a model: {error}") from error


def run_of(folder: Path) -> Run | None:
    """Return the run that made the model in a folder; None if train.toml is missing or of another model."""
    settings = _settings(folder)
    found, added = settings.get("checksum"), settings.get("added")
    if type(added) is not int or found is None or found != checksum(folder):
        return None
    return Run(str(found), added)


def _settings(folder: Path) -> dict[str, Any]:
    """Return what train.toml says; nothing if it is missing or damaged."""
    try:
        return tomllib.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}


def stamp(folder: Path, settings: str, added: int = 0) -> None:
    """Write train.toml for the model that is in the folder now."""
    told = f'checksum = "{checksum(folder)}"\nadded = {added}\n'
    text = _COMMENT.sub(lambda comment: comment[0] + told, _STAMPED.sub("", settings))  # before any table
    write_file(folder, [text.encode()], CONFIG)


def note_added(folder: Path, run: Run, number: int) -> None:
    """Note that entities were added to the model of a run."""
    stamp(folder, (folder / CONFIG).read_text(encoding="utf-8"), run.added + number)


def sha256(file: Path) -> str:
    """Return the checksum of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def known_beside(held_out: Path) -> Path:
    """Return where the pairs are that users have when they are asked about held-out ones."""
    return held_out.with_name(f"{held_out.stem}_known{held_out.suffix}")


def held_out_of(folder: Path) -> Path | None:
    """Return the pairs held out when the model in a folder was trained; None if there are none."""
    file = folder / HELD_OUT
    same = True
    if not file.is_file():
        settings = _settings(folder)
        if "held_out" not in settings:
            return None
        file = folder / settings["held_out"]
        if not file.is_file():
            return None
        same = settings.get("sha256", {}).get(settings["held_out"]) == sha256(file)
    if run_of(folder) is None or not same:
        raise DataError(
            f"{file} may not be of this model, which was replaced or changed since; give a file of held-out data with "
            "--data."
        )
    return file


def held_out_elsewhere(folder: Path) -> Path | None:
    """Return the file of held-out pairs that a training wrote outside of the model's folder; None if there is none."""
    given = _settings(folder).get("held_out")
    file = folder / given if isinstance(given, str) else None
    return file if file is not None and file.is_file() and folder.resolve() not in file.resolve().parents else None


def epochs_done(out: Path) -> int:
    """Return the number of epochs of the checkpoint to resume from."""
    if not (out / CHECKPOINT / MODEL_CONFIG).is_file():
        raise DataError(
            f"there is no {out / CHECKPOINT} to resume from: omit --resume to start again, with --checkpoint-every N "
            "to be able to resume next time."
        )
    try:
        return len(read_config(out / CHECKPOINT)["record"]["lower_bounds"])
    except ModelFileError as error:
        raise ModelFileError(f"{out / CHECKPOINT} cannot be resumed from: {error}") from error


def check_resuming(out: Path) -> None:
    """Refuse to lose changes made to a model since its training; a folder with only a checkpoint is fine."""
    if checksum(out) is None:
        return
    run = run_of(out)
    if run is None:
        raise DataError(
            f"the model in {out} was replaced or changed since its training, so its {CHECKPOINT} may be another "
            "model's: omit --resume, or replace the model with --force."
        )
    if run.added:
        which = "1 entity was" if run.added == 1 else f"{run.added:,} entities were"
        raise DataError(
            f"{which} added to the model in {out} since its training and would be lost: choose another --out, or pass "
            "--force and add them again afterwards."
        )


def save(model: Any, folder: Path, *, counts: bool, rows: bool = True) -> None:
    """Save a model; without counts, the records of the one that it replaces go first."""
    if not (counts and rows):
        forget_records(folder)
    model.save(folder, counts=counts, **({} if rows else {"rows": False}))  # baselines have no such option


def save_changed(model: Any, folder: Path, out: Path | None, added: int = 0) -> Path:
    """Save a model that has changed since it was loaded from a folder, there or elsewhere, and return where.

    In its own folder it stays the model of its run, to which some entities may have been `added`.
    """
    target = out or folder
    in_place = target.resolve() == folder.resolve()
    run = run_of(folder) if in_place else None
    model.save(target, counts=model.data_ is not None)
    if run is not None:
        note_added(target, run, added)
    elif not in_place:
        forget(target, checkpoint=True)
    return target


def forget(folder: Path, *, checkpoint: bool) -> None:
    """Remove the files of a model that was replaced, and its checkpoint if asked to."""
    forget_records(folder)
    for name in (CONFIG, TRIALS, PICTURE):
        (folder / name).unlink(missing_ok=True)
    if checkpoint:
        remove_checkpoint(folder / CHECKPOINT)


def forget_records(folder: Path) -> None:
    """Remove the held-out pairs of a model that was replaced."""
    for name in RECORDS:
        (folder / name).unlink(missing_ok=True)
