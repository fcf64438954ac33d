"""Settings of a training: from options and a toml file to one dict, and back to toml.

Keys are the options' names with underscores. In a file, paths are relative to the file's folder.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import typer

from vbn._errors import DataError
from vbn._parameters import PARAMETERS, up_to_date
from vbn.cli.content import CONTENT, check_content, content_entries, content_files, with_files
from vbn.cli.run_files import STAMP, sha256
from vbn.cli.shared import option_of, split_columns
from vbn.cli.train import OPTIONS

PATHS = ("input", "out", "taxonomy", "catalogue", "validation", "row_names", "column_names", "held_out")
_WRITTEN = ("out", "held_out")  # paths that are no input
_NUMBER, _TEXT = (int, float), (str,)
_Types = dict[str, tuple[type, ...]]
_TYPES = {"whole": (int,), "number": _NUMBER, "flag": (bool,), "auto": (str, bool)}  # of parameters; others are text

MODEL = {item.option_name: item for item in PARAMETERS if item.option_name is not None}
"""The parameters of `VBN` that are settings, by the name of the setting."""

# What train.toml may hold: of each option, by its type on the command line.
_BY_KIND: dict[Any, tuple[type, ...]] = {float: _NUMBER, int: (int,), bool: (bool,), list[str]: (list,)}
_OF_A_RUN = ("config", "like", "resume", "force", "dry_run", "quiet")
_OPTIONS: _Types = {item.name: _BY_KIND.get(item.kind, _TEXT) for item in OPTIONS if item.name not in _OF_A_RUN}
_OPTIONS |= {
    "input": _TEXT,
    "weight": (str, *_NUMBER),
    "columns": (list,),
    "taxonomy_columns": (list,),
    "relation_columns": (list,),
    "levels": (list,),
    "taxonomy": (str, list),
    "id": (str, int),
    "label": (str, int),
    "half_life": (str, *_NUMBER),
    "relation": (dict,),
    **dict.fromkeys(CONTENT, (dict,)),
}
_PARAMETERS: _Types = {
    name: (*_TYPES.get(item.kind, _TEXT), *([str] if item.auto else []), *([dict] if item.by else []))
    for name, item in MODEL.items()
}
_KEYS = _OPTIONS | _PARAMETERS


def gathered(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run: those of the config file, overridden by the options given."""
    given = {key: value for key, value in options.items() if key in _KEYS and value not in (None, [], ())}
    settings = {} if options["config"] is None else read_config(options["config"])
    for key in PATHS:
        if key in given:
            given[key] = _each(given[key], str)
    for key in ("columns", "taxonomy_columns", "relation_columns"):
        if key in given:
            given[key] = ["" if field is None else field for field in split_columns(given[key])]
    if "levels" in given:
        chains = [split_columns(chain) for chain in given["levels"]]
        given["levels"] = chains[0] if len(chains) == 1 else chains
    for key, item in MODEL.items():
        if item.by and key in given:
            given[key] = _by_name(key, given[key])
    if "relation" in given:
        given["relation"] = settings.get("relation", {}) | _relation_files(given["relation"])
    for key in CONTENT:
        if key in given:
            catalogue = given.get("catalogue", settings.get("catalogue"))
            given[key] = settings.get(key, {}) | content_entries(key, given[key], catalogue)
    if "symmetric" in given:
        given["symmetric"] = list(dict.fromkeys([*settings.get("symmetric", []), *given["symmetric"]]))
    plain = {key: str(value) if isinstance(value, str) else value for key, value in given.items()}
    return settings | plain


def _by_name(key: str, entries: list[str]) -> Any:
    """Read one number, or numbers by name: ["2"] or ["entity=10", "category=1"]."""
    option = option_of(key)
    item = MODEL[key]
    kind = int if item.kind == "whole" else float

    def value(given: str) -> float | str:
        return given if item.auto and given == "auto" else kind(given)

    try:
        read = {name: value(number) for name, _, number in (entry.rpartition("=") for entry in entries)}
    except ValueError:
        told = f"{option} takes one number, or NAME=NUMBER as often as needed, not {' '.join(entries)}."
        raise typer.BadParameter(told) from None
    if len(entries) == 1 and "=" not in entries[0]:
        return read[""]
    if "" in read:
        raise typer.BadParameter(f"{option}: one number for all or NAME=NUMBER for each, not both.")
    return read


