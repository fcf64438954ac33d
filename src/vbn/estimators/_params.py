"""Parameters as in scikit-learn: stored as given, read and set by name, checked in fit."""

from __future__ import annotations

import difflib
import inspect
from typing import Any, Self

from vbn._errors import ParameterError

_SHOWN = 80  # characters of a value in a repr


class Parameters:
    """Gives an estimator `get_params`, `set_params` and a repr that shows what differs from the defaults.

    scikit-learn's `clone`, `Pipeline` and `GridSearchCV` need no more than that, so they work without scikit-learn
    being installed here.
    """

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        signature = inspect.signature(cls.__init__)
        return {name: p.default for name, p in signature.parameters.items() if name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """The parameters by name, as they were given."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; nothing is set if a name is unknown."""
        known = self._defaults()
        for name in params:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}.{hint} It has {', '.join(known)}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        # Arrays do not compare to one truth value, but every value has a repr.
        shown = {name: _one_line(getattr(self, name)) for name in self._defaults()}
        changed = [
            f"{name}={shown[name]}" for name, default in self._defaults().items() if shown[name] != repr(default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


def _one_line(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
