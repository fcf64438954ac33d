"""The engine protocol: where row updates run. Threads of this process are one engine, a cluster is another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from vbn.model.epoch import EpochData, Plan
    from vbn.model.likelihoods import RelationCells


class Engine(Protocol):
    """Runs an epoch.

    Nearly all of an epoch's work is two half-sweeps over its co-occurrence cells, which may be far more than this
    machine can hold: the engine decides where they are drawn, kept and transposed. Everything else (categories,
    relations, precisions, the bound) works on arrays by entity in this process, in ranges that `map` runs side by side.

    The result must not depend on the engine: rows are drawn and updated independently, from (seed, epoch, row), and
    the cells of a column are taken by ascending row.
    """

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Return the results of task(first, last) for every range, in the order of the ranges; tasks share memory."""

    def sample(self, plan: Plan, epoch: int, relations: RelationCells) -> EpochData:
        """Return the sample of an epoch, with the methods of the two half-sweeps; `plan` is the same during a fit."""

    def close(self) -> None:
        """Release threads, processes or connections; another fit may start them again."""
