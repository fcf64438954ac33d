"""The engine protocol: where row updates run, such as in threads of this process or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vbn.data import Features

if TYPE_CHECKING:
    from vbn.model.epoch import EpochData, Plan
    from vbn.model.likelihoods import RelationCells


ROWS_PER_TASK = 1 << 13


def row_ranges(n: int, rows_per_task: int | None = None) -> list[tuple[int, int]]:
    """Divide n rows into ranges of equal length, one for each task."""
    step = rows_per_task or ROWS_PER_TASK
    return [(first, min(first + step, n)) for first in range(0, n, step)]


@dataclass(frozen=True, eq=False)
class FeatureTask:
    """A task that reads features of entities, which an engine of several machines may run where these are.

    Parameters
    ----------
    features, rows
        The features, and the entities, ascending; both are the same throughout a fit.
    step
        Ranges are blocks of so many of the rows, the last one excepted.
    work
        work(features, rows, *inputs) does a range of rows; it can be pickled, and needs no more of the features than
        `Sources` has.
    inputs
        inputs(first, last) returns what else belongs to a range of rows.
    """

    features: Features
    rows: np.ndarray
    step: int
    work: Callable[..., Any]
    inputs: Callable[[int, int], tuple[np.ndarray, ...]]

    def __call__(self, first: int, last: int) -> Any:
        """Do a range of rows here."""
        return self.work(self.features, self.rows[first:last], *self.inputs(first, last))


class Engine(Protocol):
    """Runs the work of an epoch.

    Nearly all of it is two half-sweeps over the co-occurrence cells, which may not fit into the memory of this machine:
    the engine decides where they are drawn, kept and transposed. Everything else (categories, relations, precisions,
    the bound) works on arrays by entity in this process, in ranges that `map` runs in parallel. Features of entities
    may be large too: a `FeatureTask` says what it needs, so that `map` may run it elsewhere.

    The result must not depend on the engine: rows are drawn and updated independently, from (seed, epoch, row), and
    the cells of a column are summed in ascending order of rows.
    """

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Return task(first, last) for every range, in the order of the ranges; tasks share memory."""

    def sample(self, plan: Plan, epoch: int, relations: RelationCells) -> EpochData:
        """Return the sample of an epoch, which runs the two half-sweeps; `plan` is the same throughout a fit."""

    def close(self) -> None:
        """Release threads, processes or connections; a later fit may start them again."""
