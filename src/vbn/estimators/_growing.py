"""Entities that come after training: `add`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from vbn.estimators._queries import Queries
from vbn.inference._adding import NewEntity, add_entities
from vbn.inference._remembering import with_added


class Growing(Queries):
    """Gives a model `add`."""

    def add(self, name: Any, parents: Any = None, contexts: Any = None, side: str = "column") -> Self:
        """Give entities that did not exist a density at once, without retraining.

        Parameters
        ----------
        name
            A name; or many at once, {name: {"parents": ..., "contexts": ...}}.
        parents
            Names of its parents, or {parent: weight}.
        contexts
            {entity: count}: what it was seen with; folded in by the updates of training, all else held fixed.
        side
            "row" or "column", where the two differ.
        """
        many = name if isinstance(name, Mapping) else {name: {"parents": parents, "contexts": contexts}}
        new = [
            NewEntity(str(n), _weights(s.get("parents"), 1.0), _weights(s.get("contexts"), 1.0))
            for n, s in many.items()
        ]
        if new:
            trained = add_entities(self._model(), new, side, self.seed)
            if self._data is not None:
                self._data = with_added(self._data, trained, new, side)
            self._trained = trained
        return self


def _weights(given: Any, default: float) -> dict[str, float]:
    if given is None:
        return {}
    if isinstance(given, str):
        return {given: default}
    if isinstance(given, Mapping):
        return {str(name): float(weight) for name, weight in given.items()}
    return {str(name): default for name in given}
