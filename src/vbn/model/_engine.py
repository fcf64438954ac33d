"""The engine protocol: where row updates run. Threads on this machine are one engine, a cluster is another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from vbn.model._epoch import EpochData, Plan
    from vbn.model._relation_cells import RelationCells


class Engine(Protocol):
    """Runs an epoch.

    Nearly all of an epoch's work is two half-sweeps over its co-occurrence cells, which may be many more than this
    machine can hold; where they are drawn, kept and turned is the engine's business. Everything else (categories,
    relations, precisions, the bound) works on arrays by entity that are here, in ranges which `map` runs side by side.

    The result must not depend on the engine: rows are drawn and updated each for itself, from (seed, epoch, row), and
    the cells of a column are taken by rising row.
    """

    def map(self, task: Callable[[int, int], Any], ranges: Sequence[tuple[int, int]]) -> list[Any]:
        """Results of task(first, last) for every range, in the order of the ranges; tasks share this memory."""

    def sample(self, plan: Plan, epoch: int, relations: RelationCells) -> EpochData:
        """The sample of an epoch, with the verbs of the two half-sweeps; `plan` is the same during a fit."""

    def close(self) -> None:
        """Let go of the threads, processes or connections; a further fit may start them again."""