def _relation_files(entries: list[str]) -> dict[str, str]:
    files = {}
    for entry in entries:
        name, equals, file = entry.partition("=")
        if not (name and equals and file):
            raise typer.BadParameter(f"--relation takes NAME=FILE, not {entry!r}.")
        files[name] = file
    return files


def read_config(path: Path) -> dict[str, Any]:
    """Read settings from a toml file, checked, with paths as seen from here."""
    try:
        with path.open("rb") as stream:
            settings = tomllib.load(stream)
    except FileNotFoundError:
        raise DataError(f"no such config file: {str(path)!r}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{path} is not a toml file: {error}.") from error
    settings = up_to_date({key: value for key, value in settings.items() if key not in STAMP})
    for key, value in settings.items():
        _check(path, key, value)
    for key in PATHS:
        if key in settings:
            settings[key] = _each(settings[key], lambda file: _from_here(path, file))
    if "relation" in settings:
        settings["relation"] = {name: _from_here(path, file) for name, file in settings["relation"].items()}
    return with_files(settings, lambda file: _from_here(path, file))


def _check(path: Path, key: str, value: Any) -> None:
    import difflib

    if key not in _KEYS:
        close = difflib.get_close_matches(key, _KEYS, n=1)
        raise DataError(f"{path} has an unknown setting {key!r}." + (f" Did you mean {close[0]!r}?" if close else ""))
    kinds = _KEYS[key]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise DataError(f"{path}: {key} = {value!r} should be of type {wanted}.")
    if isinstance(value, dict) and key == "relation" and not all(isinstance(file, str) for file in value.values()):
        raise DataError(f"{path}: [relation] must give a file for each name.")
    if isinstance(value, dict) and key in CONTENT:
        check_content(path, key, value)


def _from_here(config: Path, file: str) -> str:
    return str(Path(os.path.normpath(config.parent / file)))


def to_toml(settings: Mapping[str, Any], folder: Path) -> str:
    """Return settings as toml for a file in a folder; paths are relative to it, and can move together with it."""
    local = with_files(settings, lambda file: relative(file, folder))
    for key in PATHS:
        if key in local:
            local[key] = _each(local[key], lambda file: relative(file, folder))
    if "relation" in local:
        local["relation"] = {name: relative(file, folder) for name, file in local["relation"].items()}
    lines = ["# The settings of this model. To train it again: vbn train --config train.toml"]
    lines += [f"{key} = {_value(value)}" for key, value in local.items() if not isinstance(value, dict)]
    for key, value in local.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *(f"{_value(str(name))} = {_value(entry)}" for name, entry in value.items())]
    return "\n".join(lines) + "\n"


def input_files(settings: Mapping[str, Any]) -> list[Path]:
    """Return the files that a run reads; of a folder, all that are in it."""
    given = [paths_of(settings, key) for key in PATHS if key not in _WRITTEN]
    named = chain(chain.from_iterable(given), settings.get("relation", {}).values(), content_files(settings))
    paths = [Path(file) for file in dict.fromkeys(named)]
    inside = chain.from_iterable(sorted(path.iterdir()) if path.is_dir() else [path] for path in paths)
    return [file for file in inside if file.is_file()]


def paths_of(settings: Mapping[str, Any], key: str) -> list[str]:
    """Return the paths that a setting names: none, one or several."""
    given = settings.get(key, [])
    return given if isinstance(given, list) else [given]


def _each(given: Any, function: Callable[[Any], str]) -> str | list[str]:
    """Return a path, or several, each as a function has it; one alone is no list."""
    made = [function(file) for file in (given if isinstance(given, list | tuple) else [given])]
    return made[0] if len(made) == 1 else made


def checksums(files: Iterable[Path], folder: Path) -> dict[str, str]:
    """Return the sha256 of files by their paths as seen from a folder."""
    return {relative(str(file), folder): sha256(file) for file in files}


def relative(file: str, folder: Path) -> str:
    """Return the path of a file as seen from a folder."""
    try:
        return os.path.relpath(file, folder)
    except ValueError:  # another drive of Windows
        return str(Path(file).absolute())


def _value(value: Any) -> str:
    import json

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(_value(entry) for entry in value) + "]"
    text = json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"{value!r} is not text in UTF-8 and cannot be written to train.toml; rename it.") from None
    return text
