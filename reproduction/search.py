"""Search for the parameters of each model on validation data: what may be chosen, and how trials are judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from reproduction.cache import Cache, Record
from reproduction.domains import Domain
from reproduction.masking import Split, mask
from reproduction.models import Model, Parameters, models_of
from reproduction.pool import Cases, Pool
from reproduction.running import Progress
from reproduction.runs import Runner, dial_parameters, positions
from reproduction.tables import FOUR, four, titles
from reproduction.winners import FOLDER, settings, write_winner
from vbn._errors import MissingExtraError, ParameterError
from vbn.inference import Dial

Range = tuple[Literal["int", "float", "log"], float, float]
Space = dict[str, Range | tuple[Any, ...]]

_BAYES: Space = {
    "dim": (20, 50, 80),
    "negatives": (2, 4, 8),
    "noise_power": ("float", 0.5, 1.0),
    "epochs": (10, 20),
    "prior_weight": (1.0, 3.0, 10.0, 30.0),
}
_BAYES_ITEMS: Space = {
    **_BAYES,
    "dim": (20, 50, 100),
    "negatives": (1, 2, 4),
    "epochs": (5, 10),
    "weight": ("auto", 30.0, "none"),
}
_ALONE: Space = {"match": ("best", "mean", "average"), "frequency": ("float", 0.0, 2.0)}
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
    "resnik": _ALONE,
    "lin": _ALONE,
    "simgic": {"neighbours": ("int", 10, 1000), "power": ("float", 0.5, 4.0)},
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


Trial = tuple[float, Parameters, np.ndarray]
"""The objective, the parameters, and the four figures."""

_RARE_CASES, _MOST_MASKINGS = 150, 4
_HARDLY_BETTER = 0.5  # points of the objective that a setting may be behind the best, if it is better on all targets
_GIVEN_UP = 0.5  # points of full that the position of the tables may give up for rare


def search(
    domain: Domain,
    trials: int,
    cache: Cache,
    progress: Progress,
    folder: Path = FOLDER,
    maskings: int | None = None,
    models: tuple[Model, ...] | None = None,
) -> dict[str, Parameters]:
    """Search for each installed model that has something to choose, and write the winners.

    Parameters
    ----------
    domain
        The data.
    trials
        How many settings of each model are tried: its default, where it can be trained on users x items, items x
        items or both each of these, then variations of them.
    cache, progress
        Where runs are kept, where to tell about them.
    folder
        Where the toml files go: <folder>/<domain>/<key>.toml.
    maskings
        On how many maskings each trial is judged; by default as many as have `_RARE_CASES` rare cases, at most four.
    models
        Which models, by default those of the domain; a model that changes another after training comes after it.

    Returns
    -------
    dict
        The parameters found, by key.
    """
    if trials < 1:
        raise ParameterError(f"trials={trials!r} must be at least 1.")
    splits = [_split(domain, 0)]
    if maskings is None:
        rare = Cases.of(splits[0].masked, "validation").rare.sum()
        maskings = int(np.clip(np.ceil(_RARE_CASES / max(rare, 1)), 1, _MOST_MASKINGS))
    splits += [_split(domain, n) for n in range(1, maskings)]
    chosen = settings(domain.name, folder=folder)
    chosen_models = models_of(domain) if models is None else models
    ready = tuple(model for model in chosen_models if model.installed and model.key in SPACES)
    progress.expect(trials * maskings * len(ready))
    runner = Runner(cache, progress)
    for model in ready:
        best, facts, also = _searched(model, splits, chosen, trials, runner)
        chosen[model.key] = best
        write_winner(folder / domain.name / f"{model.key}.toml", best, facts, also)
    return {model.key: chosen[model.key] for model in ready}


def _split(domain: Domain, seed: int) -> Split:
    masked = replace(mask(domain.interactions, domain.least, seed), implied=domain.implied)
    return Split(domain, masked, "validation", f"validation {seed + 1}")


def _searched(
    model: Model, splits: list[Split], chosen: dict[str, Parameters], trials: int, runner: Runner
) -> tuple[Parameters, dict[str, Any], dict[str, Parameters]]:
    """The best of a model's trials, how it did, and the best for all targets and for rare ones alone."""
    found = tried(model, splits, chosen, (model.defaults, *model.others), trials, runner)
    score, best, figures = winner(found)
    measured = {title: round(float(value), 2) for title, value in zip(titles(FOUR), figures, strict=True)}
    facts = {"trials": trials, "objective": round(score, 3), **measured}
    return best, facts, {} if model.dial else _ends(found, best)


