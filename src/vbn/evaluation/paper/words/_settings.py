"""Settings of the experiments on words: small toml files, chosen on validation data only."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

_QUICK = {"epochs": 2, "dim": 10}


def winners(experiment: str, *, quick: bool = False) -> dict[str, dict[str, Any]]:
    """The settings of an experiment, one section for each model or step.

    Parameters
    ----------
    experiment
        "similarity", "completion", "antonyms" or "ablations".
    quick
        Whether to train for two epochs in ten dimensions, to see that all works.

    Examples
    --------
    >>> winners("similarity")["vbn"]["dim"]
    50
    """
    text = files("vbn.evaluation.paper").joinpath("winners", "words", f"{experiment}.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = tomllib.loads(text)
    if quick:
        found = {name: {**section, **_shorter(section)} for name, section in found.items()}
    return found


def _shorter(section: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in _QUICK.items() if key in section}
