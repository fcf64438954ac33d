"""Checkpoints: a model folder with the state of a fit, which can continue from it to the same bits.

A checkpoint holds fingerprints of the data, and only a fit to the same data can continue from it.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from vbn._errors import DataError, ModelFileError, ParameterError, caller_level
from vbn.data import Counts, Dataset, Taxonomy, Vocabulary
from vbn.estimators.parameters import kept_with_model, up_to_date
from vbn.estimators.training import Training
from vbn.model import Trained
from vbn.storage import State, as_json, check_folder, read_state, write_folder

_FREE = frozenset(
    ("epochs", "tol", "n_threads", "engine", "memory", "verbose", "warm_start", "checkpoint", "checkpoint_every")
)
"""Parameters that may differ from those of the checkpoint: they affect when or where a fit runs, not its result."""


class Checkpoints:
    """Writes the state of a fit to a folder, every few epochs and at the end.

    Parameters
    ----------
    folder
        The folder; whether it can be written to is checked before the fit begins.
    every
        Number of epochs between two checkpoints.
    estimator, params
        Name and parameters of the model.
    marks
        Fingerprints of its data.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        every: int,
        estimator: str,
        params: dict[str, Any],
        marks: Mapping[str, str | None],
    ) -> None:
        check_folder(folder)
        self.folder, self.every = folder, every
        self._estimator, self._params, self._marks = estimator, kept_with_model(params), marks

    def due(self, done: int, epochs: int) -> bool:
        """Return whether a checkpoint is due after `done` of the epochs."""
        return done == epochs or done % self.every == 0

    def write(self, training: Training) -> None:
        """Write a checkpoint. If that fails, warn and let the fit continue: it is worth more than its checkpoint."""
        tensors, facts = training.state()
        try:
            write_folder(
                self.folder,
                training.trained(),
                training.kept,
                self._estimator,
                self._params,
                training.record(),
                counts=False,
                state=State(tensors, facts | {"data": dict(self._marks)}),
            )
        except ModelFileError as error:
            message = f"no checkpoint after {training.epochs} epochs: {error} The fit continues."
            warnings.warn(message, RuntimeWarning, stacklevel=caller_level())


def read_checkpoint(
    folder: str | os.PathLike[str], estimator: str, params: dict[str, Any], marks: Mapping[str, str | None]
) -> tuple[State, dict[str, Any]]:
    """Return the state to continue from and the record of the epochs so far.

    Raise an error unless the checkpoint has the same data and parameters.
    """
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
        raise ParameterError(f"the checkpoint {folder} already has {done} epochs, more than epochs={params['epochs']}.")
    return state, config["record"]


def fingerprints(data: Dataset, validation: Dataset | None, earlier: Trained | None) -> dict[str, str | None]:
    """Return a digest of each part of the data that training depends on, or None for a part that is missing.

    `earlier` is a model whose posterior stands for data that is no longer available.
    """
    pairs: list[object] = []
    for name, relation in data.relations.items():
        pairs += [name, str(relation.symmetric), relation.left, relation.right, relation.weights]
    parts: dict[str, list[object] | None] = {
        "rows": _names(data.rows),
        "columns": None if data.shared else _names(data.columns),
        "counts": _counts(data.counts),
        "row taxonomy": _edges(data.row_taxonomy),
        "column taxonomy": _edges(data.column_taxonomy),
        "relations": pairs or None,
        "validation": None if validation is None else _held_out(validation),
        "earlier model": None if earlier is None else [*earlier.posterior.arrays().values(), earlier.row_totals],
    }
    return {name: None if items is None else _digest(items) for name, items in parts.items()}


def _names(names: Vocabulary) -> list[object]:
    return [*names.names, names.counts]


def _counts(counts: Counts) -> list[object]:
    return [counts.indptr, counts.indices, counts.values]


def _edges(taxonomy: Taxonomy | None) -> list[object] | None:
    return None if taxonomy is None else [taxonomy.indptr, taxonomy.indices, taxonomy.weights]


def _held_out(data: Dataset) -> list[object]:
    return [*_names(data.rows), *_names(data.columns), *_counts(data.counts)]


def _digest(items: list[object]) -> str:
    """Return a checksum of strings and arrays; each is preceded by its length, which keeps adjacent items apart."""
    found = hashlib.sha256()
    for item in items:
        if isinstance(item, np.ndarray):
            content = np.ascontiguousarray(item).reshape(-1).view(np.uint8).data
        else:
            content = memoryview(str(item).encode("utf-8", "surrogatepass"))
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return found.hexdigest()[:32]