def tried(
    model: Model,
    splits: list[Split],
    chosen: dict[str, Parameters],
    first: tuple[Parameters, ...],
    trials: int,
    runner: Runner,
) -> list[Trial]:
    """Judge the settings `first` on validation pairs, then as many variations of them as there are trials left.

    Parameters
    ----------
    model, splits
        What to train, and the splits that judge it.
    chosen
        Parameters of the other models, by key.
    first
        Settings to begin with.
    trials
        How many settings in all.
    runner
        Runs them.
    """
    optuna = _optuna()
    space: Space = dict(SPACES[model.key])
    kinds = tuple(splits[0].domain.taxonomies)
    if model.taxonomy and not model.base and not model.any_taxonomy and len(kinds) > 1:
        space["taxonomy"] = kinds
    found: list[Trial] = []

    def judged(parameters: Parameters) -> float:
        score, dial, figures = judge(model, splits, {**chosen, model.key: parameters}, runner)
        turned = dial_parameters(dial) if model.dial else {}
        found.append((score, {**parameters, **turned}, figures))
        return score

    starts = first[:trials]
    for start in starts:
        judged({**start})

    def varied(trial: Any) -> float:
        base = trial.suggest_categorical("start", range(len(starts))) if len(starts) > 1 else 0
        return judged({**starts[base], **suggest(trial, space)})

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(varied, n_trials=trials - len(starts))
    return found


def winner(found: list[Trial]) -> Trial:
    """The trial that is best on all targets among those that are hardly behind the best one.

    The objective rests on few rare cases: half a point of it is chance.

    Examples
    --------
    >>> few, many = np.array([76.4, 92.2, 0.0, 29.0]), np.array([84.4, 94.6, 0.0, 16.6])
    >>> winner([(49.4, {"dim": 20}, few), (48.91, {"dim": 50}, many)])[1]
    {'dim': 50}
    """
    best = max(score for score, _, _ in found)
    return max((trial for trial in found if trial[0] > best - _HARDLY_BETTER), key=lambda trial: trial[2][:2].sum())


def _ends(found: list[Trial], best: Parameters) -> dict[str, Parameters]:
    """The settings that were best for all targets and for rare ones, if they are not the best of both."""
    ends = {}
    for end, columns in (("full", slice(0, 2)), ("rare", slice(2, 4))):
        top = max(found, key=lambda entry, columns=columns: np.nan_to_num(entry[2][columns]).sum())  # type: ignore[misc]
        if top[1] != best:
            ends[end] = top[1]
    return ends


def judge(
    model: Model, splits: list[Split], parameters: dict[str, Parameters], runner: Runner
) -> tuple[float, Dial, np.ndarray]:
    """The objective on validation pairs, the position of the dial for the tables, and the four figures there."""
    records: list[Record] = [runner.run(model, split, parameters, seed) for seed, split in enumerate(splits)]
    pool = Pool(1, [Cases.of(split.masked, "validation") for split in splits], {model.key: records})
    places = positions(records[0])
    figures = np.array([four(pool, model.key, variant) for variant in range(len(places))])
    shown = position(figures)
    return float(np.nanmean(figures[shown])), places[shown], figures[shown]


def position(figures: np.ndarray) -> int:
    """The best mean of the four figures among those that give up at most half a point of full.

    Full is the mean of its HR@10% and MPR.

    Examples
    --------
    >>> position(np.array([[80.0, 90.0, 10.0, 50.0], [79.0, 90.0, 20.0, 60.0], [60.0, 80.0, 90.0, 90.0]]))
    1
    """
    full = figures[:, :2].mean(axis=1)
    return int(np.argmax(np.where(full >= full.max() - _GIVEN_UP, np.nanmean(figures, axis=1), -np.inf)))


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError("optuna is not installed: pip install 'vbn[reproduce]'.") from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
