"""Checks of parameters, all before anything is done."""

from __future__ import annotations

import numbers
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vbn._errors import ParameterError, closest_names
from vbn.data import bytes_of
from vbn.engines import check_engine
from vbn.model import COLD_PRECISIONS, KINDS, Hyperpriors

_CHOICES = {
    "bias_prior": ("taxonomy", "common", "zero"),
    "cold_precision": COLD_PRECISIONS,
    "relation_space": ("joint", "readout"),
}
_LARGEST_DIM = 2**16  # beyond any use; more would only fail later, for want of memory


@dataclass(frozen=True)
class Settings:
    """Parameters in the form that training takes."""

    hyperpriors: Hyperpriors
    ranks: list[int]
    relation_priors: list[float]
    dtype: np.dtype


def check_parameters(params: Mapping[str, Any], relations: Collection[str]) -> Settings:
    """Raise a `ParameterError` that names the first parameter out of its range, for a model with these relations."""
    need_whole("dim", params["dim"], least=1, most=_LARGEST_DIM)
    for name in ("epochs", "average", "checkpoint_every"):
        need_whole(name, params[name], least=1)
    need_whole("seed", params["seed"], least=0, most=2**63 - 1)
    for name in ("resample", "warm_start"):
        need_flag(name, params[name])
    for name, choices in _CHOICES.items():
        need_choice(name, params[name], choices)
    if not isinstance(params["verbose"], bool | np.bool_ | numbers.Integral):
        raise ParameterError(f"verbose={params['verbose']!r} is neither True nor False.")
    check_engine(params["engine"])
    if params["n_threads"] is not None:
        need_whole("n_threads", params["n_threads"], least=1)
    need_number("negatives", params["negatives"], above=0.0)
    need_number("noise_power", params["noise_power"], least=0.0)
    for name in ("subsample", "tol"):
        if params[name] is not None:
            need_number(name, params[name], above=0.0)
    for name in ("relation_rank", "relation_weight", "relation_prior"):
        _known_relations(name, params[name], relations)
    _by_relation("relation_weight", params["relation_weight"], above=0.0)
    _by_relation("relation_prior", params["relation_prior"], least=0.0)
    need_number("hard_negatives", params["hard_negatives"], least=0.0)
    if params["hard_negatives"] > 1:
        raise ParameterError(f"hard_negatives={params['hard_negatives']!r} is a share: at most 1.")
    reject = params["reject_positives"]
    if not (isinstance(reject, bool | np.bool_) or (isinstance(reject, str) and reject == "auto")):
        raise ParameterError(f"reject_positives={reject!r} is neither True, False nor 'auto'.")
    if params["memory"] is not None:
        bytes_of(params["memory"])
    if not isinstance(params["checkpoint"], str | os.PathLike | None):
        raise ParameterError(f"checkpoint={params['checkpoint']!r} is neither the path of a folder nor None.")
    alpha, beta = (_by_kind(name, params[name]) for name in ("alpha", "beta"))
    strengths = [_strength(params["relation_prior"], name) for name in relations]
    ranks = [
        _rank(params["relation_rank"], name, int(params["dim"]), strength)
        for name, strength in zip(relations, strengths, strict=True)
    ]
    return Settings(Hyperpriors(alpha, beta, params["cold_precision"]), ranks, strengths, _dtype(params["dtype"]))


def need_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Refuse what is not a whole number within its bounds."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ParameterError(f"{name}={value!r} must be a whole number of at least {least}.")
    if most is not None and int(value) > most:
        raise ParameterError(f"{name}={value!r} is too large: at most {most}.")


def need_flag(name: str, value: Any) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name}={value!r} is neither True nor False.")


def need_choice(name: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse what is none of these words."""
    if not isinstance(value, str) or value not in choices:
        *others, last = map(repr, choices)
        raise ParameterError(f"{name}={value!r} is neither {', '.join(others)} nor {last}.")


def _known_relations(name: str, given: Any, relations: Collection[str]) -> None:
    """Refuse values by relation for one that the data does not have."""
    for relation in given if isinstance(given, Mapping) else ():
        if relation not in relations:
            close = closest_names(str(relation), relations)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            known = f"it has {', '.join(map(repr, relations))}" if relations else "it has none"
            raise ParameterError(f"{name}: the data has no relation {relation!r}; {known}.{hint}")


def _by_relation(name: str, value: Any, least: float | None = None, above: float | None = None) -> None:
    for relation, number in value.items() if isinstance(value, Mapping) else [("", value)]:
        need_number(f"{name}[{relation!r}]" if relation else name, number, least, above)


def need_number(name: str, value: Any, least: float | None = None, above: float | None = None) -> None:
    """Refuse what is not a finite number of at least `least`, or above `above`."""
    good = not isinstance(value, bool) and isinstance(value, numbers.Real) and bool(np.isfinite(float(value)))
    if good and least is not None:
        good = float(value) >= least
    if good and above is not None:
        good = float(value) > above
    if not good:
        bound = f"of at least {least}" if least is not None else f"above {above}"
        raise ParameterError(f"{name}={value!r} must be a finite number {bound}.")


def _by_kind(name: str, value: Any) -> dict[str, float]:
    given = value if isinstance(value, Mapping) else dict.fromkeys(KINDS, value)
    for kind, number in given.items():
        if kind not in KINDS:
            raise ParameterError(f"{name} has no kind {kind!r}; the kinds are {', '.join(KINDS)}.")
        need_number(f"{name}[{kind!r}]", number, above=0.0)
    return {kind: float(given.get(kind, 1.0)) for kind in KINDS}


def _rank(value: Any, relation: str, dim: int, strength: float) -> int:
    rank = value.get(relation, 10) if isinstance(value, Mapping) else value
    need_whole("relation_rank", rank, least=1, most=_LARGEST_DIM)
    return dim if strength else int(rank)


def _strength(value: Any, relation: str) -> float:
    return float(value.get(relation, 0.0) if isinstance(value, Mapping) else value)


def _dtype(value: Any) -> np.dtype:
    for known in (np.dtype(np.float32), np.dtype(np.float64)):
        if isinstance(value, str | np.dtype | type) and (value is known.type or str(value) == known.name):
            return known
    raise ParameterError(f"dtype={value!r} is neither 'float32' nor 'float64'.")
