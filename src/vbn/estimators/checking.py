"""Checks of parameters and arguments, all before anything is done."""

from __future__ import annotations

import inspect
import numbers
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import DataError, ParameterError, closest_names
from vbn._parameters import PARAMETERS, Parameter, one_of
from vbn.data import Dataset, bytes_of
from vbn.engines import check_engine
from vbn.model import AUTO, CONTENT_STRENGTH, KINDS, Hyperpriors

AUTOMATIC_PRIORS = {"joint": 0.0, "readout": 5.0}
"""The `relation_prior` that "auto" stands for, by `relation_space`."""


@dataclass(frozen=True)
class Settings:
    """Parameters in the form that training takes."""

    hyperpriors: Hyperpriors
    ranks: list[int]
    relation_priors: list[float]
    dtype: np.dtype


def check_parameters(
    params: Mapping[str, Any], relations: Collection[str], sources: Collection[str] | None = None
) -> Settings:
    """Raise a `ParameterError` that names the first parameter out of range, for a model with these relations.

    `sources` are the names of the sources of features, if they are known.
    """
    for parameter in PARAMETERS:
        _check(parameter, params[parameter.name], {"relation": relations, "source": sources, "kind": KINDS})
    alpha, beta = ({kind: _weight(_of(params[name], kind, AUTO)) for kind in KINDS} for name in ("alpha", "beta"))
    given = [_of(params["relation_prior"], name, AUTO) for name in relations]
    automatic = AUTOMATIC_PRIORS[params["relation_space"]]
    strengths = [automatic if strength == AUTO else float(strength) for strength in given]
    ranks = [
        int(params["dim"] if strength else _of(params["relation_rank"], name, 10))
        for name, strength in zip(relations, strengths, strict=True)
    ]
    hyperpriors = Hyperpriors(alpha, beta, params["cold_precision"], _strengths(params["content_strength"]))
    return Settings(hyperpriors, ranks, strengths, _dtype(params["dtype"]))


def _check(parameter: Parameter, value: Any, known: Mapping[str, Collection[str] | None]) -> None:
    if value is None and parameter.optional:
        return
    if not (parameter.by and isinstance(value, Mapping)):
        _check_value(parameter, parameter.name, value)
        return
    for key, entry in value.items():
        names = known[parameter.by]
        if parameter.by == "kind" and key not in KINDS:
            raise ParameterError(f"{parameter.name} has no kind {key!r}; the kinds are {', '.join(KINDS)}.")
        if names is not None and key not in names:
            _refuse(parameter.name, _NAMED[parameter.by], key, names)
        _check_value(parameter, f"{parameter.name}[{key!r}]", entry)


def _check_value(parameter: Parameter, name: str, value: Any) -> None:
    if parameter.auto and isinstance(value, str) and value == AUTO:
        return
    match parameter.kind:
        case "whole":
            need_whole(name, value, int(parameter.least or 0), None if parameter.most is None else int(parameter.most))
        case "number":
            need_number(name, value, parameter.least, parameter.above, parameter.most)
        case "flag":
            need_flag(name, value)
        case "choice":
            need_choice(name, value, parameter.choices)
        case "dtype":
            _dtype(value)
        case "engine":
            check_engine(value)
        case "memory":
            bytes_of(value)
        case kind if not _CHECKS[kind](value):
            raise ParameterError(f"{name}={value!r} must be {parameter.values}.")


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "auto": lambda value: isinstance(value, bool | np.bool_) or (isinstance(value, str) and value == "auto"),
    "verbosity": lambda value: isinstance(value, bool | np.bool_ | numbers.Integral),
    "path": lambda value: isinstance(value, str | os.PathLike),
}


def need_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse anything but a whole number within its bounds."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ParameterError(f"{name}={value!r} must be a whole number of at least {least}.")
    if most is not None and int(value) > most:
        raise ParameterError(f"{name}={value!r} is too large: at most {most}.")


