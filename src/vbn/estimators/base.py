"""What every estimator has: parameters in scikit-learn's manner, and a name by which `load` finds its class."""

from __future__ import annotations

import difflib
import importlib
import inspect
import os
import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self, TypeVar

from vbn._errors import ModelFileError, ParameterError, VBNError, caller_level
from vbn._parameters import kept_with_model, up_to_date
from vbn.estimators.observing import Observes, replay
from vbn.storage import Position, read_folder

_SHOWN = 80  # characters of a value in a repr
_registry: dict[str, type] = {}
T = TypeVar("T", bound=type)


class Parameters:
    """`get_params`, `set_params` and a repr that shows what differs from the defaults: what scikit-learn needs."""

    _renamed: ClassVar[Mapping[str, str]] = {}  # old names of parameters, which warn, and the present ones

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        given = inspect.signature(cls.__init__).parameters
        return {name: p.default for name, p in given.items() if name != "self" and name not in cls._renamed}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """Return the parameters by name, as they were given."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; nothing is set if a name is unknown."""
        known = self._defaults()
        for name in params:
            if name not in known and name not in self._renamed:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}.{hint} It has {', '.join(known)}."
                )
        for name, value in params.items():
            if name in self._renamed:
                warn_of_old_name(name, self._renamed[name])
            setattr(self, self._renamed.get(name, name), value)
        return self

    def __repr__(self) -> str:
        # Arrays do not compare to one truth value, but every value has a repr.
        shown = {name: _one_line(getattr(self, name)) for name in self._defaults()}
        changed = (f"{name}={shown[name]}" for name, value in self._defaults().items() if shown[name] != repr(value))
        return f"{type(self).__name__}({', '.join(changed)})"


def warn_of_old_name(old: str, new: str) -> None:
    """Warn that a name is old and will go."""
    message = f"{old} is now called {new}; the old name will go in the next version."
    warnings.warn(message, DeprecationWarning, stacklevel=caller_level())


def _one_line(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def registered(cls: T) -> T:
    """Class decorator: let `load` find the class by its name."""
    _registry[cls.__name__] = cls
    return cls


def load(folder: str | os.PathLike[str], mapped: bool = True) -> Any:
    """Load a model from a folder that `save` or a checkpoint wrote. Nothing is unpickled.

    The checksum, the shapes and the values are verified. The folder may be removed or saved to afterwards. Events that
    a server or `vbn observe` has noted in the folder since the model was saved are observed.

    Parameters
    ----------
    folder
        Where the model is.
    mapped
        Whether the tensors are mapped, not read: loading takes little memory, and processes that load the same model
        share it. Files that are cut or overwritten in place (`cp`, `truncate`) then end the process; pass False to read
        them into memory, as `vbn serve` does.

    Raises
    ------
    ModelFileError
        For a folder that is missing, damaged, hostile or written by a newer version.

    Examples
    --------
    >>> import tempfile, vbn
    >>> model = vbn.VBN(dim=2, epochs=2, verbose=False).fit(vbn.Dataset.from_pairs(["a", "b"], ["b", "a"]))
    >>> folder = model.save(tempfile.mkdtemp())
    >>> vbn.load(folder).posterior("a").mean.tolist() == model.posterior("a").mean.tolist()
    True
    """
    trained, data, config = read_folder(folder, mapped)
    model = _class_of(config["estimator"], folder)()
    try:
        model.set_params(**kept_with_model(up_to_date(config["parameters"])))
        model._restore(trained, data, config["record"])
        model._check_for_saving()
    except (VBNError, KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise ModelFileError(f"the parameters of the model in {folder} are damaged: {error}") from error
    if isinstance(model, Observes):
        model._position = Position.of(config["record"])
        replay(model, folder)
    return model


def _class_of(kind: str, folder: object) -> Any:
    home = importlib.import_module("vbn")  # by name: rooms above this one register their models when first used
    if kind not in _registry and kind in home.__all__:
        getattr(home, kind)
    if kind not in _registry:
        raise ModelFileError(f"{folder} holds a model of unknown kind {kind[:80]!r}.")
    return _registry[kind]
