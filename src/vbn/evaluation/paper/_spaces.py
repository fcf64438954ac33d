"""What a search may choose from, for each model: kind of value, lowest and highest, or the choices."""

from __future__ import annotations

from typing import Any, Literal

Range = tuple[Literal["int", "float", "log"], float, float]
Space = dict[str, Range | tuple[Any, ...]]

_BAYES: Space = {
    "dim": (20, 50, 80),
    "negatives": (2, 4, 8),
    "noise_power": ("float", 0.5, 1.0),
    "epochs": (10, 20),
    "prior_weight": (1.0, 3.0, 10.0, 30.0),
}
_BAYES_ITEMS: Space = {**_BAYES, "dim": (20, 50), "negatives": (1, 2, 4), "epochs": (5, 10)}
_RETROFIT: Space = {"iterations": (1, 3, 10), "alpha": ("log", 0.3, 30.0)}

SPACES: dict[str, Space] = {
    "vbn": _BAYES,
    "bsg": _BAYES,
    "vbn-items": _BAYES_ITEMS,
    "bsg-items": _BAYES_ITEMS,
    "bsg-r-items": _RETROFIT,
    "sg": {
        "dim": (20, 50, 100),
        "window": (3, 5, 10),
        "negatives": (5, 10),
        "noise_power": ("float", 0.0, 1.0),
        "subsample": ("log", 1e-5, 1e-2),
        "epochs": (5, 10, 20),
    },
    "sg-r": _RETROFIT,
    "als": {
        "dim": (20, 50, 100),
        "regularization": ("log", 1e-3, 100.0),
        "alpha": ("log", 0.5, 50.0),
        "epochs": (10, 20),
    },
    "bpr": {
        "dim": (20, 50, 100),
        "learning_rate": ("log", 3e-3, 0.1),
        "regularization": ("log", 1e-4, 0.1),
        "epochs": (50, 100, 200),
    },
    "itemknn": {"neighbours": ("int", 10, 1000), "weighting": ("cosine", "tfidf", "bm25"), "b": ("float", 0.0, 1.0)},
    "ease": {"regularization": ("log", 1.0, 10_000.0)},
    "lightfm": {
        "dim": (20, 50, 100),
        "loss": ("warp", "bpr"),
        "learning_rate": ("log", 0.01, 0.2),
        "item_alpha": ("log", 1e-7, 1e-4),
        "epochs": (10, 20, 40),
    },
    "cmf": {
        "dim": (20, 50, 100),
        "regularization": ("log", 0.1, 100.0),
        "alpha": ("log", 0.5, 50.0),
        "taxonomy_weight": ("log", 0.1, 100.0),
    },
}
"""By key of the model; a model with a taxonomy chooses among the domain's taxonomies too."""


def suggest(trial: Any, space: Space) -> dict[str, Any]:
    """Let a trial of Optuna choose every value."""
    return {name: _suggested(trial, name, values) for name, values in space.items()}


def _suggested(trial: Any, name: str, values: tuple[Any, ...]) -> Any:
    if values[0] == "int":
        return trial.suggest_int(name, int(values[1]), int(values[2]), log=True)
    if values[0] in ("float", "log"):
        return float(f"{trial.suggest_float(name, values[1], values[2], log=values[0] == 'log'):.4g}")
    return trial.suggest_categorical(name, list(values))
