"""Parameters by search on the validation pairs only, with as many trials for every model (extra "reproduce").

What is maximised is the mean of HR@10% and MPR, full and rare; of a model with the dial, at the position that tables
will show (`position`). Trials are seeded and their runs cached, so that a search that was stopped goes through its
earlier trials at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from vbn._errors import MissingExtraError, ParameterError
from vbn.evaluation.paper._cache import Cache, Record
from vbn.evaluation.paper._domains import Domain
from vbn.evaluation.paper._masking import mask
from vbn.evaluation.paper._models import ALL, Model, Parameters
from vbn.evaluation.paper._options import Progress
from vbn.evaluation.paper._pool import Cases, Pool
from vbn.evaluation.paper._positions import positions
from vbn.evaluation.paper._runs import Runner
from vbn.evaluation.paper._spaces import SPACES, Space, suggest
from vbn.evaluation.paper._split import Split
from vbn.evaluation.paper._tables import FOUR, four, titles
from vbn.evaluation.paper._winners import FOLDER, settings, write_winner
from vbn.inference import Dial

Trial = tuple[float, Parameters, np.ndarray]
"""The objective, the parameters, and the four figures."""

_RARE_CASES, _MOST_MASKINGS = 150, 4
_HARDLY_BETTER = 0.5  # points of the objective that a setting may be behind the best, if it is better on all targets
_GIVEN_UP = 0.5  # points of full that the position of the tables may give up for rare


def search(
    domain: Domain, trials: int, cache: Cache, progress: Progress, folder: Path = FOLDER,
    maskings: int | None = None, models: tuple[Model, ...] = ALL,
) -> dict[str, Parameters]:  # fmt: skip
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
        Which models; a model that changes another after training comes after it.

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
    ready = tuple(model for model in models if model.installed and model.key in SPACES)
    progress.expect(trials * maskings * len(ready))
    runner = Runner(cache, progress)
    for model in ready:
        best, facts, also = _searched(model, splits, chosen, trials, runner)
        chosen[model.key] = best
        write_winner(folder / domain.name / f"{model.key}.toml", best, facts, also)
    return {model.key: chosen[model.key] for model in ready}


def _split(domain: Domain, seed: int) -> Split:
    masked = mask(domain.interactions, domain.least, seed)
    return Split(domain, masked, "validation", f"validation {seed + 1}")


def _searched(
    model: Model, splits: list[Split], chosen: dict[str, Parameters], trials: int, runner: Runner
) -> tuple[Parameters, dict[str, Any], dict[str, Parameters]]:
    """The best of a model's trials, how it did, and the best for all targets and for rare ones alone."""
    optuna = _optuna()
    space: Space = dict(SPACES[model.key])
    kinds = tuple(splits[0].domain.taxonomies)
    if model.taxonomy and not model.base and len(kinds) > 1:
        space["taxonomy"] = kinds
    found: list[Trial] = []

    def judged(parameters: Parameters) -> float:
        score, dial, figures = judge(model, splits, {**chosen, model.key: parameters}, runner)
        turned = {"popularity": dial.weight, "popularity_floor": dial.floor} if model.dial else {}
        found.append((score, {**parameters, **turned}, figures))
        return score

    starts = (model.defaults, *model.others)[:trials]
    for start in starts:
        judged({**start})

    def varied(trial: Any) -> float:
        base = trial.suggest_categorical("start", range(len(starts))) if len(starts) > 1 else 0
        return judged({**starts[base], **suggest(trial, space)})

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(varied, n_trials=trials - len(starts))
    score, best, figures = winner(found)
    measured = {title: round(float(value), 2) for title, value in zip(titles(FOUR), figures, strict=True)}
    facts = {"trials": trials, "objective": round(score, 3), **measured}
    return best, facts, {} if model.dial else _ends(found, best)


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
