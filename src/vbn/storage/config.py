"""config.json, the file that makes a folder a model: it names the tensor files and their checksums."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from vbn._errors import ModelFileError
from vbn._version import __version__
from vbn.data import Dataset
from vbn.model import Trained
from vbn.storage.files import LARGEST_JSON, open_plain, parse

FORMAT = 2
CONFIG = "config.json"
CARD = "README.md"
_SECTIONS = {"estimator": str, "parameters": dict, "model": dict, "record": dict, "tensors": dict}
_CHECKSUM = re.compile("[0-9a-f]{64}")


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python, of this library and of the libraries that its numbers depend on."""
    import platform
    from importlib.metadata import version  # both are slow to import, and only saving needs them

    libraries = {name: version(name) for name in ("numpy", "scipy", "numba")}
    return {"vbn": __version__, "python": platform.python_version(), **libraries}


def data_summary(trained: Trained, data: Dataset | None) -> dict[str, Any]:
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
        "relations": [{"name": info.name, "pairs": pairs.get(info.name)} for info in trained.relations],
    }


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


def check_ours(folder: Path) -> None:
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
    _check_entry(config["tensors"])
    _check_record(config["record"])
    if "checkpoint" in config:
        if not isinstance(config["checkpoint"], dict) or not isinstance(config["checkpoint"].get("tensors"), dict):
            raise ModelFileError(f"the checkpoint in its {CONFIG} is damaged.")
        _check_entry(config["checkpoint"]["tensors"])
    return config


def _check_entry(entry: dict[str, Any]) -> None:
    """Check an entry that names a tensor file."""
    name, digest, size = (entry.get(key) for key in ("file", "sha256", "bytes"))
    good = isinstance(name, str) and isinstance(digest, str) and _CHECKSUM.fullmatch(digest) is not None
    if not good or type(size) is not int or size < 8:
        raise ModelFileError(f"its {CONFIG} is damaged: a tensor file lacks its name, checksum or size.")


def _check_record(record: dict[str, Any]) -> None:
    """Check the record of the fit; its lists are empty for models without a bound, such as baselines."""
    for name in ("lower_bounds", "validation"):
        values = record.get(name)
        if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
            raise ModelFileError(f"its {CONFIG} is damaged: {name} must be a list of numbers.")
    if not isinstance(record.get("converged"), bool):
        raise ModelFileError(f"its {CONFIG} is damaged: converged must be true or false.")
