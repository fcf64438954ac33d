"""Checkpoints: a model folder with the state of a fit, from which it goes on to the same bits."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from vbn._errors import DataError, ModelFileError, ParameterError, caller_level
from vbn.estimators._training import Training
from vbn.estimators.parameters import kept_with_model, up_to_date
from vbn.storage import State, as_json, check_folder, read_state, write_folder

_FREE = frozenset(
    ("epochs", "tol", "n_threads", "engine", "memory", "verbose", "warm_start", "checkpoint", "checkpoint_every")
)
"""Parameters that may differ from those of the checkpoint: they change when or where a fit runs, not what it does."""


class Checkpoints:
    """Writes the state of a fit to a folder, every few epochs and at its end.

    Parameters
    ----------
    folder
        Where to; that it can be written is found out before the fit begins.
    every
        Number of epochs between two checkpoints.
    estimator, params
        What the model is.
    marks
        Fingerprints of its data.
    """

    def __init__(
        self, folder: str | os.PathLike[str], every: int, estimator: str, params: dict[str, Any],
        marks: Mapping[str, str | None],
    ) -> None:  # fmt: skip
        check_folder(folder)
        self.folder, self.every = folder, every
        self._estimator, self._params, self._marks = estimator, kept_with_model(params), marks

    def due(self, done: int, epochs: int) -> bool:
        """Whether a checkpoint is due after so many of the epochs."""
        return done == epochs or done % self.every == 0

    def write(self, training: Training) -> None:
        """Write a checkpoint. If that fails, warn and let the fit go on: it is worth more than its checkpoint."""
        tensors, facts = training.state()
        state = State(tensors, facts | {"data": dict(self._marks)})
        try:
            write_folder(
                self.folder, training.trained(), training.kept, self._estimator, self._params, training.record(),
                counts=False, state=state,
            )  # fmt: skip
        except ModelFileError as error:
            message = f"no checkpoint after {training.epochs} epochs: {error} The fit goes on."
            warnings.warn(message, RuntimeWarning, stacklevel=caller_level())


def read_checkpoint(
    folder: str | os.PathLike[str], estimator: str, params: dict[str, Any], marks: Mapping[str, str | None]
) -> tuple[State, dict[str, Any]]:
    """The state to go on from and the record of the epochs so far, if it is that of this data and these parameters."""
    state, config = read_state(folder)
    if config["estimator"] != estimator:
        raise ModelFileError(f"{folder} is a checkpoint of a {config['estimator'][:80]}, not of a {estimator}.")
    now, then = as_json(kept_with_model(params)), up_to_date(config["parameters"])
    known = [name for name in now if name not in _FREE]
    other = [f"{name}={now[name]!r} (there {then.get(name)!r})" for name in known if now[name] != then.get(name)]
    if other:
        raise ParameterError(f"the checkpoint {folder} is of a fit with other parameters: {', '.join(other)}.")
    written = state.facts.get("data")
    differing = [name for name, mark in marks.items() if not isinstance(written, dict) or written.get(name) != mark]
    if differing:
        raise DataError(f"the checkpoint {folder} is of a fit to other data: the {', '.join(differing)} differ.")
    done = len(config["record"]["lower_bounds"])
    if done > params["epochs"]:
        raise ParameterError(f"the checkpoint {folder} has {done} epochs already, more than epochs={params['epochs']}.")
    return state, config["record"]
