"""Densities that events have outdated, used again: a copy of a model then costs what has changed, not what it holds.

Whoever asks a model while events come in keeps the densities that it began with. So events never write to the present
arrays, but to those of the model before: once nobody has these any more, they lack only the rows that the last events
changed.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from vbn.model import Block, Trained

_FIELDS = ("mean", "variance", "rate")  # what events change
_BLOCKS = ("u", "v", "bias")
_KEY = "spare"  # where a model has it


class Spare:
    """The arrays of the model before, and by block the rows that have changed since."""

    def __init__(self, arrays: tuple[np.ndarray, ...] = (), changed: tuple[np.ndarray, ...] = ()) -> None:
        self._changed = changed
        self._arrays = [arrays] if arrays else []

    def __reduce__(self) -> tuple[Any, ...]:
        return Spare, ()  # neither copied nor pickled with a model

    def take(self) -> dict[str, tuple[tuple[np.ndarray, ...], np.ndarray]]:
        """Return arrays that nobody else has, and the rows to copy to them, by block; nothing if somebody has one."""
        try:
            found = self._arrays.pop()  # by one caller only
        except IndexError:
            return {}
        fresh = tuple(np.empty(1) for _ in found)
        if not getattr(sys, "_is_gil_enabled", lambda: True)() or _holders(found) != _holders(fresh):
            return {}
        parts = (found[at : at + len(_FIELDS)] for at in range(0, len(found), len(_FIELDS)))
        return {block: (part, ids) for block, part, ids in zip(_BLOCKS, parts, self._changed, strict=True)}


def _holders(arrays: tuple[np.ndarray, ...]) -> list[int]:
    """Return how many refer to each array; views do so too."""
    return [sys.getrefcount(array) for array in arrays]


def keep_spare(made: Trained, before: Trained, rows: np.ndarray, columns: np.ndarray) -> None:
    """Let a model know the arrays of the one before, in which these rows and columns differ."""
    q = before.posterior
    arrays = tuple(getattr(getattr(q, block), name) for block in _BLOCKS for name in _FIELDS)
    if all(array.flags.owndata and array.flags.writeable for array in arrays):
        made.__dict__[_KEY] = Spare(arrays, (rows, columns, columns))


def copies(trained: Trained) -> list[Block]:
    """Return the blocks of a model that events change, u, v and biases, in arrays of their own."""
    spare: Spare | None = trained.__dict__.get(_KEY)
    free, made = {} if spare is None else spare.take(), []
    for name in _BLOCKS:
        block: Block = getattr(trained.posterior, name)
        if name in free:
            arrays, ids = free[name]
            for array, field in zip(arrays, _FIELDS, strict=True):
                array[ids] = getattr(block, field)[ids]
        else:
            arrays = tuple(getattr(block, field).copy() for field in _FIELDS)
        mean, variance, rate = arrays
        made.append(replace(block, mean=mean, variance=variance, rate=rate))
    return made
