"""Verbs of the Bayesian models that a baseline does not have."""

from __future__ import annotations

from typing import NoReturn

from vbn._errors import VBNError


class NotOfferedError(VBNError, AttributeError):
    """A verb that a model does not have, and why; for `hasattr` it is simply not there."""


class Absent:
    """In the place of a method: says why there is none."""

    def __init__(self, why: str) -> None:
        self._why = why

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise NotOfferedError(f"{owner.__name__} has no {self._name}: {self._why}.")
