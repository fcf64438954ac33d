"""What a search on words may choose: the settings it begins with and the values it draws from, family by family."""

from __future__ import annotations

from typing import Any

Section = dict[str, Any]

_GENSIM: Section = {"dim": 50, "epochs": 20, "negatives": 5, "subsample": 1e-4, "window": 5, "alpha": 0.025}
_LETTERS: Section = {**_GENSIM, "min_n": 3, "max_n": 6, "buckets": 200_000}
_BAYES: Section = {"dim": 50, "epochs": 20, "negatives": 2, "subsample": 1e-4, "noise_power": 0.75, "entity": 1.0}
_OURS: Section = {**_BAYES, "epochs": 30, "entity": 10.0, "bias_prior": "common", "families": 0.5}
_HIDDEN: Section = {**_BAYES, "epochs": 15, "window": 5}
_OUR_HIDDEN: Section = {**_OURS, "epochs": 15, "window": 5}

_GENSIM_VALUES: dict[str, tuple[Any, ...]] = {
    "dim": (50, 100),
    "epochs": (10, 15, 20, 30, 40),
    "negatives": (2, 5, 10),
    "subsample": (1e-5, 1e-4, 1e-3),
    "window": (3, 5, 10),
    "alpha": (0.025, 0.05, 0.1),
}
_BAYES_VALUES: dict[str, tuple[Any, ...]] = {
    "dim": (50, 100),
    "epochs": (10, 15, 20, 25, 30),
    "negatives": (1, 2, 5),
    "subsample": (1e-5, 1e-4, 1e-3),
    "noise_power": (0.25, 0.5, 0.75),
    "entity": (1.0, 3.0, 10.0, 20.0),
}

VALUES: dict[str, dict[str, dict[str, tuple[Any, ...]]]] = {
    "similarity": {
        "sg": _GENSIM_VALUES,
        "fasttext": {**_GENSIM_VALUES, "min_n": (2, 3, 4), "max_n": (5, 6), "buckets": (200_000,)},
        "bsg": _BAYES_VALUES,
        "vbn": {**_BAYES_VALUES, "bias_prior": ("common", "taxonomy"), "families": (0.0, 0.5, 1.0)},
    },
    "completion": {
        "sg": _GENSIM_VALUES,
        "bsg": {**_BAYES_VALUES, "window": (5, 10)},
        "vbn": {**_BAYES_VALUES, "window": (5, 10), "bias_prior": ("common", "taxonomy"), "families": (0.0, 0.5, 1.0)},
    },
}
"""By experiment and family: the values of each parameter, from which Optuna draws once `FIRST` is used up."""

FIRST: dict[str, dict[str, list[Section]]] = {
    "similarity": {
        "sg": [
            _GENSIM,
            {**_GENSIM, "subsample": 1e-3, "epochs": 10},
            {**_GENSIM, "subsample": 1e-5, "epochs": 40, "alpha": 0.05, "window": 10},
            {**_GENSIM, "alpha": 0.1},
        ],
        "fasttext": [
            _LETTERS,
            {**_LETTERS, "subsample": 1e-3, "epochs": 10},
            {**_LETTERS, "alpha": 0.1},
            {**_LETTERS, "alpha": 0.05, "epochs": 30},
        ],
        "bsg": [
            _BAYES,
            {**_BAYES, "subsample": 1e-5, "epochs": 30},
            {**_BAYES, "subsample": 1e-3},
            {**_BAYES, "epochs": 30},
        ],
        "vbn": [
            _OURS,
            {**_OURS, "epochs": 20},
            {**_OURS, "epochs": 10},
            {**_OURS, "epochs": 15, "families": 0.0},
        ],
    },
    "completion": {
        "sg": [
            {**_GENSIM, "epochs": 15},
            {**_GENSIM, "alpha": 0.05, "epochs": 20},
            {**_GENSIM, "alpha": 0.05, "window": 10},
            {**_GENSIM, "alpha": 0.05, "window": 10, "subsample": 1e-5, "epochs": 30},
            {**_GENSIM, "alpha": 0.1, "window": 10},
        ],
        "bsg": [
            _HIDDEN,
            {**_HIDDEN, "subsample": 1e-3},
            {**_HIDDEN, "subsample": 1e-3, "window": 10},
            {**_HIDDEN, "subsample": 1e-3, "window": 10, "epochs": 25},
            {**_HIDDEN, "subsample": 1e-3, "window": 10, "epochs": 25, "dim": 100},
        ],
        "vbn": [
            _OUR_HIDDEN,
            {**_OUR_HIDDEN, "subsample": 1e-3},
            {**_OUR_HIDDEN, "subsample": 1e-3, "window": 10},
            {**_OUR_HIDDEN, "subsample": 1e-3, "window": 10, "epochs": 25},
            {**_OUR_HIDDEN, "subsample": 1e-3, "window": 10, "epochs": 25, "dim": 100},
        ],
    },
}
"""Settings that are tried first, in this order."""


def as_section(chosen: Section) -> Section:
    """What a model is given: `entity` is a shape of the prior, and families belong to the graph."""
    section = {key: value for key, value in chosen.items() if key not in ("entity", "families")}
    return {**section, "alpha": {"entity": chosen["entity"]}} if "entity" in chosen else section
