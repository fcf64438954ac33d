"""The JSON part of a model, read with everything checked: damaged files raise `ModelFileError`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from vbn._errors import ModelFileError
from vbn.model import AUTO, COLD_PRECISIONS, KINDS, PRIORS, LeftOut, RelationInfo

_NUMBERS = (int, float)


def read_left_out(extra: Mapping[str, Any], shared: bool) -> LeftOut | None:
    """Return what is known of rows that the model was saved without; None if it has its rows."""
    given = extra.get("left_out")
    if given is None:
        return None
    if shared or not isinstance(given, dict) or type(given.get("rows")) is not int or given["rows"] < 0:
        raise ModelFileError("what the model says about rows that were left out is damaged.")
    return LeftOut(given["rows"], read_number(given, "total", or_zero=True), read_number(given, "precision"))


def read_priors(given: Any) -> dict[str, list[str]]:
    """Return the names of the priors of each part; all must be registered."""
    if not isinstance(given, dict) or not all(isinstance(given.get(part), list) for part in ("u", "v", "bias")):
        raise ModelFileError("the priors of the model are damaged.")
    for name in [*given["u"], *given["v"], *given["bias"]]:
        if not isinstance(name, str) or name not in PRIORS:
            raise ModelFileError(
                f"it has a prior of unknown kind {str(name)[:80]!r}; import the package that registers it first."
            )
    return {part: given[part] for part in ("u", "v", "bias")}


def read_strengths(extra: Mapping[str, Any]) -> dict[str, float]:
    """Return the strength of each source of features."""
    given = extra.get("content_strength", {})
    if not isinstance(given, dict):
        raise ModelFileError(f"content_strength={given!r} of the model is not a number for each source of features.")
    return {str(name): read_number(given, name) for name in given}


def read_relations(entries: Any, shared: bool) -> tuple[RelationInfo, ...]:
    """Return what is known of each relation."""
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ModelFileError("the relations of the model are damaged.")
    names = [entry.get("name") for entry in entries]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ModelFileError("the names of the model's relations are damaged.")
    infos = tuple(
        RelationInfo(
            entry["name"],
            read_flag(entry, "symmetric"),
            read_number(entry, "prior", 0.0, or_zero=True),
            _rank(entry),
            read_number(entry, "scale", 1.0),
            _shift(entry),
        )
        for entry in entries
    )
    if not shared and any(info.symmetric for info in infos):
        raise ModelFileError("a relation between different rows and columns cannot be symmetric.")
    return infos


def _rank(entry: Mapping[str, Any]) -> int:
    rank = entry.get("rank")
    if type(rank) is not int or not 0 < rank < 1 << 20:
        raise ModelFileError(f"rank={rank!r} of a relation of the model is not a positive whole number.")
    return rank


def _shift(entry: Mapping[str, Any]) -> float:
    shift = entry.get("shift", 0.0)
    if type(shift) not in _NUMBERS or not math.isfinite(shift):
        raise ModelFileError(f"shift={shift!r} of a relation of the model is not a finite number.")
    return float(shift)


def read_flag(values: Mapping[str, Any], name: str, default: bool | None = None) -> bool:
    """Return a truth value, or the default for files that are older than it."""
    value = values.get(name, default)
    if not isinstance(value, bool):
        raise ModelFileError(f"{name}={value!r} of the model is not a truth value.")
    return value


def read_number(values: Mapping[str, Any], name: str, default: float | None = None, or_zero: bool = False) -> float:
    """Return a positive number, or the default for files that are older than it."""
    value = values.get(name, default)
    good = isinstance(value, _NUMBERS) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < 0 or (value == 0 and not or_zero):
        raise ModelFileError(f"{name}={value!r} of the model is not a positive number.")
    return float(value)


def read_finite(values: Mapping[str, Any], name: str, default: float) -> float:
    """Return a number of any sign, or the default for files that are older than it."""
    value = values.get(name, default)
    if not isinstance(value, _NUMBERS) or isinstance(value, bool) or not math.isfinite(value):
        raise ModelFileError(f"{name}={value!r} of the model is not a finite number.")
    return float(value)


def read_units(values: Mapping[str, Any]) -> list[float]:
    """Return the units of both sides; 1 for files that are older than them, where nothing depends on them."""
    given = values.get("units", [1.0, 1.0])
    if not isinstance(given, list) or len(given) != 2:
        raise ModelFileError(f"units={given!r} of the model is not a pair of numbers.")
    return [read_number({"units": unit}, "units", or_zero=True) for unit in given]


def read_trained(values: Mapping[str, Any], most: tuple[int, int]) -> list[int | None]:
    """Return how many entities of each side training saw; None for all."""
    given = values.get("trained", [None, None])
    if not isinstance(given, list) or len(given) != 2:
        raise ModelFileError(f"trained={given!r} of the model is not a pair of numbers.")
    for number, largest in zip(given, most, strict=True):
        if number is not None and (type(number) is not int or not 0 <= number <= largest):
            raise ModelFileError(f"trained={number!r} of the model is not a number of its entities.")
    return given


def read_dials(given: Any) -> dict[str, tuple[float, float, float]]:
    """Return the positions of the popularity dial that a fit chose; older models have nothing for the long tail."""
    if not isinstance(given, dict) or not all(isinstance(at, list) and len(at) in (2, 3) for at in given.values()):
        raise ModelFileError("the positions of the popularity dial of the model are damaged.")
    return {str(favour): _read_dial(*position) for favour, position in given.items()}


def _read_dial(weight: Any, floor: Any, tail: Any = 0.0) -> tuple[float, float, float]:
    return (
        read_finite({"dial": weight}, "dial", 0.0),
        read_number({"dial": floor}, "dial", or_zero=True),
        read_number({"dial": tail}, "dial", or_zero=True),
    )


def read_by_kind(values: Mapping[str, Any], name: str) -> dict[str, float | str]:
    """Return a value of a hyperprior for each kind of variable."""
    given = values.get(name)
    if not isinstance(given, dict):
        raise ModelFileError(f"{name}={given!r} of the model is not a value for each kind of variable.")
    return {kind: AUTO if given.get(kind) == AUTO else read_number(given, kind) for kind in KINDS}


def read_cold_precision(extra: Mapping[str, Any]) -> str:
    """Return where the precision of cold entities comes from."""
    given = extra.get("cold_precision", "mean_field")  # what models were before it could be chosen
    if not isinstance(given, str) or given not in COLD_PRECISIONS:
        raise ModelFileError(f"cold_precision={given!r} of the model is not one of {', '.join(COLD_PRECISIONS)}.")
    return given
