"""config.json, the file that makes a folder a model: it names the tensor files and their checksums."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from vbn._errors import ModelFileError
from vbn._version import __version__
from vbn.storage._files import open_plain
from vbn.storage._json import LARGEST, parse

FORMAT = 1
CONFIG = "config.json"
CARD = "README.md"
_SECTIONS = {"estimator": str, "parameters": dict, "model": dict, "record": dict, "tensors": dict}
_CHECKSUM = re.compile("[0-9a-f]{64}")


def read_config(folder: Path) -> dict[str, Any]:
    """The config of a model folder, with its sections there and of the right types."""
    if not folder.is_dir():
        raise ModelFileError("there is no such folder." if not folder.exists() else "it is a file, not a folder.")
    try:
        stream = open_plain(folder, CONFIG)
    except FileNotFoundError:
        raise ModelFileError(f"it has no {CONFIG}.") from None
    with stream:
        size = os.fstat(stream.fileno()).st_size
        if size > LARGEST:
            raise ModelFileError(f"its {CONFIG} has {size:,} bytes, more than {LARGEST:,}.")
        text = stream.read(size)
    return _checked(parse(text, f"its {CONFIG}"))


def check_ours(folder: Path) -> None:
    """Refuse to save where something else has a file of the same name as ours."""
    if (folder / CONFIG).exists():
        try:
            read_config(folder)
        except ModelFileError as error:
            raise ModelFileError(
                f"there is a {CONFIG} that is not that of a vbn model ({error}); choose another folder, or remove it."
            ) from error
    elif (folder / CARD).exists():
        raise ModelFileError(f"there is a {CARD} that is not that of a vbn model; choose another folder, or remove it.")


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
    """An entry that names a tensor file."""
    name, digest, size = (entry.get(key) for key in ("file", "sha256", "bytes"))
    good = isinstance(name, str) and isinstance(digest, str) and _CHECKSUM.fullmatch(digest) is not None
    if not good or type(size) is not int or size < 8:
        raise ModelFileError(f"its {CONFIG} is damaged: a tensor file lacks its name, checksum or size.")


def _check_record(record: dict[str, Any]) -> None:
    """What is remembered of the fit; a model without a bound, as baselines are, has none to remember."""
    for name in ("lower_bounds", "validation"):
        values = record.get(name)
        if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
            raise ModelFileError(f"its {CONFIG} is damaged: {name} are no numbers.")
    if not isinstance(record.get("converged"), bool):
        raise ModelFileError(f"its {CONFIG} is damaged: converged is no truth value.")
