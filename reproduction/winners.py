"""Parameters that a search on validation data found best, as small toml files beside this module."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from reproduction.models import BY_KEY, Model, Parameters
from vbn._errors import DataError

FOLDER = Path(__file__).parent / "winners"
_FEW_EPOCHS = 3


def settings(domain: str, *, quick: bool = False, folder: Path = FOLDER) -> dict[str, Parameters]:
    """Parameters of every model for a domain, by key: the defaults, and over them what a search has found.

    Parameters
    ----------
    domain
        Its name.
    quick
        Whether to train for a few epochs only.
    folder
        Where the files are: <folder>/<domain>/<key>.toml.
    """
    return {key: _settings(model, folder / domain / f"{key}.toml", quick) for key, model in BY_KEY.items()}


def _settings(model: Model, path: Path, quick: bool) -> Parameters:
    found = {**model.defaults, **(read_winner(path) if path.is_file() else {})}
    return few_epochs(found) if quick and ("epochs" in found or model.dial_from_fit) else found


def few_epochs(parameters: Parameters) -> Parameters:
    """The same, for a training that is over soon."""
    return {**parameters, "epochs": min(parameters.get("epochs", _FEW_EPOCHS), _FEW_EPOCHS)}


def variants(
    domain: str, models: tuple[Model, ...] = tuple(BY_KEY.values()), folder: Path = FOLDER
) -> tuple[tuple[Model, ...], dict[str, Parameters]]:
    """Rivals at other settings: those that were best for all targets, or for rare ones, on validation data.

    Returns
    -------
    tuple
        Models such as "ALS, tuned for rare", and their parameters by key.
    """
    found: list[Model] = []
    chosen: dict[str, Parameters] = {}
    for model in (model for model in models if model.paper != "VBN"):
        path = folder / domain / f"{model.key}.toml"
        for end, parameters in (_tables(path, "also") if path.is_file() else {}).items():
            variant = replace(model, key=f"{model.key}@{end}", name=f"{model.name}, tuned for {end}")
            found.append(variant)
            chosen[variant.key] = {**model.defaults, **parameters}
    return tuple(found), chosen


def read_winner(path: Path) -> Parameters:
    """The parameters in a file."""
    return _table(_read(path).get("parameters"), path, "parameters")


def _tables(path: Path, key: str) -> dict[str, Parameters]:
    """Tables of parameters under a key of a file; none if it is not there."""
    found = _table(_read(path).get(key, {}), path, key)
    return {name: _table(parameters, path, f"{key}.{name}") for name, parameters in found.items()}


def _table(found: Any, path: Path, name: str) -> Parameters:
    if not isinstance(found, dict):
        raise DataError(f"{path} has no table [{name}].")
    if not isinstance(found.get("epochs", 1), int):
        raise DataError(f"epochs = {found['epochs']!r} in [{name}] of {path} is no whole number.")
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{path} is no toml file: {error}.") from error


def write_winner(
    path: Path, parameters: Parameters, search: dict[str, Any], also: dict[str, Parameters] | None = None
) -> None:
    """Write parameters, and how they were found.

    Parameters
    ----------
    path
        The file.
    parameters
        What training gets.
    search
        Facts of the search: trials, figures on the validation pairs.
    also
        Other settings by what they are best for.
    """
    lines = ["# Found on validation data by `python -m reproduction --search`.", "[parameters]"]
    lines += [f"{name} = {as_toml(value)}" for name, value in parameters.items()]
    lines += ["", "[search]", *(f"{_key(name)} = {as_toml(value)}" for name, value in search.items())]
    for end, other in (also or {}).items():
        lines += ["", f"[also.{end}]", *(f"{name} = {as_toml(value)}" for name, value in other.items())]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() and name.isascii() else f'"{name}"'


def as_toml(value: Any) -> str:
    """A value as toml has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(name)} = {as_toml(entry)}" for name, entry in value.items()) + " }"
    return repr(value)
