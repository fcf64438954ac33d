"""Save an estimator to a folder, and load it back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from vbn._errors import ModelFileError
from vbn.estimators._params import Parameters
from vbn.estimators._queries import Queries
from vbn.storage import read_folder, write_folder

_registry: dict[str, type] = {}
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

        Parameters
        ----------
        folder
            Where to; made if it is not there.
        counts
            Whether to keep the counts too, which `partial_fit` needs after loading. Without them the folder is smaller
            and tells nothing of single pairs.
        """
        trained = self._model()
        record = {
            "lower_bounds": self.lower_bounds_.tolist(),
            "validation": self.validation_.tolist(),
            "converged": self.converged_,
        }
        data = self._data if counts else None
        return write_folder(folder, trained, data, type(self).__name__, self.get_params(), record)


def load(folder: str | os.PathLike[str]) -> Any:
    """Load a model from a folder that `save` wrote. Nothing is unpickled.

    Examples
    --------
    >>> import tempfile, vbn
    >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
    >>> folder = model.save(tempfile.mkdtemp())
    >>> vbn.load(folder).posterior("a").mean.tolist() == model.posterior("a").mean.tolist()
    True
    """
    trained, data, config = read_folder(folder)
    kind = config["estimator"]
    if not isinstance(kind, str) or kind not in _registry:
        raise ModelFileError(f"{folder} holds a model of unknown kind {kind!r}.")
    model = _registry[kind]()
    try:
        model.set_params(**config["parameters"])
        model._restore(trained, config["record"])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelFileError(f"the parameters of the model in {folder} are damaged: {error}") from error
    model._data = data
    return model
