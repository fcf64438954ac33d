"""Checkpoints: a model folder with the state of a fit, which can continue from it to the same bits.

A checkpoint holds fingerprints of the data, and only a fit to the same data can continue from it.
"""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from vbn._errors import DataError, ModelFileError, ParameterError, caller_level
from vbn._parameters import kept_with_model, up_to_date
from vbn.data import Counts, Dataset, Features, Taxonomy, Vocabulary
from vbn.estimators.training import Training
from vbn.model import Trained
from vbn.storage import State, as_json, check_folder, read_state, write_folder

_FREE = frozenset(
    ("epochs", "tol", "n_threads", "engine", "memory", "verbose", "warm_start", "checkpoint", "checkpoint_every")
)
"""Parameters that may differ from those of the checkpoint: they affect when or where a fit runs, not its result."""

Marks = Mapping[str, str | None]  # fingerprints of data


class Checkpoints:
    """Writes the state of a fit to `params["checkpoint"]`, every few epochs and at the end."""

    def __init__(self, estimator: str, params: dict[str, Any], marks: Marks) -> None:
        self.folder, self.every = params["checkpoint"], params["checkpoint_every"]
        check_folder(self.folder)  # before the fit begins
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
    folder: str | os.PathLike[str], estimator: str, params: dict[str, Any], marks: Marks
) -> tuple[State, dict[str, Any]]:
    """Return the state to continue from and the record of the epochs so far.

    Raise an error unless the checkpoint has the same data and parameters.
    """
    state, config = read_state(folder)
    if config["estimator"] != estimator:
        raise ModelFileError(f"{folder} is a checkpoint of a {config['estimator'][:80]}, not of a {estimator}.")
    written = state.facts.get("data")
    differing = [name for name, mark in marks.items() if not isinstance(written, dict) or written.get(name) != mark]
    if differing:  # first: what "auto" stands for follows the data
        raise DataError(f"the checkpoint {folder} is of a fit to other data: the {', '.join(differing)} differ.")
    now, then = as_json(kept_with_model(params)), {"parents": "blend"} | up_to_date(config["parameters"])
    known = [name for name in now if name not in _FREE]
    other = [f"{name}={now[name]!r} (there {then.get(name)!r})" for name in known if now[name] != then.get(name)]
    if other:
        raise ParameterError(f"the checkpoint {folder} is of a fit with other parameters: {', '.join(other)}.")
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
    held = [] if validation is None else [validation.rows, validation.columns, validation.counts]
    before = [] if earlier is None else [*earlier.posterior.arrays().values(), earlier.row_totals]
    parts: dict[str, Sequence[object]] = {
        "rows": [data.rows],
        "columns": [] if data.shared else [data.columns],
        "counts": [data.counts],
        "row taxonomy": [] if data.row_taxonomy is None else [data.row_taxonomy],
        "column taxonomy": [] if data.column_taxonomy is None else [data.column_taxonomy],
        "row features": [] if data.shared or data.row_features is None else [data.row_features],
        "column features": [] if data.column_features is None else [data.column_features],
        "relations": pairs,
        "validation": held,
        "earlier model": before,
    }
    return {name: _digest(items) if items else None for name, items in parts.items()}


def _contents(item: object) -> Iterable[object]:
    match item:
        case Vocabulary():
            return *item.names, item.counts
        case Counts():
            return item.indptr, item.indices, item.values
        case Taxonomy():
            return item.indptr, item.indices, item.weights
        case Features():
            return chain.from_iterable(chain((own.name, own.rows), own.blocks()) for own in item.sources)
        case _:
            return (item,)


def _digest(items: Sequence[object]) -> str:
    """Return a checksum of strings and arrays; each is preceded by its length, which keeps adjacent items apart."""
    found = hashlib.sha256()
    for item in chain.from_iterable(map(_contents, items)):
        if isinstance(item, np.ndarray):
            content = np.ascontiguousarray(item).reshape(-1).view(np.uint8).data
        else:
            content = memoryview(str(item).encode("utf-8", "surrogatepass"))
        found.update(len(content).to_bytes(8, "little"))
        found.update(content)
    return found.hexdigest()[:32]
