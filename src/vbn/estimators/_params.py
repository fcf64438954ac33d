"""Parameters as in scikit-learn: stored as given, read and set by name, checked in fit."""

from __future__ import annotations

import inspect
from typing import Any, Self

from vbn._errors import ParameterError


class Parameters:
    """Gives an estimator `get_params`, `set_params` and a repr that shows what differs from the defaults."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        signature = inspect.signature(cls.__init__)
        return {name: p.default for name, p in signature.parameters.items() if name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; an unknown name is an error."""
        known = self._defaults()
        for name in params:
            if name not in known:
                raise ParameterError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}.")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [f"{k}={getattr(self, k)!r}" for k, v in self._defaults().items() if getattr(self, k) != v]
        return f"{type(self).__name__}({', '.join(changed)})"
