"""Write and read a model folder; a kill at any moment leaves the old model or the new one.

Tensors are written to files named by their content and synced. Then one atomic rename replaces config.json, which names
the files and their checksums. Files that no config names any more are removed last.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn._version import __version__
from vbn.data import Dataset
from vbn.model import Trained
from vbn.storage.card import model_card
from vbn.storage.config import CARD, CONFIG, FORMAT, check_ours, data_summary, read_config, versions
from vbn.storage.files import alone_in, dump, folder_path, open_plain, parse, sweep, write_file
from vbn.storage.tensor_file import file_chunks, map_tensors
from vbn.storage.tensors import data_from_tensors, data_to_tensors, from_tensors, state_from_format_1, to_tensors

_TRIES = 10  # to read a model that another process keeps replacing


@dataclass(frozen=True)
class State:
    """What a fit needs to continue, besides the model: tensors, and facts that belong in JSON."""

    tensors: dict[str, np.ndarray]
    facts: dict[str, Any]


def write_folder(
    folder: str | os.PathLike[str],
    trained: Trained,
    data: Dataset | None,
    estimator: str,
    params: dict[str, Any],
    record: dict[str, Any],
    *,
    counts: bool = True,
    state: State | None = None,
) -> Path:
    """Save a model and return the folder; `counts` keeps those of the data, `state` is that of an unfinished fit."""
    path = folder_path(folder)
    tensors, extra = to_tensors(trained)
    if data is not None and counts:
        tensors |= data_to_tensors(data)
        extra["kind"] = data.kind
    config = {
        "format": FORMAT,
        "estimator": estimator,
        "version": __version__,
        "versions": versions(),
        "parameters": params,
        "data": data_summary(trained, data),
        "model": extra,
        "record": record,
    }
    with _writing(path):
        _make(path)
        with alone_in(path):
            check_ours(path)
            sweep(path)
            entry = write_file(path, file_chunks(tensors), stem="model")
            config["tensors"] = asdict(entry)
            keep = {entry.file}
            if state is not None:
                entry = write_file(path, file_chunks(state.tensors), stem="state")
                config["checkpoint"] = state.facts | {"tensors": asdict(entry)}
                keep.add(entry.file)
            text = dump(config, CONFIG)
            write_file(path, [text], CONFIG)
            card = model_card(trained, parse(text, CONFIG))
            write_file(path, [card.encode("utf-8", "backslashreplace")], CARD)
            sweep(path, keep)
    return path


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Raise the error that saving a model there would raise, before the model is trained."""
    path = folder_path(folder)
    with _writing(path):
        _make(path)
        check_ours(path)
        with tempfile.TemporaryFile(dir=path):
            pass


def read_folder(folder: str | os.PathLike[str]) -> tuple[Trained, Dataset | None, dict[str, Any]]:
    """Return the `trained` and `data` that `write_folder` was given, and the whole config."""
    path = folder_path(folder)
    with _reading(path, "model"):
        config, tensors = _consistent(path, checkpoint=False)
        trained = from_tensors(tensors, config["model"], config["format"])
        return trained, data_from_tensors(tensors, trained, config["model"].get("kind")), config


def read_state(folder: str | os.PathLike[str]) -> tuple[State, dict[str, Any]]:
    """Return the `state` that `write_folder` was given, and the whole config."""
    path = folder_path(folder)
    with _reading(path, "checkpoint"):
        config, tensors = _consistent(path, checkpoint=True)
        if config["format"] == 1:
            tensors = state_from_format_1(tensors)
        return State(tensors, config["checkpoint"]), config


def _make(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise ModelFileError("it is a file, and a model is saved as a folder.")
    path.mkdir(parents=True, exist_ok=True)


def _consistent(path: Path, checkpoint: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return a config and the tensors that it names, even if another process replaces the model meanwhile."""
    for tried in range(_TRIES):
        config = read_config(path)
        if checkpoint and "checkpoint" not in config:
            raise ModelFileError("it contains a finished model and no state of a fit that could continue.")
        entry = (config["checkpoint"] if checkpoint else config)["tensors"]
        try:
            stream = open_plain(path, entry["file"])
        except FileNotFoundError:
            time.sleep(0.002 * tried)
            continue
        with stream:
            _verify(stream, entry)
            return config, map_tensors(stream, entry["file"])
    raise ModelFileError(f"its file {entry['file']} is missing: the folder is incomplete.")


def _verify(stream: BufferedReader, entry: dict[str, Any]) -> None:
    size = os.fstat(stream.fileno()).st_size
    if size != entry["bytes"]:
        raise ModelFileError(f"{entry['file']} has {size} bytes instead of {entry['bytes']}: truncated or replaced.")
    if hashlib.file_digest(stream, "sha256").hexdigest() != entry["sha256"]:
        raise ModelFileError(f"{entry['file']} does not match the checksum in {CONFIG}: damaged or replaced.")


@contextlib.contextmanager
def _reading(path: Path, what: str) -> Iterator[None]:
    """Turn whatever a damaged or hostile file causes into one type of error."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"{path} cannot be read as a {what}: {error}") from error
    except Exception as error:
        raise ModelFileError(f"{path} cannot be read as a {what}: {type(error).__name__}: {error}") from error


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"cannot save to {path}: {error}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelFileError(f"cannot save to {path}: {reason}. A model that was there is unchanged.") from error
