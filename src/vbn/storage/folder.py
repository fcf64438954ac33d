"""Write and read a model folder; a kill at any moment leaves the old model or the new one.

Tensors are written to files named by their content and synced. Then one atomic rename replaces config.json, which names
the files and their checksums. Files that no config names any more are removed last.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import ModelFileError
from vbn._version import __version__
from vbn.data import Dataset, Taxonomy
from vbn.model import Trained
from vbn.storage.card import model_card
from vbn.storage.files import LARGEST_JSON, alone_in, dump, folder_path, open_plain, parse, sweep, write_file
from vbn.storage.format_1 import state_from_format_1
from vbn.storage.journal import fold
from vbn.storage.records import RECORDS, Forgotten, forget_beside
from vbn.storage.stored_data import data_from_tensors, data_to_tensors
from vbn.storage.tensor_file import file_chunks, map_tensors, read_bytes, tensors_of
from vbn.storage.tensors import from_tensors, to_tensors

FORMAT = 2
CONFIG = "config.json"
CARD = "README.md"
_SECTIONS = {"estimator": str, "parameters": dict, "model": dict, "record": dict, "tensors": dict}
_CHECKSUM = re.compile("[0-9a-f]{64}")
_SHOWN = 5  # dropped edges that the config and the card list
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
    forgotten: Collection[Forgotten] = (),
) -> Path:
    """Save a model and return the folder; `counts` keeps those of the data, `state` is that of an unfinished fit.

    Entities that the model has `forgotten` go from the files beside it too, and before it.
    """
    path = folder_path(folder)
    tensors, extra = to_tensors(trained)
    if data is not None and counts:
        tensors |= data_to_tensors(data)
        extra["kind"] = data.kind
    config = {
        "format": FORMAT,
        "estimator": estimator,
        "version": __version__,
        "versions": _versions(),
        "parameters": params,
        "data": _data_summary(trained, data),
        "model": extra,
        "record": record,
    }
    with _writing(path):
        _make(path)
        with alone_in(path):
            _check_ours(path)
            sweep(path)
            forget_beside(path, forgotten, rows=trained.left_out is None)
            entry = write_file(path, file_chunks(tensors), stem="model")
            config["tensors"] = asdict(entry)
            keep = {entry.file}
            if state is not None:
                entry = write_file(path, file_chunks(state.tensors), stem="state")
                config["checkpoint"] = state.facts | {"tensors": asdict(entry)}
                keep.add(entry.file)
            text = dump(config, CONFIG)
            write_file(path, [text], CONFIG)
            fold(path, record)
            kept = ["counts"] if data is not None and counts else []
            records = [*kept, *(name for name in RECORDS if (path / name).exists())]
            card = model_card(trained, parse(text, CONFIG), records)
            write_file(path, [card.encode("utf-8", "backslashreplace")], CARD)
            sweep(path, keep)
    return path


def check_folder(folder: str | os.PathLike[str]) -> None:
    """Raise the error that saving a model there would raise, before the model is trained."""
    path = folder_path(folder)
    with _writing(path):
        _make(path)
        _check_ours(path)
        with tempfile.TemporaryFile(dir=path):
            pass


def read_folder(folder: str | os.PathLike[str], mapped: bool = True) -> tuple[Trained, Dataset | None, dict[str, Any]]:
    """Return the `trained` and `data` that `write_folder` was given, and the whole config; `mapped` as in `load`."""
    path = folder_path(folder)
    with _reading(path, "model"):
        config, tensors = _consistent(path, checkpoint=False, mapped=mapped)
        trained = from_tensors(tensors, config["model"], config["format"])
        return trained, data_from_tensors(tensors, trained, config["model"].get("kind")), config


def read_state(folder: str | os.PathLike[str]) -> tuple[State, dict[str, Any]]:
    """Return the `state` that `write_folder` was given, and the whole config."""
    path = folder_path(folder)
    with _reading(path, "checkpoint"):
        config, tensors = _consistent(path, checkpoint=True, mapped=True)
        if config["format"] == 1:
            tensors = state_from_format_1(tensors)
        return State(tensors, config["checkpoint"]), config


def _make(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise ModelFileError("it is a file, and a model is saved as a folder.")
    path.mkdir(parents=True, exist_ok=True)


def _consistent(path: Path, checkpoint: bool, mapped: bool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
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
            size = os.fstat(stream.fileno()).st_size
            if size != entry["bytes"]:
                told = f"has {size} bytes instead of {entry['bytes']}: truncated or replaced."
                raise ModelFileError(f"{entry['file']} {told}")
            content = None if mapped else read_bytes(stream, size)
            digest = hashlib.file_digest(stream, "sha256") if content is None else hashlib.sha256(content.data)
            if digest.hexdigest() != entry["sha256"]:
                raise ModelFileError(f"{entry['file']} does not match the checksum in {CONFIG}: damaged or replaced.")
            name = entry["file"]
            return config, map_tensors(stream, name) if content is None else tensors_of(content, name)
    raise ModelFileError(f"its file {entry['file']} is missing: the folder is incomplete.")


@contextlib.contextmanager
def _reading(path: Path, what: str) -> Iterator[None]:
    """Turn whatever a damaged or hostile file causes into one type of error."""
    try:
        yield
    except Exception as error:
        kind = "" if isinstance(error, ModelFileError) else f"{type(error).__name__}: "
        raise ModelFileError(f"{path} cannot be read as a {what}: {kind}{error}") from error


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"cannot save to {path}: {error}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelFileError(f"cannot save to {path}: {reason}. A model that was there is unchanged.") from error


@cache
def _versions() -> dict[str, str]:
    """Return the versions of Python, of this library and of the libraries that its numbers depend on."""
    import platform
    from importlib.metadata import version  # both are slow to import, and only saving needs them

    libraries = {name: version(name) for name in ("numpy", "scipy", "numba")}
    return {"vbn": __version__, "python": platform.python_version(), **libraries}


def _data_summary(trained: Trained, data: Dataset | None) -> dict[str, Any]:
    """Return the sizes of the data; None for what is unknown because the counts were not kept."""
    pairs = {} if data is None else {name: len(relation) for name, relation in data.relations.items()}
    sides = {"entities": trained.columns} if trained.shared else {"rows": trained.rows, "columns": trained.columns}
    edges = {"entities": trained.column_taxonomy, "rows": trained.row_taxonomy, "columns": trained.column_taxonomy}
    return {
        "kind": None if data is None else data.kind,
        **{side: len(names) for side, names in sides.items()},
        "cells": None if data is None else data.counts.nnz,
        "total": None if data is None else data.counts.total,
        "taxonomy_edges": {side: 0 if (taxonomy := edges[side]) is None else taxonomy.n_edges for side in sides},
        **_dropped(edges[side] for side in sides),
        "relations": [{"name": info.name, "pairs": pairs.get(info.name)} for info in trained.relations],
    }


def _dropped(taxonomies: Iterable[Taxonomy | None]) -> dict[str, Any]:
    """Return how many edges were dropped to break cycles, and the first ones; nothing if none were."""
    gone = [edge for taxonomy in taxonomies if taxonomy is not None for edge in taxonomy.dropped]
    return {"dropped_edges": {"number": len(gone), "first": gone[:_SHOWN]}} if gone else {}


def read_config(folder: Path) -> dict[str, Any]:
    """Return the config of a model folder, with all sections present and of the right types."""
    if not folder.is_dir():
        raise ModelFileError("it is a file, not a folder." if folder.exists() else "there is no such folder.")
    try:
        stream = open_plain(folder, CONFIG)
    except FileNotFoundError:
        raise ModelFileError(f"it has no {CONFIG}.") from None
    with stream:
        size = os.fstat(stream.fileno()).st_size
        if size > LARGEST_JSON:
            raise ModelFileError(f"its {CONFIG} has {size:,} bytes, more than {LARGEST_JSON:,}.")
        text = stream.read(size)
    return _checked(parse(text, f"its {CONFIG}"))


def _check_ours(folder: Path) -> None:
    """Refuse to save over a config or card that another program wrote."""
    if (folder / CONFIG).exists():
        try:
            read_config(folder)
        except ModelFileError as error:
            raise ModelFileError(
                f"its {CONFIG} is not that of a vbn model ({error}); choose another folder, or remove the file."
            ) from error
    elif (folder / CARD).exists():
        raise ModelFileError(f"its {CARD} is not that of a vbn model; choose another folder, or remove the file.")


def _checked(config: dict[str, Any]) -> dict[str, Any]:
    form = config.get("format")
    if type(form) is not int or form < 1:
        raise ModelFileError(f"its {CONFIG} is not that of a vbn model: it states no format.")
    if form > FORMAT:
        raise ModelFileError(f"it has format {form}, this version ({__version__}) reads up to {FORMAT}: upgrade vbn.")
    for name, kind in _SECTIONS.items():
        if not isinstance(config.get(name), kind):
            raise ModelFileError(f"its {CONFIG} is damaged: it has no {name}.")
    checkpoint = config.get("checkpoint", {"tensors": config["tensors"]})
    if not isinstance(checkpoint, dict) or not isinstance(checkpoint.get("tensors"), dict):
        raise ModelFileError(f"the checkpoint in its {CONFIG} is damaged.")
    for entry in (config["tensors"], checkpoint["tensors"]):
        name, digest, size = (entry.get(key) for key in ("file", "sha256", "bytes"))
        good = isinstance(name, str) and isinstance(digest, str) and _CHECKSUM.fullmatch(digest) is not None
        if not good or type(size) is not int or size < 8:
            raise ModelFileError(f"its {CONFIG} is damaged: a tensor file lacks its name, checksum or size.")
    _check_record(config["record"])
    return config


def _check_record(record: dict[str, Any]) -> None:
    """Check the record of the fit; its lists are empty for models without a bound, such as baselines."""
    for name in ("lower_bounds", "validation"):
        values = record.get(name)
        if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
            raise ModelFileError(f"its {CONFIG} is damaged: {name} must be a list of numbers.")
    for name in ("settings", "inputs"):
        if not isinstance(record.get(name, {}), dict):
            raise ModelFileError(f"its {CONFIG} is damaged: {name} must be an object.")
    if not isinstance(record.get("converged"), bool):
        raise ModelFileError(f"its {CONFIG} is damaged: converged must be true or false.")
