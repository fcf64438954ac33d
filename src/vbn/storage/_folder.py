"""Write and read a model folder; a kill at any moment leaves the old model or the new one.

The tensors go to files named by their content and are synced; config.json, which names them with their checksums, is
replaced by one atomic rename; files that nothing names any more go afterwards.
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
from vbn.storage import _json
from vbn.storage._about import data_summary, versions
from vbn.storage._card import model_card
from vbn.storage._config import CARD, CONFIG, FORMAT, check_ours, read_config
from vbn.storage._data import data_from_tensors, data_to_tensors
from vbn.storage._files import alone_in, folder_path, open_plain, sweep, write_file
from vbn.storage._safetensors import file_chunks, map_tensors
from vbn.storage._tensors import from_tensors, to_tensors

_TRIES = 10  # a model that is being replaced while it is read is read again


@dataclass(frozen=True)
class State:
    """What a fit needs to go on, beside the model: tensors, and facts that JSON holds better."""

    tensors: dict[str, np.ndarray]
    facts: dict[str, Any]


def write_folder(
    folder: str | os.PathLike[str], trained: Trained, data: Dataset | None, estimator: str, params: dict[str, Any],
    record: dict[str, Any], *, counts: bool = True, state: State | None = None,
) -> Path:  # fmt: skip
    """Save a model, with its data's counts if wanted, and with the state of a fit under way; returns the folder."""
    path = folder_path(folder)
    tensors, extra = to_tensors(trained)
    if data is not None and counts:
        tensors |= data_to_tensors(data)
        extra["kind"] = data.kind
    config = {
        "format": FORMAT, "estimator": estimator, "version": __version__, "versions": versions(), "parameters": params,
        "data": data_summary(trained, data), "model": extra, "record": record,
    }  # fmt: skip
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
            text = _json.dump(config, CONFIG)
            write_file(path, [text], CONFIG)
            card = model_card(trained, _json.parse(text, CONFIG))
            write_file(path, [card.encode("utf-8", "backslashreplace")], CARD)
            sweep(path, keep)
    return path


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Find out early whether a model could be saved there."""
    path = folder_path(folder)
    with _writing(path):
        _make(path)
        check_ours(path)
        with tempfile.TemporaryFile(dir=path):
            pass


def read_folder(folder: str | os.PathLike[str]) -> tuple[Trained, Dataset | None, dict[str, Any]]:
    """Load a model: what `write_folder` was given as `trained` and `data`, and the whole config."""
    path = folder_path(folder)
    with _reading(path, "model"):
        config, tensors = _consistent(path, checkpoint=False)
        trained = from_tensors(tensors, config["model"])
        return trained, data_from_tensors(tensors, trained, config["model"].get("kind")), config


def read_state(folder: str | os.PathLike[str]) -> tuple[State, dict[str, Any]]:
    """Load what `write_folder` was given as `state`, and the whole config."""
    path = folder_path(folder)
    with _reading(path, "checkpoint"):
        config, tensors = _consistent(path, checkpoint=True)
        return State(tensors, config["checkpoint"]), config


def _make(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise ModelFileError("it is a file; a model is saved as a folder.")
    path.mkdir(parents=True, exist_ok=True)


def _consistent(path: Path, checkpoint: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """A config and the tensors that it names, even if another process replaces the model meanwhile."""
    for tried in range(_TRIES):
        config = read_config(path)
        if checkpoint and "checkpoint" not in config:
            raise ModelFileError("it holds a finished model, but no state of a fit to go on from.")
        entry = (config["checkpoint"] if checkpoint else config)["tensors"]
        try:
            stream = open_plain(path, entry["file"])
        except FileNotFoundError:
            time.sleep(0.002 * tried)
            continue
        with stream:
            _verify(stream, entry)
            return config, map_tensors(stream, entry["file"])
    raise ModelFileError(f"its file {entry['file']} is missing: the folder is not complete.")


def _verify(stream: BufferedReader, entry: dict[str, Any]) -> None:
    size = os.fstat(stream.fileno()).st_size
    if size != entry["bytes"]:
        raise ModelFileError(f"{entry['file']} has {size} bytes instead of {entry['bytes']}: truncated or replaced.")
    if hashlib.file_digest(stream, "sha256").hexdigest() != entry["sha256"]:
        raise ModelFileError(f"{entry['file']} does not have the checksum that {CONFIG} states: damaged or replaced.")


@contextlib.contextmanager
def _reading(path: Path, what: str) -> Iterator[None]:
    """One error type for whatever a damaged or hostile file makes of itself."""
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
        raise ModelFileError(f"cannot save to {path}: {reason}. A model that was there is as it was.") from error
