"""Write and read a model folder; a kill at any moment leaves the old model or the new one.

The tensors go to a file named by its content and are synced; config.json, which names the file with its checksum, is
replaced last, by one atomic rename; files that nothing names any more go afterwards.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn._version import __version__
from vbn.data import Dataset
from vbn.model._trained import Trained
from vbn.storage._card import model_card
from vbn.storage._data import data_from_tensors, data_to_tensors
from vbn.storage._tensors import from_tensors, to_tensors

FORMAT = 1
_CONFIG = "config.json"
_CARD = "README.md"


def write_folder(
    folder: str | os.PathLike[str], trained: Trained, data: Dataset | None, estimator: str, params: dict[str, Any],
    record: dict[str, Any],
) -> Path:  # fmt: skip
    """Save a model; returns the folder."""
    from safetensors.numpy import save

    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ModelFileError(f"{path} is a file; a model is saved as a folder.")
    path.mkdir(parents=True, exist_ok=True)
    tensors, extra = to_tensors(trained)
    if data is not None:
        tensors |= data_to_tensors(data)
        extra["kind"] = data.kind
    blob = save(tensors)
    digest = hashlib.sha256(blob).hexdigest()
    name = f"model-{digest[:16]}.safetensors"
    _replace(path / name, blob)
    config = {
        "format": FORMAT, "estimator": estimator, "version": __version__, "parameters": params, "model": extra,
        "record": record, "tensors": {"file": name, "sha256": digest, "bytes": len(blob)},
    }  # fmt: skip
    _replace(path / _CARD, model_card(trained, config).encode())
    _replace(path / _CONFIG, json.dumps(config, indent=1, ensure_ascii=False, default=_plain).encode())
    for old in path.glob("model-*.safetensors"):
        if old.name != name:
            old.unlink(missing_ok=True)
    return path


def read_folder(folder: str | os.PathLike[str]) -> tuple[Trained, Dataset | None, dict[str, Any]]:
    """Load a model: what `write_folder` was given as `trained` and `data`, and the whole config."""
    path = Path(folder)
    if not path.is_dir():
        raise ModelFileError(f"{path} is not a model folder: there is no such folder.")
    if not (path / _CONFIG).is_file():
        raise ModelFileError(f"{path} is not a model folder: it has no {_CONFIG}.")
    try:
        config = _checked_config(json.loads((path / _CONFIG).read_text(encoding="utf-8")))
        tensors = _tensors(path, config["tensors"])
        trained = from_tensors(tensors, config["model"])
        return trained, data_from_tensors(tensors, trained, str(config["model"].get("kind"))), config
    except ModelFileError:
        raise
    except Exception as error:  # one error type for whatever a damaged or hostile file makes of itself
        raise ModelFileError(f"{path} cannot be read as a model: {type(error).__name__}: {error}") from error


def _checked_config(config: Any) -> dict[str, Any]:
    if not isinstance(config, dict) or not isinstance(config.get("format"), int):
        raise ModelFileError(f"{_CONFIG} is not that of a vbn model: it states no format.")
    if config["format"] > FORMAT:
        raise ModelFileError(
            f"the model has format {config['format']}, this version ({__version__}) reads up to {FORMAT}: upgrade vbn."
        )
    missing = [key for key in ("estimator", "parameters", "model", "record", "tensors") if key not in config]
    if missing:
        raise ModelFileError(f"{_CONFIG} is damaged: it has no {', '.join(missing)}.")
    return config


def _tensors(path: Path, entry: dict[str, Any]) -> Any:
    from safetensors.numpy import load

    name = entry["file"]
    if Path(name).name != name or name in ("", ".", ".."):
        raise ModelFileError(f"{_CONFIG} names a tensor file outside the folder: {name!r}.")
    file = path / name
    if not file.is_file():
        raise ModelFileError(f"{file} is missing; the folder is not complete.")
    if file.stat().st_size != entry["bytes"]:
        raise ModelFileError(
            f"{file} has {file.stat().st_size} bytes instead of {entry['bytes']}: truncated or replaced."
        )
    blob = file.read_bytes()
    if hashlib.sha256(blob).hexdigest() != entry["sha256"]:
        raise ModelFileError(f"{file} does not have the checksum that {_CONFIG} states: damaged or replaced.")
    return load(blob)


def _plain(value: Any) -> Any:
    """Numpy's numbers and types, which users give as parameters, in a form that JSON has."""
    return value.item() if isinstance(value, np.generic) else np.dtype(value).name


def _replace(target: Path, content: bytes) -> None:
    """Write a file whole or not at all, and on disk before anything refers to it."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    directory = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