def need_number(
    name: str, value: Any, least: float | None = None, above: float | None = None, most: float | None = None
) -> None:
    """Refuse anything but a finite number of at least `least`, above `above` and at most `most`."""
    good = not isinstance(value, bool) and isinstance(value, numbers.Real) and bool(np.isfinite(float(value)))
    inside = good and (least is None or float(value) >= least) and (above is None or float(value) > above)
    if not inside or (most is not None and float(value) > most):
        bound = f"of at least {least:g}" if least is not None else f"above {above:g}"
        end = "" if most is None else f" and at most {most:g}"
        raise ParameterError(f"{name}={value!r} must be a finite number {bound}{end}.")


def need_flag(name: str, value: Any) -> None:
    """Refuse anything but True and False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name}={value!r} must be True or False.")


def need_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse anything but one of these words."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{name}={value!r} must be {one_of(tuple(choices))}.")


def check_k(k: Any) -> None:
    """Refuse what cannot be a number of answers."""
    need_whole("k", k, least=1)


_NAMED = {"relation": "relation", "source": "features"}


def _refuse(name: str, what: str, given: Any, names: Collection[str]) -> None:
    """Refuse a value for a relation, or a source of features, that the data does not have."""
    close = closest_names(str(given), names)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    known = f"it has {', '.join(map(repr, names))}" if names else "it has none"
    raise ParameterError(f"{name}: the data has no {what} {given!r}; {known}.{hint}")


def _strengths(value: Any) -> float | dict[str, float]:
    """Return strengths of features; "auto" is the default until it has been chosen."""
    if isinstance(value, Mapping):
        return {str(name): CONTENT_STRENGTH if each == AUTO else float(each) for name, each in value.items()}
    return CONTENT_STRENGTH if value == AUTO else float(value)


def _weight(value: Any) -> float | str:
    return AUTO if value == AUTO else float(value)


def _of(value: Any, name: str, default: Any) -> Any:
    """Return the value for a relation or a kind of variable."""
    return value.get(name, default) if isinstance(value, Mapping) else value


def _dtype(value: Any) -> np.dtype:
    for known in (np.dtype(np.float32), np.dtype(np.float64)):
        if isinstance(value, str | np.dtype | type) and (value is known.type or str(value) == known.name):
            return known
    raise ParameterError(f"dtype={value!r} must be 'float32' or 'float64'.")


def need_datasets(verb: str, data: object, validation: object) -> None:
    """Refuse anything but data sets, with a hint how to make one."""
    if not isinstance(data, Dataset):
        raise DataError(f"{verb} takes a vbn.Dataset, not {type(data).__name__}; make one with Dataset.from_... .")
    if validation is not None and not isinstance(validation, Dataset):
        raise DataError(f"validation must be a vbn.Dataset or None, not {type(validation).__name__}.")


def need_callbacks(callbacks: object) -> tuple[Callable[..., Any], ...]:
    """Return the callbacks as a tuple; refuse a bare function and what cannot be called."""
    if not isinstance(callbacks, Iterable):
        hint = f"; write callbacks=[{getattr(callbacks, '__name__', '...')}]" if callable(callbacks) else ""
        raise ParameterError(f"callbacks takes a list of functions, not {callbacks!r}{hint}.")
    given = tuple(callbacks)
    for position, callback in enumerate(given):
        if not callable(callback):
            raise ParameterError(f"callbacks[{position}]={callback!r} cannot be called; give functions (model, epoch).")
        if not _takes_two(callback):
            called = getattr(callback, "__name__", repr(callback))
            raise ParameterError(f"callbacks[{position}], {called}, must take two arguments: the model and the epoch.")
    return given


def _takes_two(function: Callable[..., Any]) -> bool:
    """Return whether a function can be called with two arguments; True if it does not say what it takes."""
    try:
        inspect.signature(function).bind(None, None)
    except (TypeError, ValueError) as error:  # a ValueError: compiled, and without a signature
        return isinstance(error, ValueError)
    return True
