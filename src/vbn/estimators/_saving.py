"""Save an estimator to a folder, and load it back."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from vbn._errors import ModelFileError, VBNError
from vbn.estimators._params import Parameters
from vbn.estimators._queries import Queries
from vbn.storage import read_folder, write_folder

_registry: dict[str, type] = {}
_OF_A_RUN = frozenset(("checkpoint", "engine"))
"""Parameters that belong to a run, not to its model: a file must not say where its reader's next fit writes or runs."""
T = TypeVar("T", bound=type)


def registered(cls: T) -> T:
    """Class decorator: `load` finds the class by its name."""
    _registry[cls.__name__] = cls
    return cls


class Saving(Parameters, Queries):
    """Gives an estimator `save`."""

    lower_bounds_: np.ndarray
    validation_: np.ndarray
    converged_: bool

    def save(self, folder: str | os.PathLike[str], counts: bool = True) -> Path:
        """Write the model to a folder: tensors, config.json and a model card. Replaces a model that is there.

        The folder holds the old model or the new one at every moment, whatever kills the process. Saving the same
        model twice gives the same bytes.

        Parameters
        ----------
        folder
            Where to; made if it is not there.
        counts
            Whether to keep the counts too, so that `partial_fit` after loading goes on with all of them. Without them
            the folder is smaller and tells nothing of single pairs, and the posterior stands in for the old counts.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        ModelFileError
            If it cannot be written; a model that was there is as it was.
        """
        trained = self._model()
        self._check_for_saving()
        params, record = without_run(self.get_params()), self._record()
        return write_folder(folder, trained, self._data, type(self).__name__, params, record, counts=bool(counts))

    def _record(self) -> dict[str, Any]:
        """What is remembered of the fit; `_restore` takes it back."""
        return {
            "lower_bounds": self.lower_bounds_.tolist(),
            "validation": self.validation_.tolist(),
            "converged": self.converged_,
        }

    def _check_for_saving(self) -> None:
        """Raise for parameters that `load` would refuse."""


def without_run(params: dict[str, Any]) -> dict[str, Any]:
    """The parameters that are kept with a model."""
    return {name: value for name, value in params.items() if name not in _OF_A_RUN}


def load(folder: str | os.PathLike[str]) -> Any:
    """Load a model from a folder that `save` or a checkpoint wrote. Nothing is unpickled.

    The tensors are mapped, not read: loading takes little memory, and processes that load one model share it. The
    checksum, the shapes and the values are verified. The folder may be replaced or removed afterwards.

    Raises
    ------
    ModelFileError
        For a folder that is not there, damaged, hostile or written by a newer version.

    Examples
    --------
    >>> import tempfile, vbn
    >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
    >>> folder = model.save(tempfile.mkdtemp())
    >>> vbn.load(folder).posterior("a").mean.tolist() == model.posterior("a").mean.tolist()
    True
    """
    trained, data, config = read_folder(folder)
    model = _class_of(config["estimator"], folder)()
    try:
        model.set_params(**without_run(config["parameters"]))
        model._restore(trained, config["record"])
        model._data = data
        model._check_for_saving()
    except (VBNError, KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise ModelFileError(f"the parameters of the model in {folder} are damaged: {error}") from error
    return model


def _class_of(kind: str, folder: object) -> Any:
    if kind not in _registry:
        home = importlib.import_module("vbn")  # by name: rooms above this one register their models when first used
        if kind in home.__all__:
            getattr(home, kind)
    if kind not in _registry:
        raise ModelFileError(f"{folder} holds a model of unknown kind {kind[:80]!r}.")
    return _registry[kind]
