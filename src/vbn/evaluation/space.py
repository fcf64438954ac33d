"""What a tuning may vary: parameters of `VBN`, the values to choose from, and where to begin."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from vbn._errors import ParameterError
from vbn._parameters import one_of
from vbn.data import Dataset
from vbn.estimators import VBN, check_parameters, resolved

Settings = dict[str, Any]
Values = Sequence[Any]


class Varied(NamedTuple):
    """Values to choose from, and why they are worth a look."""

    values: tuple[Any, ...]
    why: str


SPACE = {
    "prior": Varied(
        (1.0, 3.0, 10.0, 30.0, 100.0),
        "alpha = beta of entities and categories, the same for all: few cells per entity want a strong prior, hundreds "
        "a weak one. Without it, 'auto' follows the data of each.",
    ),
    "negatives": Varied(
        (1, 2, 4, 8, 16),
        "More tell rare targets apart and cost time; the dial gives back what frequent ones lose.",
    ),
    "noise_power": Varied(
        (0.5, 0.625, 0.75, 0.875, 1.0),
        "Between ranking by probability (popular first) and by association (rare first).",
    ),
    "dim": Varied((20, 35, 50, 75, 100), "Small data may need fewer dimensions, large and varied data more."),
    "content_strength": Varied(
        (0.0, 0.0625, 0.25, 1.0, "auto"),
        "Of features, where there are any: how much they say is up to them. 'auto' asks cold entities, not pairs.",
    ),
}
"""What `vbn.tune` varies. "prior" sets alpha and beta alike; the others are parameters of `VBN`."""

STARTS: tuple[Settings, ...] = (
    {"prior": 30.0, "negatives": 4},
    {"prior": 3.0, "negatives": 8},
    {"prior": 100.0, "negatives": 4, "noise_power": 0.5},
)
"""Settings to try after the defaults: each was good on some kind of data, so a few trials cover the extremes."""

PRIOR = "prior"
_SETS = {PRIOR: ("alpha", "beta")}
_KINDS = ("entity", "category")
_RANGES = ("int", "float", "log")


def free_space(fixed: Collection[str], data: Dataset) -> dict[str, tuple[Any, ...]]:
    """Return `SPACE` without what touches the parameters that are fixed, or has no meaning for the data.

    Examples
    --------
    >>> sorted(free_space({"beta", "dim"}, Dataset.from_pairs(["tea"], ["milk"])))
    ['negatives', 'noise_power']
    """
    settled = {*fixed, *(() if data.sources else ("content_strength",))}
    return {name: item.values for name, item in SPACE.items() if not set(_SETS.get(name, (name,))) & settled}


def changed(estimator: VBN) -> set[str]:
    """Return the parameters that an estimator has set to something other than their defaults."""
    before = type(estimator)().get_params()
    return {name for name, value in estimator.get_params().items() if repr(value) != repr(before[name])}


def with_settings(estimator: VBN, settings: Mapping[str, Any], **others: Any) -> VBN:
    """Return a new estimator with settings in place of its own."""
    params = estimator.get_params()
    changes = {name: value for name, value in settings.items() if name != PRIOR}
    if PRIOR in settings:
        for name in _SETS[PRIOR]:
            own = params[name] if isinstance(params[name], Mapping) else {}
            changes[name] = {**own, **dict.fromkeys(_KINDS, settings[PRIOR])}
    return type(estimator)(**params).set_params(**changes, **others)


class Space:
    """A space as Optuna takes it.

    Each entry is a sequence of values, to which the estimator's own is added, or ("int", low, high), ("float", low,
    high) or ("log", low, high) for a range of numbers. Where the estimator has "auto", its own value is what that
    stands for on this data, so nothing is tried twice.
    """

    def __init__(self, given: Mapping[str, Values], estimator: VBN, data: Dataset) -> None:
        self._ranges: dict[str, tuple[str, Any, Any]] = {}
        self._choices: dict[str, list[Any]] = {}
        self.own = {name: _own(estimator, name, data) for name in given}
        self._given = {name: _checked(name, values) for name, values in given.items()}
        for name, checked in self._given.items():
            if checked[0] in _RANGES:
                self._ranges[name] = (checked[0], checked[1], checked[2])
            else:
                self._choices[name] = [self.own[name], *(v for v in checked if v != self.own[name])]
            for value in checked[1:] if name in self._ranges else checked:
                tried = with_settings(estimator, {name: value})
                check_parameters(tried.get_params(), data.relations)

    def __repr__(self) -> str:
        return repr(self._given)

    def starts(self) -> list[Settings]:
        """Return the settings to begin with: none, then those of `STARTS` that lie in the space."""
        found: list[Settings] = [{}]
        for start in STARTS:
            kept = {name: value for name, value in start.items() if self.own.get(name) != value}
            known = all(value in self._choices.get(name, ()) for name, value in kept.items())
            if known and kept not in found:
                found.append(kept)
        return found

    def suggested(self, trial: Any) -> Settings:
        """Let a trial of Optuna choose; return what differs from the estimator."""
        settings = {}
        for name, choices in self._choices.items():
            number = trial.suggest_categorical(name, list(range(len(choices))))
            if number:
                settings[name] = choices[number]
        for name, (kind, low, high) in self._ranges.items():
            if kind == "int":
                value = trial.suggest_int(name, int(low), int(high))
            else:
                value = float(f"{trial.suggest_float(name, float(low), float(high), log=kind == 'log'):.4g}")
            if value != self.own[name]:
                settings[name] = value
        return settings

    def as_params(self, settings: Settings, optuna: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parameters and distributions of Optuna that stand for settings; ranges are left out."""
        numbers = {
            name: choices.index(settings.get(name, choices[0])) if name in settings else 0
            for name, choices in self._choices.items()
        }
        kinds = {
            name: optuna.distributions.CategoricalDistribution(list(range(len(choices))))
            for name, choices in self._choices.items()
        }
        return numbers, kinds


def _own(estimator: VBN, name: str, data: Dataset) -> Any:
    """Return the value that an estimator has on this data; None for a prior that is not one number."""
    params = resolved(estimator.get_params(), data)
    if name == PRIOR:
        alpha, beta = (params[part] for part in _SETS[PRIOR])
        return alpha if isinstance(alpha, int | float) and alpha == beta else None
    if name not in params:
        raise ParameterError(f"space: {type(estimator).__name__} has no parameter {name!r}; {PRIOR!r} is one too.")
    return params[name]


def _checked(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
        raise ParameterError(
            f"space[{name!r}]={values!r} must be a list of values, or a range such as ('log', 1, 100)."
        )
    if isinstance(values[0], str) and values[0] in _RANGES:
        good = len(values) == 3 and all(isinstance(end, int | float) and math.isfinite(end) for end in values[1:])
        if not good or not values[1] < values[2] or (values[0] == "log" and values[1] <= 0):
            kinds = one_of(_RANGES)
            raise ParameterError(f"space[{name!r}]={values!r} must be {kinds}, then the lowest and the highest number.")
    return [value.item() if hasattr(value, "item") else value for value in values]  # of numpy, which JSON lacks
