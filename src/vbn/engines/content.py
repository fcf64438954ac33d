"""Features of entities on several machines: which worker has which blocks of rows, and how they are sent.

Features that are mapped from a file are sent by its name to workers that see the file; others get the rows that they
work on, once a fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vbn.data import MappedArray, Source, Sources, opened


class Block(NamedTuple):
    """A block of rows of a task: which entities, and what else belongs to them."""

    rows: np.ndarray
    inputs: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class SentSource:
    """A source as it is sent; `values` names their file if they are mapped from one."""

    name: str
    values: np.ndarray | MappedArray
    rows: np.ndarray
    at: np.ndarray | None = None

    @classmethod
    def of(cls, source: Source, rows: np.ndarray, by_name: bool) -> SentSource:
        """Return what a source knows of some rows, ascending; `by_name` lets it stay in its file."""
        _, positions = source.of_entities(rows)
        mapped = MappedArray.of(source.values) if by_name and source.tail is None else None
        if mapped is None:
            return cls(source.name, source.taken(positions), source.rows[positions])
        return cls(
            source.name, mapped, source.rows[positions], positions if source.at is None else source.at[positions]
        )

    def opened(self) -> Source:
        """Return the source with its values."""
        return Source(self.name, opened(self.values), self.rows, at=self.at)


def sent_sources(features: Sources, rows: np.ndarray, by_name: bool) -> list[SentSource]:
    """Return what a worker that has some of the rows gets."""
    return [SentSource.of(source, rows, by_name) for source in features.sources]


def files_of(sources: Sequence[SentSource]) -> list[MappedArray]:
    """Return the files that are not sent."""
    return [sent.values for sent in sources if isinstance(sent.values, MappedArray)]


def received(sources: Sequence[SentSource]) -> Sources:
    """Return the features that were sent."""
    return Sources([sent.opened() for sent in sources])


def turns(threads: Sequence[int]) -> list[int]:
    """Return whose turn it is, again and again, where workers take turns in proportion to their threads.

    Examples
    --------
    >>> turns([4, 2])
    [0, 0, 1]
    """
    common = math.gcd(*threads)
    return [number for number, own in enumerate(threads) for _ in range(own // common)]
