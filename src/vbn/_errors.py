"""One family of exceptions: what was wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class VBNError(Exception):
    """Base of every error that this library raises on purpose."""


class DataError(VBNError, ValueError):
    """Input data that cannot be used: empty, broken, negative, of the wrong type."""


class TaxonomyError(DataError):
    """A taxonomy that is not a directed acyclic graph, or names a node as its own parent."""


class RelationError(DataError):
    """A relation whose pairs do not fit the data set's entities."""


class ParameterError(VBNError, ValueError):
    """A model parameter outside its range."""


class NotFittedError(VBNError, AttributeError):
    """A question to a model that has not been fitted yet."""


class NumericalError(VBNError, ArithmeticError):
    """A posterior that stopped being finite."""


class ModelFileError(VBNError, ValueError):
    """A model folder that is missing, damaged, hostile or written by a newer version."""


class MissingExtraError(VBNError, ImportError):
    """An optional dependency that is not installed; the message names the extra."""


class UnknownEntityError(VBNError, KeyError):
    """A name that the model or the data set does not know, with the closest names it does know."""

    def __init__(self, name: str, known: Iterable[str], what: str = "entity") -> None:
        self.name = name
        self.closest = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
        hint = f" Did you mean {_listed(self.closest)}?" if self.closest else ""
        super().__init__(f"unknown {what} {name!r}.{hint}")

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_unknown, (self.name, self.closest, self.args[0]))


for _error in (VBNError, *VBNError.__subclasses__(), *DataError.__subclasses__()):
    _error.__module__ = "vbn"  # where users import them from, and what tracebacks show


def _rebuild_unknown(name: str, closest: list[str], message: str) -> UnknownEntityError:
    error = UnknownEntityError(name, closest)
    error.closest, error.args = closest, (message,)
    return error


def _listed(names: list[str]) -> str:
    quoted = [repr(name) for name in names]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]
