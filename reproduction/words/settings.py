"""Settings of the experiments on words, chosen on validation data only, and runs kept in the cache."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from reproduction.cache import Cache, Record
from reproduction.running import Progress
from reproduction.winners import FOLDER, as_toml

_REACHED = "reached"  # figures on validation data, for the reader only
QUICK = {"epochs": 2, "dim": 10}


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
    text = (FOLDER / "words" / f"{experiment}.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = tomllib.loads(text)
    found.pop(_REACHED, None)
    if quick:
        found = {name: {**section, **_shorter(section)} for name, section in found.items()}
    return found


def _shorter(section: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in QUICK.items() if key in section}


def write_winners(
    path: Path, settings: Mapping[str, Mapping[str, Any]], reached: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write the settings of an experiment, and what they reached on validation data.

    Parameters
    ----------
    path
        The file.
    settings
        By section.
    reached
        Figures by family or section.
    """
    lines = ["# Found on validation data with the settings of words/search.py; see reproduction/PROTOCOL.md."]
    for name, section in settings.items():
        lines += ["", f"[{name}]", *(f"{key} = {as_toml(value)}" for key, value in section.items())]
    for name, figures in reached.items():
        if figures:
            lines += ["", f"[{_REACHED}.{name}]"]
            lines += [f"{as_toml(key)} = {as_toml(value)}" for key, value in figures.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def kept(
    cache: Cache, progress: Progress, label: str, what: Mapping[str, Any], compute: Callable[[], Record]
) -> Record:
    """The record of `what`, all that the outcome depends on."""
    started = time.perf_counter()
    found = cache.find(what)
    record = cache.run(what, lambda: _timed(compute)) if found is None else found
    progress.step(label, started, cached=found is not None, took=record.facts.get("seconds", 0.0))
    return record


def _timed(compute: Callable[[], Record]) -> Record:
    started = time.perf_counter()
    record = compute()
    return Record({**record.facts, "seconds": time.perf_counter() - started}, record.arrays)
